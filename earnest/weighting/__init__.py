"""Machinery behind `earnest.weights`: the domain classifier and the weight diagnostics."""
