"""What runs in jobs: blocks of seeds over one pool."""
