"""Verdicts by chance, kinds of numbers, and the blind codings of claims."""

import pandas as pd
import pytest
from kit import PUBLISHED

from replication.files import read_rows
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.chance import ALL, base_rates
from replication.judge.claims import PUBLISHED_COLUMNS
from replication.show import breakdown


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


def test_a_number_is_of_the_kind_of_its_artefact_and_data_set():
    place = {"paper": "caso", "artefact": "text"}
    rows = [
        number("m", "1", "1", "exact", **place, dataset="movie"),
        number("m", "1", "1", "exact", **place),
        number("m", "1", "1", "exact", paper="cde", artefact="table01"),
        number("", "1", "1", "exact", paper="cde", artefact="table01"),
        number("m", "1", "1", "exact"),
    ]
    assert breakdown.classified(pd.DataFrame(rows), PUBLISHED)["about"].tolist() == [
        "example on rebuilt data",
        "derived result",
        "score",
        "description of data",
        "not classified",
    ]


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
