"""A recommendation can be fitted at once."""

import csv
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from couplings import CouplingsError, PairwiseDistances, SimpleMatching, recommend
from couplings.learned.registry import METHODS
from couplings.start import clustering


def frame_of(n=60):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 3, n)
    return pd.DataFrame(
        {name: np.array(list("pqrs"))[np.where(rng.random(n) < 0.9, kind, 3)] for name in "abcd"}
    )


def evidence():
    path = files("couplings") / "data" / "evidence.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("algorithm", sorted({row["algorithm"] for row in evidence()}))
def test_every_candidate_of_the_evidence_can_be_made(algorithm):
    measures = {row["measure"] for row in evidence() if row["algorithm"] == algorithm}
    if algorithm in METHODS:
        assert measures == {algorithm}
    for name in sorted(measures - {"coupled_mixed"}):
        if algorithm == "rock" and name != "jaccard":
            continue
        made = clustering(name, algorithm, 3, random_state=0)
        assert hasattr(made, "fit_predict"), name


@pytest.mark.parametrize(
    ("measure", "algorithm"),
    [
        ("dilca_rr", "kmodes"),
        ("smirnov", "spectral"),
        ("caso", "ward"),
        ("lin", "average"),
        ("cde", "kmeans"),
        ("add", "kmeans"),
        ("jaccard", "rock"),
        *((name, name) for name in METHODS),
    ],
)
def test_it_clusters_a_frame(measure, algorithm):
    frame = frame_of()
    labels = clustering(measure, algorithm, 3, random_state=0).fit_predict(frame)
    assert len(labels) == 60
    assert len(np.unique(labels)) > 1


def test_a_recommendation_starts_and_says_what_it_is():
    frame = frame_of()
    advice = recommend(frame)
    assert repr(advice) == f"<Recommendation: {advice.measure!r}>"
    assert len(advice.start(3, random_state=0).fit_predict(frame)) == 60


def test_what_does_not_go_together_is_refused():
    for pair in (("lin", "kmeans"), ("lin", "rock"), ("lin", "kmean")):
        with pytest.raises(CouplingsError, match="does not go with the measure 'lin'"):
            clustering(*pair, 3)


def test_distances_are_a_step_of_a_pipeline():
    frame = frame_of()
    step = PairwiseDistances(SimpleMatching())
    np.testing.assert_array_equal(
        step.fit_transform(frame), SimpleMatching().fit(frame).pairwise(frame)
    )
    assert step.__sklearn_tags__().transformer_tags is not None
