"""The page about learned distances: its example runs, its tables are what the program makes."""

import re

import numpy as np
import pytest
from kit import ROOT, module

from couplings import CategoricalTable, measure_from, measure_names

PAGE = (ROOT / "docs/learned-distances.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def program():
    return module(ROOT / "benchmarks/learned_distances.py")


def rows_of(part):
    text = re.search(rf"<!-- {part} -->\n(.*?)\n<!-- end -->", PAGE, re.S)[1]
    lines = [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def test_the_table_of_exact_measures_is_complete_and_true(program):
    rows = {row["measure"].strip("`"): row for row in rows_of("embedding")}
    expected = [n for n in measure_names() if n != "coupled_mixed"]
    assert list(rows) == [n for n in expected if hasattr(measure_from(n), "transform")]
    table = CategoricalTable.from_any(program.read("zoo", 2000)[0])
    for name, row in rows.items():
        exact, of = map(int, row["exact on"].split(" of "))
        assert (exact == of) == (row["largest share cut off"] == "0")
        if exact == of:
            assert program.made(name).fit(table).embedding_defect_ == 0
    again = program.embedding(["zoo"], ["dilca_rr", "cado"])
    assert again["exact on"].tolist()[0] == "1 of 1"


def test_at_least_twelve_estimators_run_on_at_least_six_measures():
    rows = rows_of("foreign")
    assert len(rows) >= 12
    for row in rows:
        scores = [float(value) for name, value in row.items() if name not in ("estimator", "score")]
        assert len(scores) >= 6
        assert np.isfinite(scores).all()
    svg = (ROOT / "docs/_static/foreign.svg").read_text(encoding="utf-8")
    assert "foreign.svg" in PAGE
    assert svg.count("<text") == 0 or all(row["estimator"] in svg for row in rows)


def test_the_estimators_of_the_page_run(program):
    table = program.foreign(names=("zoo",), measures=("dilca_rr",), most=60)
    assert len(table) >= 15
    assert np.isfinite(table["dilca_rr"]).all()
    assert set(table["estimator"]) <= {row["estimator"] for row in rows_of("foreign")}
    of = table.set_index("estimator")["dilca_rr"]
    assert of["KNeighborsClassifier"] > 0.7
    assert of["TSNE"] > 0.8


def test_hidden_cells_are_filled_in_and_counted_honestly(program):
    rows = rows_of("imputation")
    *sets, last = rows
    for measure in program.IMPUTERS:
        beaten = sum(float(row[measure]) > float(row["mode"]) for row in sets)
        said, of = map(int, last[measure].split(" of "))
        assert of == len(sets)
        assert abs(said - beaten) <= 2  # equal to two digits
    table = program.imputation(["zoo"], ("dilca_rr",))
    assert table["dilca_rr"].iloc[0] > table["mode"].iloc[0] + 0.05


def test_intervals_cover_the_distances_of_the_exact_counts(program):
    for row in rows_of("coverage"):
        shares = [float(cell.rstrip("%")) for name, cell in row.items() if name != "measure"]
        assert len(shares) == 3
        assert all(92 <= share <= 98 for share in shares), row
    (row,) = program.coverage(2, 50, (500,), ("ahmad_dey",)).to_dict("records")
    assert float(row["500 objects"].rstrip("%")) > 85


def test_tables_are_put_between_their_marks(program, tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- embedding -->\nold\n<!-- end -->\nb\n", encoding="utf-8")
    monkeypatch.setattr(program, "PAGE", page)
    program.write("embedding", "new")
    assert page.read_text("utf-8") == "a\n<!-- embedding -->\nnew\n<!-- end -->\nb\n"
