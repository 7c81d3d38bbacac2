"""Pages: each a list of sections, filled into its template."""
