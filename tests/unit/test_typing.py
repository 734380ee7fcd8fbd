"""Types reach the user: what mypy says about a script that uses the library."""

import re
from pathlib import Path

import pytest

import couplings

SRC = Path(couplings.__file__).parents[1]

SCRIPT = """
import couplings
from couplings import DilcaRR, SimpleMatching, Ward, measure_names

reveal_type(DilcaRR)
reveal_type(DilcaRR().fit([["a", "b"], ["c", "d"]]))
reveal_type(SimpleMatching().pairwise([["a"]]))
reveal_type(measure_names())
reveal_type(couplings.__version__)
DilcaRR(contxt=1)
Ward(n_cluster=3)
couplings.Dilca
"""


def test_mypy_knows_the_classes_and_catches_wrong_keywords(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    monkeypatch.setenv("MYPYPATH", str(SRC))
    # what it knows of the library is kept, apart from what `make lint` keeps: the options differ
    known = ["--cache-dir", str(SRC.parent / ".mypy_cache/user")]
    options = ["--follow-imports=silent", "--ignore-missing-imports", *known]
    said = api.run([*options, str(script)])[0]
    shown = re.findall(r':(\d+): note: Revealed type is "(.*)"', said)
    types = {int(line): text for line, text in shown}
    assert types[5].startswith("def (context: ")
    assert types[5].endswith("-> couplings.measures.dilca.DilcaRR")
    assert types[6] == "couplings.measures.dilca.DilcaRR"
    assert "numpy.ndarray" in types[7]
    assert types[8].startswith("tuple[")
    assert types[9].endswith("str")
    errors = re.findall(r":(\d+): error: (.*)", said)
    assert [int(line) for line, _ in errors] == [10, 11, 12]
    assert 'Unexpected keyword argument "contxt" for "DilcaRR"; did you mean "context"' in said
    assert 'Unexpected keyword argument "n_cluster" for "Ward"' in said
    assert 'Module has no attribute "Dilca"' in said
