"""Latent classes of a table that is never held, against those of a table in memory."""

import numpy as np
import pytest
from test_large_kmodes import clustered, split

from couplings import CouplingsError, LatentClasses, adjusted_rand
from couplings.large import BatchLatentClasses, LargeTable


@pytest.mark.parametrize("sample", [10_000, 80])
def test_the_optimum_is_that_of_the_table_in_memory(sample):
    df = clustered(1, n=600)
    data = LargeTable.from_batches(split(df, 61))
    exact = LatentClasses(3, random_state=0, tol=1e-13, max_iter=5000).fit(df)
    model = BatchLatentClasses(3, sample=sample, tol=1e-13, max_iter=5000).fit(data)
    assert model.log_likelihood_ == pytest.approx(exact.log_likelihood_, abs=1e-4)
    assert model.criteria_ == pytest.approx(exact.criteria_, rel=1e-5)
    assert (np.diff(model.log_likelihoods_) > -1).all()
    assert model.converged_
    labels = model.predict(data)
    assert labels.dtype == np.int8
    assert adjusted_rand(labels, exact.labels_) == 1
    np.testing.assert_array_equal(model.predict(df), labels)
    np.testing.assert_array_equal(model.predict_proba(df).argmax(axis=1), labels)
    assert model.score(data) * 600 == pytest.approx(model.log_likelihood_)
    assert model.score(df) == pytest.approx(model.score(data))
    assert not hasattr(model.model_, "labels_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0 is not an integer from 1 to 60"),
        ({"sample": 0}, "sample=0 is not a positive integer"),
        ({"tol": -1}, "tol=-1 is not a number"),
        ({"random_state": None}, "random_state=None must be an integer"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    df = clustered(1, n=60)
    data = LargeTable.from_batches([df])
    with pytest.raises(CouplingsError, match=message):
        BatchLatentClasses(**parameters).fit(data)
    with pytest.raises(CouplingsError, match="use LatentClasses for data in memory"):
        BatchLatentClasses().fit(df)
    fitted = BatchLatentClasses().fit(data)
    other = LargeTable.from_batches([df.iloc[:, ::-1]])
    with pytest.raises(CouplingsError, match="other domains"):
        fitted.score(other)
