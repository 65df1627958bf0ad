"""The one error tree: each class knows its exit code, its word and whether to try again.

Exit codes are the contract's: 1 failed, 2 cannot be written or usage, 3 no root, 4 unknown,
5 conflict, 6 exists but unreadable, 75 temporary, 124 timed out.  Messages say what is
wrong; hints name the way out.  Only ``swarm.cli`` prints either.
"""

import errno


class SwarmError(Exception):
    """Anything swarm can explain to its user in one line.

    ``code`` is the word for programs (``unknown-agent``), ``exit`` the process's exit code,
    ``temporary`` whether the same call may succeed later without any change by the caller.
    """

    exit = 1
    code = "failed"
    temporary = False

    def __init__(self, message: str, hint: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code:
            self.code = code


class Refused(SwarmError):
    """A file of somebody else's that cannot be edited without harm; it is left as it is."""

    code = "refused"


class UsageError(SwarmError):
    """The call cannot be carried out as written: flags, ids or values that are none."""

    exit = 2
    code = "usage"


class NoRoot(SwarmError):
    """No mail root where one was looked for."""

    exit = 3
    code = "no-root"


class Unknown(SwarmError):
    """An agent, message or thread that does not exist, or is not in one's own box."""

    exit = 4
    code = "unknown"


class Conflict(SwarmError):
    """Already registered, claimed or taken by somebody else."""

    exit = 5
    code = "conflict"


class Unreadable(SwarmError):
    """The thing exists but cannot be used: permissions, a file where a folder belongs."""

    exit = 6
    code = "unreadable"


class Temporary(SwarmError):
    """Disk full, lock held, engine away: the same call may work later."""

    exit = 75
    code = "temporary"
    temporary = True


class TimedOut(SwarmError):
    """A wait ended without what was waited for."""

    exit = 124
    code = "timeout"


# What the system says that time or free space can mend.
TEMPORARY_ERRNOS = frozenset(
    (
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EAGAIN,
        errno.EBUSY,
        errno.EINTR,
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOMEM,
        errno.ENOLCK,
        errno.EIO,
        errno.ESTALE,
        errno.ETIMEDOUT,
        errno.EFBIG,
    )
)


def from_os(error: OSError, doing: str, path: str, fault: str = "") -> SwarmError:
    """Turn what the system said into an error that names the path and the way out.

    ``doing`` completes "cannot …", e.g. ``"write to"``.  ``fault``: the folder whose
    permissions are in the way, if that is another.
    """
    reason = error.strerror or str(error)
    message = f"cannot {doing} {path}: {reason}"
    if error.errno in TEMPORARY_ERRNOS:
        return Temporary(message, "free space or wait, then run the same command again")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        # What cannot be made or opened anew is not there: then it is the folder's to allow.
        return Unreadable(message, f"check the permissions of {fault or f'{path} and its folder'}")
    return Unreadable(message, f"look at what stands at {path}")


def unsaid(error: OSError) -> SwarmError:
    """The error of an output that cannot be written, or was closed by who began us."""
    if error.errno == errno.EBADF:
        return SwarmError("the output is closed", "open it, or send it to /dev/null")
    return from_os(error, "write to", "the output")
