"""Labelled subsets drawn again and again from a pool whose truth is known."""
