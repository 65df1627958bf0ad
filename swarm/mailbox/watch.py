"""Following the whole tree live; the only home of watchfiles."""

import os

from swarm.mailbox.layout import Root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from threading import Event


def watch(root: Root, stop: "Event | None" = None) -> "Iterator[tuple[str, str]]":
    """(kind, path) of each delivery, receipt, archiving and registry change as it happens.

    Events are hints: the kind is what the disk says now.  50 ms at most for a lone one.
    """
    import watchfiles

    for changes in watchfiles.watch(
        root.path, step=10, debounce=50, stop_event=stop, ignore_permission_denied=True,
        watch_filter=None, raise_interrupt=True,
    ):  # fmt: skip
        for _, path in sorted(changes, key=lambda change: change[1]):
            kind = _kind(root.relative(path), os.path.exists(path))
            if kind:
                yield kind, root.relative(path)


def _kind(path: str, there: bool) -> str:
    parts = path.split("/")
    if not path.endswith(".txt") or parts[-1].startswith("."):
        return ""
    place = "/".join(parts[1:-1])
    if parts[0] == "dir" and len(parts) == 2:
        return "registry" if there else "unregistered"
    if not there:
        return ""
    return {"inbox": "delivered", "inbox/.read": "receipt", "sent": "kept"}.get(place, "")
