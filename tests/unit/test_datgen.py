"""The generator of DILCA's synthetic tables gives the bytes that the program DatGen 3.1.1 gives."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples, refused

from replication.data import datgen
from replication.data.datgen import DatGen, GenerationError, names, rule_based

# options of the program (with -p, under Linux), SHA-256 of what it prints
PROGRAM = {
    "-O1000 -A50 -d20 -R5 -r0 -C2 -e0.2": (
        {"attributes": 50, "values": (20, 20), "classes": 5, "terms": (3, 3), "errors": 0.2},
        "33760ebc872f2cde1b8c7921152e29f76797b1109aee3f2689368a49427a6d61",
    ),
    "-O1000 -A100 -d50 -R5 -r1 -C3 -e0.2": (
        {"attributes": 100, "values": (50, 50), "classes": 5, "turn": 1, "terms": (4, 4)}
        | {"errors": 0.2},
        "39267573bfba4ab1c4b5ecfee763aee392f37cedd0e37e9a8b2c54733f390e7a",
    ),
    "-O1000 -A50 -d20 -R5 -r2 -C10": (
        {"attributes": 50, "values": (20, 20), "classes": 5, "turn": 2, "terms": (11, 11)},
        "081319c38374796eab1942ad98707d89d2ce897ac529e6656d7d88af06838d83",
    ),
    "-O1000 -A3 -I97 -d50 -R5 -r2 -C2": (
        {"attributes": 3, "irrelevant": 97, "values": (50, 50), "classes": 5, "turn": 2}
        | {"terms": (3, 3)},
        "558c70f746d37579994bb55d6d29e39acceba71c2aac34f1bb98cd852797e5bf",
    ),
    "-O1000 -A10 -I40 -d20 -R5 -r2 -C3/5 -D2/4 -e0.2 -m0.1 -F0.1": (
        {"attributes": 10, "irrelevant": 40, "values": (20, 20), "classes": 5, "turn": 2}
        | {"terms": (4, 6), "rules": (3, 5), "errors": 0.2, "missing": 0.1, "default": 0.1},
        "68860aacc4e7588fcedcdd29ef966130b2de574ddee7f12335778507a166b6f7",
    ),
    "-O500 -A12 -M3 -d5/40 -R4 -r1 -C4 -g0.1": (
        {"objects": 500, "attributes": 12, "masked": 3, "values": (5, 40), "classes": 4}
        | {"turn": 1, "terms": (5, 5), "label_errors": 0.1},
        "ff65c6b8b777f0831d59760419089a3e0389df78c6f592017d2374f73e578209",
    ),
    "-O10000 -A50 -d10 -R5 -r0 -C4 -e0.2": (
        {"objects": 10_000, "attributes": 50, "values": (10, 10), "classes": 5}
        | {"terms": (5, 5), "errors": 0.2},
        "af6da1b618386a7834bff3a522a3867bd01ae2babc4c57937c1e49293024e235",
    ),
}


def printed(codes, classes):
    """The text that the program writes."""
    texts = [*names(codes.max() + 1), "?"]
    rows = zip(codes.tolist(), classes.tolist(), strict=True)
    return "".join("".join(f"{texts[v]}\t" for v in row) + f"c{k}\n" for row, k in rows)


@pytest.mark.parametrize("options", PROGRAM)
def test_a_table_has_the_bytes_of_the_program(options):
    settings, digest = PROGRAM[options]
    text = printed(*DatGen(**{"objects": 1000} | settings).table())
    assert hashlib.sha256(text.encode()).hexdigest() == digest


def test_draws_are_those_of_drand48():
    def first(state, count):
        memory = np.array([state], dtype=np.uint64)
        return [datgen._uniform(memory) for _ in range(count)]

    assert first(0, 2) == [3.907985046680551e-14, 0.0009853946746503084]
    assert first((0 << 16) + 0x330E, 1) == [0.17082803610628972]
    assert first((1234567890 << 16) + 0x330E, 1) == [0.9872323438330604]


def test_values_are_named_as_spreadsheets_name_columns():
    found = names(26 * 27 + 1)
    assert found[:2] + found[25:28] + found[51:53] == ["a", "b", "z", "aa", "ab", "az", "ba"]
    assert found[-2:] == ["zz", "aaa"]


SETTINGS = st.builds(
    lambda fewest, more, errors, sizes: {
        "sizes": sizes,
        "terms": [fewest, fewest + more],
        "errors": errors,
    },
    *(st.integers(2, 4), st.integers(0, 2), st.sampled_from([0.0, 0.3])),
    st.sampled_from(sorted(datgen.SIZES)),
)


@given(SETTINGS, st.integers(0, 2**32 - 1))
@examples(30)
def test_a_class_agrees_in_its_rule_and_classes_exclude_each_other(setting, seed):
    rng = np.random.default_rng(seed)
    codes, classes = rule_based(400, 8, 4, 3, setting).first(rng)
    assert codes.shape == (400, 8)
    assert set(np.unique(codes)) <= set(range(4))
    assert set(classes) <= {1, 2, 3}
    if setting["sizes"] == "equal":
        assert classes.tolist() == [1 + i % 3 for i in range(400)]
    if setting["errors"]:
        return
    for k in set(classes):
        mine, others = codes[classes == k], codes[classes != k]
        fixed = np.flatnonzero((mine == mine[0]).all(axis=0))
        if len(mine) > 50:  # by chance no other attribute is constant
            assert setting["terms"][0] <= len(fixed) <= setting["terms"][1]
            assert not (others[:, fixed] == mine[0, fixed]).all(axis=1).any()


def test_half_normal_sizes_fall_from_class_to_class():
    setting = {"sizes": "half-normal", "terms": [3, 3], "errors": 0.0}
    _, classes = rule_based(20_000, 20, 10, 5, setting).first(np.random.default_rng(1))
    shares = np.bincount(classes)[1:] / len(classes)
    assert shares == pytest.approx([0.393, 0.302, 0.184, 0.088, 0.033], abs=0.012)


def test_seeds_without_a_table_are_passed_over_and_the_others_are_repeatable():
    setting = {"sizes": "equal", "terms": [1, 3], "errors": 0.0}
    asked = rule_based(50, 100, 20, 5, setting)
    seeds = np.random.default_rng(5).integers(1 << datgen.SEED_BITS, size=50).tolist()
    failed = 0
    for seed in seeds:
        try:
            expected = asked.table(seed)
            break
        except GenerationError:
            failed += 1
    assert failed > 0
    codes, classes = asked.first(np.random.default_rng(5))
    np.testing.assert_array_equal(codes, expected[0])
    np.testing.assert_array_equal(classes, expected[1])


def settings(**other):
    return {"objects": 20, "attributes": 4, "values": (3, 3), "classes": 2, "terms": (3, 3)} | other


test_settings_that_do_not_fit_together_are_refused = refused(
    GenerationError,
    lambda other: DatGen(**settings(**other)),
    [
        ({"objects": 0}, "must be 1 or more"),
        ({"attributes": 200, "irrelevant": 56}, "255 attributes at most"),
        ({"terms": (0, 2)}, "a smallest and a largest number"),
        ({"values": (3, 2)}, "a smallest and a largest number"),
        ({"rules": (1, 5)}, "more attributes than rules"),
        ({"masked": 5}, "masked"),
        ({"irrelevant": -1}, "masked"),
        ({"errors": 1.1}, "shares lie from 0 to 1"),
        ({"default": 1.0}, "shares lie from 0 to 1"),
        ({"turn": 3}, "in turn"),
    ],
)
test_a_table_that_cannot_exist_is_refused = refused(
    GenerationError,
    lambda other, seed: DatGen(**settings(**other)).table(seed),
    [
        ({}, -1, "no number of 32 bits"),
        ({}, 1 << 32, "no number of 32 bits"),
        # four rules of one term each on three values: two of them always meet
        ({"attributes": 1, "classes": 4, "terms": (1, 1)}, 1, "contradict each other"),
        # one attribute of 255 for the second term
        ({"attributes": 2, "irrelevant": 253, "terms": (2, 2)}, 3, "no attribute for the next"),
        # every object of the class without rules meets a rule
        (
            *({"attributes": 1, "values": (2, 2), "terms": (1, 1), "default": 0.9}, 3),
            "meet several rules",
        ),
    ],
)


def test_seeds_end_when_none_has_a_table():
    with pytest.raises(GenerationError, match=r"contradict .* \(1000 seeds tried\)"):
        DatGen(**settings(attributes=1, classes=4, terms=(1, 1))).first(np.random.default_rng(0))
