"""The machinery of `earnest.mixing`: sums and their quantisation, shards of planned mixtures."""
