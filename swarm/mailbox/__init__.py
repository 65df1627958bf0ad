"""The mail tree: files that ``mv`` and ``cat`` understand (seed M, contract 1)."""
