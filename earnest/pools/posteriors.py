"""What a classifier says of an item, as a point in space."""

import numpy as np

from earnest.pools import density


def posterior_features(posteriors: np.ndarray) -> np.ndarray:
    """Return confidence, margin and predicted class as standardised columns.

    Parameters
    ----------
    posteriors : numpy.ndarray, shape (N, C), float64
        Rows sum to 1.

    Returns
    -------
    numpy.ndarray, shape (N, 2 + C), float64
        The largest posterior, that minus the second largest, and one column a class that is 1
        where it is predicted (ties to the first); all with mean 0 and SD 1 over the pool.
    """
    falling = np.sort(posteriors, axis=1)[:, ::-1]
    margin = falling[:, 0] - (falling[:, 1] if falling.shape[1] > 1 else 0.0)
    predicted = np.eye(posteriors.shape[1])[posteriors.argmax(axis=1)]
    return density.standardise(np.column_stack([falling[:, 0], margin, predicted]))
