"""Verdicts on numbers, and verdicts by chance."""

import runpy
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import PUBLISHED, ROOT, refused

from replication.files import read_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.chance import ALL, base_rates
from replication.judge.claims import PUBLISHED_COLUMNS
from replication.judge.verdicts import (
    CODES,
    DIFFERS,
    EXACT,
    INPUTS,
    MARKS,
    NOT_COMPARABLE,
    NOT_RUN,
    ORDERS,
    REPEATED,
    ROUNDING,
    VERDICTS,
    WITHIN_NOISE,
    Reproduced,
    applying,
    equals_printed,
    parse_printed,
    verdict,
)
from replication.judge.verdicts import SAMPLES as SAMPLED
from replication.show import breakdown


@pytest.mark.parametrize(
    ("text", "value", "digits", "scale"),
    [
        ("91.95%", 0.9195, 2, 100),
        ("100%", 1.0, 0, 100),
        ("0.4225", 0.4225, 4, 1),
        (".5", 0.5, 1, 1),
        ("-0.0128", -0.0128, 4, 1),
        ("−1.77", -1.77, 2, 1),
        ("10,000", 10000.0, 0, 1),
        ("2.66GHz", 2.66, 2, 1),
        ("0.260 ± 0.023", 0.260, 3, 1),
        ("seven", 7.0, None, 1),
        ("half", 0.5, None, 1),
        ("1/3", 1 / 3, None, 1),
        ("2^4", 16.0, None, 1),
        ("10^{-10}", 1e-10, None, 1),
        ("{A1, A2, A4}", 3.0, None, 1),
    ],
)
def test_printed_numbers_are_read(text, value, digits, scale):
    printed = parse_printed(text)
    assert float(printed.value) == pytest.approx(value, abs=1e-15)
    assert (printed.digits, printed.scale) == (digits, scale)


@pytest.mark.parametrize("text", ["NA", "", "-", "Real", "n/3", "1/(n−1)", "G_1", "row 3"])
def test_labels_are_no_numbers(text):
    assert parse_printed(text) is None


@pytest.mark.parametrize(
    ("printed", "value", "exact"),
    [
        ("91.95%", 400 / 435, True),  # 91.954: rounds and truncates
        ("83.22%", 129 / 155, True),  # 83.226: truncated
        ("83.23%", 129 / 155, True),  # rounded
        ("83.24%", 129 / 155, False),
        ("61%", 0.6149, True),
        ("61%", 0.6199, True),
        ("61%", 0.62, False),
        ("-0.0009", -0.00097, True),  # toward zero
        ("-0.0010", -0.00097, True),
        ("-0.0011", -0.00105, True),
        ("-0.0010", -0.00105, True),
        ("0.0", -0.04, True),
        ("0.12", 0.125, True),  # half to even
        ("0.13", 0.125, True),  # half up
        ("0.14", 0.135, True),
        ("0.13", 0.135, True),  # truncated
        ("1.0", 0.9999999, True),
        ("2", 2.0, True),
        ("2", 2.999, True),
        ("2", 3.0, False),
        ("0.300", 0.1 + 0.2, True),
        ("1/3", 1 / 3, True),
        ("1/3", 0.3333, False),
        ("seven", 7.0, True),
    ],
)
def test_exact_means_rounded_or_truncated(printed, value, exact):
    assert equals_printed(parse_printed(printed), value) is exact
    expected = EXACT if exact else DIFFERS
    assert verdict(printed, Reproduced(value)).verdict == expected


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_number_equals_its_own_rounding(value, digits):
    assert equals_printed(parse_printed(f"{value:.{digits}f}"), value)


@given(st.floats(-1, 1), st.integers(0, 3))
def test_a_share_equals_its_own_percentage(value, digits):
    text = f"{round(value * 10 ** (digits + 2)) / 10**digits:.{digits}f}%"
    assert equals_printed(parse_printed(text), value)


@given(st.floats(0.001, 0.999), st.integers(1, 6))
def test_one_unit_more_than_the_rounding_is_no_longer_exact(value, digits):
    unit = 10.0**-digits
    text = f"{value + 1.51 * unit:.{digits}f}"
    assert not equals_printed(parse_printed(text), value)


def of_orders(spread, value=0.2):
    return Reproduced(value, spread=spread, orders=20)


RUNS = Reproduced(0.6, sd=0.02, runs=100, spread=(0.5, 0.7))
SAMPLES = Reproduced(0.6, sd=0.12, runs=20, spread=(0.52, 0.8), sampled=True)
FEW = Reproduced(0.5, sd=0.2, runs=10)
JUDGED = [
    # ties leave a range
    ("0.50", of_orders((0.40, 0.60), 0.55), {}, WITHIN_NOISE),
    # half a unit of the last digit below
    ("0.50", of_orders((0.505, 0.60), 0.55), {}, WITHIN_NOISE),
    ("0.50", of_orders((0.5051, 0.60), 0.55), {}, DIFFERS),
    ("0.50", of_orders((0.40, 0.495), 0.55), {}, WITHIN_NOISE),
    ("0.50", of_orders((0.40, 0.4949), 0.55), {}, DIFFERS),
    # a single number without spread has no noise
    ("0.50", Reproduced(0.511), {}, DIFFERS),
    # mean 0.60, s 0.02, R 100: 2 sqrt(0.0004/100 + 0.0004/50) + 0.0005 = 0.0074
    ("0.607", RUNS, {"printed_runs": 50}, WITHIN_NOISE),
    ("0.608", RUNS, {"printed_runs": 50}, DIFFERS),
    # s_p 0.1: 2 sqrt(0.000004 + 0.0002) + 0.0005 = 0.0291
    ("0.629", RUNS, {"printed_sd": 0.1, "printed_runs": 50}, WITHIN_NOISE),
    ("0.630", RUNS, {"printed_sd": 0.1, "printed_runs": 50}, DIFFERS),
    # one run of the paper: 2 sqrt(0.000004 + 0.0004) + 0.0005 = 0.0407
    ("0.640", RUNS, {"printed_runs": 1}, WITHIN_NOISE),
    ("0.641", RUNS, {"printed_runs": 1}, DIFFERS),
    # a random sample is judged by the range of ours: two standard errors reach from 0.35 to 0.85
    ("0.50", SAMPLES, {}, DIFFERS),
    ("0.52", SAMPLES, {}, WITHIN_NOISE),
    ("0.84", SAMPLES, {}, DIFFERS),
    # the mean of samples that differ is the number of none
    ("0.60", SAMPLES, {}, WITHIN_NOISE),
    ("0.60", Reproduced(0.6, sd=0.0, runs=20, spread=(0.6, 0.6), sampled=True), {}, EXACT),
    # a range of more than half of the possible numbers cannot fail
    ("0.40", of_orders((0.1, 0.7)), {"possible": (0, 1)}, NOT_COMPARABLE),
    ("0.40", of_orders((0.1, 0.55)), {"possible": (0, 1)}, WITHIN_NOISE),
    # 0.1 to 0.55 and half a unit on either side are 0.46 of 0.9
    ("0.40", of_orders((0.1, 0.55)), {"possible": (0, 0.9)}, NOT_COMPARABLE),
    # what lies outside the possible numbers does not count
    ("0.40", of_orders((-3.0, 0.45)), {"possible": (0, 1)}, WITHIN_NOISE),
    ("0.40", of_orders((0.1, 0.7)), {}, WITHIN_NOISE),
    # it hides neither the digits nor a difference
    ("0.20", of_orders((0.0, 0.7)), {"possible": (0, 1)}, EXACT),
    ("0.90", of_orders((0.0, 0.7)), {"possible": (0, 1)}, DIFFERS),
    # runs that leave more than half open cannot fail
    ("0.60", FEW, {"possible": (0, 1)}, NOT_COMPARABLE),
    ("0.60", FEW, {"possible": (-1, 1)}, WITHIN_NOISE),
    # no verdict hangs on objects that rounding alone moves
    ("0.70", Reproduced(0.70, rounding=0.02), {}, WITHIN_NOISE),
    ("0.70", Reproduced(0.7001, rounding=0.001), {}, EXACT),
    ("0.70", Reproduced(0.705, rounding=0.06), {}, WITHIN_NOISE),
    ("0.70", Reproduced(0.75, rounding=0.01), {}, DIFFERS),
    # however many they are, a score within noise is near
    ("0.70", Reproduced(0.75, rounding=0.06), {}, DIFFERS),
]


@pytest.mark.parametrize(("printed", "values", "more", "expected"), JUDGED)
def test_noise_is_what_chance_leaves(printed, values, more, expected):
    judged = verdict(printed, values, **more)
    assert judged.verdict == expected
    assert judged.reason.startswith("cannot-fail: ") is (expected == NOT_COMPARABLE)


@pytest.mark.parametrize(
    ("printed", "values", "noise"),
    [
        ("0.607", RUNS, REPEATED),
        ("0.52", SAMPLES, SAMPLED),
        ("0.50", of_orders((0.40, 0.60), 0.55), ORDERS),
        ("0.50", Reproduced(0.55, spread=(0.4, 0.6), spread_of=INPUTS), INPUTS),
        ("0.70", Reproduced(0.705, rounding=0.06), ROUNDING),
        # repeated runs reach .607, and half a unit
        ("0.615", replace(RUNS, rounding=0.02), ROUNDING),
        ("0.604", replace(RUNS, rounding=0.02), REPEATED),
        ("0.60", RUNS, ""),
        ("0.90", RUNS, ""),
    ],
)
def test_within_noise_says_which_noise(printed, values, noise):
    judged = verdict(printed, values, printed_runs=50)
    assert judged.noise == noise
    assert (judged.verdict == WITHIN_NOISE) is bool(noise)


def test_difference_has_a_sign():
    assert verdict("91.95%", Reproduced(0.9)).difference == pytest.approx(-0.0195)
    assert verdict("-0.02", Reproduced(0.1)).difference == pytest.approx(0.12)
    assert verdict("0.5", Reproduced(None, absent="gone")).difference is None


CODE = {"dataset": "adult", "code": "sample-unknown", "text": "never published"}
REMARK = {"dataset": "adult", "text": "printed twice"}


@pytest.mark.parametrize("value", [0.5, 0.58, 0.9])
def test_a_code_wins_over_exact_noise_and_difference(value):
    values = Reproduced(value, sd=0.1, runs=5, spread=(value - 0.1, value + 0.1))
    judged = verdict("0.50", values, notes=[CODE, REMARK])
    assert judged.verdict == NOT_COMPARABLE
    assert judged.reason == "sample-unknown: never published; printed twice"
    assert judged.position
    assert judged.difference == pytest.approx(value - 0.5)


def test_without_a_number_a_code_does_not_matter():
    judged = verdict("0.50", Reproduced(None, absent="no route"), notes=[CODE])
    assert (judged.verdict, judged.reason) == (NOT_RUN, "no route")


@pytest.mark.parametrize("value", [0.5, 0.9])
def test_a_remark_changes_no_verdict(value):
    plain, noted = (
        verdict("0.50", Reproduced(value), notes=notes, reason="counted")
        for notes in ([], [REMARK])
    )
    assert plain.verdict == noted.verdict
    assert noted.reason == "counted; printed twice"


@pytest.mark.parametrize(
    # half a unit of the last digit still lies in the range
    ("printed", "where"),
    [("0.40", "inside"), ("0.70", "inside"), ("0.39", "below"), ("0.71", "above")],
)
def test_where_the_printed_number_lies_is_no_reason(printed, where):
    values = Reproduced(0.55, sd=0.1, runs=20, spread=(0.404, 0.696), orders=3)
    judged = verdict(printed, values)
    assert judged.position == f"{where} our range over 20 samples and 3 row orders"
    assert judged.reason == ""


test_mistakes_are_refused = refused(
    ValueError,
    lambda printed, value, notes: verdict(printed, Reproduced(value), notes=notes),
    [
        ("NA", 0.5, [], "no number"),
        ("0.5", float("nan"), [], "nan"),
        ("0.5", 0.5, [{"code": "because", "text": ""}], "unknown reason code 'because'"),
    ],
)


def test_notes_apply_to_what_they_name():
    notes = [
        {"text": "all"},
        {"dataset": "car", "text": "car"},
        {"dataset": "car", "method": "dilca_m", "metric": "ari", "text": "cell"},
        {"artefact": "fig15", "dataset": "car", "text": "other figure"},
        {"reading": "literal", "text": "other reading"},
    ]
    cell = {"artefact": "fig05", "dataset": "car", "method": "dilca_m", "metric": "ari"}
    found = applying(notes, **cell, reading="reconciled")
    assert [note["text"] for note in found] == ["all", "car", "cell"]
    assert applying(notes, **cell, reading="literal")[-1]["text"] == "other reading"


def test_marks_are_different_signs():
    assert set(MARKS) == set(VERDICTS)
    assert len(set(MARKS.values())) == len(VERDICTS)
    assert all(code == code.lower() for code in CODES)


def number(method, printed, ours, verdict, noise=("", ""), **more):
    row = {"paper": "toy", "artefact": "t", "dataset": "d", "metric": "ari", "method": method}
    judged = {"printed": printed, "reproduced": ours, "verdict": verdict}
    window = dict(zip(("noise_min", "noise_max"), noise, strict=True))
    return dict.fromkeys(VERDICT_COLUMNS, "") | row | judged | window | more


def rates(rows):
    return base_rates(pd.DataFrame(rows)).set_index("method")


def test_each_print_meets_the_numbers_of_the_other_methods():
    found = rates(
        [
            number("a", ".50", "0.5", "exact", ("0.4", "0.6")),
            number("b", ".55", "0.7", "differs", ("0.5", "0.9")),
            number("c", ".70", "0.71", "within noise", ("0.6", "0.8")),
        ]
    )
    # .50 meets b's range, .55 a's range, .70 b's number; three of six pairs agree in no way
    assert found.loc[ALL, ["compared", "pairs", "exact", "within_noise"]].tolist() == [3, 6, 1, 1]
    assert found.loc[ALL, ["exact_rate", "within_noise_rate"]].tolist() == [1 / 6, 2 / 6]
    assert found.loc[ALL, "within_noise_by_chance"] == pytest.approx(1)
    assert found.loc["c", ["pairs", "exact_by_chance"]].tolist() == [2, 0.5]


def test_pairs_that_are_equal_in_print_or_in_ours_say_nothing():
    found = rates(
        [
            number("a", ".5", "0.5", "exact"),
            number("b", ".5", "0.4", "differs"),
            number("c", ".6", "0.4", "differs"),
            number("a", ".5", "0.5", "exact", dataset="other"),
            number("d", ".6", "0.6", "not comparable"),
        ]
    )
    assert found.loc[ALL, "pairs"] == 2
    assert "d" not in found.index
    assert rates([number("a", ".5", "0.5", "exact")]).empty


def test_gains_of_a_reading_lie_in_the_tables_that_change():
    rows = [
        number("a", ".50", "0.5", "exact", artefact="table01"),
        number("b", ".55", "0.7", "differs", artefact="table01"),
        number("c", ".70", "0.71", "differs", artefact="table01"),
        number("a", ".3", "0.3", "exact", artefact="text"),
        number("a", ".4", "0.4", "exact", artefact="table02"),
    ]
    literal = pd.DataFrame(rows).assign(verdict=["differs"] * 4 + ["exact"])
    program = runpy.run_path(str(ROOT / "tools/readings.py"))
    whole, *parts = program["gained"](pd.DataFrame(rows), literal)
    pairs = {"pairs": 6, "equal": 1}
    assert whole == {"artefact": program["WHOLE"], "reconciled": 3, "literal": 1, **pairs}
    # the text has no mismatched pairs of its own
    assert parts == [
        {"artefact": name, "reconciled": 1, "literal": 0, **pairs} for name in ("table01", "text")
    ]


def test_a_number_is_of_the_kind_of_its_artefact_and_data_set():
    place = {"paper": "caso", "artefact": "text"}
    rows = [
        number("m", "1", "1", "exact", **place, dataset="movie"),
        number("m", "1", "1", "exact", **place),
        number("m", "1", "1", "exact", paper="cde", artefact="table01"),
        number("", "1", "1", "exact", paper="cde", artefact="table01"),
        number("m", "1", "1", "exact"),
    ]
    found = breakdown.classified(pd.DataFrame(rows), PUBLISHED)["about"].tolist()
    assert found[:3] == ["example on rebuilt data", "derived result", "score"]
    assert found[3:] == ["description of data", "not classified"]


def test_every_printed_number_of_the_papers_is_of_some_kind():
    record = PUBLISHED.parent / "record" / "full" / "verdicts.csv"
    verdicts = pd.DataFrame(read_rows(record, VERDICT_COLUMNS))
    assert "not classified" not in set(breakdown.classified(verdicts, PUBLISHED)["about"])


def test_a_coding_that_was_not_taken_has_a_reason():
    rows = read_rows(PUBLISHED / "claims.csv", PUBLISHED_COLUMNS)
    # what was found later was not coded
    asserts = {row["id"]: row["asserts"] for row in rows if not row["found"]}
    codings = read_rows(PUBLISHED / "codings.csv", breakdown.CODING_COLUMNS)
    assert [one["id"] for one in codings] == [one for one in asserts if one[:4] != "disc"]
    for one in codings:
        agreed = one["first"] == one["second"] == asserts[one["id"]]
        assert agreed != bool(one["reason"]), one["id"]


def test_an_exact_number_has_no_note_on_what_was_tried():
    notes = [{"text": "unexplained; tried: everything"}, {"text": "printed twice"}]
    assert verdict("0.50", Reproduced(0.5), notes=notes).remarks == ("printed twice",)
    assert verdict("0.50", Reproduced(0.6), notes=notes).remarks == tuple(
        note["text"] for note in notes
    )
