"""The packaged answer follows the tables of the study."""

import json

import numpy as np
import pandas as pd
import pytest
from kit import ROOT
from scipy.stats import ttest_1samp, wilcoxon

from replication.errors import UserError
from replication.papers.study import evidence as packaging
from replication.papers.study.evidence import answer, gained

STUDY = ROOT / "figures/study"
PACKAGED = json.loads(packaging.PACKAGED.read_text("utf-8"))
TABLES = {name: pd.read_csv(STUDY / f"{name}.csv") for name in ("leaderboard", "data")}
ALONE = ("latent_classes", "disc")


def tables(datasets=20, objects=100, noise=0.0, **means):
    """Tables of methods, or of measures with an algorithm (k-modes) after two underscores."""
    rng = np.random.default_rng(4)
    rows = []
    for i in range(datasets):
        for name, mean in means.items():
            measure, _, algorithm = name.partition("__")
            algorithm = algorithm or (measure if measure in ALONE else "kmodes")
            ari = mean + noise * rng.normal()
            rows.append((f"d{i}", measure, algorithm, ari))
    data = pd.DataFrame({"dataset": [f"d{i}" for i in range(datasets)], "objects": objects})
    cells = pd.DataFrame(rows, columns=["dataset", "measure", "algorithm", "ari"])
    return {"leaderboard": cells, "data": data}


def test_latent_classes_are_named_if_they_are_better_than_k_modes():
    found = answer(tables(smd=0.1, lin=0.5, iof=0.1, latent_classes=0.3), "")["small"]
    assert (found["measure"], found["estimator"]) == ("latent_classes", "LatentClasses")
    assert found["gain"]["mean"] == pytest.approx(0.2)
    assert (found["proven_better"], found["proven_worse"]) == (1, 2)
    assert (found["first"]["mean_rank"], found["candidates"]) == (1.0, 4)
    assert found["base_rate"] == pytest.approx(2 / 3, abs=1e-4)
    found = answer(tables(noise=0.1, smd=0.2, lin=0.2, latent_classes=0.2), "")["small"]
    assert (found["measure"], found["algorithm"], found["gain"]) == ("smd", "kmodes", None)


def test_large_tables_get_nothing_that_needs_all_pairs():
    given = tables(smd=0.1, lin__spectral=0.9, smd__spectral=0.8, iof__ward=0.8)
    found = answer(given, "")
    assert (found["small"]["candidates"], found["large"]["candidates"]) == (4, 2)


def test_differences_are_summed_up_as_the_formulas_say():
    differences = np.array([0.2, 0.1, -0.05, 0.005, 0.0, 0.3, 0.07, -0.02])
    found = gained(differences)
    assert (found["better"], found["same"], found["worse"]) == (4, 2, 2)
    interval = ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (found["low"], found["high"]) == pytest.approx(tuple(interval), abs=1e-4)
    p = wilcoxon(differences, zero_method="pratt").pvalue
    assert found["p"] == pytest.approx(p, abs=1e-4)


def test_the_packaged_answer_is_that_of_the_committed_tables():
    own = PACKAGED["small"]
    timed = {key: [own[key]] for key in ("measure", "algorithm", "seconds")} | {"timed_on": 2}
    assert answer({**TABLES, "cost": pd.DataFrame(timed)}, PACKAGED["date"]) == PACKAGED


def test_the_command_packages_the_tables(tmp_path):
    target = tmp_path / "answer.json"
    for name in ("leaderboard", "data"):
        (tmp_path / f"{name}.csv").write_bytes((STUDY / f"{name}.csv").read_bytes())
    assert packaging.main([str(tmp_path), "--output", str(target)]) == 0
    assert json.loads(target.read_text("utf-8"))["small"]["seconds"] is None
    with pytest.raises(UserError, match="run the study first"):
        packaging.main([str(tmp_path / "none")])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (tables(smd=0.1) | {"cost": pd.DataFrame({"measure": []})}, "the table cost lacks one"),
        (tables(disc=0.5), "no scores of simple matching with k-modes"),
    ],
)
def test_evidence_that_does_not_fit_is_refused(given, said):
    with pytest.raises(UserError, match=said):
        answer(given, "")


def test_a_method_that_the_library_does_not_have_is_not_packaged():
    with pytest.raises(UserError, match="the library has no estimator for 'disc' with 'disc'"):
        packaging._estimator("disc", "disc")
