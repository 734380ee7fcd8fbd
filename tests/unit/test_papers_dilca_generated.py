"""DILCA's synthetic tables: clusterings of many seeds, ranges beside the printed numbers."""

import numpy as np
import pandas as pd
import pytest
from kit import computed, configuration, data_inputs, experiment_of, measure_of

from couplings import CategoricalTable, cooccurrence
from replication.data.datgen import GENERATED, rule_based
from replication.judge.verdicts import Reproduced
from replication.papers.dilca import findings
from replication.papers.dilca.generated import _largest_similarity, generated
from replication.papers.dilca.records import COUNTED, ERRORS
from replication.papers.dilca.tables.generated import inside
from replication.run.trials import SCORES

CONFIG = configuration("dilca")
SETTINGS = {
    COUNTED: {"sizes": "equal", "terms": [2, 3], "errors": 0.0},
    ERRORS: {"sizes": "equal", "terms": [3, 3], "errors": 0.2},
}
OBJECTS, ATTRIBUTES, VALUES, CLASSES = 60, 6, 4, 2
MEASURES = {
    name: {"class": f"couplings.measures.dilca:{kind}", "label": name, "parameters": {}}
    for name, kind in (("dilca_m", "DilcaM"), ("dilca_rr", "DilcaRR"))
}
ALGORITHMS = {
    "ward_r": {"class": "couplings.cluster.ward:Ward", "label": "Ward", "parameters": {}},
    "rock_last": {"class": "couplings.cluster.rock:Rock", "label": "ROCK", "parameters": {}},
}


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    place = tmp_path_factory.mktemp("generated")
    codes, classes = rule_based(OBJECTS, ATTRIBUTES, VALUES, CLASSES, SETTINGS[COUNTED]).first(
        np.random.default_rng(0)
    )
    table = CategoricalTable.from_codes(codes, [VALUES] * ATTRIBUTES)
    parameters = {"preparation": "bins10", "settings": SETTINGS, "tables": 3}
    parameters |= {"measures": ["dilca_m", "dilca_rr"], "algorithm": "ward_r"}
    parameters |= {"on_tables": {"rock": "rock_last"}, "contexts": ["dilca_rr"], "below": [0.1]}
    parameters |= {"grids": {"dilca_m": {"sigma": [0.0, 0.1, 1.0]}, "rock": {"theta": [0.3, 1.0]}}}
    experiment = experiment_of(
        place / "partial",
        "dilca",
        "generated",
        dataset="syn_a",
        parameters=parameters,
        measures=MEASURES,
        algorithms=ALGORITHMS,
        preparations=["bins10"],
        inputs=data_inputs(place, table, classes, "bins10"),
    )
    return experiment, pd.DataFrame(computed(generated, experiment))


def test_every_method_clusters_every_table_at_every_setting(records):
    _, frame = records
    counts = pd.crosstab(frame["variant"], frame["method"])
    assert list(counts.index) == [COUNTED, ERRORS]
    # of three tables: three sigmas; a clustering and a context; two stated thetas and another
    assert counts.loc[COUNTED].to_dict() == {"": 3, "dilca_m": 9, "dilca_rr": 6, "rock": 9}
    scored = frame[frame["n_clusters_found"].notna()]
    assert scored[list(SCORES)].notna().all(axis=None)
    rock = frame[frame["method"] == "rock"]
    assert set(rock.loc[rock["stated"] == False, "setting"]) == {0.1}  # noqa: E712


def test_records_are_those_of_the_tables_made_anew(records):
    experiment, frame = records
    asked = rule_based(OBJECTS, ATTRIBUTES, VALUES, CLASSES, SETTINGS[ERRORS])
    codes, _ = asked.first(experiment.shared(GENERATED, trial=2))
    counts = cooccurrence(CategoricalTable.from_codes(codes, [VALUES] * ATTRIBUTES))
    sizes = measure_of("dilca_rr", context="strict").fit(counts).context_.sum(axis=1)
    rows = frame[(frame["variant"] == ERRORS) & (frame["sample"] == 2)]
    (found,) = rows["context_mean"].dropna()
    assert found == sizes.mean()
    (similarity,) = rows["similarity"].dropna()
    assert similarity == _largest_similarity(codes)


def test_the_largest_similarity_is_that_of_sets_of_values():
    codes = np.random.default_rng(1).integers(0, 3, (12, 5))
    sets = [set(enumerate(row)) for row in codes.tolist()]
    pairs = [(a, b) for i, a in enumerate(sets) for b in sets[:i]]
    assert _largest_similarity(codes) == max(len(a & b) / len(a | b) for a, b in pairs)


def test_a_context_is_chosen_without_learning_distances():
    counts = cooccurrence(CategoricalTable.from_codes(np.arange(40).reshape(10, 4) % 3, [3] * 4))
    for name in ("dilca_m", "dilca_rr"):
        measure = measure_of(name)
        np.testing.assert_array_equal(
            measure.choose_context(counts), measure_of(name).fit(counts).context_
        )


@pytest.mark.parametrize(
    ("printed", "expected"), [("0.30", True), ("0.604", True), ("0.61", False), ("0.29", False)]
)
def test_a_printed_number_is_inside_up_to_its_last_digit(printed, expected):
    ours = Reproduced(0.5, sd=0.1, runs=20, spread=(0.3, 0.6038), sampled=True)
    assert inside(printed, ours) is expected


def test_synthetic_scores_are_never_judged_and_context_sizes_are():
    coded = [note for note in CONFIG["notes"] if note.get("code") == "settings-unknown"]
    assert {note["metric"] for note in coded} == {"purity", "nmi", "ari"}
    assert {note["dataset"] for note in coded} == {"syn_a", "syn_b", "syn_c", "syn_d"}
    assert len(coded) == 12
    assert CONFIG["experiments"]["generated"]["parameters"]["settings"][COUNTED]


def test_the_finding_on_thresholds_counts_numbers_inside_a_range():
    plain = {"dataset": "syn_a", "printed_name": "SynA", "printed": "0.9", "similarity": "0.17"}
    plain |= {"low": "0.1", "mean": "0.5", "high": "1.0"}
    rows = [
        plain | {"variant": variant, "metric": metric, "theta": theta, "inside": hit}
        for variant, hits in (("counted", ("yes", "no")), ("errors", ("no", "no")))
        for theta, hit in zip(("0.05", "0.2"), hits, strict=True)
        for metric in ("purity", "nmi", "ari")
    ]
    sentence = findings.thresholds(rows).sentence
    assert "above 0.170" in sentence
    assert sentence.endswith("0 of 3 printed scores lie in the range of ours at 0.2, 3 at 0.05.")
    assert findings.thresholds([]) is None
