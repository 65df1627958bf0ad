"""The programs that coding agents run in, and how mail reaches a session of theirs."""
