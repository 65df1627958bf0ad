"""``swarm`` and ``python -m swarm``."""


def main() -> None:
    """Run the command line and end the process with its exit code."""
    from swarm.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
