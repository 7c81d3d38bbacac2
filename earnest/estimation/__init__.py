"""What all estimators share: the pool, known labels, the bootstrap."""
