"""Studies on tables: cross-validated forests, scores by subconcept, and what they add up to."""
