"""Setting up harnesses: hooks, MCP entry, skill and lines of instruction in files of others.

Every byte that others wrote stays; what was done is recorded, so that it can be undone.
"""
