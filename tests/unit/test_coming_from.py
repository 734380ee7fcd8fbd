"""The pages for users of other packages: both codes run, and ours says what theirs says."""

import contextlib
import importlib.util
import io
import re
from pathlib import Path

import numpy as np
import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs").glob("coming-from-*.md"))


def codes(page):
    blocks = re.findall(r"```python\n# (\w+)\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    return dict(blocks)


def printed(code):
    names, out = {}, io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, names)
    return names, out.getvalue()


def test_there_is_a_page_for_each_package():
    assert [page.stem.rpartition("-")[2] for page in PAGES] == ["gower", "kmodes", "prince"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_both_codes_run(page):
    found = codes(page)
    peer = page.stem.rpartition("-")[2]
    assert set(found) == {peer, "couplings"}
    assert printed(found["couplings"])[1]
    if importlib.util.find_spec(peer):
        assert printed(found[peer])[1]


def test_both_k_modes_find_the_same_clusters():
    pytest.importorskip("kmodes.kmodes")
    found = codes(PAGES[1])
    theirs, ours = printed(found["kmodes"])[0]["model"], printed(found["couplings"])[0]["model"]
    assert ours.objective_ == theirs.cost_ == 0
    assert (ours.labels_[0] == ours.labels_[1]) and (ours.labels_[0] != ours.labels_[2])


def test_our_gower_is_gowers():
    names, _ = printed(codes(PAGES[0])["couplings"])
    # frame differs or not, price / range of 600; the mean of both.
    expected = np.array([[0, 1 / 6, 1], [1 / 6, 0, 5 / 6], [1, 5 / 6, 0]])
    np.testing.assert_allclose(names["distance"].pairwise(names["bikes"]), expected)
