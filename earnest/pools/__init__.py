"""What is known of a pool without a label: its items, their distances, densities and neighbours."""
