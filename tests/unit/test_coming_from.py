"""The pages for users of other packages: ours says what theirs says."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("coming-from-*.md"))


def codes(page):
    blocks = re.findall(r"```python\n# (\w+)\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    return dict(blocks)


def names_of(code):
    names = {}
    exec(code, names)
    return names


def test_the_page_for_each_package_has_both_codes():
    """That every block runs is a test of its own."""
    for page, peer in zip(PAGES, ("gower", "kmodes", "prince"), strict=True):
        assert page.stem == f"coming-from-{peer}"
        assert set(codes(page)) == {peer, "couplings"}


def test_both_k_modes_find_the_same_clusters():
    pytest.importorskip("kmodes.kmodes")
    found = codes(PAGES[1])
    theirs, ours = names_of(found["kmodes"])["model"], names_of(found["couplings"])["model"]
    assert ours.objective_ == theirs.cost_ == 0
    assert (ours.labels_[0] == ours.labels_[1]) and (ours.labels_[0] != ours.labels_[2])


def test_our_gower_is_gowers():
    names = names_of(codes(PAGES[0])["couplings"])
    # frame differs or not, price / range of 600; the mean of both.
    expected = np.array([[0, 1 / 6, 1], [1 / 6, 0, 5 / 6], [1, 5 / 6, 0]])
    np.testing.assert_allclose(names["distance"].pairwise(names["bikes"]), expected)
