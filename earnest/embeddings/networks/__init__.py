"""Networks trained by the pipeline: spectrograms, architectures, training, checkpoints.

Only functions import torch, so that everything that needs no network works without it.
"""
