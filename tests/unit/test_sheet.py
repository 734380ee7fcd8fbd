import pandas as pd
import pytest
from kit import job_of, recorded

from replication.judge.cells import (
    Ours,
    counting,
    legend_of_marks,
    not_run_lines,
    reasons,
    reasons_by_cell,
)
from replication.judge.verdicts import DIFFERS, EXACT, NOT_RUN, WITHIN_NOISE, Reproduced
from replication.show.sheet import Cell, Column, keys, number, pivot


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(), ""),
        (Cell("words"), "words"),
        (Cell(7), "7"),
        (Cell(0.25), "0.25"),
        (Cell(-0.001, 2), "0.00"),
        (Cell(0.5, 1, 100, sd=0.02), "50.0 ± 2.0"),
        (Cell(12345.6, ".3g"), "1.23e+04"),
        (Cell(0.1, "+.1f", 100), "+10.0"),
        (Cell(0.5, 2, spread=(0.5, 0.5)), "0.50"),
        (Cell(0.5, 2, spread=(0.4, 0.6), verdict=EXACT, oracle=True), "0.50 [0.40, 0.60] =†"),
        (Cell(0.5, 2, sign=" +"), "0.50 +"),
        (Cell(0.5, 2, oracle=True), "0.50†"),
        (Cell(verdict=NOT_RUN), "∅"),
    ],
)
def test_a_cell_says_what_it_holds(cell, text):
    assert cell.text == text
    assert number(0.5, 2) == "0.50"


def row(dataset, method, value, verdict=EXACT):
    return {
        "dataset": dataset,
        "method": method,
        "metric": "nmi",
        "reproduced": value,
        "spread_min": value,
        "spread_max": value,
        "oracle": False,
        "verdict": verdict,
        "reason": "",
    }


def test_rows_follow_from_the_data_by_the_columns():
    data = [row("vote", "a", 0.5), row("vote", "b", 0.25, DIFFERS), row("zoo", "b", None, NOT_RUN)]
    columns = [
        Column("dataset", "Data set", text=True, of=lambda one: one["dataset"].upper()),
        Column("a", "ours", "A", digits=2, where={"method": "a"}, judged=True),
        Column("b", "ours", "B", digits=2, where={"method": "b"}, judged=True),
    ]
    shown = [
        {key: cell.text for key, cell in cells.items()}
        for cells in pivot(columns, data, ["dataset"])
    ]
    assert shown == [
        {"dataset": "VOTE", "a": "0.50 =", "b": "0.25 ≠"},
        {"dataset": "ZOO", "b": "∅"},
    ]
    assert len(pivot(columns, data)) == 3
    assert keys(data)[:2] == ["dataset", "method"]
    assert keys([]) == ["artefact"]


NAMED = [{"id": "vote", "printed": "Vote"}, {"id": "zoo", "printed": "Zoo"}]


@pytest.fixture
def job():
    return job_of(
        "toy", "table1", label="Table 1", readings=["reconciled", "literal"], datasets=NAMED
    )


@pytest.fixture
def cells():
    plain = {"paper": "toy", "artefact": "table1", "method": "A", "method_id": "a", "std": ""}
    plain |= {"metric": "nmi", "note": ""}
    printed = {"vote": "0.50", "zoo": "0.75", "car": ""}
    return pd.DataFrame(
        [
            {**plain, "id": name, "dataset": name.title(), "dataset_id": name}
            | {"value": text, "printed": text}
            for name, text in printed.items()
        ]
    )


def test_every_printed_number_is_judged_under_every_reading(job, cells):
    values = {("vote", "reconciled"): 0.5, ("vote", "literal"): 0.9}

    def ours(cell, reading):
        value = values.get((cell["dataset_id"], reading))
        if value is None:
            return Ours("nobody has it")
        said = lambda first: f"first: {first}"  # noqa: E731
        return Ours(Reproduced(value), if_differs=said, more={"label": "A_1"})

    data = job.judged(cells, ours)
    assert [(one["dataset"], one["reading"], one["verdict"]) for one in data] == [
        ("vote", "reconciled", EXACT),
        ("vote", "literal", DIFFERS),
        ("zoo", "reconciled", NOT_RUN),
        ("zoo", "literal", NOT_RUN),
    ]
    assert [one["reason"] for one in data[1:3]] == [f"first: {EXACT}", "nobody has it"]
    assert (data[0]["printed_name"], data[0]["printed_value"]) == ("Vote", 0.5)
    assert [one.get("label") for one in data] == ["A_1", "A_1", None, None]
    assert len(job.judged(cells, ours, ["reconciled"])) == 2
    assert len(job.judged(cells, ours, lambda cell: ["literal"])) == 2
    assert reasons(cells, data) == ["∅ Zoo: not run, nobody has it."]


def test_an_experiment_says_what_it_lacks_and_why(tmp_path):
    rows = [
        {"dataset": "vote", "nmi": 0.5},
        {"dataset": "zoo", "status": "unavailable", "reason": "gone"},
    ]
    inputs = [recorded(tmp_path / "found.parquet", rows, experiment="found")]
    job = job_of("toy", "table1", datasets=NAMED, inputs=inputs, experiments=["found"])
    assert [one["nmi"] for one in job.rows("found")] == [0.5]
    assert job.absent("found", "vote") == ""
    assert job.absentees("found") == {"Zoo": "gone"}
    assert not_run_lines(job.absentees("found")) == ["∅ Zoo: not run, gone."]


def test_verdicts_are_counted_and_their_reasons_said_once():
    rows = [row("vote", "a", 0.5), row("zoo", "a", 0.5, WITHIN_NOISE), row("car", "a", 1, DIFFERS)]
    assert counting(rows) == "1 of 3 comparable numbers are exact, 1 within noise"
    assert counting(rows, "", differ=True) == "1 of 3 are exact, 1 within noise, 1 differs"
    said = [{**one, "reason": "odd"} for one in (rows[2], {**rows[2], "dataset": "tic"})]
    assert reasons_by_cell(said) == ["≠ car a nmi, tic a nmi: odd."]
    assert legend_of_marks("chance", "labels").endswith("∅ not run. † oracle: labels.")
