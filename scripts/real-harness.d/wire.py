"""What programs ask of a model, and how a scripted one answers: four wire formats.  Pure.

A ``Request`` is what came; a ``Text`` or a ``Shell`` is what is answered.  The answer to a request
that wants a stream is the lines of server-sent events, else one JSON object.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MODEL = "scripted"
USAGE = {"input_tokens": 10, "output_tokens": 5}


@dataclass(frozen=True)
class Text:
    """The model says this and is done."""

    said: str


@dataclass(frozen=True)
class Shell:
    """The model has this command run, by whatever tool for it the program offers."""

    command: str


@dataclass(frozen=True)
class Call:
    """The model calls the tool whose name ends so."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


Reply = Text | Shell | Call
SHELLS = ("Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell")


@dataclass
class Request:
    """One request: where to, and its body."""

    path: str
    body: dict[str, Any]

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """What the program offers the model, by name, with the schema of its arguments."""
        found: dict[str, dict[str, Any]] = {}
        for one in _listed(self.body.get("tools")):
            if one.get("type") == "namespace":  # Responses: the tools of one server
                for inner in _listed(one.get("tools")):
                    found[f"{one.get('name')}__{inner.get('name')}"] = inner
            elif "functionDeclarations" in one:
                found |= {inner["name"]: inner for inner in one["functionDeclarations"]}
            else:
                inner = one.get("function") or one
                found[inner.get("name") or one.get("type", "?")] = inner
        return found

    @property
    def is_main(self) -> bool:
        """Whether this is the agent's own turn: titles and summaries come without tools."""
        return any(name in self.tools for name in SHELLS)

    @property
    def texts(self) -> list[str]:
        """Every piece of text in it, but for the tools."""
        rest = {key: value for key, value in self.body.items() if key != "tools"}
        return list(strings(rest))

    @property
    def said(self) -> str:
        """All of it as one text."""
        return "\n".join(self.texts)


def _listed(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def strings(value: Any) -> Iterator[str]:
    """The strings in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def called(request: Request, reply: Shell | Call) -> tuple[str, dict[str, Any]]:
    """The tool and its arguments, as this program names them."""
    if isinstance(reply, Call):
        offered = (name for name in request.tools if name.endswith(reply.tool))
        name = next(offered, f"mcp__swarm__{reply.tool}")  # Claude Code calls what it found later
        return name, reply.arguments
    name = next(name for name in SHELLS if name in request.tools)
    schema = request.tools[name]
    about = schema.get("input_schema") or schema.get("parameters") or {}
    known = (about or schema.get("parametersJsonSchema") or {}).get("properties", {})
    key = "cmd" if "cmd" in known else "command"
    array = known.get(key, {}).get("type") == "array"
    command: Any = ["sh", "-c", reply.command] if array else reply.command
    found: dict[str, Any] = {key: command}
    if "description" in known:
        found["description"] = "as the script says"
    return name, found


def answer(request: Request, reply: Reply, number: int) -> tuple[str, bytes]:
    """The content type and the body of the answer."""
    path = request.path
    if path.endswith("/messages"):
        return _messages(request, reply, number)
    if path.endswith("/responses"):
        return _events(_responses(request, reply, number))
    if path.endswith("/chat/completions"):
        return _chat(request, reply, number)
    return _gemini(request, reply)


def _events(events: list[dict[str, Any]], end: str = "") -> tuple[str, bytes]:
    lines = []
    for one in events:
        if "type" in one:
            lines.append(f"event: {one['type']}\n")
        lines.append(f"data: {json.dumps(one)}\n\n")
    return "text/event-stream", ("".join(lines) + end).encode()


def _json(value: dict[str, Any]) -> tuple[str, bytes]:
    return "application/json", json.dumps(value).encode()


# ------------------------------------------------------------ Anthropic: messages


def _messages(request: Request, reply: Reply, number: int) -> tuple[str, bytes]:
    block, reason = _block(request, reply, number)
    whole = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": MODEL,
        "stop_reason": reason, "stop_sequence": None, "usage": USAGE,
    }  # fmt: skip
    if not request.body.get("stream"):
        return _json({**whole, "content": [block]})
    if isinstance(reply, Text):
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    begun: dict[str, Any] = {**whole, "content": [], "stop_reason": None}
    return _events(
        [
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": empty},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": reason, "stop_sequence": None},
                "usage": USAGE,
            },
            {"type": "message_stop"},
        ]
    )


def _block(request: Request, reply: Reply, number: int) -> tuple[dict[str, Any], str]:
    if isinstance(reply, Text):
        return {"type": "text", "text": reply.said}, "end_turn"
    name, arguments = called(request, reply)
    return {
        "type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments,
    }, "tool_use"  # fmt: skip


# ------------------------------------------------------------ OpenAI: responses


def _responses(request: Request, reply: Reply, number: int) -> list[dict[str, Any]]:
    item = _item(request, reply, number)
    usage = {**USAGE, "total_tokens": 15}
    whole = {"id": f"resp_{number}", "object": "response", "model": MODEL}
    return [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {
            "type": "response.completed",
            "response": {**whole, "status": "completed", "output": [item], "usage": usage},
        },
    ]


def _item(request: Request, reply: Reply, number: int) -> dict[str, Any]:
    if isinstance(reply, Text):
        content = [{"type": "output_text", "text": reply.said, "annotations": []}]
        return {
            "type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed",
            "content": content,
        }  # fmt: skip
    name, arguments = called(request, reply)
    space, _, inner = name.rpartition("__")
    split = {"name": inner, "namespace": space} if space else {"name": name}
    return {
        "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", **split,
        "arguments": json.dumps(arguments), "status": "completed",
    }  # fmt: skip


# ------------------------------------------------------------ OpenAI: chat completions


def _chat(request: Request, reply: Reply, number: int) -> tuple[str, bytes]:
    message: dict[str, Any] = {"role": "assistant"}
    if isinstance(reply, Text):
        message["content"] = reply.said
    else:
        name, arguments = called(request, reply)
        function = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [
            {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        ]
    reason = "stop" if isinstance(reply, Text) else "tool_calls"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    whole = {"id": f"chat_{number}", "created": 1, "model": MODEL}
    if not request.body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return _json({**whole, "object": "chat.completion", "choices": [choice], "usage": usage})
    piece = {**whole, "object": "chat.completion.chunk"}
    return _events(
        [
            {**piece, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
            {**piece, "choices": [], "usage": usage},
        ],
        "data: [DONE]\n\n",
    )


# ------------------------------------------------------------ Google: generateContent


def _gemini(request: Request, reply: Reply) -> tuple[str, bytes]:
    if isinstance(reply, Text):
        part: dict[str, Any] = {"text": reply.said}
    else:
        name, arguments = called(request, reply)
        part = {"functionCall": {"name": name, "args": arguments}}
    whole = {
        "candidates": [
            {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        ],
        "usageMetadata": {
            "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15,
        },
        "modelVersion": MODEL,
    }  # fmt: skip
    return _events([whole]) if "stream" in request.path else _json(whole)
