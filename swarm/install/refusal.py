"""Why a file is left as it is."""

from swarm.errors import SwarmError


class Refused(SwarmError):
    """A file that cannot be edited without harm; the message completes "PATH …"."""

    code = "refused"
