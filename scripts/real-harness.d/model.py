"""A scripted model on loopback: it records what programs send, and answers by a script."""

import json
import threading
from collections.abc import Callable, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from wire import Reply, Request, Text, answer

Step = Reply | Callable[[Request], Reply]
ENDS = ("/messages", "/responses", "/chat/completions", "enerateContent")


class Model:
    """``with Model(steps) as model:`` serves at ``model.url`` until the end.

    The n-th turn of the agent gets the n-th step, or what that makes of the request; after the
    last one it says "done".  ``model.turns`` are the agent's own requests, ``model.others`` the
    paths of the rest.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = list(steps)
        self.turns: list[Request] = []
        self.others: list[str] = []
        self.came = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def reply(self, request: Request) -> tuple[str, bytes]:
        """What is answered to one request."""
        if not request.is_main:
            self.others.append(request.path)
            return answer(request, Text("{}" if "title" not in request.said else "A title"), 0)
        with self.came:
            number = len(self.turns)
            self.turns.append(request)
            self.came.notify_all()
        step = self.steps[number] if number < len(self.steps) else Text("done")
        return answer(request, step(request) if callable(step) else step, number + 1)

    def wait(self, turns: int, seconds: float) -> bool:
        """Wait until so many turns were asked for."""
        with self.came:
            return self.came.wait_for(lambda: len(self.turns) >= turns, seconds)

    def __enter__(self) -> "Model":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    """One connection of a program."""

    protocol_version = "HTTP/1.1"

    def __init__(self, model: Model, *connection: Any) -> None:
        self._model = model
        super().__init__(*connection)

    def do_POST(self) -> None:
        path = urlsplit(self.path).path
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if path.endswith(("count_tokens", ":countTokens")):
            self._give("application/json", b'{"input_tokens":10,"totalTokens":10}')
        elif path.endswith(ENDS):
            self._give(*self._model.reply(Request(path, _read(data))))
        else:
            self._none(path)

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path.endswith("/models"):
            self._give("application/json", b'{"object":"list","data":[],"models":[]}')
        else:
            self._none(path)

    def do_HEAD(self) -> None:
        self._give("text/plain", b"")

    def _none(self, path: str) -> None:
        self._model.others.append(path)
        self._give("application/json", b'{"error":{"message":"not scripted"}}', 404)

    def _give(self, kind: str, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _read(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
