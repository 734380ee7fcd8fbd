"""The leaderboard as a reader has it in headless Chromium: filters, ranks, what is handed in."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from browser import CHROMIUM, DESKTOP, PHONE, Browser

from replication.files import write_records, write_rows
from replication.papers.study import statistics
from replication.papers.study.tables_leaderboard import BASE, COLUMNS
from replication.report.board_page import render_board
from replication.report.leaderboard import board, board_rows

pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]

NAMES = [f"set_{i:02}" for i in range(12)]
MEASURES = ["smd", "delta", "cado", "iof", "lin", "ofd", "add"]
ALGORITHMS = ["kmodes", "ward", "rock"]
RNG = np.random.default_rng(2)
ARI = {
    (name, measure, algorithm): round(float(RNG.random()) ** (3 if algorithm == "ward" else 1), 1)
    for name in NAMES
    for measure in MEASURES
    for algorithm in ALGORITHMS[:2]
}


def row(name, measure, algorithm, ari=None, rule="", **more):
    scores = {} if ari is None else {"nmi_arithmetic": 1 - ari, "accuracy": ari, "purity": 0.9}
    return {
        **{"dataset": name, "measure": measure, "label": measure.upper(), "algorithm": algorithm},
        **{"experiment": f"grid_{measure}", "rule": rule, "trials": 2, "ari": ari, **scores},
        **more,
    }


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    """Tables of a study, and two methods that were handed in, one of them with few data sets."""
    place = tmp_path_factory.mktemp("leaderboard")
    rows = [row(*key, ari) for key, ari in ARI.items()]
    rows += [row(name, "smd", "rock", rule="no links") for name in NAMES]
    # one data set is too large for Ward
    rows = [one for one in rows if (one["dataset"], one["algorithm"]) != (NAMES[-1], "ward")]
    rows += [row(NAMES[-1], one, "ward", rule="too large") for one in MEASURES]
    rows += [
        row(name, "majority", BASE, 0.0, label="one cluster", experiment="profiles")
        for name in NAMES
    ]
    write_rows(place / "leaderboard.csv", COLUMNS, rows)
    data = [
        {"dataset": name, "values": i, "coupling": -i, "imbalance": 0.1, "objects": i % 3}
        for i, name in enumerate(NAMES)
    ]
    write_rows(place / "data.csv", list(data[0]), data)
    cost = {"measure": "smd", "fit_seconds": 0.0123, "memory_mib": 7.4}
    write_rows(place / "cost.csv", list(cost), [cost])
    handed = {"status": "ok", "handed": "labels", "experiment": "handed_in_best"}
    records = []
    for method, names in (("best", NAMES), ("<b>few</b>", NAMES[:3])):
        for name in NAMES:
            there = name in names
            record = row(name, method, method, 1.0 if there else None, "" if there else "failed")
            record |= {**handed, "label": method}
            file = place / f"{len(records)}.csv"
            write_records(file, list(record), [record])
            records.append({"experiment": "handed_in_best", "dataset": name, "file": str(file)})
    labels = place / "labels/handed_in_best.set_00.parquet"
    labels.parent.mkdir()
    labels.write_bytes(b"")
    return {
        "tables": {key: str(place / f"{key}.csv") for key in ("leaderboard", "data", "cost")},
        "records": records,
        "costs": [],
        "datasets": {name: name.replace("_", " ") for name in NAMES},
        "labels": str(labels.parent / "{experiment}.{dataset}.parquet"),
        "place": place,
    }


@pytest.fixture(scope="module")
def page(spec):
    path = spec["place"] / "leaderboard.html"
    path.write_text(render_board(board(spec, board_rows(spec), spec["place"])), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def chromium():
    browser = Browser()
    yield browser
    browser.close()


def choose(browser, **wanted):
    for key, value in wanted.items():
        browser.js(
            f"""(() => {{
              const menu = document.querySelector('[data-board="{key}"]');
              const wanted = {json.dumps(value)};
              const option = [...menu.options].find((one) => one.text.startsWith(wanted));
              menu.value = option.value;
              menu.dispatchEvent(new Event("change"));
            }})()"""
        )


def shown(browser):
    """Rows of the table: method, algorithm, rank, score, data sets, origin, beside the best."""
    cells = [browser.cells("board", i) for i in range(1, 8)]
    return [
        [text.removeprefix("▸").removeprefix("▾").strip() for text in one]
        for one in zip(*cells, strict=True)
    ]


def expected(names, algorithms, handed):
    """Mean ranks and the critical difference, by the statistics of the study."""
    table = pd.DataFrame(
        {
            (measure, algorithm): [ARI[name, measure, algorithm] for name in names]
            for algorithm in algorithms
            for measure in MEASURES
        },
        index=names,
    )
    if handed:
        table["best", ""] = 1.0
    ranks = statistics.ranks(table).mean()
    return ranks, statistics.critical_difference(len(ranks), len(names))


WORDS = {"kmodes": "k-modes", "ward": "Ward", "": ""}


@pytest.mark.parametrize(
    ("chosen", "names", "algorithms"),
    [
        ({}, NAMES[:-1], ["kmodes", "ward"]),
        ({"algorithm": "k-modes"}, NAMES, ["kmodes"]),
        ({"data": "many values"}, NAMES[6:-1], ["kmodes", "ward"]),
        ({"data": "weak coupling", "algorithm": "Ward"}, NAMES[6:-1], ["ward"]),
    ],
)
def test_ranks_and_critical_difference_are_those_of_what_is_chosen(
    chromium, page, chosen, names, algorithms
):
    chromium.open(page)
    choose(chromium, **chosen)
    ranks, difference = expected(names, algorithms, "algorithm" not in chosen)
    found = {(one[0].lower(), one[1]): one for one in shown(chromium)}
    ours = {(measure, WORDS[name]): rank for (measure, name), rank in ranks.items()}
    assert {key: float(found[key][2]) for key in ours} == pytest.approx(ours, abs=0.006)
    first = min(ours.values())
    words = {
        key: "best" if rank == first else "like the best" if rank - first < difference else "behind"
        for key, rank in ours.items()
    }
    assert {key: found[key][6] for key in ours} == words
    said = chromium.js("document.querySelector('#board .said').innerText")
    assert f"{len(ours)} methods ranked by ARI over {len(names)} data sets" in said
    assert f"mean ranks: {difference:.2f};" in said


def test_what_is_handed_in_is_marked_and_can_be_chosen(chromium, page):
    chromium.open(page)
    rows = {one[0]: one for one in shown(chromium)}
    assert rows["best"][5] == "handed in"
    assert rows["<b>few</b>"][2:3] + rows["<b>few</b>"][6:] == ["", "not ranked"]
    assert rows["<b>few</b>"][4] == "3 of 12"
    choose(chromium, origin="handed in")
    names = [one[0] for one in shown(chromium)]
    assert names == ["best", "<b>few</b>", "one cluster (base rate)"]
    choose(chromium, origin="computed here")
    assert "handed in" not in {one[5] for one in shown(chromium)}


def test_another_score_turns_the_order_round(chromium, page):
    chromium.open(page)
    choose(chromium, algorithm="k-modes")
    before = {one[0]: float(one[2]) for one in shown(chromium) if one[2]}
    choose(chromium, score="NMI")
    after = {one[0]: float(one[2]) for one in shown(chromium) if one[2]}
    assert after == pytest.approx({name: 8 - rank for name, rank in before.items()}, abs=0.011)


def test_one_data_set_has_places_and_no_test(chromium, page):
    chromium.open(page)
    choose(chromium, data="set 03", algorithm="k-modes")
    said = chromium.js("document.querySelector('#board .said').innerText")
    assert "over 1 data set. Too few for a critical difference." in said
    scores = [float(one[3]) for one in shown(chromium) if one[2]]
    assert scores == sorted((ARI[NAMES[3], one, "kmodes"] for one in MEASURES), reverse=True)


def test_a_row_opens_to_every_data_set_with_rules_labels_and_cost(chromium, page):
    chromium.open(page)
    chromium.js("document.querySelector('#board tbody tr.can .open').click()")
    inner = "[...document.querySelectorAll('.cells tbody tr')].map((one) => one.innerText)"
    assert len(chromium.js(inner)) == 12
    assert chromium.js("document.querySelector('.cells a').getAttribute('href')") == (
        "labels/handed_in_best.set_00.parquet"
    )
    choose(chromium, algorithm="Ward")
    place = [one[0] for one in shown(chromium)].index("SMD") + 1
    chromium.js(f"document.querySelector('#board tbody tr:nth-child({place}) .open').click()")
    text = chromium.js("document.querySelector('#board .detail').innerText")
    assert "left out: the algorithm needs all pairs of objects" in text
    assert "0.0123" in text


def test_the_table_is_saved_as_it_is_chosen(chromium, page):
    chromium.open(page)
    choose(chromium, algorithm="k-modes")
    text = chromium.js("listing(document.getElementById('board')).table()")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [one["id"] for one in rows[-1:]] == ["majority"]
    assert {one["id"]: float(one["set_05"]) for one in rows[:-1]} == {
        measure: ARI["set_05", measure, "kmodes"] for measure in MEASURES
    }
    assert {one["learning_seconds"] for one in rows if one["id"] == "smd"} == {"0.0123"}


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_the_window_and_asks_for_nothing(chromium, page, size, dark):
    chromium.open(page, size, dark)
    chromium.js("document.querySelector('#board tbody tr.can .open').click()")
    assert chromium.js("document.documentElement.scrollWidth <= innerWidth")
    back = chromium.js("getComputedStyle(document.body).backgroundColor")
    assert back == ("rgb(21, 23, 26)" if dark else "rgb(255, 255, 255)")
    assert chromium.complaints() == []
    assert chromium.requests() == [page.as_uri()]
