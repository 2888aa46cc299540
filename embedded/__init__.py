"""The default parts: what a fresh machine runs without Docker, root or a key."""
