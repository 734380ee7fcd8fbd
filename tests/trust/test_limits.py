"""Numbers, memory and names at the edge: refused with one message, or shown as they are."""

import json

import pytest
from trust_cases import GOOD

from couplings import _checks
from couplings.errors import CouplingsError
from replication.show.sheet import Column, Sheet
from replication.show.tables import markdown

CLOSE, LARGE = "a,n,use\nx,0,u\ny,5e-324,v\n", "a,n,use\nx,1.7e308,u\ny,1.7e308,v\nx,?,u\ny,1,v\n"
MANY = {"preparations": {"bins": {"numeric": "equal_width", "bins": 10**15, "labels": "raw"}}}
LATER = [
    # content, changes of the entry, changes of the specification, what the message must say
    (CLOSE, {}, {}, ["datasets.mine", "numeric column 'n'", "rescale"]),
    (LARGE, {"missing": "impute"}, {}, ["column 'n'", "no finite mean", "correct its cells"]),
    ("a,n,use\nx,1,u\ny,2,v\n", {}, MANY, ["numeric column 'n'", "fewer bins"]),
]


@pytest.mark.parametrize(("content", "entry", "changes", "words"), LATER)
def test_numbers_that_cannot_be_cut(job, refused, content, entry, changes, words):
    said = refused(
        "discretize", *job.discretize(job.file(content), changes, numeric=["n"], **entry)
    )
    for word in words:
        assert word in said
    assert not job.tables.exists()


def test_a_step_says_that_the_memory_does_not_suffice(job, refused, monkeypatch):
    from replication.data import prepare

    def fails(*_):
        raise MemoryError

    monkeypatch.setattr(prepare, "read_raw", fails)
    said = refused("discretize", *job.discretize(job.file(GOOD)))
    assert "not enough memory" in said
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


def test_a_synthetic_table_of_all_memory_is_refused(job, refused):
    sizes = {"objects": 10**9, "attributes": 10**6, "values": 2, "classes": 2, "setting": {}}
    entry = {"printed": "x", "missing": "drop", "synthetic": sizes}
    spec = json.dumps({"paper": "toy", "dataset": "big", "entry": entry, "seed": 1})
    said = refused("discretize", "--spec", spec, *job.written)
    assert "config/papers/toy.yaml: datasets.big.synthetic" in said
    assert "ask for fewer" in said


def test_a_name_breaks_no_table():
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
