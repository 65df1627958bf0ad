"""Mailboxes: their folders, and what lies in them that is no mail (contract 1)."""

import os
from shlex import quote

from swarm import names
from swarm.doctor import folders, left_over, mail, sharing
from swarm.doctor.finding import Finding
from swarm.doctor.folders import Folder
from swarm.mailbox import layout, shared
from swarm.mailbox.layout import FOLDERS, RESULTS, Root


def examine(root: Root, agent: str, fix: bool) -> list[Finding]:
    """What is wrong in a mailbox, or that nothing is; [] if it vanished meanwhile."""
    if not layout.is_known(root, agent):
        return []
    found = sharing.box(root, agent)
    if layout.is_private(root, agent):
        whose = shared.user(shared.owner(root.box(agent)) or 0)
        text = f"mailbox of {whose}, who alone can look into it"
        return found or [Finding("ok", agent, text)]
    found += _examine(root, agent, fix)
    if all(finding.level == "ok" for finding in found):
        found.append(Finding("ok", agent, "mailbox is sound"))
    return found


def _examine(root: Root, agent: str, fix: bool) -> list[Finding]:
    box = folders.look(root, agent, "fail", "")
    inbox = folders.look(root, f"{agent}/inbox", "fail", "fail")
    for folder in (box, inbox):
        if folder.state == "unusable":
            return folder.found
    parts = [inbox, *(folders.look(root, f"{agent}/{part}") for part in FOLDERS)]
    missing = [part.shown for part in parts if part.state == "missing"]
    if missing and not layout.is_known(root, agent):
        return []
    found = [*_others(box, fix), *(folders.missing(root, part, fix) for part in missing)]
    for part in parts:
        found += part.found + _contents(root, agent, part, fix)
    return found + mail.stale_receipts(inbox, parts[1])


def _others(box: Folder, fix: bool) -> list[Finding]:
    """What stands in a mailbox beside its folders."""
    found, others = left_over.sweep(box, fix)
    for entry in others:
        if entry.name not in ("inbox", RESULTS, *FOLDERS):
            what = "no folder of a mailbox (nothing reads it)"
            way = "move it out of the mailbox; if it is mail, into the inbox"
            found.append(Finding("warn", box.inside(entry.name), what, way))
    return found


def _contents(root: Root, agent: str, folder: Folder, fix: bool) -> list[Finding]:
    """What is in one of the folders; the mail unless it is still being written."""
    found, others = left_over.sweep(folder, fix)
    if folder.path == root.receipts(agent):
        return found + [_no_receipt(folder, entry) for entry in others if _is_odd(entry)]
    letters = []
    for entry in others:
        shown, kind = folder.inside(entry.name), folders.kind(entry)
        if kind and (kind != "file" or not names.is_message_name(entry.name)):
            found.append(_no_mail(entry.name, kind, shown))
        elif kind and folder.path != root.drafts(agent):
            letters.append(entry.name)
    return found + mail.examine(root, agent, folder, letters)


def _is_odd(entry: os.DirEntry[str]) -> bool:
    return names.is_message_name(entry.name) and folders.kind(entry) not in ("", "file")


def _no_receipt(folder: Folder, entry: os.DirEntry[str]) -> Finding:
    """What has the name of a receipt: swarm goes by the name, who looks for a file does not."""
    shown = folder.inside(entry.name)
    what = f"a {folders.kind(entry)}, so a receipt to some readers only"
    return Finding("warn", shown, what, f"move it away, then touch {quote(shown)} if it was read")


def _no_mail(name: str, kind: str, shown: str) -> Finding:
    if not names.is_message_name(name):
        way = "name it *.txt if it is mail, or remove it"
        return Finding("warn", shown, "no mail (hidden or not *.txt)", way)
    return Finding("warn", shown, f"a {kind}, so no mail", folders.INSTEAD[kind])
