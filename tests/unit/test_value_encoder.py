"""ValueEncoder: its points against the measure, shrinking, new values, scikit-learn's protocol."""

import hashlib
import re

import numpy as np
import pandas as pd
import pytest
from kit import ROOT
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from couplings import AhmadDey, Caso, CouplingsError, DilcaRR, Lin, MeasureError
from couplings.value_encoder import ValueEncoder


def frame_of(seed=0, n=80):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 4, n)
    return pd.DataFrame(
        {
            name: np.array(list("pqrs"))[np.where(rng.random(n) < 0.7, kind, shift) % (4 - shift)]
            for shift, name in enumerate("abc")
        }
    )


def gaps(points):
    return ((points[:, None] - points) ** 2).sum(axis=2)


@pytest.mark.parametrize("measure", [AhmadDey(), DilcaRR()], ids=repr)
def test_without_shrinking_the_points_are_those_of_the_measure(measure):
    frame = frame_of()
    found = ValueEncoder(measure, shrink=0).fit_transform(frame)
    np.testing.assert_allclose(gaps(found), gaps(measure.fit_transform(frame)), atol=1e-9)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-12)


def test_rare_values_are_drawn_to_the_mean():
    frame = frame_of()
    frame.loc[0, "a"] = "rare"
    free, shrunk = (ValueEncoder(shrink=shrink).fit(frame) for shrink in (0, 3))
    for name, before, after in zip(frame, free.tables_, shrunk.tables_, strict=True):
        counts = frame[name].value_counts().sort_index().to_numpy()[:, np.newaxis]
        np.testing.assert_allclose(after[:-1], before[:-1] * counts / (counts + 3))
    rare = sorted(frame["a"].unique()).index("rare")
    np.testing.assert_allclose(shrunk.tables_[0][rare], free.tables_[0][rare] / 4)


def test_new_values_and_new_missing_cells_are_the_mean():
    frame = frame_of()
    encoder = ValueEncoder().fit(frame)
    new = pd.DataFrame({"a": ["x", None], "b": ["y", None], "c": ["z", None]})
    assert not encoder.transform(new).any()
    # a missing cell that fit has seen is a value like any other
    frame.loc[:20, "a"] = None
    assert ValueEncoder().fit(frame).transform(frame[:1])[0].any()


def test_one_attribute_alone_differs_or_not():
    column = frame_of()[["a"]]
    found = gaps(ValueEncoder(shrink=0).fit_transform(column))
    assert set(np.unique(found.round(9))) == {0.0, 1.0}


def test_it_fits_column_transformers_searches_and_output():
    frame = frame_of().assign(age=np.arange(80.0))
    y = frame["a"].isin(["p", "q"])
    both = make_column_transformer(
        (ValueEncoder(), make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    model = make_pipeline(both, LogisticRegression(max_iter=2000))
    search = GridSearchCV(
        model, {"columntransformer__valueencoder__shrink": [0.0, 5.0]}, error_score="raise"
    )
    assert search.fit(frame, y).best_score_ > 0.75
    table = ValueEncoder().set_output(transform="pandas").fit_transform(frame[["a", "b"]])
    assert list(table) == ["a_0", "a_1", "a_2", "b_0", "b_1"]
    polars = pytest.importorskip("polars")
    text = polars.from_pandas(frame[["a", "b"]])
    np.testing.assert_allclose(ValueEncoder().fit_transform(text), table)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"shrink": -1}, "shrink=-1"),
        ({"measure": Caso()}, "ValueEncoder needs distances"),
        ({"measure": Lin()}, "not a sum over the attributes"),
        ({"measure": "coupled_mixed"}, "needs a measure of values"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, message):
    with pytest.raises(CouplingsError, match=message):
        ValueEncoder(**parameters).fit(frame_of())
    with pytest.raises(MeasureError, match="X has 2 features"):
        ValueEncoder().fit(frame_of()).transform(frame_of()[["a", "b"]])


def test_the_page_was_measured_under_the_protocol():
    page = (ROOT / "docs/value-encoder.md").read_text(encoding="utf-8")
    protocol = (ROOT / "benchmarks/value_encoder.json").read_bytes()
    assert hashlib.sha256(protocol).hexdigest() in page
    rows = re.search(r"<!-- summary -->\n(.*?)\n<!-- end -->", page, re.S)[1].splitlines()
    assert len(rows) == 2 + 3 * 4
