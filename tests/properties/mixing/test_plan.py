"""What holds for every plan, whatever the numbers of clips, shares and seeds."""

import math

import pandas as pd
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from earnest.mixing import pairing, plan

LABELS = ("dog", "cow", "rain", "wind", "sea")
PAIRS = pd.DataFrame(
    [
        ("train", "dog", "rain", True),
        ("train", "dog", "wind", False),
        ("train", "dog", "sea", False),
        ("test", "cow", "wind", True),
        ("test", "cow", "rain", False),
    ],
    columns=["split", "foreground", "background", "is_primary"],
)


@st.composite
def clip_tables(draw):
    """Make clips whose recordings hold one to three clips, of any labels."""
    rows = []
    for label in LABELS:
        for number in range(draw(st.integers(2, 14))):
            recording = draw(st.integers(0, 40))
            digest = draw(st.integers(0, 200))
            sound = draw(st.integers(0, 200))
            hashes = str(digest), f"sound {sound}"
            rows.append((f"{label}{number}", label, f"made/{recording}", *hashes, "used"))
    columns = ["clip_id", "label", "recording", "sha256", "audio_sha256", "status"]
    return pd.DataFrame(rows, columns=columns)


@settings(deadline=None, max_examples=50)
@given(
    clip_tables(),
    st.integers(2, 80),
    st.floats(0.05, 0.95),
    st.floats(0.05, 0.95),
    st.integers(1, 5),
    st.integers(0, 1_000),
)
def test_every_plan_keeps_its_promises(clips, total, primary, train, shards, seed):
    options = {
        "mixtures_per_foreground": total,
        "primary_share": primary,
        "train_share": train,
        "shards": shards,
        "root_seed": seed,
    }
    made = plan.plan_mixtures(PAIRS, clips, **options)
    again = plan.plan_mixtures(PAIRS[::-1], clips.sample(frac=1, random_state=seed), **options)
    assert made.mixtures.to_csv() == again.mixtures.to_csv()
    assert made.dropped.to_csv() == again.dropped.to_csv()

    mixtures = made.mixtures
    assert not mixtures.duplicated(["foreground_clip", "background_clip"]).any()
    assert (mixtures["recording"] != mixtures["background_recording"]).all()
    on = {side: set() for side in ("train", "pool")}
    hashes = zip(clips["sha256"], clips["audio_sha256"], strict=True)
    digests = dict(zip(clips["clip_id"], hashes, strict=True))
    files = {side: set() for side in ("train", "pool")}
    for side, rows in mixtures.groupby("split"):
        on[side] |= {*rows["recording"], *rows["background_recording"]}
        used = (*rows["foreground_clip"], *rows["background_clip"])
        files[side] |= {digest for clip in used for digest in digests[clip]}
    assert not on["train"] & on["pool"]
    assert not files["train"] & files["pool"]

    said = set(made.dropped["name"])
    wanted = {"train": round(train * total), "pool": total - round(train * total)}
    for foreground in ("dog", "cow"):
        for side in ("train", "pool"):
            rows = mixtures[(mixtures["foreground"] == foreground) & (mixtures["split"] == side)]
            assert len(rows) == wanted[side] or foreground in said
            assert rows["is_primary"].sum() == round(primary * len(rows))
            rare = rows.loc[~rows["is_primary"], "background"].value_counts()
            if len(rare) > 1:
                assert rare.max() - rare.min() <= 1


@settings(deadline=None, max_examples=150)
@given(
    st.integers(1, 12),
    st.integers(1, 12),
    st.lists(st.integers(0, 144), min_size=1, max_size=4),
    st.integers(0, 99),
)
def test_wheels_meet_evenly_over_many_calls(over, under, counts, seed):
    foregrounds = pairing.make_wheel([f"f{i}" for i in range(over)], seed, "f")
    backgrounds = pairing.make_wheel([f"b{i}" for i in range(under)], seed, "b")
    uses = dict.fromkeys((*foregrounds.clips, *backgrounds.clips), 0)
    for wanted in counts:
        count = min(wanted, over * under)
        pairs = pairing.meet(foregrounds, backgrounds, count)
        assert len(set(pairs)) == len(pairs) == count
        for pair in pairs:
            for clip in pair:
                uses[clip] += 1
        for wheel in (foregrounds, backgrounds):
            spread = [uses[clip] for clip in wheel.clips]
            assert max(spread) - min(spread) <= 1


@settings(deadline=None, max_examples=100)
@given(st.data(), st.integers(1, 7), st.integers(1, 7))
def test_forbidden_pairs_never_meet_and_all_others_can(data, over, under):
    foregrounds = pairing.make_wheel([f"f{i}" for i in range(over)], 0, "f")
    backgrounds = pairing.make_wheel([f"b{i}" for i in range(under)], 0, "b")
    every = [(f, b) for f in foregrounds.clips for b in backgrounds.clips]
    forbidden = frozenset(data.draw(st.lists(st.sampled_from(every), max_size=len(every))))
    room = len(every) - len(forbidden)
    assume(room > 0)
    count = data.draw(st.integers(1, room))
    pairs = pairing.meet(foregrounds, backgrounds, count, forbidden)
    assert len(set(pairs)) == count
    assert not forbidden & set(pairs)
    if count == room:
        assert set(pairs) == set(every) - forbidden


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 500), st.floats(0.01, 1), st.integers(1, 5), st.integers(0, 300))
def test_counts_sum_up_and_the_largest_total_fits(total, share, others, room):
    names = [f"b{i}" for i in range(others)]
    counts = pairing.context_counts(total, "p", names, share)
    assert sum(counts.values()) == total
    assert min(counts.values()) >= 0
    capacity = dict.fromkeys(["p", *names], room)
    largest = pairing.largest_total(total, "p", names, share, capacity)
    fitting = pairing.context_counts(largest, "p", names, share)
    assert max(fitting.values()) <= room or largest == 0
    assert (
        largest == total
        or max(pairing.context_counts(largest + 1, "p", names, share).values()) > room
    )
    assert math.isclose(fitting["p"], share * largest, abs_tol=0.5000001)
