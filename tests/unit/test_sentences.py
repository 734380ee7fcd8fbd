"""What README.md and docs/study.md say in words is what the committed tables say in numbers."""

from pathlib import Path

import pandas as pd
import pytest

from couplings import recommend
from replication.papers.study.cells import RUNS

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "figures" / "study"
WORDS = ["none", "one", "two", "three", "four", "five", "six", "seven"]


def text(name: str) -> str:
    """Prose of a page, on one line."""
    return " ".join((ROOT / name).read_text("utf-8").replace("**", "").split())


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(STUDY / f"{name}.csv", keep_default_na=False, na_values=[""])


def joined(labels) -> str:
    *first, last = labels
    return f"{', '.join(first)} and {last}" if first else last


def labels() -> dict[str, str]:
    found = pd.concat([table("ranks_kmodes"), table("ranks_kmeans"), table("ranks_average")])
    return dict(zip(found["measure"], found["label"], strict=True))


def against_simple_matching(verdict: str) -> dict[str, list[str]]:
    """Measures that are better (or worse) than simple matching after correction, by algorithm."""
    rows = table("pairwise")
    rows = rows[(rows["family"] == "reference") & (rows["verdict"] == verdict)]
    return {name: list(part["first"]) for name, part in rows.groupby("algorithm")}


def test_no_measure_is_better_than_simple_matching():
    assert against_simple_matching("better") == {}
    assert "No measure is better than simple matching" in text("docs/study.md")
    said = "no measure is demonstrably better (by ARI) than simple matching"
    assert said in text("README.md")


def test_what_is_nearest_to_being_better():
    assert against_simple_matching("worse") == {}
    rows = table("pairwise").query("family == 'reference'")
    said = text("docs/study.md")
    assert f"all {len(rows)} comparisons" in said
    best = rows[rows["mean_difference"] > 0].sort_values("p").head(2)
    for name, row in zip(
        ("CDE with k-modes", "SMIRNOV with spectral"), best.itertuples(), strict=True
    ):
        assert labels()[row.first] == name.split()[0]
        assert f"{row.wins:.0f} data sets" in said or f"({row.wins:.0f} and" in said
        assert f"by {row.mean_difference:.2f}" in said[said.index(name) :]
    worse = rows[rows["mean_difference"] < -0.08].query("p < 0.002")
    assert {(row.first, row.algorithm) for row in worse.itertuples()} == {
        ("burnaby", "kmodes"),
        ("burnaby", "spectral"),
    }


def test_nothing_beats_latent_class_analysis():
    rows = table("anchors").query("family == 'methods'")
    verdicts = rows[rows["second"] == "latent_classes"]["verdict"].value_counts()
    assert "better" not in verdicts
    said = text("docs/study.md")
    assert f"of {verdicts.sum()} methods none is better and {verdicts['worse']} are worse" in said
    assert "no method is demonstrably better than latent class analysis" in text("README.md")


def test_what_beats_k_modes():
    rows = table("anchors").query("family == 'methods' and second == 'smd'")
    (best,) = rows[rows["verdict"] == "better"].itertuples()
    assert best.first == "cde"
    words = f"by {best.mean_difference:.2f}, interval {best.low:.2f} to {best.high:.2f}"
    assert f"({words}), the only one of {len(rows)} methods" in text("docs/study.md")


def test_learnt_methods_beside_latent_classes():
    found = table("ranks_methods").set_index("measure")["ari"]
    learned = found[["disc", "coforest", "hd_ndw", "harr_v", "harr_m"]]
    words = f"have {learned.min():.2f} to {learned.max():.2f}"
    assert f"{words} where it has {found['latent_classes']:.2f}" in text("docs/study.md")


def test_the_claims_of_superiority():
    duels = table("duels")
    held, turned = ((duels["verdict"] == v).sum() for v in ("better", "worse"))
    assert f"Of {len(duels)} one-to-one comparisons" in text("README.md")
    assert f"{WORDS[held]} hold after correction and for {WORDS[turned]}" in text("README.md")
    said = text("docs/study.md")
    assert f"{len(duels)} duels" in said
    assert f"{WORDS[held]} are won" in said
    assert f"{WORDS[turned]} is lost" in said
    by_rock = duels["algorithm"].str.contains("ROCK")
    assert (duels.loc[~by_rock, "verdict"] == "undecided").all()
    assert f"of the {(~by_rock).sum()} claims without ROCK none is decided" in said


def test_properties_of_the_data_explain_no_advantage():
    found = table("moderators")
    assert (found["p_holm"] >= 0.05).all()
    assert f"none of {len(found)} correlations" in text("docs/study.md")


def test_no_measure_wins():
    ranks = table("ranks_mean")
    best = ranks.iloc[0]
    near = (ranks["rank"] - best["rank"] <= best["difference"]).sum() - 1
    assert f"{best['label']} has the best mean rank" in text("docs/study.md")
    assert f"{near} of the {len(ranks) - 1} others" in text("docs/study.md")


def test_what_advice_is_worth():
    rows = table("answer")
    skilled = (rows["p_holm"] < 0.05).sum()
    said = text("docs/study.md")
    assert f"{skilled} of {len(rows)} kinds of choice" in said
    both, same, standard = rows.iloc[0], rows.iloc[1], rows.iloc[2]
    assert f"better on {both['better']} data sets and worse on {both['worse']}" in said
    assert f"better on {same['better']} and {same['worse']} worse" in said
    assert standard["against"] == "latent class analysis"
    assert f"better on {standard['better']} and {standard['worse']} worse" in said


SIZES = {"small": 100, "large": 10_000}


def test_what_is_recommended():
    for n_objects in SIZES.values():
        advice = recommend([["a"]] * n_objects)
        assert advice.measure == advice.algorithm == "latent_classes"
        assert advice.first["name"].startswith("CDE()")
        assert advice.proven_better == 0
    assert "`recommend` says latent class analysis" in text("docs/study.md")
    assert "`couplings.recommend(table)` names latent class analysis" in text("README.md")


def test_the_table_of_advice_says_what_the_library_says():
    rows = table("answer").query("choice == 'both'")
    for size, n_objects in SIZES.items():
        advice = recommend([["a"]] * n_objects)
        assert set(rows[f"{size}_advice"]) == {advice.measure}
        assert set(rows[f"{size}_measure"]) == {"cde"}
        for one in advice.unseen:
            (row,) = rows[rows["against"] == one["against"]].to_dict("records")
            assert {key: row[key] for key in ("better", "same", "worse")}.items() <= one.items()
            assert one["p"] == pytest.approx(row["p"], abs=1e-4)


def test_what_a_start_costs():
    seconds = recommend([["a"]]).seconds
    assert f"latent class analysis took {seconds:.1f} s" in text("docs/study.md")


def test_how_many_of_what():
    grid = table("evidence")
    grid = grid[grid["algorithm"].isin(RUNS) & (grid["measure"] != "one_hot_pca")]
    measures, datasets, algorithms = (
        grid[name].nunique() for name in ("measure", "dataset", "algorithm")
    )
    said = f"{measures} measures, {datasets} data sets, {WORDS[algorithms]} algorithms"
    assert said in text("README.md")


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
    assert f"1,000 honest starts on {above} data sets" in said
    assert f"on {rare} fewer than 5 % of the means of ten such starts reach it" in said


def test_every_deviation_has_a_reason_or_what_was_tried():
    page = (ROOT / "figures" / "deviations.md").read_text("utf-8")
    reasons = [line.split(" | ")[-1].strip(" |") for line in page.splitlines() if "|" in line][2:]
    assert reasons
    bare = [reason for reason in reasons if reason.rstrip(".") in ("", "unexplained")]
    assert bare == []
