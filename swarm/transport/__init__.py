"""One conversation over several stores: each transport is one agent's side of one of them."""
