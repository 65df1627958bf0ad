"""The plugin files fit their harnesses' types, and pass notices on when a host calls them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from swarm.mailbox.templates import load_template

from ...vendors import NPM, needs_types
from .site import Site

OPTIONS = [
    "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext",
    "--moduleResolution", "nodenext", "--types", "node", "--pretty", "false",
]  # fmt: skip
SWARM = os.path.join(sys.prefix, "bin", "swarm")
pytestmark = needs_types

COMMON = """
import { execFileSync } from "node:child_process"
const [, , swarm, directory] = process.argv
const mail = (subject) =>
  execFileSync(swarm, ["--as", "alice", "send", "bob", "-s", subject, "-m", "x"], { cwd: directory })
const read = () => execFileSync(swarm, ["read", "--all"], { cwd: directory })
const until = async (ready) => {
  for (let n = 0; n < 500 && !ready(); n++) await new Promise((next) => setTimeout(next, 10))
}
"""
OPENCODE = """
import { SwarmPlugin } from "./opencode.js"
const prompts = []
const client = { session: { promptAsync: async (asked) => void prompts.push(asked) } }
const hooks = await SwarmPlugin({ client, directory })
const sessionID = "ses_1"
const event = (type, properties) => hooks.event({ event: { type, properties } })
mail("first")
await event("session.created", { info: { id: sessionID } })
await event("session.created", { info: { id: "ses_2", parentID: sessionID } })
const child = { output: "own" }
await hooks["tool.execute.after"]({ sessionID: "ses_2" }, child)
const parts = [{ id: "prt_1", type: "text", text: "go" }]
await hooks["chat.message"]({ sessionID }, { message: { id: "msg_1" }, parts })
read(); mail("second")
const tool = { output: "done" }
await hooks["tool.execute.after"]({ sessionID }, tool)
const env = {}
await hooks["shell.env"]({ cwd: directory, sessionID }, { env })
read(); mail("unheard")
await event("session.idle", { sessionID })
await hooks.dispose()
await new Promise((next) => setTimeout(next, 1300))
const ended = prompts.length
const later = []
await hooks["chat.message"]({ sessionID }, { message: { id: "msg_2" }, parts: later })
read(); mail("third")
await event("session.idle", { sessionID })
await until(() => prompts.length)
await hooks.dispose()
console.log(JSON.stringify({ parts, tool: tool.output, child: child.output, env, prompts, ended, later }))
"""
PI = """
import extension from "./pi.js"
const on = {}, sent = []
extension({ on: (name, does) => (on[name] = does), sendUserMessage: (text) => sent.push(text) })
const ctx = {
  cwd: directory, hasUI: true, isIdle: () => true, hasPendingMessages: () => false,
  sessionManager: { getSessionId: () => "s1" },
}
mail("first")
await on.session_start({}, ctx)
const begun = await on.before_agent_start({ prompt: "go" }, ctx)
read(); mail("second")
const tool = await on.tool_result({ content: [{ type: "text", text: "done" }] }, ctx)
const silent = await on.tool_result({ content: [] }, ctx)
read(); mail("stop")
const kept = await on.agent_before_settle({ entries: ["other"] }, ctx)
const settled = await on.agent_before_settle({ entries: [] }, ctx)
read(); mail("third")
await on.agent_end({}, ctx)
await until(() => sent.length)
await on.session_shutdown({}, ctx)
const env = process.env.SWARM_SESSION
console.log(JSON.stringify({ begun, tool, silent: silent ?? null, kept, settled: settled ?? null, sent, env }))
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both files, checked against their harnesses' types and made JavaScript."""
    folder = tmp_path_factory.mktemp("plugins")
    (folder / "node_modules").symlink_to(NPM / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}')
    for name in ("opencode", "pi"):
        text = load_template(f"{name}/swarm.ts").decode()
        assert 'const SWARM = ["swarm"]' in text
        text = text.replace('["swarm"]', "[process.argv[2]]", 1)
        (folder / f"{name}.ts").write_text(text)
    tsc = str(NPM / "node_modules/typescript/lib/tsc.js")
    done = subprocess.run(
        ["node", tsc, *OPTIONS, "opencode.ts", "pi.ts"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def hosted(compiled: Path, site: Site, name: str, host: str, swarm: str = SWARM) -> Any:
    """What the host saw, with bob as the agent of a real tree."""
    for agent in ("alice", "bob"):
        words = ("--role", "r", "--archetype", "specialist", "--task", "t")
        assert site.run("register", agent, *words).returncode == 0
    script = compiled / f"host-{name}-{site.project.parent.name}.js"
    script.write_text(COMMON + host)
    done = subprocess.run(
        ["node", str(script), swarm, str(site.project)],
        cwd=site.project,
        env={**site.env, "SWARM_AGENT": "bob", "SWARM_FSYNC": "0"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_opencode_hears_of_mail_with_a_prompt_after_a_tool_and_when_idle(
    compiled: Path, site: Site
) -> None:
    seen = hosted(compiled, site, "opencode", OPENCODE)
    own, added = seen["parts"]
    assert own["text"] == "go" and "first" in added["text"] and added["synthetic"]
    assert added["id"] > own["id"] and added["messageID"] == "msg_1"
    assert seen["tool"].startswith("done\n\n") and "second" in seen["tool"]
    assert seen["child"] == "own"
    assert seen["env"] == {"SWARM_SESSION": "opencode-ses_1"}
    # Where the program ends with its session's work, nothing is asked, so nothing counts as told.
    assert seen["ended"] == 0 and "unheard" in seen["later"][0]["text"]
    (prompt,) = seen["prompts"]
    assert prompt["path"] == {"id": "ses_1"} and "third" in prompt["body"]["parts"][0]["text"]


def test_pi_hears_of_mail_with_a_prompt_after_a_tool_and_when_idle(
    compiled: Path, site: Site
) -> None:
    seen = hosted(compiled, site, "pi", PI)
    assert "first" in seen["begun"]["message"]["content"]
    assert seen["tool"]["content"][0]["text"] == "done"
    assert "second" in seen["tool"]["content"][1]["text"] and seen["silent"] is None
    first, said = seen["kept"]["entries"]
    assert first == "other" and "stop" in said["content"] and seen["kept"]["continue"]
    assert seen["settled"] is None
    assert len(seen["sent"]) == 1 and "third" in seen["sent"][0]
    assert seen["env"] == "pi-s1"


def test_without_swarm_nothing_is_said_and_nothing_fails(compiled: Path, site: Site) -> None:
    host = """
import { SwarmPlugin } from "./opencode.js"
const hooks = await SwarmPlugin({ client: {}, directory })
const parts = [], tool = { output: "done" }
await hooks["chat.message"]({ sessionID: "s" }, { message: { id: "m" }, parts })
await hooks["tool.execute.after"]({ sessionID: "s" }, tool)
console.log(JSON.stringify({ parts, tool: tool.output }))
process.exit(0)
"""
    seen = hosted(compiled, site, "none", host, swarm="/gone/swarm")
    assert seen == {"parts": [], "tool": "done"}
