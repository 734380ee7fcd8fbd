import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from kit import coded_inputs, computed, costs_here, recorded, texts

from couplings.cluster.kmeans import KMeans
from couplings.counts import cooccurrence
from couplings.measures.cde import CDE, granularities, value_clusters
from couplings.metrics.external import macro_f1
from couplings.table import CategoricalTable
from replication.data.store import Tables, write_similarity
from replication.errors import UserError
from replication.files import read_rows, write_rows, write_text
from replication.judge import claims as claims_step
from replication.judge.cells import VERDICT_COLUMNS
from replication.judge.published import load as load_published
from replication.judge.published import numbers
from replication.papers.cde import analysis, costs, derived, figures, theory
from replication.papers.cde.claims import CLAIMS
from replication.papers.cde.data import SCORES, Data, clustered, load, means, seeds
from replication.papers.cde.derived import PRINT, reproduced
from replication.papers.cde.runs import Columns, Runs, average, collect, gain, paired_p, wins
from replication.papers.cde.significance import paired
from replication.papers.cde.tables import common_settings
from replication.plan.computing import experiment_entry, experiment_spec
from replication.plan.plan import Plan
from replication.run.experiment import Experiment
from replication.run.journal import Finished
from replication.run.records import MARK, Records, write_records
from replication.run.similarity import learn
from replication.run.statistics import Comparison
from replication.show.job import Job
from replication.show.sheet import build
from replication.steps import load_class

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "data" / "published"
SMALL = {
    "embeddings": {"starts": 2},
    "similarities": {"embeddings": 2, "starts": 2},
    "bandwidths": {"embeddings": 1, "starts": 2},
    "alpha": {"alpha": [1, 10, 50], "starts": 2},
    "beta": {"beta": [1e-17, 1e-10, 0.1, 2.0], "starts": 2},
    "random_tables": {"strengths": [0.0, 1.0], "objects": 60},
    "embedding_growth": {
        **{"objects": [100, 200], "attributes": [3, 6], "values": [20, 40], "n": 50, "m": 3},
        **{"rows": [100, 200], "columns": [3, 6], "d": 3},
    },
}


@pytest.fixture(scope="module")
def small(catalog, tmp_path_factory):
    """Files of two classes that three attributes tell apart, and of what is learnt of them."""
    rng = np.random.default_rng(7)
    labels = np.repeat([0, 1], 20)
    columns = [(labels + (rng.random(40) < 0.15)) % 2 + 2 * rng.integers(0, 2, 40) for _ in "abc"]
    columns += [rng.integers(0, 3, 40)]
    table = CategoricalTable.from_codes(np.column_stack(columns), [4, 4, 4, 3])
    path = tmp_path_factory.mktemp("tables") / "tables.npz"
    facts = {"status": "ok", "reason": "", "classes": ["0", "1"], "label_cuts": []}
    tables = Tables(facts, [table], [labels])
    coded_inputs(path, values=tables)
    spec = json.loads(catalog.spec("similarity", paper="cde", dataset="zoo"))
    learnt = path.with_name("learnt.npz")
    fits = spec["preparations"]["values"]
    write_similarity(learnt, {"values": learn(tables, fits)})
    facts = path.with_name("facts.json")
    write_text(facts, json.dumps({"status": "ok", "reason": ""}))
    return {"tables": str(path), "facts": str(facts), "similarity": str(learnt)}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    """The configuration, its results in a folder of the test."""
    config = yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8"))
    folder = tmp_path_factory.mktemp("results")
    config["roots"] = {"results": str(folder / "full"), "figures": str(folder / "figures")}
    return Plan.load(config, ROOT)


def experiment(catalog, name, small, dataset="zoo", trials=2, **parameters):
    entry = catalog.papers["cde"]["experiments"][name]
    spec = experiment_spec(catalog, "cde", name, dataset if "datasets" in entry else "none")
    spec["parameters"] |= SMALL.get(name, {}) | parameters
    spec["trials"] = min(trials, spec["trials"])
    spec["inputs"] = [
        {"role": role, "file": small[role]} for role in ("facts", "tables", "similarity")
    ]
    return Experiment(spec, Finished(Path(small["tables"]).with_name(f"{name}.partial"), name))


def run(catalog, name, small, **more):
    entry = catalog.papers["cde"]["experiments"][name]
    one = experiment(catalog, name, small, dataset=entry.get("datasets", [""])[0], **more)
    return list(computed(load_class(entry["run"]), one))


@pytest.fixture(scope="module")
def records(catalog, small):
    """Records of every experiment on the small table; times are taken in this process."""
    names = list(catalog.papers["cde"]["experiments"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(costs, "costs", costs_here)
        return {name: run(catalog, name, small) for name in names}


@pytest.fixture(scope="module")
def results(catalog, records):
    """The same records under the name of every data set of the paper, as files of a run."""
    for name, rows in records.items():
        entry = experiment_entry(catalog, "cde", name)
        for i, dataset in enumerate(entry["datasets"]):
            common = {"dataset": "" if dataset == "none" else dataset}
            # data sets differ a little, so that there is something to correlate
            less = {"fscore": 1 - i / 20, "fci": 1 - i / 30, "vci": 1 - i / 40, "classes": 1 + i}
            lines = [
                common | row | {key: row[key] * x for key, x in less.items() if key in row}
                for row in rows
            ]
            recorded(Path(entry["file"].replace(MARK, dataset)), lines)
    spec = json.loads(catalog.spec("tests", paper="cde"))
    (entry,) = spec["comparisons"]
    comparison = Comparison(spec, entry, Records(spec["inputs"], "toy"))
    tested = paired(comparison, **entry["parameters"])
    write_records(Path(catalog.file("tests", paper="cde")), list(tested[0]), tested)
    return catalog


@pytest.fixture(scope="module")
def cells():
    return load_published("cde", PUBLISHED)


def job(catalog, artefact, **more):
    return Job(json.loads(catalog.spec("table", paper="cde", artefact=artefact)) | more)


def only(inputs, wanted):
    """Inputs of an artefact with those data sets alone that are wanted."""
    return [
        one | {"datasets": list(filter(wanted, one["datasets"]))} if "datasets" in one else one
        for one in inputs
    ]


@pytest.fixture(scope="module")
def sheets(results, cells):
    found = {name: build(job(results, name), cells) for name in results.artefacts("cde")}
    for name, sheet in found.items():
        file = Path(results.file("table", paper="cde", artefact=name))
        write_rows(file, sheet.data_columns, sheet.data)
    return found


# --- data and scores ----------------------------------------------------------------------------


def test_equal_objects_are_collapsed(catalog, small):
    data = load(experiment(catalog, "embeddings", small))
    assert data.n_classes == 2
    assert data.weights.sum() == 40
    assert len(data.weights) < 40


def test_vectors_of_distinct_objects_give_clusters_of_all(catalog, small):
    one = experiment(catalog, "embeddings", small)
    data = load(one)
    rows = np.arange(len(data.weights), dtype=float)[:, None]
    made = means(data, data.vectors(rows), KMeans(2), seeds(one, 2, "x"), clusters=3)
    assert made.facts == {"clusters": 3, "failed": 0}
    assert made.labels.shape == (2, 40)
    for labels in made.labels:
        inverse = data.collapsed[2]
        assert all(len(set(labels[inverse == i])) == 1 for i in range(len(rows)))
    assert made.scores(SCORES)[0]["fscore"] == macro_f1(data.classes, made.labels[0])


def test_an_embedding_without_columns_scores_nothing(catalog, small):
    one = experiment(catalog, "embeddings", small)
    data = load(one)
    rows = data.vectors(np.zeros((len(data.weights), 0)))
    starts = seeds(one, 2, "x")
    runs, facts = clustered(
        one, data, lambda: means(data, rows, KMeans(2), starts, clusters=0), measure="cde"
    )
    assert [run["fscore"] for run in runs] == [0.0, 0.0]
    assert facts == {"clusters": 0}


def test_granularities_are_the_value_clusters():
    counts = cooccurrence(CategoricalTable.from_codes(np.arange(24).reshape(12, 2) % 5, [5, 5]))
    matrix = counts.matrix / counts.marginals[:, None]
    steps = list(granularities(matrix, 2, "printed", 3))
    joined = np.hstack([step.indicator for step in steps])
    assert (joined == value_clusters(matrix, 2, "printed", 3)).all()
    assert [step.k for step in steps] == list(range(2, 2 + len(steps)))


# --- theory -------------------------------------------------------------------------------------


def test_theorem_1_fails_where_two_attributes_have_the_same_extents():
    column = np.array([0, 0, 1, 1, 1, 2])
    other = np.array([0, 1, 0, 1, 0, 1])
    alone = CategoricalTable.from_codes(np.column_stack([column, other]), [3, 2])
    twice = CategoricalTable.from_codes(np.column_stack([column, other, column]), [3, 2, 3])
    assert theory.value_pairs(cooccurrence(alone))["undistinguished"] == 0
    found = theory.value_pairs(cooccurrence(twice))
    assert found["undistinguished"] == found["undistinguished_code"] == 3
    assert found["same_extents"] == 3
    assert found["occurrence_mismatches"] == 0


def test_planted_coupling_raises_the_factors(records):
    low, high = [row for row in records["random_tables"] if row["kind"] == "planted"]
    assert (high["fci"], high["vci"]) == (1.0, 1.0)
    assert low["fci"] < 0.2
    assert low["vci"] == 0.0


def test_the_printed_rule_ends_at_the_first_k_that_meets_it(records):
    rows = [row for row in records["granularity"] if row["stop"] == "printed"]
    assert rows
    assert all(row["by_rule"] == 1 or row["k"] == row["values"] - 1 for row in rows)
    assert all(row["k"] < row["values"] for row in records["granularity"])


def test_the_printed_fci_counts_every_attribute_with_itself(records):
    (row,) = records["factors"]
    assert row["fci_printed"] == pytest.approx(row["fci"] + 2 / row["attributes"])
    assert row["values"] == 4 + 4 + 4 + 3


# --- runs ---------------------------------------------------------------------------------------


def test_variance_is_split_between_embeddings_and_starts():
    runs = Runs(np.array([[0.5, 0.7], [0.7, 0.9]]))
    assert runs.mean == pytest.approx(0.7)
    assert runs.start_sd == pytest.approx(np.sqrt(0.02))
    # between the means 0.6 and 0.8 lies a variance of 0.02, half of a start's is in it
    assert runs.embedding_sd == pytest.approx(np.sqrt(0.02 - 0.02 / 2))
    assert runs.run_sd == pytest.approx(np.sqrt(0.03))
    assert runs.standard_error == pytest.approx(np.sqrt(0.01 / 2 + 0.02 / 4))
    assert runs.independent == 3


def test_starts_of_one_embedding_are_independent_runs():
    runs = Runs(np.array([[0.1, 0.2, 0.3, 0.4]]))
    assert runs.independent == 4
    assert reproduced(runs).sd == pytest.approx(np.std([0.1, 0.2, 0.3, 0.4], ddof=1))
    assert Runs(np.full((3, 2), 0.5)).independent == 6
    assert reproduced(Runs(np.array([[0.5]]))).sd is None


def test_the_printed_columns_give_the_printed_tests(cells):
    expected = {
        "table01": {"zero_one": 0.00275, "zero_one_p": 0.00251, "idf": 0.01960},
        "table02": {"cos": 0.05004, "dilca": 0.10219, "algo": 0.03147},
    }
    for artefact, (first, names) in {
        "table01": ("cde", slice(10)),
        "table02": ("cde_g", slice(9)),
    }.items():
        rows = cells[(cells["artefact"] == artefact) & (cells["metric"] == "fscore")]
        table = rows.pivot_table(
            index="dataset_id", columns="method_id", values="value", aggfunc="first", sort=False
        )
        table = table.iloc[names].astype(float)
        columns = Columns.printed(table, np.random.default_rng(0))
        for other, p in expected[artefact].items():
            value, low, high = columns.central(paired_p(first, other))
            assert value == pytest.approx(p, abs=6e-6)
            assert low <= value <= high


def test_statistics_of_columns():
    means = {"a": np.array([[0.4, 0.8]]), "b": np.array([[0.5, 0.5]])}
    assert average("a")(means) == pytest.approx([0.6])
    assert gain("a", "b")(means) == pytest.approx([0.2])
    assert wins("a")(means) == pytest.approx([1.0])


def test_rows_of_unavailable_data_are_passed_over():
    rows = pd.DataFrame(
        [
            {
                "dataset": "zoo",
                "status": "ok",
                "measure": "cde",
                "embedding": 0,
                "start": 0,
                "fscore": 1,
            },
            {"dataset": "adult", "status": "unavailable", "measure": None},
        ]
    )
    assert list(collect(rows, "measure")) == [("zoo", "cde")]
    assert collect(rows.iloc[:0], "measure") == {}


# --- experiments --------------------------------------------------------------------------------


def test_every_experiment_yields_flat_records(records):
    for name, rows in records.items():
        assert rows, name
        for row in rows:
            assert all(isinstance(x, str | int | float | None) for x in row.values()), name


def test_random_embeddings_differ_by_trial_and_fixed_ones_have_one(records):
    rows = pd.DataFrame(records["embeddings"])
    assert set(rows.loc[rows["measure"] == "one_hot", "embedding"]) == {0}
    assert set(rows.loc[rows["measure"] == "cde", "embedding"]) == {0, 1}
    assert set(rows.loc[rows["measure"] == "cde", "start"]) == {0, 1}


def test_a_run_repeats_itself(catalog, small, records, tmp_path):
    again = {name: small[name] for name in small}
    folder = tmp_path / "again"
    folder.mkdir()
    for name, path in small.items():
        copy = folder / Path(path).name
        copy.write_bytes(Path(path).read_bytes())
        again[name] = str(copy)
    assert run(catalog, "embeddings", again) == records["embeddings"]


def test_alpha_one_has_no_fewer_clusters(records):
    rows = pd.DataFrame(records["alpha"])
    means = rows[rows["measure"] == "cde"].groupby("alpha")["clusters"].mean()
    assert means.loc[1] >= means.loc[10] >= means.loc[50]


def test_equal_indicators_share_what_each_alpha_gives_alone(catalog, small, records):
    for value in {row["alpha"] for row in records["alpha"]}:
        alone = run(catalog, "alpha", small, alpha=[value])
        assert alone == [row for row in records["alpha"] if row["alpha"] == value]


def test_beta_drops_dimensions(records):
    rows = pd.DataFrame(records["beta"])
    means = rows[rows["measure"] == "cde"].groupby("beta")[["dimension", "dimension_svd"]].mean()
    assert (means.diff().dropna() <= 0).all().all()
    assert means.loc[1e-10, "dimension"] == means.loc[1e-10, "dimension_svd"]


def test_memory_is_that_of_a_process_of_its_own(catalog, small, tmp_path):
    # beside a table of its own, so that no record of the other experiments is taken up
    alone = small | {"tables": shutil.copy(small["tables"], tmp_path)}
    records = run(catalog, "adult_cost", alone)
    row = next(one for one in records if one["pipeline"] == "cos")
    assert 0 < row["before_mib"] <= row["peak_mib"]
    assert row["matrix_mib"] == pytest.approx(8 * 40**2 / 2**20)
    assert row["fit_seconds"] > 0


def test_the_pipeline_of_fig_1_is_one_fit(records, catalog, small):
    sizes = {row["stage"]: (row["rows"], row["columns"]) for row in records["pipeline"]}
    one = experiment(catalog, "pipeline", small, dataset="hepatitis")
    data = load(one)
    measure = CDE(random_state=one.rng("cde")).fit(data.table)
    assert sizes["indicator"] == measure.indicator_.shape
    halves = [sizes[f"clusters, {name}"][1] for name in ("co-occurrence", "occurrence")]
    assert sum(halves) == measure.indicator_.shape[1]


# --- tables -------------------------------------------------------------------------------------


def test_every_printed_number_is_judged_once_per_reading(sheets, cells):
    judged = [row for sheet in sheets.values() for row in sheet.verdicts]
    assert all(set(VERDICT_COLUMNS) <= set(row) for row in judged)
    keys = [(row["id"], row["reading"]) for row in judged]
    assert len(set(keys)) == len(keys)
    wanted = {
        (name, reading) for name in numbers(cells)["id"] for reading in ("reconciled", "literal")
    }
    assert wanted <= set(keys)
    assert all(row["verdict"] != "not run" for row in judged)


def test_what_the_printed_columns_give(sheets):
    rows = {
        row["id"]: row
        for name in ("table01", "table02", "text")
        for row in sheets[name].verdicts
        if row["reading"] == "print"
    }
    assert rows["cde-table01-average-cde-fscore"]["reproduced"] == pytest.approx(0.6731)
    assert rows["cde-table02-average-cde_g-fscore"]["verdict"] == "exact"
    assert rows["cde-text-all-cde_vs_0_1-improvement_of_average"]["verdict"] == "differs"
    assert rows["cde-text-all-cde_vs_0_1-improvement_of_average"]["reproduced"] == pytest.approx(
        0.0603, abs=1e-4
    )
    assert rows["cde-text-cde-datasets_where_best"]["reproduced"] == 7
    assert rows["cde-text-cde_g-share_of_datasets_best"]["reproduced"] == 0.5


def test_averages_of_table_2_depend_on_the_reading(sheets):
    reasons = {
        row["reading"]: row["reason"]
        for row in sheets["table02"].verdicts
        if row["id"] == "cde-table02-average-cos-fscore"
    }
    assert "over 8 data sets" in reasons["reconciled"]
    assert "over 9 data sets" in reasons["literal"]


def test_na_cells_are_filled(sheets):
    rows = [row for row in sheets["table02"].data if row["printed"] == "NA"]
    assert len(rows) == 6
    assert all(row["reproduced"] is not None for row in rows)


def test_a_run_without_some_data_says_so(results, cells):
    spec = json.loads(results.spec("table", paper="cde", artefact="table01"))
    spec["inputs"] = only(spec["inputs"], lambda dataset: dataset in ("zoo", "adult"))
    spec["left_out"] = [
        {"dataset": one["id"], "reason": "left out"}
        for one in spec["datasets"]
        if one["id"] not in ("zoo", "adult")
    ]
    sheet = build(Job(spec), cells)
    rows = {(row["id"], row["reading"]): row for row in sheet.verdicts}
    assert rows["cde-table01-zoo-cde-fscore", "literal"]["verdict"] != "not run"
    assert rows["cde-table01-mushroom-cde-fscore", "reconciled"]["reason"] == "left out"
    average_row = rows["cde-table01-average-cde-fscore", "reconciled"]
    assert average_row["verdict"] == "not run"
    assert "mushroom" in average_row["reason"]
    assert rows["cde-table01-average-cde-fscore", "print"]["verdict"] == "exact"


def test_artefacts_without_any_record_are_built(results, cells):
    for name in ("fig02", "fig03", "spread", "bandwidths", "adult_cost", "times", "text"):
        spec = json.loads(results.spec("table", paper="cde", artefact=name))
        sheet = build(Job(spec | {"inputs": []}), cells)
        assert all(
            row["verdict"] == "not run" for row in sheet.verdicts if row["reading"] != "print"
        )


def test_thresholds():
    rows = [(1, 100), (5, 40), (10, 21), (20, 20)]
    alpha = pd.DataFrame([{"alpha": a, "clusters": c} for a, c in rows])
    assert analysis.stable_from(alpha) == 10
    beta = pd.DataFrame({"beta": [1e-17, 1e-15, 1e-10], "dimension": [30, 30, 20]})
    assert analysis.decreasing_from(beta) == 1e-10
    with pytest.raises(UserError, match="add larger ones"):
        analysis.decreasing_from(beta.assign(dimension=7))


# --- figures ------------------------------------------------------------------------------------


def test_figures_are_drawn(results, sheets):
    for name in results.artefacts("cde", "figure"):
        spec = json.loads(results.spec("figure", paper="cde", artefact=name))
        rows = read_rows(Path(results.file("table", paper="cde", artefact=name)))
        figure, title = getattr(figures, spec["kind"])(spec, rows)
        assert title.startswith(spec["label"])
        assert figure.axes


def test_figures_without_data_are_drawn(results):
    for name in ("fig02", "fig03", "bandwidths"):
        spec = json.loads(results.spec("figure", paper="cde", artefact=name))
        figure, _ = getattr(figures, spec["kind"])(spec, [])
        assert figure.axes


# --- claims -------------------------------------------------------------------------------------


def evidence(catalog, change=list):
    spec = json.loads(catalog.spec("claims", paper="cde"))
    spec["inputs"] = change(spec["inputs"])
    return claims_step.Evidence(spec, PUBLISHED)


def published_claims():
    rows = claims_step.published_claims(PUBLISHED / "claims.csv")
    return [row for row in rows if row["paper"] == "cde" and row["id"] in CLAIMS]


def test_every_claim_gets_a_verdict(results, sheets):
    rows, _ = claims_step.judge(CLAIMS, published_claims(), evidence(results))
    found = {row["id"]: row for row in rows}
    assert [name for name, row in found.items() if row["verdict"] == "not run"] == []
    # the seconds of this run may overlap too much for a verdict on cde-37
    open_ = {name for name, row in found.items() if row["verdict"] == "not testable"}
    assert open_ - {"cde-37"} == {"cde-26", "cde-38"}
    assert found["cde-01"]["verdict"] == "refuted"
    assert found["cde-24"]["verdict"] == "refuted"
    assert "primary_tumor" in found["cde-24"]["evidence"]
    for name in ("cde-02", "cde-04", "cde-05", "cde-40"):
        assert found[name]["verdict"] == "confirmed"


def test_claims_need_their_data(results, sheets):
    def change(inputs):
        inputs = [one for one in inputs if one["role"] == "experiment"]
        return only(inputs, lambda dataset: dataset != "adult")

    without = evidence(results, change)
    rows, _ = claims_step.judge(CLAIMS, published_claims(), without)
    found = {row["id"]: row["verdict"] for row in rows}
    for name in ("cde-11", "cde-13", "cde-31", "cde-33"):
        assert found[name] == "not run"


def test_data_class_is_what_experiments_load(catalog, small):
    assert isinstance(load(experiment(catalog, "factors", small)), Data)


# --- notes and reasons --------------------------------------------------------------------------


@pytest.mark.parametrize("paper", ["caso", "cde"])
def test_every_note_is_about_a_printed_cell(catalog, paper):
    printed = numbers(load_published(paper, PUBLISHED)).to_dict("records")
    for note in catalog.papers[paper]["notes"]:
        about = {key: note[key] for key in ("artefact", "metric") if key in note}
        about |= {f"{key}_id": note[key] for key in ("dataset", "method") if key in note}
        assert any(all(cell[key] == about[key] for key in about) for cell in printed), note


def test_notes_on_one_reading_stay_with_it(sheets):
    rows = {
        row["reading"]: row["reason"]
        for row in sheets["table01"].verdicts
        if (row["dataset"], row["metric"]) == ("primary_tumor", "FCI")
    }
    assert "rounded twice" in rows["reconciled"]
    assert "j = i" not in rows["reconciled"]
    assert "j = i" in rows["literal"]


def test_numbers_behind_a_selection_say_so_under_every_reading(sheets):
    rows = [row for row in sheets["table02"].verdicts if row["method"]]
    ours = [row for row in rows if row["reading"] != PRINT and row["verdict"] != "not run"]
    assert {row["reading"] for row in ours} == {"reconciled", "literal"}
    assert all("fitted to" in row["setting"] for row in ours)
    assert not any(row["setting"] for row in rows if row["reading"] == PRINT)
    gains = {
        row["method"]: row["setting"]
        for row in sheets["text"].verdicts
        if row["metric"] == "improvement_of_average" and row["reading"] == "literal"
    }
    assert "fitted to" in gains["cde_g_vs_cos"]
    assert not gains["cde_vs_idf"]
    assert any("fitted to each printed column" in line for line in sheets["table02"].legend)


def test_parts_of_the_difference_of_an_average():
    names = ["a", "b", "c"]
    ours, printed = (pd.Series(column, names) for column in ([0.5, 0.7, 0.3], [0.6, 0.7, 0.29]))
    said = derived.reason_of_average(ours, printed, 0.53)
    assert said == "the cells give -0.030, most by a (-0.100) and c (+0.010)"
    said = derived.reason_of_average(ours, printed, 0.6)
    assert said.endswith("; the choice of data sets gives -0.070")


def test_a_gain_names_the_averages_behind_it(sheets):
    ours = {
        (row["metric"], row["dataset"], row["method"]): row
        for name in ("table01", "text")
        for row in sheets[name].verdicts
        if row["reading"] == "reconciled"
    }
    averages = [ours["fscore", "average", method]["reproduced"] for method in ("cde", "idf")]
    reason = ours["improvement_of_average", "all", "cde_vs_idf"]["reason"]
    assert "our averages are {:.3f} and {:.3f}".format(*averages) in reason


def test_leads_and_wins_are_told():
    scores = {"cde": [0.5, 0.7], "idf": [0.4, 0.8], "one": [0.1, 0.9]}
    columns = pd.DataFrame(scores, index=["a", "b"])
    ours, printed = columns[["cde", "idf"]], columns[["cde", "cde"]]
    assert derived.reason_of_test(ours, printed) == (
        "mean lead and its sd over the data sets: +0.000 ± 0.141, in print +0.000 ± 0.000"
    )
    assert derived.reason_of_wins(columns, "cde") == "best on a"
    assert derived.reason_of_wins(columns, "idf") == "best on none"


# --- one setting for all columns ----------------------------------------------------------------


def test_one_setting_is_compared_with_fitted_ones(results, cells):
    parameters = job(results, "common_settings").need("parameters")
    names = {one["id"]: one["chosen"] for one in parameters["methods"]}
    printed = numbers(cells[(cells["artefact"] == "table02") & (cells["metric"] == "fscore")])
    nine = parameters_of_nine(results)
    rows = []
    for cell in printed.to_dict("records"):
        method, dataset = cell["method_id"], cell["dataset_id"]
        if dataset not in nine:
            continue
        first = method == "cde_g"
        for affinity in ("mean",) if first else ("one-minus", "gauss-mean"):
            for variant in ("njw", "sym"):
                for init in ("sample", "plus"):
                    chosen = [affinity, variant, init] == names[method]
                    # away from the fitted setting every number is off by 0.1
                    score = float(cell["value"]) - (0.0 if chosen else 0.1)
                    keys = {"dataset": dataset, "status": "ok", "method": method}
                    keys |= {"affinity": affinity, "variant": variant, "init": init}
                    rows.append(keys | {"fscore": score, "sd": 0.001, "runs": 50})
    one = job(results, "common_settings")
    one.records = lambda name: pd.DataFrame(rows)
    sheet = _common(one, cells)
    lines = {row["setting"]: row for row in texts(sheet)}
    assert len(lines) == 1 + 8 + 1
    assert (lines["fitted to each column"]["gap"], lines["fitted to each column"]["met"]) == (
        "0.000",
        "36",
    )
    # three of four columns keep their setting
    assert lines["1 - D / max D, njw, sample"]["gap"] == "0.025"
    assert lines["1 - D / max D, njw, sample"]["met"] == "27"
    assert lines["Gaussian, sym, plus"]["met"] == "9"
    # what the printed columns give: Table 2's gains over eight data sets, tests over nine
    assert [lines["printed"][f"{m}.gain"] for m in ("cos", "dilca", "algo")] == [
        "8.0",
        "3.3",
        "5.0",
    ]
    assert [lines["printed"][f"{m}.p"] for m in ("cos", "dilca", "algo")] == [
        *("0.050", "0.102", "0.031"),
    ]
    assert lines["printed"]["first"] == lines["fitted to each column"]["first"] == "5"


def _common(one, cells):
    given = {key: value for key, value in one.need("parameters").items() if key != "printed_in"}
    return common_settings(one, cells[cells["artefact"] == "table02"], **given)


def parameters_of_nine(catalog):
    return set(job(catalog, "table02").need("parameters")["averaged"]["nine"])


def test_one_setting_without_data(results, cells):
    one = job(results, "common_settings")
    one.records = lambda name: pd.DataFrame(columns=["dataset", "status"])
    sheet = _common(one, cells)
    assert sheet.rows == []
    assert sheet.caption.startswith("Not run")
