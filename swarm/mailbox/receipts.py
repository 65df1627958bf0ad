"""Receipts: an empty file in ``inbox/.read`` named like the message says that it was read."""

import os

from swarm.disk import NEW_FLAGS
from swarm.errors import from_os
from swarm.mailbox.layout import Root, bad_mailbox, make_box, make_folder


def has(root: Root, agent: str, name: str) -> bool:
    """Whether a receipt for a message of that name is there, as far as that can be seen."""
    return os.path.lexists(f"{root.receipts(agent)}/{name}")


def write(root: Root, agent: str, name: str) -> None:
    """Write the receipt; one that exists is left alone.  Raises Unreadable or Temporary."""
    folder = root.receipts(agent)
    path = f"{folder}/{name}"
    try:
        if not _create(path):
            make_box(root, agent) if root.shared else make_folder(root, folder)
            if not _create(path):
                raise FileNotFoundError(2, "No such file or directory", path)
    except FileExistsError:  # from make_folder: a link that leads nowhere, or a file
        raise bad_mailbox(root, folder, "no folder") from None
    except OSError as error:
        raise from_os(error, "write to", root.relative(folder)) from None


def renew(root: Root, agent: str, name: str) -> None:
    """Make a receipt, if there is one, younger than its message that was just replaced."""
    try:
        os.utime(f"{root.receipts(agent)}/{name}")
    except OSError:
        return  # none there, or another's to touch: doctor may then call the message hidden


def _create(path: str) -> bool:
    """Make an empty file or find one; False where its folder is missing."""
    try:
        os.close(os.open(path, NEW_FLAGS, 0o666))
    except FileExistsError:
        return True
    except FileNotFoundError:
        return False
    return True
