"""swarm: the mailroom for swarms of coding agents."""

__version__ = "0.1.0"
