"""Claims of CASO, section VIII-C: STIRR, LIMBO and CLIMBO on a table of papers.

The table of the paper was never published, so that nobody else can decide these claims. What is
counted is what two tables in its place show, papers drawn from dblp and papers of planted
communities; where dblp could not be had, the second alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replication.judge.claims import (
    ClaimBook,
    Evidence,
    Finding,
    MissingEvidenceError,
    close,
    count,
)
from replication.papers.caso.analysis import LEVEL
from replication.papers.caso.analysis_bibliographic import over_tables, venue_clusters
from replication.papers.caso.bibliographic import ATTRIBUTES, METHODS
from replication.papers.caso.tables_bibliographic import CLUSTERS, DATASET, MAPS, METRICS, SOURCES

if TYPE_CHECKING:
    import pandas as pd

BIBLIOGRAPHIC = ClaimBook()

MODEST = 0.9
"""Score below which a clustering in two counts as modest."""
UNPUBLISHED = "The paper's table was never published."


def _sources(evidence: Evidence, names: dict[str, str]) -> dict[str, pd.DataFrame]:
    """Records by source: planted papers, and papers from dblp if they could be had."""
    frames = {}
    for source, name in names.items():
        try:
            frames[source] = evidence.experiment(name)
        except MissingEvidenceError:
            # claims rest on what there is; without any source they are not run
            if source == "planted":
                raise
    return frames


def _mean(frame: pd.DataFrame, attribute: str, method: str, metric: str) -> float:
    return float(over_tables(frame, attribute, method)[metric].mean())


def _percent(frame: pd.DataFrame, attribute: str, metric: str, methods: tuple[str, ...]) -> str:
    return ", ".join(
        f"{METHODS[method]} {100 * _mean(frame, attribute, method, metric):.1f}"
        for method in methods
    )


@BIBLIOGRAPHIC.about("caso-56")
def papers(evidence: Evidence) -> Finding:
    """Numbers of papers, as printed."""
    cells = evidence.printed[
        (evidence.printed["artefact"] == "settings") & (evidence.printed["dataset_id"] == DATASET)
    ]
    printed = {row["metric"]: int(row["value"]) for row in cells.to_dict("records")}
    total, database, theory = (
        printed[key] for key in ("papers", "papers_database", "papers_theory")
    )
    return Finding(
        None,
        f"{database} + {theory} = {database + theory} papers, printed total {total}. The table was "
        "never published; the tables that take its place are drawn with these numbers.",
        "table13",
        printed=count([database + theory == total]),
    )


@BIBLIOGRAPHIC.about("caso-57")
def first_authors(evidence: Evidence) -> Finding:
    """CLIMBO as printed first in precision and accuracy, near LIMBO in specificity."""
    cases, said = [], []
    for source, frame in _sources(evidence, CLUSTERS).items():
        mean = {
            (method, metric): _mean(frame, "first_author", method, metric)
            for method in METHODS
            for metric in METRICS
        }
        cases += [
            evidence.ahead(
                mean["climbo", metric], max(mean["stirr", metric], mean["limbo", metric])
            )
            for metric in ("precision", "accuracy")
        ]
        cases.append(close(mean["climbo", "specificity"], mean["limbo", "specificity"]))
        scores = "; ".join(
            f"{short} {_percent(frame, 'first_author', metric, tuple(METHODS))}"
            for metric, short in METRICS.items()
        )
        picked = over_tables(frame, "first_author", "climbo")
        said.append(
            f"{SOURCES[source]}: {scores}; CLIMBO as printed leaves {picked['smaller'].mean():.1f} "
            f"of {picked['values'].mean():.0f} authors in its smaller cluster"
        )
    ours = count(cases)
    return Finding(
        ours,
        f"{UNPUBLISHED} On ours {ours.held} of {ours.total} parts hold for CLIMBO as printed "
        f"(means in percent over the tables). {'. '.join(said)}.",
        "table13",
    )


@BIBLIOGRAPHIC.about("caso-58")
def significance(evidence: Evidence) -> Finding:
    """One-sided paired t-tests over the tables, CLIMBO as printed against the others."""
    cases, said = [], []
    for source, frame in _sources(evidence, CLUSTERS).items():
        parts = []
        for rival in ("stirr", "limbo"):
            for metric in ("precision", "accuracy"):
                ours, theirs = (
                    over_tables(frame, "first_author", method).set_index("draw")[metric]
                    for method in ("climbo", rival)
                )
                p, difference = _larger(ours - theirs)
                cases.append(p < LEVEL)
                parts.append(
                    f"{METHODS[rival]} {METRICS[metric]} {100 * difference:+.1f} (p = {p:.2g})"
                )
        said.append(f"{SOURCES[source]}: {', '.join(parts)}")
    ours = count(cases)
    return Finding(
        ours,
        f"{UNPUBLISHED} On ours CLIMBO as printed is better at the 95 % level in {ours.held} of "
        f"{ours.total} one-sided paired t-tests over tables. Differences in percent: "
        f"{'; '.join(said)}.",
        "table13",
    )


def _larger(differences: pd.Series) -> tuple[float, float]:
    """One-sided p of the t-test that the mean is above 0, and the mean."""
    from scipy.stats import ttest_1samp

    mean = float(differences.mean())
    if (differences == differences.iloc[0]).all():
        # no spread, no test: the sign decides
        return (0.0 if mean > 0 else 1.0), mean
    return float(ttest_1samp(differences, 0.0, alternative="greater").pvalue), mean


@BIBLIOGRAPHIC.about("caso-59")
def modest_quality(evidence: Evidence) -> Finding:
    """Accuracy with last names and repeated sole authors, and without either."""
    frame = evidence.experiment(CLUSTERS["dblp"], datasets=[DATASET])
    draws = frame[frame["names"] == "full"]["draw"].unique()
    frame = frame[
        (frame["attribute"] == "first_author")
        & (frame["stage"] == "merged")
        & (frame["run"] == 0)
        & frame["draw"].isin(draws)
    ]
    mean = frame.groupby(["method", "names", "sole"])["accuracy"].mean()
    cases, said = [], []
    for method in ("stirr", "limbo", "climbo", "climbo_mass"):
        ours = mean[method, "last", "repeated"]
        full, none = mean[method, "full", "repeated"], mean[method, "last", "none"]
        cases += [ours < MODEST, evidence.ahead(full, ours), evidence.ahead(none, ours)]
        said.append(
            f"{METHODS[method]} {100 * ours:.1f}, with full names {100 * full:.1f}, without the "
            f"repeated authors {100 * none:.1f}, with neither "
            f"{100 * mean[method, 'full', 'none']:.1f}"
        )
    return Finding(
        count(cases),
        f"{UNPUBLISHED} Mean accuracy in percent over {len(draws)} tables from dblp: "
        f"{'; '.join(said)}. Counted: it is below {100 * MODEST:.0f}, and taking away each of the "
        "two causes raises it.",
        "value_clusters",
    )


@BIBLIOGRAPHIC.about("caso-60")
def venues(evidence: Evidence) -> Finding:
    """Order of the methods by the accuracy of their clusters of venues."""
    maps = _sources(evidence, MAPS)
    cases, said = [], []
    for source, frame in _sources(evidence, CLUSTERS).items():
        limbo, stirr, climbo = (
            _mean(frame, "venue", method, "accuracy") for method in ("limbo", "stirr", "climbo")
        )
        cases += [evidence.ahead(climbo, limbo), evidence.ahead(limbo, stirr)]
        drawn = venue_clusters(maps[source], "climbo")
        said.append(
            f"{SOURCES[source]}: {_percent(frame, 'venue', 'accuracy', tuple(METHODS))}; in the "
            f"figure CLIMBO as printed misplaces {len(drawn.misplaced)} of {len(drawn.venues)} "
            "venues"
        )
    ours = count(cases)
    return Finding(
        ours,
        f"{UNPUBLISHED} On ours {ours.held} of {ours.total} steps of the order CLIMBO as printed, "
        f"LIMBO, STIRR hold for the mean accuracy (percent over the tables). {'. '.join(said)}.",
        "fig03",
    )


@BIBLIOGRAPHIC.about("caso-61")
def limbo_against_stirr(evidence: Evidence) -> Finding:
    """LIMBO against STIRR in every score on both tasks."""
    cases, said = [], []
    for source, frame in _sources(evidence, CLUSTERS).items():
        for attribute in (ATTRIBUTES[0], "venue"):
            parts = []
            for metric, short in METRICS.items():
                limbo, stirr = (
                    _mean(frame, attribute, method, metric) for method in ("limbo", "stirr")
                )
                cases.append(evidence.ahead(limbo, stirr))
                parts.append(f"{short} {100 * limbo:.1f} against {100 * stirr:.1f}")
            said.append(f"{SOURCES[source]}, {attribute.replace('_', ' ')}: {', '.join(parts)}")
    ours = count(cases)
    return Finding(
        ours,
        f"{UNPUBLISHED} On ours LIMBO has the higher mean (percent over the tables) in {ours.held} "
        f"of {ours.total} cases. {'; '.join(said)}.",
        "table13",
    )
