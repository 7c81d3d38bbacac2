"""The columns of every table, by the part of earnest that writes it."""
