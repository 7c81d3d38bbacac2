"""The machinery of `earnest.classifiers`."""
