"""The library says the answer of the study, and nothing else."""

import json

import numpy as np
import pandas as pd
import pytest
from kit import ROOT

from couplings import CategoricalTable, CouplingsError, LatentClasses, cooccurrence, recommend
from couplings.recommendation import Recommendation

SMALL = pd.DataFrame({"a": ["x", "y", "x", "z"] * 9, "b": ["p", "q", "p", "p"] * 9})
LARGE = pd.DataFrame({"a": ["x", "y"] * 5000, "b": ["p", "q"] * 5000})
ANSWER = json.loads((ROOT / "src/couplings/data/answer.json").read_text("utf-8"))


@pytest.mark.parametrize(("table", "size"), [(SMALL, "small"), (LARGE, "large")])
def test_it_is_the_packaged_answer_for_the_size(table, size):
    found = recommend(table)
    assert {key: getattr(found, key) for key in ANSWER[size]} == ANSWER[size]


def test_tables_frames_rows_and_counts_get_the_same():
    table = CategoricalTable.from_any(LARGE)
    rows = LARGE.to_numpy().tolist()
    assert recommend(LARGE) == recommend(table) == recommend(cooccurrence(table)) == recommend(rows)


@pytest.mark.parametrize("wrong", [None, "text", {"a": ["x"]}, np.zeros((2, 2, 2)), SMALL[:0]])
def test_what_is_no_table_is_refused(wrong):
    with pytest.raises(CouplingsError):
        recommend(wrong)


def test_it_says_the_gain_and_how_sure_that_is():
    said = str(recommend(SMALL))
    gain, base = ANSWER["small"]["gain"], ANSWER["small"]["base_rate"]
    assert said.startswith("Try LatentClasses(n_init=10, pseudo_count=0.1) first. It is better")
    assert f"on {gain['better']} and worse on {gain['worse']} of 42 data sets, by" in said
    assert f"interval {gain['low']:.2f} to {gain['high']:.2f}; p " in said
    assert f"drawn at random is better than k-modes on {base:.0%} of them" in said
    assert "One start took" in said
    assert said.endswith(f"As of {ANSWER['date']}.")
    assert repr(recommend(SMALL)) == "<Recommendation: LatentClasses(n_init=10, pseudo_count=0.1)>"


def test_the_default_has_no_gain():
    best = ANSWER["small"]["first"] | {"recommended": True}
    parameters = {"measure": "simple_matching"}
    changed = {"estimator": "KModes", "parameters": parameters, "gain": None, "first": best}
    more = {"limits": "", "date": "", "seconds": None}
    found = Recommendation(**ANSWER["small"] | changed | more)
    assert str(found).startswith("Try KModes(measure='simple_matching') first. Of 127 other")
    assert len(np.unique(found.start(2, random_state=0).fit_predict(SMALL))) == 2


def test_the_recommended_method_starts():
    made = recommend(SMALL).start(2, random_state=0)
    assert type(made) is LatentClasses
    assert (made.n_clusters, made.n_init) == (2, 10)
    assert len(np.unique(made.fit_predict(SMALL))) == 2
