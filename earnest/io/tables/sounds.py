"""Tables of source clips, mixtures and items."""

from earnest.io.tables.column import (
    BOOL,
    BOOL_OR_NULL,
    FLOAT_OR_NULL,
    INT,
    INT_OR_NULL,
    TEXT,
    TEXT_OR_NULL,
    Column,
)

_LISTING = {
    "clip_id": TEXT,
    "dataset": TEXT,
    "path": TEXT,  # absolute, or relative to the working directory of the run
    "label": TEXT,
    "fold": INT_OR_NULL,
    "recording": TEXT,
    # of the file's bytes, so that what is made of the listing is made anew where a file changes;
    # null of one that cannot be read
    "sha256": TEXT_OR_NULL,
}

_MIXTURE_PLAN = {
    "mixture_id": TEXT,
    "foreground_clip": TEXT,
    "background_clip": TEXT,
    "foreground": TEXT,
    "background": TEXT,
    "is_primary": BOOL,
    "split": TEXT,  # train | pool
    "class_split": TEXT,  # SpurAudio's split over classes: train | validation | test
    "recording": TEXT,  # of the foreground clip, prefixed by its data set
    "background_recording": TEXT,
    "shard": INT,
}

TABLES: dict[str, dict[str, Column]] = {
    # one row per file of a source data set, before any decoding
    "listing": _LISTING,
    # one row per listed clip after screening; rejected ones keep their row and a reason
    "clips": _LISTING
    | {
        "sample_rate": INT_OR_NULL,  # Hz, as stored in the file
        "channels": INT_OR_NULL,
        "frames": INT_OR_NULL,  # at the file's own sample rate
        "duration_s": FLOAT_OR_NULL,
        "audio_sha256": TEXT_OR_NULL,  # of the decoded sound at the file's own rate, mono
        "part": INT,  # which prepared array holds the samples
        "row": INT_OR_NULL,  # row in that array; null when rejected
        "checksum": TEXT_OR_NULL,  # of that row's samples
        "length": INT_OR_NULL,  # samples of sound at 16 kHz kept in that row
        "crop_start": INT_OR_NULL,  # first kept sample at 16 kHz
        "foreground_lufs": FLOAT_OR_NULL,  # 5 s, zero-padded when shorter
        "background_lufs": FLOAT_OR_NULL,  # 5 s, looped when shorter
        # K-weighted mean square of each 0.4 s gating block, ascending, of these two signals
        "foreground_blocks": Column("list<float64>", True),
        "background_blocks": Column("list<float64>", True),
        "status": TEXT,  # used | rejected
        "reason": TEXT_OR_NULL,
        "warning": TEXT_OR_NULL,  # accepted, but worth a look (false sample rate, ...)
    },
    "mixture_plan": _MIXTURE_PLAN,
    # what a study could not build: pairs, foregrounds, mixtures
    "dropped": {"kind": TEXT, "name": TEXT, "reason": TEXT},
    "mixtures": _MIXTURE_PLAN
    | {
        "variant": TEXT,  # 8-lu | 0-lu | ... | clean
        "row": INT_OR_NULL,  # samples [row * length, (row + 1) * length) of its shard
        "checksum": TEXT_OR_NULL,  # of these samples, 16 bits each
        "fg_lufs": FLOAT_OR_NULL,
        "bg_lufs": FLOAT_OR_NULL,
        "background_gain_db": FLOAT_OR_NULL,
        "peak_gain": FLOAT_OR_NULL,
        "foreground_length": INT_OR_NULL,  # samples of sound; zeros follow
        "background_length": INT_OR_NULL,  # samples of sound; looped when short
        "foreground_crop_start": INT_OR_NULL,
        "background_crop_start": INT_OR_NULL,
        "status": TEXT,
        "reason": TEXT_OR_NULL,
    },
    # files of an export, one a mixture
    "exported": {"file": TEXT, "variant": TEXT}
    | {name: column for name, column in _MIXTURE_PLAN.items() if name != "shard"},
    # rows of embeddings.npy, in order
    "items": {
        "item_id": TEXT,
        "foreground": TEXT,
        "background": TEXT_OR_NULL,  # null, as the next one, in a study on clips
        "is_primary": BOOL_OR_NULL,
        "split": TEXT,
        "recording": TEXT,
        "background_recording": TEXT_OR_NULL,
        "shard": INT,
        "row": INT,
        "checksum": TEXT_OR_NULL,  # of its samples in that shard; null of those of no shard
    },
}
