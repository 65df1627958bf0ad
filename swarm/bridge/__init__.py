"""A mail tree and a channel of the team bus as one conversation (design decision 2)."""
