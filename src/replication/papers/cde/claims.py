"""What CDE says in words, tested on what this workflow computed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from replication.claims import (
    CONFIRMED,
    MIXED,
    NOT_TESTABLE,
    REFUTED,
    ClaimBook,
    Evidence,
    Finding,
    counted,
)
from replication.papers.cde.claims_times import TIMES
from replication.papers.cde.tables import (
    PRINT,
    decreasing_from,
    stable_from,
)

if TYPE_CHECKING:
    import pandas as pd

CLAIMS = ClaimBook()

FIRST = "reconciled"
ROUNDING = 1e-9
"""Shares of a scale below this are rounding."""
FLAT = 0.05
"""F-scores are stable if a sweep changes them by less than this."""
HIGH_FCI = ("wisconsin", "soybean_small", "mammographic", "zoo", "dermatology")
"""Data sets that the text names as having a high FCI."""
SWEPT = ("adult", "dermatology", "wisconsin", "primary_tumor")
"""Data sets of Figs 2 and 3, said to have the largest |O|, |V|, FCI and VCI, in this order."""

_AGREE = {"exact", "within noise"}


# --- evidence -----------------------------------------------------------------------------------


def _datasets(evidence: Evidence, artefact: str) -> list[str]:
    """Data sets of a table, in the printed order."""
    cells = evidence.printed
    rows = cells[(cells["artefact"] == artefact) & (cells["metric"] == "fscore")]
    return [name for name in dict.fromkeys(rows["dataset_id"]) if name != "average"]


def _rows(evidence: Evidence, artefact: str, reading: str = FIRST) -> pd.DataFrame:
    """Numbers of a table under a reading."""
    table = evidence.table(artefact)
    return table[table["reading"] == reading]


def _wide(rows: pd.DataFrame, index: str, columns: str, values: str) -> pd.DataFrame:
    """Rows of a column's values, one column per value of another; each pair occurs once."""
    return rows.pivot_table(index=index, columns=columns, values=values, aggfunc="first")


def _means(
    evidence: Evidence, artefact: str, datasets: Iterable[str], reading: str = FIRST
) -> pd.DataFrame:
    """Our mean F-scores, data sets in rows (all of `datasets`) and methods in columns."""
    rows = _rows(evidence, artefact, reading)
    rows = rows[(rows["metric"] == "fscore") & rows["reproduced"].notna()]
    datasets = list(datasets)
    evidence.need(rows, "dataset", datasets)
    return _wide(rows, "dataset", "method", "reproduced").loc[datasets]


def _printed(evidence: Evidence, artefact: str) -> pd.DataFrame:
    """Printed F-scores, data sets in rows and methods in columns; NaN where there is none."""
    cells = evidence.printed
    rows = cells[
        (cells["artefact"] == artefact)
        & (cells["metric"] == "fscore")
        & (cells["dataset_id"] != "average")
    ]
    rows = rows.assign(value=rows["value"].replace("", "nan").astype(float))
    table = _wide(rows, "dataset_id", "method_id", "value")
    return table.loc[_datasets(evidence, artefact)]


def _factor(evidence: Evidence, name: str, datasets: Sequence[str] = ()) -> pd.Series:
    """A column of the data factors, by data set."""
    return evidence.experiment("factors", datasets).set_index("dataset")[name]


def _rank_correlation(one: pd.Series, other: pd.Series) -> float:
    from scipy.stats import spearmanr

    return float(spearmanr(one, other.loc[one.index]).statistic)


def _agreeing(evidence: Evidence, rows: pd.DataFrame, wanted: int) -> tuple[int, int]:
    """Rows that agree with the print, and how many there are; all have to be computed."""
    done = rows[rows["verdict"] != "not run"]
    if len(done) < wanted:
        evidence.need(done, "dataset", set(rows["dataset"]))
    return int(done["verdict"].isin(_AGREE).sum()), len(done)


def _factor_claim(evidence: Evidence, artefact: str, metrics: Sequence[str]) -> Finding:
    rows = _rows(evidence, artefact)
    rows = rows[rows["metric"].isin(metrics)]
    held, total = _agreeing(evidence, rows, len(rows))
    worst = rows["difference"].abs().max()
    # a program that shows four digits, and a hand that rounds them to three
    twice = rows["reproduced"].map(lambda x: round(round(x, 4) + ROUNDING, 3))
    again = int((abs(twice - rows["printed_value"]) <= ROUNDING).sum())
    return Finding(
        counted(held, total),
        f"{held} of {total} printed numbers are ours, rounded; {again} if rounded to four digits "
        f"before. The largest difference is {worst:.5f}.",
        f"{held}/{total}",
        artefact,
    )


def _random_tables(evidence: Evidence) -> pd.DataFrame:
    """Random tables as they come, without those that have planted values."""
    return evidence.experiment("random_tables").query("kind != 'planted'")


def _all_tables(evidence: Evidence) -> pd.DataFrame:
    """Data sets and random tables."""
    import pandas as pd

    return pd.concat([evidence.experiment("factors"), _random_tables(evidence)])


# --- theory -------------------------------------------------------------------------------------


@CLAIMS.about("cde-01")
def _theorem(evidence: Evidence) -> Finding:
    data = evidence.experiment("factors")
    random = _random_tables(evidence)
    broken = data[data["undistinguished"] > 0]
    twice = random[random["kind"] == "duplicated"]
    failing = int((twice["undistinguished"] > 0).sum())
    held = failing == 0 and broken.empty
    names = ", ".join(f"{row.dataset} {row.undistinguished:.0f}" for row in broken.itertuples())
    return Finding(
        CONFIRMED if held else REFUTED,
        f"With an attribute duplicated, {failing} of {len(twice)} random tables have values that "
        "differ in neither matrix (values of two attributes with the same extents); so have "
        f"{len(broken)} of {len(data)} data sets ({names or 'none'}).",
        f"{int(twice['undistinguished'].sum())} pairs",
        "theorem1",
    )


@CLAIMS.about("cde-02")
def _occurrence(evidence: Evidence) -> Finding:
    tables = _all_tables(evidence)
    wrong, total = int(tables["occurrence_mismatches"].sum()), int(tables["siblings"].sum())
    return Finding(
        CONFIRMED if wrong == 0 else REFUTED,
        f"Of {total} pairs of values of one attribute, {wrong} have equal rows in Mo without equal "
        "frequencies, or the reverse.",
        f"{wrong}/{total}",
        "theorem1",
    )


@CLAIMS.about("cde-03")
def _conditional(evidence: Evidence) -> Finding:
    data = evidence.experiment("factors")
    largest = float(data["sibling_influence"].max())
    asymmetric = int((data["asymmetric"] > 0).sum())
    share = data["asymmetric"].sum() / data["together"].sum()
    held = (largest == 0) + (asymmetric == len(data))
    return Finding(
        counted(int(held), 2),
        f"The largest influence between different values of one attribute is {largest:g}; Mc is "
        f"asymmetric on {asymmetric} of {len(data)} data sets, in {share:.1%} of the pairs that "
        "occur together (a value has influence 1 on itself).",
        f"{asymmetric}/{len(data)}",
        "factors",
    )


@CLAIMS.about("cde-04")
def _psi(evidence: Evidence) -> Finding:
    tables = _all_tables(evidence)
    low, high = float(tables["psi_low"].min()), float(tables["psi_high"].max())
    gap = float(tables["psi_asymmetry"].max())
    held = low >= 0 and high <= 1 and gap <= ROUNDING
    return Finding(
        CONFIRMED if held else REFUTED,
        f"On {len(tables)} tables psi lies in [{low:.3g}, {high:.3g}] and differs by at most "
        f"{gap:.1g} between the two orders (with the entropy's missing minus sign put back).",
        f"[{low:.2g}, {high:.2g}]",
        "factors",
    )


@CLAIMS.about("cde-05")
def _uncorrelated(evidence: Evidence) -> Finding:
    data = evidence.experiment("factors")
    worst = float(data["covariance"].max())
    held = int((data["covariance"] <= ROUNDING).sum())
    return Finding(
        counted(held, len(data)),
        "The largest covariance of two columns of the value embedding is "
        f"{worst:.1e} of the largest variance, over {len(data)} data sets.",
        f"{held}/{len(data)}",
        "factors",
    )


@CLAIMS.about("cde-40")
def _equidistant(evidence: Evidence) -> Finding:
    data = evidence.experiment("factors")
    width = float((data["one_hot_high"] - data["one_hot_low"]).max())
    return Finding(
        CONFIRMED if width <= ROUNDING else REFUTED,
        f"All different values of an attribute are at {data['one_hot_low'].min():.6f} from each "
        f"other on {len(data)} data sets; the distances differ by at most {width:.1g}.",
        f"{width:.1g}",
        "factors",
    )


@CLAIMS.about("cde-42")
def _stopping(evidence: Evidence) -> Finding:
    steps = evidence.experiment("granularity")
    keys = ["dataset", "matrix", "trial"]
    printed = steps[steps["stop"] == "printed"].set_index(keys)
    text = steps[steps["stop"] == "printed-text"].set_index(keys)["k"]
    code = steps[steps["stop"] == "code"].set_index(keys)["k"]
    met = int(printed["by_rule"].sum())
    same, same_code = int((printed["k"] == text).sum()), int((printed["k"] == code).sum())
    total = len(printed)
    return Finding(
        counted(met + same, 2 * total),
        f"Run by Algorithm 1, {met} of {total} clusterings end at the first k with ceil(k / alpha) "
        f"removed clusters. The words of section 3.5 (more than k / alpha) end {same} at the same "
        f"k, the rule of the authors' program {same_code}.",
        f"{met}/{total}",
        "granularity",
    )


# --- data factors -------------------------------------------------------------------------------


@CLAIMS.about("cde-07")
def _fci(evidence: Evidence) -> Finding:
    found = _factor_claim(evidence, "table01", ["FCI"])
    printed = _rows(evidence, "table01", "printed")
    literal = printed[printed["metric"] == "FCI"]
    held = int(literal["verdict"].isin(_AGREE).sum())
    return Finding(
        found.verdict,
        f"{found.evidence} With j = i as eq. (7) prints it, {held} would be.",
        found.value,
        found.artefact,
    )


@CLAIMS.about("cde-08")
def _vci(evidence: Evidence) -> Finding:
    return _factor_claim(evidence, "table02", ["VCI"])


@CLAIMS.about("cde-09")
def _meaning(evidence: Evidence) -> Finding:
    planted = evidence.experiment("random_tables").query("kind == 'planted'")
    planted = planted.sort_values("strength")
    fci = _rank_correlation(planted["strength"], planted["fci"])
    vci = _rank_correlation(planted["strength"], planted["vci"])
    last = planted.iloc[-1]
    held = (fci > 0) + (vci > 0)
    return Finding(
        counted(int(held), 2),
        f"On tables with a planted coupling, the rank correlation of its strength with FCI is "
        f"{fci:.2f} and with VCI {vci:.2f}; at full strength they are {last['fci']:.2f} and "
        f"{last['vci']:.2f}.",
        f"{fci:.2f}, {vci:.2f}",
        "random_tables",
    )


@CLAIMS.about("cde-10")
def _sizes(evidence: Evidence) -> Finding:
    return _factor_claim(evidence, "table01", ["objects", "values"])


@CLAIMS.about("cde-28")
def _classes(evidence: Evidence) -> Finding:
    names = _datasets(evidence, "table02")
    data = evidence.experiment("factors", names).set_index("dataset")
    rho = _rank_correlation(data["vci"], data["classes"])
    return Finding(
        CONFIRMED if rho > 0.5 else MIXED if rho > 0 else REFUTED,
        f"The rank correlation of |C| with VCI over {len(data)} data sets is {rho:.2f}.",
        f"{rho:.2f}",
        "factors",
    )


@CLAIMS.about("cde-31")
def _extremes(evidence: Evidence) -> Finding:
    names = _datasets(evidence, "table01")
    data = evidence.experiment("factors", names).set_index("dataset")
    said = dict(zip(("objects", "values", "fci", "vci"), SWEPT, strict=True))
    largest = {factor: str(data[factor].idxmax()) for factor in said}
    held = sum(largest[factor] == name for factor, name in said.items())
    words = ", ".join(f"{factor} {name}" for factor, name in largest.items())
    return Finding(counted(held, len(said)), f"Largest: {words}.", f"{held}/{len(said)}", "factors")


# --- Table 1 ------------------------------------------------------------------------------------


def _scores_claim(evidence: Evidence, artefact: str) -> Finding:
    names = _datasets(evidence, artefact)
    rows = _rows(evidence, artefact)
    rows = rows[
        (rows["metric"] == "fscore") & rows["dataset"].isin(names) & rows["verdict"].notna()
    ]
    held, total = _agreeing(evidence, rows, len(rows))
    literal = _rows(evidence, artefact, "printed")
    literal = literal[(literal["metric"] == "fscore") & literal["dataset"].isin(names)]
    by_method = ", ".join(
        f"{label} {int(group['verdict'].isin(_AGREE).sum())} of {len(group)}"
        for label, group in rows.groupby("label", sort=False)
    )
    return Finding(
        counted(held, total),
        f"{held} of {total} printed F-scores lie within noise ({by_method}); the mean distance is "
        f"{rows['difference'].abs().mean():.3f}. Under the printed reading "
        f"{int(literal['verdict'].isin(_AGREE).sum())} do.",
        f"{held}/{total}",
        artefact,
    )


@CLAIMS.about("cde-11")
def _table_1(evidence: Evidence) -> Finding:
    return _scores_claim(evidence, "table01")


def _best(scores: pd.DataFrame, method: str) -> list[str]:
    """Data sets on which a method is above all others."""
    others = scores.drop(columns=method).max(axis=1)
    return list(scores.index[scores[method] > others])


@CLAIMS.about("cde-12")
def _best_of_seven(evidence: Evidence) -> Finding:
    ours = _means(evidence, "table01", _datasets(evidence, "table01"))
    printed = _best(_printed(evidence, "table01"), "cde")
    won = _best(ours, "cde")
    return Finding(
        CONFIRMED if len(won) >= 7 else MIXED if 2 * len(won) >= len(ours) else REFUTED,
        f"By our means CDE is best on {len(won)} of {len(ours)} data sets ({', '.join(won)}); by "
        f"the printed table on {len(printed)}.",
        f"{len(won)}/{len(ours)}",
        "table01",
    )


def _statement_claim(evidence: Evidence, methods: Sequence[str]) -> Finding:
    """Gains of the averages: from the printed columns, and ours."""
    table = evidence.table("text")
    rows = table[table["method"].isin(methods)].set_index(["method", "reading"])
    ours = [rows.loc[(method, FIRST)] for method in methods]
    printed = [rows.loc[(method, PRINT)] for method in methods]
    # the gains need the whole table
    evidence.need(
        table[table["reproduced"].notna() & (table["reading"] == FIRST)], "method", methods
    )
    held = sum(row["verdict"] in _AGREE for row in [*ours, *printed])
    words = "; ".join(
        f"{method.partition('_vs_')[2]} {a['printed']}, ours {a['reproduced']:.1%}, from the "
        f"printed columns {b['reproduced']:.1%}"
        for method, a, b in zip(methods, ours, printed, strict=True)
    )
    return Finding(
        counted(held, 2 * len(methods)),
        f"Gain in the average over {words}; {held} of {2 * len(methods)} agree with the text.",
        f"{held}/{2 * len(methods)}",
        "text",
    )


@CLAIMS.about("cde-13")
def _gains_1(evidence: Evidence) -> Finding:
    return _statement_claim(evidence, ["cde_vs_0_1", "cde_vs_0_1p", "cde_vs_idf"])


@CLAIMS.about("cde-14")
def _averages_1(evidence: Evidence) -> Finding:
    rows = _rows(evidence, "table01")
    rows = rows[rows["dataset"] == "average"]
    evidence.need(rows[rows["reproduced"].notna()], "dataset", ["average"])
    held = int(rows["verdict"].isin(_AGREE).sum())
    words = ", ".join(
        f"{row.label} {float(row.printed):.3f} (ours {row.reproduced:.3f})"
        for row in rows.itertuples()
    )
    return Finding(counted(held, len(rows)), f"{words}.", f"{held}/{len(rows)}", "table01")


def _tests_claim(evidence: Evidence, artefact: str, level: float) -> Finding:
    """p-values: from the printed columns, ours, and the significance that is claimed."""
    rows = evidence.table(artefact)
    rows = rows[rows["dataset"] == "p_value"]
    ours = rows[(rows["reading"] == FIRST) & rows["reproduced"].notna()]
    evidence.need(ours, "dataset", ["p_value"])
    printed = rows[rows["reading"] == PRINT]
    significant = int((ours["reproduced"] < level).sum())
    as_printed = int((printed["reproduced"] < level).sum())
    words = ", ".join(
        f"{a.label} {float(a.printed):.3f} (from the printed columns {b.reproduced:.4f}, from ours "
        f"{a.reproduced:.4f})"
        for a, b in zip(ours.itertuples(), printed.itertuples(), strict=True)
    )
    total = len(ours)
    return Finding(
        counted(significant + as_printed, 2 * total),
        f"Paired two-tailed t: {words}. Below {level:g}: {as_printed} of {total} by the printed "
        f"columns, {significant} by ours.",
        f"{significant}/{total}",
        artefact,
    )


@CLAIMS.about("cde-15")
def _tests_1(evidence: Evidence) -> Finding:
    return _tests_claim(evidence, "table01", 0.05)


@CLAIMS.about("cde-16")
def _fall_with_fci(evidence: Evidence) -> Finding:
    names = _datasets(evidence, "table01")
    ours, fci = _means(evidence, "table01", names), _factor(evidence, "fci", names)
    rho = {
        label: _rank_correlation(ours[method], fci)
        for method, label in (("cde", "CDE"), ("zero_one", "0-1"), ("zero_one_p", "0-1P"))
    }
    held = sum(value > 0 for value in rho.values())
    words = ", ".join(f"{label} {value:.2f}" for label, value in rho.items())
    return Finding(
        counted(held, len(rho)),
        f"Rank correlation of our F-scores with FCI over {len(names)} data sets: {words}.",
        words,
        "table01",
    )


@CLAIMS.about("cde-17")
def _high_fci_cde(evidence: Evidence) -> Finding:
    ours = _means(evidence, "table01", HIGH_FCI)
    printed = _best(_printed(evidence, "table01").loc[list(HIGH_FCI)], "cde")
    won = _best(ours, "cde")
    return Finding(
        CONFIRMED if 2 * len(won) > len(HIGH_FCI) else REFUTED if not won else MIXED,
        f"CDE is best on {len(won)} of the {len(HIGH_FCI)} named sets by our means "
        f"({', '.join(won)}), on {len(printed)} by the printed table.",
        f"{len(won)}/{len(HIGH_FCI)}",
        "table01",
    )


@CLAIMS.about("cde-18")
def _high_fci_pca(evidence: Evidence) -> Finding:
    ours = _means(evidence, "table01", HIGH_FCI)
    rows = _rows(evidence, "table01")
    rows = rows[rows["metric"] == "fscore"].set_index(["dataset", "method"])
    beyond = 0
    for name in HIGH_FCI:
        a, b = rows.loc[(name, "zero_one_p")], rows.loc[(name, "zero_one")]
        error = math.hypot(a["sd"] / math.sqrt(a["samples"]), b["sd"] / math.sqrt(b["samples"]))
        beyond += (a["reproduced"] - b["reproduced"]) > 2 * error
    higher = int((ours["zero_one_p"] > ours["zero_one"]).sum())
    printed = _printed(evidence, "table01").loc[list(HIGH_FCI)]
    as_printed = int((printed["zero_one_p"] > printed["zero_one"]).sum())
    return Finding(
        counted(beyond, len(HIGH_FCI)),
        f"0-1P is a rotation of 0-1, so k-means sees the same distances: it is higher by more than "
        f"two standard errors on {beyond} of {len(HIGH_FCI)} sets, higher at all on {higher} (by "
        f"the printed table on {as_printed}).",
        f"{beyond}/{len(HIGH_FCI)}",
        "table01",
    )


@CLAIMS.about("cde-19")
def _low_fci(evidence: Evidence) -> Finding:
    names = ["adult", "primary_tumor"]
    ours = _means(evidence, "table01", names)
    won = _best(ours, "cde")
    words = "; ".join(
        f"{name} {ours.loc[name, 'cde']:.3f} against at most {ours.loc[name].drop('cde').max():.3f}"
        for name in names
    )
    return Finding(
        counted(len(won), len(names)),
        f"CDE against the others: {words}.",
        f"{len(won)}/{len(names)}",
        "table01",
    )


@CLAIMS.about("cde-20")
def _idf(evidence: Evidence) -> Finding:
    names = _datasets(evidence, "table01")
    ours, fci = _means(evidence, "table01", names), _factor(evidence, "fci", names)
    on_lymphography = ours.loc["lymphography"].idxmax() == "idf"
    weak = list(fci.sort_values().index[:5])
    won = [name for name in _best(ours, "idf") if name in weak]
    return Finding(
        MIXED
        if on_lymphography and 2 * len(won) <= len(weak)
        else CONFIRMED
        if on_lymphography
        else REFUTED,
        f"IDF has {ours.loc['lymphography', 'idf']:.3f} on Lymphography against at most "
        f"{ours.loc['lymphography'].drop('idf').max():.3f}; of the five sets with the lowest FCI "
        f"it is best on {len(won)} ({', '.join(won) or 'none'}).",
        f"{len(won)}/{len(weak)}",
        "table01",
    )


# --- Table 2 ------------------------------------------------------------------------------------


@CLAIMS.about("cde-21")
def _table_2(evidence: Evidence) -> Finding:
    return _scores_claim(evidence, "table02")


@CLAIMS.about("cde-22")
def _best_of_half(evidence: Evidence) -> Finding:
    names = _datasets(evidence, "table02")
    ours = _means(evidence, "table02", names)
    won = _best(ours, "cde_g")
    printed = _best(_printed(evidence, "table02").dropna(), "cde_g")
    return Finding(
        CONFIRMED if 2 * len(won) >= len(names) else MIXED if won else REFUTED,
        f"By our means, Adult's empty cells filled, CDE-G is best on {len(won)} of {len(names)} "
        f"({', '.join(won)}); by the printed table on {len(printed)} of the nine sets where all "
        "have a number.",
        f"{len(won)}/{len(names)}",
        "table02",
    )


@CLAIMS.about("cde-23")
def _gains_2(evidence: Evidence) -> Finding:
    return _statement_claim(evidence, ["cde_g_vs_cos", "cde_g_vs_dilca", "cde_g_vs_algo"])


@CLAIMS.about("cde-24")
def _averages_2(evidence: Evidence) -> Finding:
    printed = _printed(evidence, "table02")
    nine = printed.iloc[:9].mean()
    cells = evidence.printed
    averages = cells[(cells["artefact"] == "table02") & (cells["dataset_id"] == "average")]
    averages = averages.set_index("method_id")["value"].astype(float)
    held = int((abs(nine - averages.loc[nine.index]) <= 0.001).sum())
    fit = [
        name
        for name in printed.index[:9]
        if (abs(printed.iloc[:9].drop(index=name).mean() - averages) <= 0.001).all()
    ]
    words = ", ".join(f"{name} {value:.3f}" for name, value in nine.items())
    return Finding(
        counted(held, len(nine)),
        f"The first nine printed rows average {words}, {held} of {len(nine)} of them as printed; "
        f"without {' or '.join(fit) or 'any one row'} all four do.",
        f"{held}/{len(nine)}",
        "table02",
    )


@CLAIMS.about("cde-25")
def _tests_2(evidence: Evidence) -> Finding:
    return _tests_claim(evidence, "table02", 0.10)


@CLAIMS.about("cde-29")
def _high_vci(evidence: Evidence) -> Finding:
    names = _datasets(evidence, "table02")
    vci = _factor(evidence, "vci", names).sort_values(ascending=False)
    top = list(vci.index[:5])
    won = _best(_means(evidence, "table02", top), "cde_g")
    printed = _best(_printed(evidence, "table02").loc[top], "cde_g")
    return Finding(
        CONFIRMED if 2 * len(won) > len(top) else MIXED if won else REFUTED,
        f"Of the five sets with the largest VCI, CDE-G is best on {len(won)} by our means "
        f"({', '.join(won) or 'none'}), on {len(printed)} by the printed table.",
        f"{len(won)}/{len(top)}",
        "table02",
    )


@CLAIMS.about("cde-30")
def _good_with_vci(evidence: Evidence) -> Finding:
    names = _datasets(evidence, "table02")
    ours, vci = _means(evidence, "table02", names), _factor(evidence, "vci", names)
    rho = {method: _rank_correlation(ours[method], vci) for method in ours.columns}
    held = sum(value > 0 for value in rho.values())
    words = ", ".join(f"{method} {value:.2f}" for method, value in rho.items())
    return Finding(
        counted(held, len(rho)),
        f"Rank correlation of our F-scores with VCI over {len(names)} data sets: {words}.",
        f"{held}/{len(rho)}",
        "table02",
    )


# --- alpha and beta -----------------------------------------------------------------------------


def _sweep(evidence: Evidence, name: str) -> pd.DataFrame:
    """Means of a sweep under the first reading, for all four data sets."""
    figure = {"alpha": "fig02", "beta": "fig03"}[name]
    rows = _rows(evidence, figure)
    evidence.need(rows, "dataset", SWEPT)
    return rows


def _flat(evidence: Evidence, name: str, most: float, where: str) -> Finding:
    """Whether the F-scores of a sweep change by less than `FLAT` up to a setting."""
    rows = _sweep(evidence, name)
    some = rows[rows[name] <= most]
    ranges = some.groupby("dataset", sort=False)["fscore"].agg(lambda x: x.max() - x.min())
    held = int((ranges < FLAT).sum())
    whole = rows.groupby("dataset", sort=False)["fscore"].agg(lambda x: x.max() - x.min())
    words = ", ".join(f"{dataset} {value:.3f}" for dataset, value in ranges.items())
    return Finding(
        counted(held, len(ranges)),
        f"Range of the mean F-score {where}: {words} ({held} below {FLAT:g}); over the whole grid "
        f"at most {whole.max():.3f}.",
        f"{held}/{len(ranges)}",
        {"alpha": "fig02", "beta": "fig03"}[name],
    )


@CLAIMS.about("cde-32")
def _flat_alpha(evidence: Evidence) -> Finding:
    return _flat(evidence, "alpha", math.inf, "over alpha")


@CLAIMS.about("cde-33")
def _stable_alpha(evidence: Evidence) -> Finding:
    records = evidence.experiment("alpha", SWEPT).query("measure == 'cde'")
    first = {name: stable_from(group) for name, group in records.groupby("dataset", sort=False)}
    held = sum(value <= 10 for value in first.values())
    words = ", ".join(f"{name} {value:g}" for name, value in first.items())
    return Finding(
        counted(held, len(first)),
        f"The number of value clusters stays within 5 % of its last value from alpha = {words} "
        "on (while k <= alpha the rule reads the same whatever alpha is).",
        f"{held}/{len(first)}",
        "fig02",
    )


@CLAIMS.about("cde-34")
def _flat_beta(evidence: Evidence) -> Finding:
    return _flat(evidence, "beta", 0.1, "over beta up to 0.1")


@CLAIMS.about("cde-35")
def _falling_beta(evidence: Evidence) -> Finding:
    rows = _sweep(evidence, "beta")
    some = rows[rows["beta"] >= 1e-15].sort_values("beta")
    groups = some.groupby("dataset", sort=False)["dimension"]
    held = int(groups.agg(lambda x: x.is_monotonic_decreasing and x.iloc[0] > x.iloc[-1]).sum())
    records = evidence.experiment("beta", SWEPT).query("measure == 'cde'")
    first = {name: decreasing_from(group) for name, group in records.groupby("dataset", sort=False)}
    words = ", ".join(f"{name} {value:.0e}" for name, value in first.items())
    return Finding(
        counted(held, len(groups)),
        f"From 1e-15 on the dimension never rises, and it is lower at the largest beta, on {held} "
        f"of {len(groups)} data sets. It first falls at beta = {words}, where columns of rounding "
        "noise vanish.",
        f"{held}/{len(groups)}",
        "fig03",
    )


@CLAIMS.about("cde-36")
def _stable_beta(evidence: Evidence) -> Finding:
    rows = _sweep(evidence, "beta")
    whole = rows[rows["beta"] >= 1e-15].groupby("dataset", sort=False)["dimension"]
    middle = rows[rows["beta"].between(1e-12, 0.1)].groupby("dataset", sort=False)["dimension"]
    constant = int(whole.agg(lambda x: x.max() == x.min()).sum())
    between = int(middle.agg(lambda x: x.max() - x.min() <= 0.05 * x.max()).sum())
    total = len(whole)
    return Finding(
        CONFIRMED if constant == total else MIXED if between else REFUTED,
        f"The mean dimension is constant from 1e-15 on for {constant} of {total} data sets, and "
        f"within 5 % from 1e-12 to 0.1 for {between}; beyond, components that carry weight go.",
        f"{constant}/{total}",
        "fig03",
    )


# --- costs, and the rest ------------------------------------------------------------------------


@CLAIMS.about("cde-38")
def _dm(evidence: Evidence) -> Finding:
    return Finding(
        NOT_TESTABLE,
        "The footnote prints no number, and DM is defined in another paper (Jia, Cheung, Liu 2016) "
        "that is none of those reproduced here.",
    )


@CLAIMS.about("cde-39")
def _nmi(evidence: Evidence) -> Finding:
    records = evidence.experiment("embeddings").query("measure != 'cde_printed'")
    means = records.groupby(["dataset", "measure"])[["fscore", "nmi"]].mean()
    best = means.groupby("dataset")[["fscore", "nmi"]].idxmax()
    same = int((best["fscore"] == best["nmi"]).sum())
    rho = [
        _rank_correlation(group["fscore"], group["nmi"])
        for _, group in means.groupby("dataset", sort=True)
    ]
    positive = sum(value > 0.5 for value in rho)
    return Finding(
        counted(same + positive, 2 * len(rho)),
        f"The four embeddings of Table 1 are ranked alike by NMI and F-score (rank correlation "
        f"above 0.5) on {positive} of {len(rho)} data sets; the best one is the same on {same}.",
        f"{positive}/{len(rho)}",
        "embeddings",
    )


CLAIMS.update(TIMES)
