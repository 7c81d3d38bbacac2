"""Cross-validated subconcept tasks: folds, scores by subconcept, and what they add up to."""
