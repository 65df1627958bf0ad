"""``swarm mcp``: a front of its own, started here."""

import os

from swarm.cli import render
from swarm.cli.call import Call
from swarm.errors import SwarmError


def mcp(call: Call) -> None:
    try:
        from swarm.mcp.server import serve
    except ModuleNotFoundError as error:
        raise SwarmError(
            f"swarm mcp needs a package that is not installed: {error.name}",
            "pip install 'monkey-swarm[mcp]'",
            code="no-extra",
        ) from None
    if os.isatty(0):
        render.note("a client of MCP starts this and speaks to it; Ctrl-C ends it")
    serve(call["as_"], call["root"], call["channel"], call["guard"], os.environ)
