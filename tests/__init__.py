"""The tests; a package, because an installed distribution ships a package of this name."""
