"""A pool of the user's own: read and check it, estimate its score, say what to label next."""

from earnest.protocols.ownpool.evaluating import Evaluation, evaluate
from earnest.protocols.ownpool.inputs import Inputs, UnusableInput, read

__all__ = ["Evaluation", "Inputs", "UnusableInput", "evaluate", "read"]
