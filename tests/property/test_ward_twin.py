"""Ward with R's order of merges against its plain transcription, on data full of ties."""

import definitions
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import examples
from scipy.spatial.distance import squareform

from couplings.cluster.ward import ward


@pytest.mark.twin_of("Ward")
@examples(150)
@given(st.integers(0, 2**32 - 1), st.integers(2, 25), st.integers(1, 6))
def test_ties_like_the_transcription(seed, n, levels):
    rng = np.random.default_rng(seed)
    condensed = rng.integers(0, levels + 1, n * (n - 1) // 2).astype(float)
    for k in {1, 2, 3, n // 2, n} & set(range(1, n + 1)):
        for recurrence in ("D", "D2"):
            worked = condensed**2 if recurrence == "D2" else condensed
            assert ward(condensed, k, recurrence=recurrence).tolist() == definitions.ward_r(
                squareform(worked), k
            )


@examples(10)
@given(st.integers(0, 2**32 - 1), st.integers(60, 110), st.integers(1, 40))
def test_many_objects_like_the_transcription(seed, n, levels):
    """Enough of them that searches take whole blocks, and that those left close up repeatedly."""
    rng = np.random.default_rng(seed)
    condensed = rng.integers(0, levels + 1, n * (n - 1) // 2).astype(float)
    for k in (1, 5, n // 2):
        assert ward(condensed, k).tolist() == definitions.ward_r(squareform(condensed), k)
