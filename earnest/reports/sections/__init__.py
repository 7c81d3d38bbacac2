"""Sections of pages: from tables to what a template shows."""
