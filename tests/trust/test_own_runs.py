"""The reader's own data: what one combination cannot do does not take the others with it."""

import json

import pytest
import yaml
from matplotlib.text import Text
from trust_cases import GOOD, ROOT

from couplings import _checks
from couplings.cluster.ward import Ward
from couplings.errors import CouplingsError
from couplings.measures.coupled import Cado
from replication.files import read_rows, seal_of, write_records
from replication.show import figures as step
from replication.show.tables import markdown

MEASURES, ALGORITHMS = ("smd", "cado"), ("ward_r", "kmodes_frequency")


def registered(kind, names):
    entries = yaml.safe_load((ROOT / f"config/{kind}.yaml").read_text())
    found = {name: dict(entries[name]) for name in names}
    for entry in found.values():  # the plan puts answers in the place of questions
        given = entry.get("parameters", {})
        entry["parameters"] = {key: v for key, v in given.items() if not str(v).startswith("=")}
    return found


@pytest.fixture
def clustered(job, accepted):
    """Records of the experiment on a small file."""

    def call(run="by_measure", measures=MEASURES, algorithms=ALGORITHMS, **parameters):
        accepted("prepare", *job.prepare(job.file(GOOD)))
        accepted("discretize", *job.discretize())
        spec = {
            "paper": "own",
            "experiment": run,
            "dataset": "mine",
            "run": f"replication.papers.own.clusterings:{run}",
            "parameters": {"preparation": "codes", **parameters},
            "trials": 2,
            "seed": 1,
            "measures": registered("measures", measures),
            "algorithms": registered("algorithms", algorithms),
            "similarities": {},
            "inputs": [
                {"role": "facts", "file": str(job.facts)},
                {"role": "tables", "preparation": "codes", "file": str(job.tables)},
            ],
        }
        output = job.folder / "out.csv"
        labels = job.folder / "labels.parquet"
        accepted("experiment", "--spec", json.dumps(spec), "--output", output, "--labels", labels)
        return {(row["measure"], row["algorithm"]): row for row in read_rows(output)}

    return call


def test_pairs_that_do_not_fit_are_refused_with_a_number(clustered, monkeypatch):
    monkeypatch.setattr(_checks, "_memory", lambda: 520.0)
    rows = clustered()
    assert set(rows) == {(one, other) for one in MEASURES for other in ALGORITHMS}
    for measure in MEASURES:
        note = rows[measure, "ward_r"]["note"]
        assert "this machine has 520 B" in note
        assert "sample" in note
        assert rows[measure, "ward_r"]["runs"] == "0"
        assert rows[measure, "kmodes_frequency"]["labels"]
        assert "without the ratio" in rows[measure, "kmodes_frequency"]["note"]


def test_memory_that_ends_while_it_works(clustered, monkeypatch):
    def fails(*_, **__):
        raise MemoryError("Unable to allocate 53.6 GiB")

    monkeypatch.setattr(Ward, "fit", fails)
    rows = clustered()
    assert "does not suffice (Unable to allocate 53.6 GiB)" in rows["smd", "ward_r"]["note"]
    assert rows["cado", "kmodes_frequency"]["labels"]


@pytest.mark.parametrize("error", [CouplingsError("20001 values"), MemoryError("20001 values")])
def test_a_measure_that_cannot_learn_leaves_the_others(clustered, monkeypatch, error):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(Cado, "fit", fails)
    rows = clustered()
    for algorithm in ALGORITHMS:
        assert "20001 values" in rows["cado", algorithm]["note"]
        assert rows["smd", algorithm]["labels"]


def test_a_step_says_that_the_memory_does_not_suffice(job, refused, monkeypatch):
    from replication.data import prepare

    def fails(*_):
        raise MemoryError

    monkeypatch.setattr(prepare, "read_own", fails)
    said = refused("prepare", *job.prepare(job.file(GOOD)))
    assert "the memory does not suffice" in said
    assert "sample" in said


def test_the_limit_of_the_process_counts(monkeypatch):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda _: (2**20, 2**20))
    _checks._memory.cache_clear()
    try:
        with pytest.raises(CouplingsError, match=r"takes 2\.1 MB, this machine has 1\.05 MB; less"):
            _checks.check_memory("x", 2.1e6, "y", "less")
    finally:
        _checks._memory.cache_clear()


def test_a_cut_table_of_texts_is_not_made(job, accepted, refused, monkeypatch):
    accepted("prepare", *job.prepare(job.file(GOOD.replace("x,", "x" * 900 + ","))))
    monkeypatch.setattr(_checks, "_memory", lambda: 50_000.0)
    said = refused("discretize", *job.discretize())
    assert "column 'a': an array of 12 cells of up to 900 characters takes 86.4 KB" in said
    assert "leave the column out" in said


def test_a_synthetic_table_of_all_memory_is_refused(job, refused):
    sizes = {"objects": 10**9, "attributes": 10**6, "values": 2, "classes": 2, "spread": 1}
    entry = {"printed": "x", "missing": "drop", "synthetic": sizes}
    spec = json.dumps({"paper": "toy", "dataset": "big", "entry": entry, "seed": 1})
    words = ["--spec", spec, "--output", job.prepared, "--facts", job.facts]
    said = refused("prepare", *words)
    assert "config/papers/toy.yaml: datasets.big.synthetic" in said
    assert "ask for fewer" in said


# --- names in tables and figures ----------------------------------------------------------------

NAMES = ["cost $\\5$", "US$ 5_000 to US$ 9_000_", "$x^2$", "$", "a\\$b$", "{x}_$\\frac{1}$", "<b>&"]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_drawn_as_it_is(tmp_path, name):
    row = dict.fromkeys(
        ("dataset", "measure", "measure_label", "algorithm", "algorithm_label", "sd"), "x"
    )
    row |= {
        "value": "0.5",
        "sd": "0.1",
        "printed_name": name,
        "measure_label": name,
        "shown": "ari",
    }
    path = tmp_path / "scores.csv"
    write_records(path, list(row), [row])
    spec = {"paper": "own", "kind": "scores", "label": name, "seal": str(seal_of(path))}
    figure, _ = step.draw(spec, read_rows(path))
    figure.draw_without_rendering()
    shown = [one._preprocess_math(one.get_text()) for one in figure.findobj(Text)]
    assert (name, False) in shown
    assert not any(is_formula for _, is_formula in shown)


def test_a_name_breaks_no_table():
    from replication.show.sheet import Column, Sheet

    rows = [{"a": "x|y\nz", "b": "<script>alert(1)</script>"}]
    sheet = Sheet(
        "n", "<i>t", "c <img src=x>", [Column("a", "A"), Column("b", "B<br>")], rows, [], []
    )
    text = markdown(sheet)
    assert "<script" not in text
    assert "<img" not in text
    assert "<br" not in text
    assert "x\\|y z" in text
    assert len([line for line in text.splitlines() if line.startswith("|")]) == 3
