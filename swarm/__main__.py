"""``swarm`` and ``python -m swarm``."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
else:
    import _signal  # the module without the enums, which cost a tenth of a start


def main() -> None:
    """Run the command line and end the process with its exit code."""
    # Until a command runs, Ctrl-C just ends the process: no traceback of half an import.
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from swarm.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
