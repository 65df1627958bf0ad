"""What lies beside the mailboxes and is none (contract 1)."""

import os

from swarm import identity, names
from swarm.bridge import health
from swarm.doctor import folders, left_over, rights
from swarm.doctor.finding import Finding
from swarm.doctor.folders import Folder
from swarm.harness import nudge, session
from swarm.mailbox import layout
from swarm.mailbox.layout import Root
from swarm.transport.pulse import FOLDER

# What guardians, bridges, swarm up, and agents' sessions keep here.
OURS = frozenset(("dir", FOLDER, health.FOLDER, health.UP, health.LOG))
OURS |= {identity.NAMES, session.FOLDER, nudge.FOLDER}
OUT = "move it out of the tree"


def examine(root: Root, tree: Folder, fix: bool) -> list[Finding]:
    """Findings on what stands directly in the root, the mailboxes themselves excepted."""
    found, others = left_over.sweep(tree, fix)
    for entry in others:
        ours = entry.name in OURS or entry.name.startswith((f"{identity.NAMES}-", ".git"))
        if not ours:
            found += _stray(root, entry)
    return found


def _stray(root: Root, entry: os.DirEntry[str]) -> list[Finding]:
    name, kind = entry.name, folders.kind(entry)
    is_id, is_box = names.is_id(name), layout.has_box(root, name)
    if not kind or (is_id and (is_box or layout.has_entry(root, name))):
        return []  # a mailbox, or what stands in the way of one: boxes tell
    if is_box:
        return [Finding("warn", name, "its name is no agent id", f"rename it, or {OUT}")]
    return [_folder(entry, is_id) if kind == "folder" else _no_folder(name, kind)]


def _no_folder(name: str, kind: str) -> Finding:
    if kind == "link":
        way = "remove it, or let it lead to one"
        return Finding("warn", name, "a link that is no mailbox", way)
    return Finding("warn", name, f"a {kind}, so no mailbox", OUT)


def _folder(entry: os.DirEntry[str], is_id: bool) -> Finding:
    name, lacks = entry.name, rights.lacking(entry.path, "rx")
    if lacks:
        way = rights.way_out(entry.path, name, "rwx")
        return Finding("warn", name, f"cannot be looked into (you lack {lacks})", way)
    way = f"swarm register {name} makes it one, or {OUT}" if is_id else OUT
    return Finding("warn", name, "no mailbox (has no inbox, drafts or sent)", way)
