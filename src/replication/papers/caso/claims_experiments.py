"""Claims of CASO about its experiments, sections VIII-A, VIII-B and the abstract."""

from __future__ import annotations

import itertools

from replication.judge.claims import EQUAL, ClaimBook, Count, Evidence, Finding, count
from replication.papers.caso.analysis import (
    FIVE,
    LEVEL,
    MEASURES,
    SIX,
    TEN,
    balloon_ratios,
    better_by_add,
    cells_of,
    changes,
    compare_rocks,
    count_firsts,
    gains_against_size,
    partition_means,
    printed_extremes,
    rocks,
    structure,
    tests,
    thresholds_on_voting,
)
from replication.papers.caso.tables_clustering import PARTITION_SCORES
from replication.papers.caso.tables_structure import INDEX_NAMES

EXPERIMENTS = ClaimBook()

# --- Fig. 2 -------------------------------------------------------------------------------------


def _cado_leads(name: str, key: str) -> None:
    """Register a claim that CADO is first in an index, ties included."""

    @EXPERIMENTS.about(name)
    def cado_leads(evidence: Evidence) -> Finding:
        firsts = count_firsts(structure(evidence).to_dict("records"))
        said = ", ".join(f"{label} {firsts[m, key]}" for m, label in MEASURES.items())
        return Finding(
            Count(firsts["cado", key], len(TEN)),
            f"First in {INDEX_NAMES[key]} of {len(TEN)} data sets, ties included: {said}.",
            "fig02",
        )


_cado_leads("caso-35", "rd")
_cado_leads("caso-36", "di")
_cado_leads("caso-37", "dbi")


@EXPERIMENTS.about("caso-38")
def smallest_sum(evidence: Evidence) -> Finding:
    """SD of CADO, D divided by its maximum (reading caso.sd) or, beside it, by its mean."""
    found = structure(evidence)
    firsts = count_firsts(found.to_dict("records"))
    tails = found.loc[found["measure"] == "cado", ["printed_name", "max_over_mean"]]
    worst = tails.loc[tails["max_over_mean"].idxmax()]
    return Finding(
        Count(firsts["cado", "sd_max"], len(TEN)),
        f"CADO has the smallest SD on {firsts['cado', 'sd_max']} of {len(TEN)} data sets if D is "
        f"divided by its maximum, as we read the normalisation, but on "
        f"{firsts['cado', 'sd_mean']} if by its mean: the maximum of CADO is up to "
        f"{worst['max_over_mean']:.0f} times its mean ({worst['printed_name']}), so division by "
        "it shrinks all sums.",
        "fig02",
        value=f"by the mean {firsts['cado', 'sd_mean']}/{len(TEN)}",
    )


@EXPERIMENTS.about("caso-39")
def add_before_smd_and_ofd(evidence: Evidence) -> Finding:
    """ADD against SMD and OFD in the four indices of ten data sets."""
    better = better_by_add(structure(evidence))
    said = ", ".join(f"{INDEX_NAMES[key]} {cases}" for key, cases in better.items())
    cases = Count(
        sum(cases for key, cases in better.items() if key != "sd_mean"),
        (len(better) - 1) * len(TEN),
    )
    return Finding(
        cases,
        f"ADD is better than both SMD and OFD in {cases.held} of {cases.total} cells of four "
        f"indices; by index, of {len(TEN)}: {said}.",
        "fig02",
    )


@EXPERIMENTS.about("caso-40")
def gain_against_size(evidence: Evidence) -> Finding:
    """Rank correlation of size and gain in RD over each of the others."""
    found = structure(evidence)
    ranks = {over: gains_against_size(found, over) for over in ("smd", "ofd", "add")}
    said = "; ".join(
        f"over {MEASURES[over]} rho = {rho:.2f}, p = {p:.3f}" for over, (rho, p) in ranks.items()
    )
    return Finding(
        count(p >= LEVEL for _, p in ranks.values()),
        f"Rank correlation of the number of objects and CADO's gain in RD: {said}.",
        "fig02",
    )


@EXPERIMENTS.about("caso-41")
def order_by_size(evidence: Evidence) -> Finding:
    """Numbers of objects along the axis of Fig. 2: the two that are printed, and their order."""
    found = evidence.experiment("bounds", TEN).set_index("dataset")
    sizes = {name: int(found.loc[name, "objects"]) for name in TEN}
    along = list(sizes.values())
    return Finding(
        [
            count([min(along) == 6, max(along) == 8124]),
            count(one <= other for one, other in itertools.pairwise(along)),
        ],
        f"In the order of the figure: {', '.join(map(str, along))}. Letter has {sizes['letter']} "
        f"rows, the others at most {max(size for one, size in sizes.items() if one != 'letter')}: "
        "fewer rows of it were taken or the order is not by size.",
        "fig02",
        value=f"{min(along)} to {max(along)}",
    )


# --- Table XI -----------------------------------------------------------------------------------


def _cado_wins_everywhere(name: str, key: str) -> None:
    """Register a claim that CADO beats the three others in all cells of an algorithm."""

    @EXPERIMENTS.about(name)
    def cado_wins_everywhere(evidence: Evidence) -> Finding:
        means, main = partition_means(evidence)
        wins = {
            algorithm: count(
                evidence.ahead(cell["cado"], max(cell[m] for m in ("smd", "ofd", "add")))
                for cell in cells_of(means, algorithm)
            )
            for algorithm in dict.fromkeys(name for _, name, _ in means)
        }
        cases = wins.pop(main[key])
        family = "kmodes" if key == "KM" else "sc"
        others = ", ".join(
            f"{one} {won.held}" for one, won in wins.items() if one.startswith(family)
        )
        return Finding(
            cases,
            f"CADO is alone in front in {cases.held} of {cases.total} cells ({main[key]}); in "
            f"other readings: {others}.",
            "table11",
        )


_cado_wins_everywhere("caso-42", "KM")
_cado_wins_everywhere("caso-43", "SC")


@EXPERIMENTS.about("caso-44")
def order_of_dissimilarities(evidence: Evidence) -> Finding:
    """CADO over ADD, ADD over OFD, OFD over SMD in the cells of both algorithms."""
    means, main = partition_means(evidence)
    cells = [cell for algorithm in main.values() for cell in cells_of(means, algorithm)]
    steps = (("cado", "add"), ("add", "ofd"), ("ofd", "smd"))
    wins = [count(evidence.ahead(cell[a], cell[b]) for cell in cells) for a, b in steps]
    said = ", ".join(
        f"{MEASURES[a]} over {MEASURES[b]} {won.held}"
        for (a, b), won in zip(steps, wins, strict=True)
    )
    return Finding(wins, f"Of {len(cells)} cells: {said}.", "table11")


def _range_of_changes(
    name: str, key: str, score: str, extremes: tuple[tuple[str, str], tuple[str, str]]
) -> None:
    """Register a claim on the range of the change from ADD to CADO.

    Parameters
    ----------
    name : str
        Claim.
    key : str
        ``KM`` or ``SC``.
    score : str
        Score.
    extremes : pair of (data set, metric)
        Printed cells of the least and the greatest change.
    """

    @EXPERIMENTS.about(name)
    def range_of_changes(evidence: Evidence) -> Finding:
        means, main = partition_means(evidence)
        found = changes(means, main[key], score)
        low, high = printed_extremes(evidence, key, [metric for _, metric in extremes])
        # the ends are printed to a hundredth of a percent
        inside = [low - 5e-5 <= value <= high + 5e-5 for value in found.values()]
        least, greatest = min(found, key=found.get), max(found, key=found.get)
        said = ", ".join(f"{dataset} {value:+.1%}" for dataset, value in found.items())
        ratios = balloon_ratios(evidence)
        constant = ""
        if ratios[1] - ratios[0] < EQUAL:
            constant = (
                f" On the three Balloon files of 20 rows CADO = {ratios[0]:.5f} ADD for every "
                "pair, so they tie."
            )
        return Finding(
            count([*inside, least == extremes[0][0], greatest == extremes[1][0]]),
            f"{PARTITION_SCORES[score]}, {main[key]}: {said}; {sum(inside)} of {len(SIX)} in the "
            f"printed range {low:.2%} to {high:.2%}, least on {least} (printed {extremes[0][0]}), "
            f"greatest on {greatest} (printed {extremes[1][0]}).{constant}",
            "table11",
            value=f"{found[least]:+.1%} to {found[greatest]:+.1%}",
        )


_AC = ("AC_improvement_min", "AC_improvement_max")
_NMI = ("NMI_improvement_min", "NMI_improvement_max")
_range_of_changes("caso-45", "KM", "ac", (("balloon", _AC[0]), ("zoo", _AC[1])))
_range_of_changes("caso-46", "KM", "nmi", (("soybean_small", _NMI[0]), ("breastcancer", _NMI[1])))
_range_of_changes("caso-47", "SC", "ac", (("balloon", _AC[0]), ("soybean_large", _AC[1])))
_range_of_changes("caso-48", "SC", "nmi", (("soybean_large", _NMI[0]), ("shuttle", _NMI[1])))


@EXPERIMENTS.about("caso-49")
def cado_tested_against_add(evidence: Evidence) -> Finding:
    """One-sided t-tests over data sets, AC and NMI of both algorithms."""
    partition_means(evidence)
    found = tests(evidence, lambda family: family.endswith("CADO against ADD"))
    said = "; ".join(
        f"{row['family'].partition(':')[0]} {row['score']} {row['difference']:+.3f}, p = "
        f"{row['p']:.2f} (better: {row['p_one_sided']:.2f})"
        for row in found.to_dict("records")
    )
    inside = tests(evidence, lambda family: family.endswith("CADO against ADD"), "starts")
    clear = inside[inside["p_holm"] < LEVEL]
    won = int((clear["difference"] > 0).sum())
    return Finding(
        count(found["p_one_sided"] < LEVEL),
        f"Paired t-tests over {len(SIX)} data sets: {said}. Within data sets (Welch over starts, "
        f"Holm) CADO is better in {won} and worse in {len(clear) - won} of {len(inside)} cells.",
        "significance",
    )


@EXPERIMENTS.about("caso-50")
def spectral_before_kmodes(evidence: Evidence) -> Finding:
    """Spectral clustering against k-modes under the same dissimilarity."""
    means, main = partition_means(evidence)
    cases = count(
        evidence.ahead(means[name, main["SC"], score][m], means[name, main["KM"], score][m])
        for name in SIX
        for score in PARTITION_SCORES
        for m in MEASURES
    )
    return Finding(
        cases,
        f"Spectral clustering is better than k-modes in {cases.held} of {cases.total} cells.",
        "table11",
    )


@EXPERIMENTS.about("caso-51")
def inter_before_intra(evidence: Evidence) -> Finding:
    """Gain of ADD over SMD against that of OFD over SMD."""
    means, main = partition_means(evidence)
    cells = [cell for algorithm in main.values() for cell in cells_of(means, algorithm)]
    cases = count(
        evidence.ahead(cell["add"] - cell["smd"], cell["ofd"] - cell["smd"]) for cell in cells
    )
    gains = {m: sum(cell[m] - cell["smd"] for cell in cells) / len(cells) for m in ("add", "ofd")}
    return Finding(
        cases,
        f"The gain over SMD is larger for ADD (inter-coupled only) than for OFD (frequencies "
        f"only) in {cases.held} of {cases.total} cells; mean gains {gains['add']:+.3f} and "
        f"{gains['ofd']:+.3f}.",
        "table11",
    )


@EXPERIMENTS.about("caso-52")
def add_before_smd(evidence: Evidence) -> Finding:
    """ADD against SMD in k-modes."""
    means, main = partition_means(evidence)
    cases = count(evidence.ahead(cell["add"], cell["smd"]) for cell in cells_of(means, main["KM"]))
    return Finding(
        cases,
        f"With k-modes ADD is better than SMD in {cases.held} of {cases.total} cells (AC and NMI "
        "of six data sets).",
        "table11",
    )


# --- Table XII ----------------------------------------------------------------------------------


@EXPERIMENTS.about("caso-53")
def crock_before_rock(evidence: Evidence) -> Finding:
    """CROCK against ROCK in three scores of five data sets, each at its best threshold."""
    data = rocks(evidence)
    better, equal, worse = compare_rocks(data, "yes")
    fixed = compare_rocks(data, "no")
    total = better + equal + worse
    return Finding(
        Count(better, total),
        f"At the best threshold of each (oracle) CROCK is better in {better}, equal in {equal} and "
        f"worse in {worse} of {total} scores; at 0.75 for both in {fixed[0]}, {fixed[1]} and "
        f"{fixed[2]}.",
        "table12",
    )


@EXPERIMENTS.about("caso-54")
def crock_tested_against_rock(evidence: Evidence) -> Finding:
    """One-sided t-tests over data sets, precision, recall and specificity."""
    rocks(evidence)
    found = tests(evidence, lambda family: family == "CROCK against ROCK")
    said = "; ".join(
        f"{row['score']} {row['difference']:+.3f}, better: p = {row['p_one_sided']:.2f}"
        for row in found.to_dict("records")
    )
    return Finding(
        count(found["p_one_sided"] < LEVEL),
        f"Paired t-tests over {len(FIVE)} data sets, each method at its best threshold (oracle): "
        f"{said}. Both methods are deterministic for a given order of rows.",
        "significance",
    )


@EXPERIMENTS.about("caso-55")
def best_threshold_on_voting(evidence: Evidence) -> Finding:
    """Whether 0.75 is among the best thresholds of ROCK and of CROCK."""
    parts, holds = [], []
    for method, means in thresholds_on_voting(evidence).items():
        best = means[means >= means.max() - EQUAL].index
        holds.append(0.75 in best)
        parts.append(
            f"{method.upper()} best at {best.min():g}"
            + (f" to {best.max():g}" if len(best) > 1 else "")
            + f" (mean score {means.max():.3f}), {means[0.75]:.3f} at 0.75"
        )
    return Finding(count(holds), f"{'; '.join(parts)} (oracle).", "theta_curve")


# --- summaries and quotations -------------------------------------------------------------------


@EXPERIMENTS.about("caso-62")
def improvements_on_uci_sets(evidence: Evidence) -> Finding:
    """Number of data sets from UCI, and all tests over data sets."""
    partition_means(evidence)
    rocks(evidence)
    found = tests(evidence, lambda family: True)
    low = found["p_one_sided"] < LEVEL
    kept = int(((found["p_holm"] < LEVEL) & (found["difference"] > 0)).sum())
    text = evidence.table("text").set_index("id")
    sources = int(text.loc["caso-text-n_uci_datasets", "reproduced"])
    return Finding(
        [count([sources == 13]), count(low)],
        f"{sources} data sets are from UCI; the coupled method is better with p < {LEVEL} in "
        f"{int(low.sum())} of {len(found)} one-sided paired t-tests over data sets, after Holm's "
        f"correction of the two-sided ones in {kept}.",
        "significance",
        value=f"{sources} data sets",
    )


@EXPERIMENTS.about("caso-65")
def quoted_ranks_of_measures(evidence: Evidence) -> Finding:
    """A quotation: ranks of similarity measures in a study by others."""
    printed = evidence.printed.set_index("id")
    measures, sets = (
        printed.loc[f"caso-settings-of+lin-{name}_compared", "printed"]
        for name in ("measures", "datasets")
    )
    return Finding(
        None,
        f"A result that the paper quotes: {measures} measures on {sets} data sets of an outlier "
        "detection study by others, whose data and protocol are not part of the paper.",
    )
