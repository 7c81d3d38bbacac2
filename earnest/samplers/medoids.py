"""FasterPAM for many draws from one pool, with what the pool shares and compiled by numba."""

import numpy as np

from earnest.compiling import compiled
from earnest.pools.geometry import PoolGeometry

# Items whose distances are compared at once, before any of them is looked at by itself.
_TOGETHER = 32


# In smaller pools the package is as quick as compiling our own; both end at the same medoids.
_FEWEST_FOR_COMPILING = 1_000

_MOST_PASSES = 1_000


def of_pool(pool: PoolGeometry, start: np.ndarray) -> np.ndarray:
    """Return the medoids of a pool from a start, ascending; the pool keeps what it takes.

    Parameters
    ----------
    pool : PoolGeometry
        Small enough for all its distances.
    start : numpy.ndarray of int, shape (k,)
        Distinct rows.

    Returns
    -------
    numpy.ndarray, shape (k,), int64

    Raises
    ------
    RuntimeError
        If two medoids fell together.
    """
    if len(start) == len(pool):
        return np.arange(len(pool), dtype=np.int64)
    if len(pool) >= _FEWEST_FOR_COMPILING and pool.holds_all_pairs:
        matrix, order = pool.shared(
            ("medoids",), lambda: prepare(pool.neighbours.order, pool.distance_matrix())
        )
        found = settle(matrix, order, start, passes=_MOST_PASSES)
    else:
        from kmedoids import fasterpam

        # One thread and no seed: the parallel version shuffles, and by machine it would differ.
        plain = fasterpam(
            pool.distance_matrix(), start.astype(np.uint64), max_iter=_MOST_PASSES, n_cpu=1
        )
        found = np.sort(np.asarray(plain.medoids).astype(np.int64))
    if (np.diff(found) <= 0).any():
        raise RuntimeError(f"FasterPAM returned the same medoid twice: {found.tolist()}")
    return found


def settle(
    distances: np.ndarray, order: np.ndarray, start: np.ndarray, *, passes: int
) -> np.ndarray:
    """Return the medoids where no single swap lowers the summed distance.

    FasterPAM visits the items in turn, asks what each would gain as a medoid in place of the
    one that is missed least, and swaps at once where there is a gain. Here an item looks only at
    those which are nearer to it than to their own second medoid, for only they can matter; and
    after a swap only those items look for their medoids, along their sorted lists, that lost one.

    Parameters
    ----------
    distances, order : numpy.ndarray
        From `prepare`.
    start : numpy.ndarray of int, shape (k,)
        Distinct rows, fewer than N.
    passes : int
        Most passes over the pool.

    Returns
    -------
    numpy.ndarray, shape (k,), int64
        Ascending.

    References
    ----------
    Schubert and Rousseeuw, Fast and eager k-medoids clustering, Information Systems 101, 2021.
    """
    if len(start) == 1:
        own = distances[:, : len(distances)]
        return own.sum(axis=1, dtype=np.float64).argmin(keepdims=True)
    medoids = np.array(start, dtype=np.int64)
    compiled(_swap_until_settled)(distances, order, medoids, passes)
    return np.sort(medoids)


def prepare(order: np.ndarray, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what `settle` needs of a pool: distances with columns added, and sorted lists.

    Parameters
    ----------
    order : numpy.ndarray of int, shape (N, N - 1)
        Every item's others, the nearest first.
    distances : numpy.ndarray, shape (N, N), float32

    Returns
    -------
    (numpy.ndarray, numpy.ndarray)
        float32 with columns of infinity up to a multiple of 32, and int32.
    """
    size = len(distances)
    wide = np.full((size, -(-size // _TOGETHER) * _TOGETHER), np.inf, dtype=np.float32)
    wide[:, :size] = distances
    return wide, order.astype(np.int32)


def _swap_until_settled(
    distances: np.ndarray, order: np.ndarray, medoids: np.ndarray, passes: int
) -> None:
    """Move `medoids` in place. One function, in words that numba knows.

    Distances are compared as they are and subtracted in double precision, where the differences
    of single ones are exact: their rounding would pass for gains.
    """
    size, count = len(order), len(medoids)
    blocks = distances.shape[1] // _TOGETHER
    wide = blocks * _TOGETHER  # what is added to the pool is never near to anything
    place = np.full(size, -1, dtype=np.int32)  # of an item among the medoids
    for number in range(count):
        place[medoids[number]] = number
    nearest, second = np.full(wide, -1, dtype=np.int32), np.full(wide, -1, dtype=np.int32)
    to_nearest = np.full(wide, -np.inf, dtype=np.float32)
    to_second = np.full(wide, -np.inf, dtype=np.float32)
    # Blocks of a width known beforehand: the processor compares each at once.
    rows = distances.reshape((size, blocks, _TOGETHER))
    seconds = to_second.reshape((blocks, _TOGETHER))
    nearests, nexts = nearest.reshape((blocks, _TOGETHER)), second.reshape((blocks, _TOGETHER))
    missed = np.zeros(count)  # what the sum would rise by without a medoid
    without, touched = np.empty(count), np.empty(count, dtype=np.int32)
    seen = np.zeros(count, dtype=np.bool_)
    lost, lost_count = np.arange(size), size
    least, swapped, item, since = 0, True, -1, 0
    for _ in range(passes * size):
        for at in range(lost_count):
            one, found = lost[at], 0
            if place[one] >= 0:
                nearest[one], to_nearest[one], found = place[one], 0.0, 1
            for step in range(size - 1):
                other = order[one, step]
                if place[other] >= 0:
                    if found == 1:
                        second[one], to_second[one] = place[other], distances[one, other]
                        break
                    nearest[one], to_nearest[one] = place[other], distances[one, other]
                    found = 1
            missed[nearest[one]] += np.float64(to_second[one]) - to_nearest[one]
        lost_count = 0
        if swapped:
            least, swapped = int(np.argmin(missed)), False
        if since == size:
            return
        item, since = (item + 1) % size, since + 1
        if place[item] >= 0:
            continue
        row, gained, touched_count = distances[item], 0.0, 0
        for block in range(blocks):
            row_part, second_part = rows[item, block], seconds[block]
            nearer = np.int32(0)
            for at in range(_TOGETHER):
                nearer += np.int32(row_part[at] < second_part[at])
            if nearer == 0:
                continue
            for at in range(_TOGETHER):
                if row_part[at] < second_part[at]:
                    one = block * _TOGETHER + at
                    its = nearest[one]
                    if not seen[its]:
                        seen[its], without[its] = True, missed[its]
                        touched[touched_count] = its
                        touched_count += 1
                    if row[one] < to_nearest[one]:
                        gained += np.float64(row[one]) - to_nearest[one]
                        without[its] += np.float64(to_nearest[one]) - to_second[one]
                    else:
                        without[its] += np.float64(row[one]) - to_second[one]
        leaving, lowest = least, missed[least]
        for at in range(touched_count):
            its = touched[at]
            seen[its] = False
            if without[its] < lowest or (without[its] == lowest and its < leaving):
                leaving, lowest = its, without[its]
        # Rounding must not pass for a gain, or two items could take turns for ever.
        if lowest + gained >= -1e-9 * (1.0 - gained):
            continue
        place[medoids[leaving]], place[item], medoids[leaving] = -1, leaving, item
        missed[leaving], swapped, since = 0.0, True, 0
        for block in range(blocks):
            row_part, second_part = rows[item, block], seconds[block]
            nearest_part, next_part = nearests[block], nexts[block]
            changed = np.int32(0)
            for at in range(_TOGETHER):
                changed += np.int32(
                    (row_part[at] < second_part[at])
                    | (nearest_part[at] == leaving)
                    | (next_part[at] == leaving)
                )
            if changed == 0:
                continue
            for one in range(block * _TOGETHER, min((block + 1) * _TOGETHER, size)):
                if nearest[one] == leaving:
                    lost[lost_count] = one
                    lost_count += 1
                elif second[one] == leaving:
                    missed[nearest[one]] -= np.float64(to_second[one]) - to_nearest[one]
                    lost[lost_count] = one
                    lost_count += 1
                elif row[one] < to_second[one]:
                    missed[nearest[one]] -= np.float64(to_second[one]) - to_nearest[one]
                    if row[one] < to_nearest[one]:
                        second[one], to_second[one] = nearest[one], to_nearest[one]
                        nearest[one], to_nearest[one] = leaving, row[one]
                    else:
                        second[one], to_second[one] = leaving, row[one]
                    missed[nearest[one]] += np.float64(to_second[one]) - to_nearest[one]
