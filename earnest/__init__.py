"""Honest evaluation of audio classifiers from partly labelled, biased and spurious data.

Arrays, data frames and `numpy.random.Generator` objects go in; arrays and data
frames come out. Nothing here knows Snakemake, DVC or a configuration file, and
importing the package imports no heavy library: each function imports what it needs.
"""

__version__ = "0.1.0"
