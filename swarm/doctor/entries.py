"""The registry ``dir/``: damaged entries, and what is none (contract 3)."""

import os

from swarm import names
from swarm.doctor import folders, left_over, rights
from swarm.doctor.finding import Finding
from swarm.errors import SwarmError
from swarm.mailbox import registry
from swarm.mailbox.layout import Root


def examine(root: Root, fix: bool) -> list[Finding]:
    """What is wrong in the registry, or that nothing is."""
    folder = folders.look(root, "dir", "fail", "fail")
    left, entries = left_over.sweep(folder, fix)
    found = [*folder.found, *left]
    if folder.state == "missing":
        found.append(folders.missing(root, "dir", fix, "fail"))
    for entry in entries:
        found += _examine(root, entry, folder.inside(entry.name))
    if all(finding.level == "ok" for finding in found):
        found.append(Finding("ok", "dir", "registry is sound"))
    return found


def _examine(root: Root, entry: os.DirEntry[str], shown: str) -> list[Finding]:
    kind, agent = folders.kind(entry), entry.name.removesuffix(".txt")
    if kind == "file" and names.is_message_name(entry.name) and names.is_id(agent):
        return _damage(root, agent, shown)
    return [_no_entry(entry.name, kind, shown)] if kind else []


def _no_entry(name: str, kind: str, shown: str) -> Finding:
    if not names.is_message_name(name):
        what = "no registry entry (hidden or not *.txt)"
        way = "remove it, or enter an agent with swarm register"
        return Finding("warn", shown, what, way)
    if kind != "file":
        return Finding("warn", shown, f"a {kind}, so no registry entry", folders.INSTEAD[kind])
    way = "rename it to the agent's id and .txt, or remove it"
    return Finding("warn", shown, "its name is no agent id", way)


def _damage(root: Root, agent: str, shown: str) -> list[Finding]:
    try:
        problems = registry.entry(root, agent).problems
    except SwarmError:  # unregistered in between
        return []
    path = root.entry(agent)
    if problems and rights.lacking(path, "r"):
        return [Finding("warn", shown, "unreadable (you lack r)", rights.way_out(path, shown, "r"))]
    anew = f"swarm register {agent} --replace --role … --archetype … --task … writes it anew"
    what = f"damaged ({', '.join(problems)})"
    return [Finding("warn", shown, what, f"{anew}, or edit the file")] if problems else []
