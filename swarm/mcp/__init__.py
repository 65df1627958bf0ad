"""``swarm mcp``: the mailbox as tools and resources for any client of MCP, over stdio."""
