"""The machinery of `earnest.pools`."""
