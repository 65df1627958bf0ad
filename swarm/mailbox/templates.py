"""The files that commands fill in: messages, answers, registry entries."""

import os

from swarm import disk
from swarm.errors import Unreadable, from_os


def load_template(name: str) -> bytes:
    """A template's bytes: from the installed package, else from the checkout around it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (package, os.path.dirname(package)):
        path = f"{folder}/templates/{name}"
        try:
            return disk.read(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise from_os(error, "read", path) from None
    raise Unreadable(f"the template {name} is missing", "install swarm again")
