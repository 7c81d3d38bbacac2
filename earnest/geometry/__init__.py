"""What a pool of embeddings looks like: checks, distances, projections, densities, caches."""
