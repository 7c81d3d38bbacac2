"""One module a backend, each imported only when it is asked for."""
