"""A study file and its grid: checked keys, paths, stamps, job logs, and what left the grid."""
