"""What README.md says in words is what the committed tables say in numbers."""

import pandas as pd
from kit import ROOT, configuration

from couplings import recommend
from replication.papers.study.cells import RUNS

WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven"]


def text(name: str) -> str:
    """Prose of a page, on one line."""
    return " ".join((ROOT / name).read_text("utf-8").replace("**", "").split())


def test_what_is_recommended():
    for n_objects in (100, 10_000):
        advice = recommend([["a"]] * n_objects)
        assert advice.measure == advice.algorithm == "latent_classes"
    assert "`couplings.recommend(table)` names latent class analysis" in text("README.md")


def test_how_many_of_what():
    study = configuration("study")["experiments"]
    measures, datasets = len(study["grid"]["measures"]), len(study["grid"]["datasets"])
    said = f"{measures} measures, {datasets} data sets, {WORDS[len(RUNS)]} algorithms"
    assert said in text("README.md")
    others = len(study["rivals"]["algorithms"]) + len(study["learned"]["algorithms"])
    assert f"and {others} methods with algorithms of their own" in text("README.md")


def test_what_came_out_of_disc():
    rows = pd.read_csv(ROOT / "figures/disc/table02.csv")
    rows = rows[(rows["method"] == "disc") & (rows["reading"] == "released")]
    exact = rows[rows["verdict"] == "exact"]["metric"].value_counts()
    said = text("README.md")
    assert f"{exact['accuracy']} of its 12 accuracies and {exact['ari']} of its 12 ARI" in said
    means = pd.read_csv(ROOT / "figures/disc/honest.csv")
    means = means[(means["method"] == "disc") & (means["metric"] == "accuracy")]
    means = means[means["dataset"] != "all"]
    assert (means["starts"] == 1000).all()
    # to the printed digits
    above, rare = (means["printed"] - means["mean"] > 5e-5).sum(), (means["share"] < 0.05).sum()
    assert f"1,000 unselected starts on {above} data sets" in said
    assert f"on {rare} fewer than 5 % of the means of ten such starts reach it" in said


def test_every_deviation_has_a_reason_or_what_was_tried():
    page = (ROOT / "figures" / "deviations.md").read_text("utf-8")
    reasons = [line.split(" | ")[-1].strip(" |") for line in page.splitlines() if "|" in line][2:]
    assert reasons
    bare = [reason for reason in reasons if reason.rstrip(".") in ("", "unexplained")]
    assert bare == []
