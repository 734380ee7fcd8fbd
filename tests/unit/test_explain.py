"""Tables and pictures of distances, their intervals, associations and clusters."""

from functools import partial

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from kit import refused, refused_calls
from scipy.stats import chi2_contingency, contingency, entropy
from sklearn.metrics import mutual_info_score, silhouette_score

import couplings
from couplings import (
    AhmadDey,
    Caso,
    CouplingsError,
    DilcaM,
    KModes,
    Lin,
    SimpleMatching,
    Ward,
    choose_k,
    cluster_profiles,
    plotting,
)
from couplings.associations import associations
from couplings.errors import MeasureError
from couplings.intervals import value_intervals


def frame_of(seed=0, n=80):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "odor": np.array(list("anf"))[kind],
            "ring": np.array(list("pqrs"))[np.where(rng.random(n) < 0.8, kind, 3)],
            "gill": np.array(list("uv"))[rng.integers(0, 2, n)],
        },
        index=[f"m{i}" for i in range(n)],
    )


def test_value_distances_are_the_block_with_its_labels():
    frame = frame_of()
    measure = DilcaM().fit(frame)
    found = measure.value_distances("odor")
    assert list(found.index) == list(found.columns) == ["a", "f", "n"]
    np.testing.assert_allclose(found, measure.value_matrices_.block(0), atol=1e-12)
    for position in (0, -3):
        pd.testing.assert_frame_equal(measure.value_distances(position), found)


@pytest.mark.parametrize(("rule", "labels"), [("value", "pqrs?"), ("mismatch", "pqrs")])
def test_missing_cells_are_a_value_or_none(rule, labels):
    frame = frame_of()
    frame.iloc[0, 1] = None
    measure = DilcaM(missing=rule).fit(frame)
    assert list(measure.value_distances("ring").index) == list(labels)
    for name in frame:
        cells = frame[name].fillna("?") if rule == "value" else frame[name]
        shares = (cells.value_counts() / len(frame)).to_dict()
        assert measure.value_frequencies(name).to_dict() == pytest.approx(shares)


LEARNED = DilcaM().fit(frame_of())
test_what_does_not_exist_is_named = refused_calls(
    (couplings.MeasureError, couplings.NotFittedError),
    [
        *(
            (use, name, words)
            for use in (LEARNED.value_distances, LEARNED.value_frequencies)
            for name, words in (
                ("odour", r"'odour' \(did you mean 'odor'\?\).*odor, ring"),
                (3, "attribute 3 is out of range; choose one from 0 to 2"),
            )
        ),
        (DilcaM().value_distances, "odor", "call fit"),
        (Lin().fit(frame_of()).value_distances, "odor", "compares whole objects"),
        (Caso().fit(frame_of()).value_distances, "odor", "as_distance"),
    ],
)


@pytest.mark.parametrize("measure", [AhmadDey(), SimpleMatching(), couplings.Goodall(3)], ids=repr)
def test_oddness_is_the_mean_dissimilarity(measure):
    frame = frame_of()
    parts = measure.fit(frame).oddness(frame)
    assert list(parts.columns) == list(frame.columns)
    assert list(parts.index) == list(frame.index)
    np.testing.assert_allclose(parts.sum(axis=1), measure.pairwise(frame).mean(axis=1))


def test_odd_objects_come_with_the_values_that_make_them_so():
    frame = frame_of()
    frame.iloc[[7, 11]] = [["a", "r", "u"], ["a", "z", "u"]]
    measure = AhmadDey().fit(frame)
    mean = np.sort(measure.pairwise(frame).mean(axis=1))
    odd, typical = measure.odd(frame, 3, by="distance"), measure.typical(frame, 2)
    np.testing.assert_allclose(odd["oddness"], mean[::-1][:3])
    assert odd.loc["m11", "because"].startswith("ring=z (")
    np.testing.assert_allclose(typical["oddness"], mean[:2])
    assert "=" in typical["because"].iloc[0]
    lenient = AhmadDey(unknown="mismatch", missing="mismatch").fit(frame)
    new = pd.concat([frame, frame[:1].assign(ring="NEW", odor=None)])
    reasons = lenient.odd(new, 1)["because"].iloc[0]
    assert "ring=NEW" in reasons
    assert "odor=missing" in reasons
    with pytest.raises(ValueError, match="n=0 is not a positive integer"):
        measure.odd(frame, 0)
    with pytest.raises(MeasureError, match="by='rare'; use 'rarity' or 'distance'"):
        measure.odd(frame, 1, by="rare")


def test_objects_are_odd_by_their_rare_values_unless_distances_are_asked_for():
    frame = frame_of()
    rare = sum(1 - frame[name].map(frame[name].value_counts(normalize=True)) for name in frame)
    rare = np.sort(rare)[::-1]
    for measure in (DilcaM(), SimpleMatching()):
        np.testing.assert_allclose(measure.fit(frame).odd(frame, 4)["oddness"], rare[:4])
    # simple matching measures rarity itself
    found = SimpleMatching().fit(frame).odd(frame, 4, by="distance")
    np.testing.assert_allclose(found["oddness"], rare[:4])


def test_a_heat_map_shows_every_distance_of_the_values():
    plt = pytest.importorskip("matplotlib.pyplot")
    measure = DilcaM().fit(frame_of())
    ax = plotting.plot_value_distances(measure, "ring")
    frame = measure.value_distances("ring")
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert sorted(labels) == sorted(frame.index)
    drawn = np.asarray(ax.images[0].get_array())
    np.testing.assert_allclose(drawn, frame.loc[labels, labels])
    assert len(ax.texts) == 16
    assert "ring" in ax.get_title()
    own = plt.figure().add_subplot()
    assert plotting.plot_value_distances(measure, "odor", own) is own
    plt.close("all")


def colours(seed=0, n=120):
    """Red and rose are alike, blue is not; violet occurs once."""
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "rose", "blue"], n)
    warm = colour != "blue"
    frame = pd.DataFrame(
        {
            "colour": colour,
            "taste": np.where(rng.random(n) < np.where(warm, 0.9, 0.1), "sweet", "sour"),
            "size": np.where(rng.random(n) < np.where(warm, 0.8, 0.2), "S", "L"),
        }
    )
    frame.loc[0, "colour"] = "violet"
    return frame


@pytest.mark.parametrize("measure", [AhmadDey(), DilcaM(sigma=0.5)], ids=repr)
def test_replicates_are_the_measure_learned_on_samples_of_the_rows(measure):
    frame = colours()
    found = value_intervals(measure, frame, n_replicates=8, random_state=3)
    rng = np.random.default_rng(3)
    for drawn in found.replicates["colour"]:
        sample = frame.iloc[rng.integers(0, len(frame), len(frame))]
        again = type(measure)(**measure.get_params(deep=False)).fit(sample)
        expected = again.value_distances("colour").reindex(
            index=found.distances["colour"].index, columns=found.distances["colour"].columns
        )
        np.testing.assert_allclose(drawn, expected, atol=1e-12)


def test_pairs_have_intervals_and_rare_values_are_not_stable():
    found = value_intervals(AhmadDey(), colours(), n_replicates=300, random_state=0)
    pairs = found.pairs("colour").set_index(["value", "other"])
    assert (pairs["low"] <= pairs["high"]).all()
    assert pairs.loc[("blue", "red"), "stable"]
    assert not pairs.loc[("red", "violet"), "stable"]
    # a value of one row is drawn with the probability 1 - 1/e
    assert pairs.loc[("red", "violet"), "seen"] == pytest.approx(0.632, abs=0.08)
    narrow = found.pairs("colour", level=0.5).set_index(["value", "other"])
    assert (narrow["high"] - narrow["low"] <= pairs["high"] - pairs["low"]).all()
    assert found.unstable("colour").sum() == 2 * (~pairs["stable"]).sum()


def test_the_share_of_replicates_in_which_one_is_nearer():
    found = value_intervals(AhmadDey(), colours(), n_replicates=200, random_state=0)
    assert found.nearer("colour", "red", near="rose", far="blue") == 1
    assert found.nearer("colour", "red", near="blue", far="rose") == 0
    equal = value_intervals(SimpleMatching(), colours(), n_replicates=20, random_state=0)
    assert equal.nearer("colour", "red", near="blue", far="rose") == 0.5


def test_missing_cells_follow_the_rule_of_the_measure():
    frame = colours()
    frame.loc[3:20, "colour"] = None
    for rule, size in (("value", 5), ("mismatch", 4)):
        found = value_intervals(AhmadDey(missing=rule), frame, n_replicates=5, random_state=0)
        assert found.replicates["colour"].shape == (5, size, size)
        assert len(found.distances["colour"]) == size


def test_pairs_that_are_not_stable_are_grey():
    frame = colours()
    measure = AhmadDey().fit(frame)
    found = value_intervals(AhmadDey(), frame, n_replicates=100, random_state=0)
    ax = plotting.plot_value_distances(measure, "colour", intervals=found)
    assert ax.images[0].get_array().mask.sum() == found.unstable("colour").sum() > 0
    assert len(ax.texts) == 16 - found.unstable("colour").sum()
    axes = plotting.plot_values(measure, most=1, intervals=found)
    assert axes[0].images[0].get_array().mask.sum() == found.unstable("colour").sum()


test_what_cannot_be_is_refused = refused_calls(
    CouplingsError,
    [
        (lambda: value_intervals(AhmadDey(), colours(), 0), "n_replicates=0"),
        (lambda: value_intervals(Lin(), colours(), 2), "not a sum over the attributes"),
        (lambda: value_intervals(AhmadDey(), colours(), 10**12), "ask for fewer"),
        (lambda: value_intervals(AhmadDey(), colours(), 2).pairs("color"), "did you mean"),
        (lambda: value_intervals(AhmadDey(), colours(), 2).pairs(0, 1.0), "level=1.0"),
        (
            lambda: value_intervals(AhmadDey(), colours(), 2).nearer("colour", "rad", "x", "y"),
            "'rad'",
        ),
    ],
)


def related(seed, n=150, missing=0.15):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 4, n)
    frame = pd.DataFrame(
        {
            name: np.array(list("pqrstuv"))[np.where(rng.random(n) < 0.6, kind, 0) % size]
            for name, size in (("a", 2), ("b", 3), ("c", 7), ("d", 4))
        }
    )
    return frame.mask(rng.random(frame.shape) < missing)


def bergsma(table):
    """Bergsma's equations, one after the other."""
    n, (r, c) = table.sum(), table.shape
    phi = max(0, chi2_contingency(table, correction=False)[0] / n - (r - 1) * (c - 1) / (n - 1))
    rows, columns = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    return np.sqrt(phi / min(rows - 1, columns - 1))


def theirs(x, y, kind):
    table = pd.crosstab(x, y).to_numpy()
    both = x.notna() & y.notna()
    information = mutual_info_score(x[both], y[both])
    own, other = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    p = partial(chi2_contingency, table, correction=False)
    return {
        "cramers_v": lambda: bergsma(table),
        "cramers_v_uncorrected": lambda: contingency.association(table, method="cramer"),
        "theils_u": lambda: information / own,
        "symmetric_uncertainty": lambda: 2 * information / (own + other),
        "mutual_information": lambda: information,
        "p_chi2": lambda: p().pvalue,
        "p_g": lambda: p(lambda_="log-likelihood").pvalue,
        "n": both.sum,
    }[kind]()


KINDS = ["cramers_v", "cramers_v_uncorrected", "theils_u", "symmetric_uncertainty"]
KINDS += ["mutual_information", "p_chi2", "p_g", "n"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_that_of_scipy_on_the_cells_that_both_have(kind):
    for seed in range(2):
        frame = related(seed)
        found = associations(frame, kind)
        assert list(found) == list(found.index) == list("abcd")
        for x in frame:
            for y in frame:
                if x == y and kind.startswith("p_"):
                    continue  # scipy refuses nothing here, but both are 0 up to underflow
                expected = theirs(frame[x], frame[y].rename("other"), kind)
                assert found.loc[x, y] == pytest.approx(expected, abs=1e-10), (x, y)


def test_counts_and_other_tables_give_the_same():
    frame = related(1, missing=0)
    polars = pytest.importorskip("polars")
    for other in (
        couplings.cooccurrence(couplings.CategoricalTable.from_any(frame)),
        polars.from_pandas(frame),
    ):
        pd.testing.assert_frame_equal(associations(other), associations(frame))


def test_constant_attributes_have_no_association():
    frame = related(2).assign(same="x")
    # where b is known, the other is always m
    frame["sometimes"] = np.where(frame["b"].notna(), "m", "f")
    for kind in ("cramers_v", "theils_u", "symmetric_uncertainty", "p_chi2", "p_g"):
        found = associations(frame, kind)
        assert found["same"].isna().all()
        assert found.loc["same"].isna().all()
        assert np.isnan(found.loc["b", "sometimes"])
        assert np.isfinite(found.loc["a", "sometimes"])
    assert associations(frame, "mutual_information").loc["same"].eq(0).all()


def test_the_picture_shows_the_numbers():
    found = associations(related(3).assign(same="x"))
    ax = plotting.plot_associations(found)
    texts = [text.get_text() for text in ax.texts]
    assert texts[:4] == [f"{value:.2f}" for value in found.iloc[0, :4]]
    assert len(texts) == 16


test_an_unknown_kind_and_numbers_are_refused = refused(
    CouplingsError,
    associations,
    [
        (related(0), "cramer", "kind='cramer'"),
        (related(0).assign(age=np.arange(150.0) + 0.5), "'age' is numeric"),
    ],
)

mpl.use("Agg")

RNG = np.random.default_rng(5)
GROUP = RNG.integers(0, 3, 120)
CODES = np.where(RNG.random((120, 6)) < 0.85, GROUP[:, None], RNG.integers(0, 3, (120, 6)))
FRAME = pd.DataFrame(np.array(["x", "y", "z"])[CODES], columns=list("abcdef"))
MIXED = FRAME.assign(size=GROUP + RNG.normal(scale=0.2, size=120))


@pytest.mark.parametrize(
    "algorithm",
    [
        None,
        KModes(random_state=0),
        Ward(measure="simple_matching"),
        couplings.CategoricalSpectral(random_state=0),
        couplings.Limbo(),
        couplings.Rock(theta=0.4, label="assign"),
    ],
)
@pytest.mark.filterwarnings("error::FutureWarning")  # no old name is asked for
def test_three_groups_are_found_to_be_three(algorithm):
    table = choose_k(FRAME, algorithm, k_range=[2, 3, 5], n_bootstrap=4)
    assert table.index.tolist() == [2, 3, 5]
    assert table["silhouette"].idxmax() == 3
    assert table.loc[3, "stability"] > max(0.9, table.loc[5, "stability"])
    assert (table["smallest"] > 0).all()


def test_a_measure_by_name_and_the_same_again():
    first, again = (choose_k(FRAME, KModes(), [2, 3], "ahmad_dey", n_bootstrap=2) for _ in "12")
    pd.testing.assert_frame_equal(first, again)
    model = KModes(3, measure="ahmad_dey", random_state=0).fit(FRAME)
    assert first.loc[3, "objective"] == model.objective_
    distances = model.measure_.pairwise(FRAME)
    silhouette = silhouette_score(distances, model.labels_, metric="precomputed")
    assert first.loc[3, "silhouette"] == pytest.approx(silhouette)


test_what_cannot_be_compared = refused(
    CouplingsError,
    lambda settings: choose_k(FRAME, **settings),
    [
        ({"k_range": 5}, r"k_range=5 is one number; give all to compare, as range\(2, 11\)"),
        ({"k_range": [0]}, "k=0 is not an integer from 1 to 120"),
        ({"n_bootstrap": 0}, "n_bootstrap=0"),
        ({"sample": 1.5}, r"sample=1\.5"),
        ({"k_range": range(2, 2)}, "k_range is empty; give numbers of clusters from 2 to"),
        ({"algorithm": couplings.Limbo(), "measure": "eskin"}, "Limbo takes no measure"),
    ],
)


def test_profiles_count_by_hand():
    profiles = cluster_profiles(FRAME, GROUP)
    for row in profiles.sample(20, random_state=0).itertuples():
        own = row.cluster == GROUP
        has = (FRAME[row.attribute] == row.value).to_numpy()
        assert row.size == own.sum()
        assert row.inside == pytest.approx(has[own].mean())
        assert row.outside == pytest.approx(has[~own].mean())
        assert row.difference == pytest.approx(row.inside - row.outside)
        assert row.typical == (has[own].sum() == FRAME[row.attribute][own].value_counts().max())
    first = profiles.groupby("cluster").head(6)
    assert [set(part["value"]) for _, part in first.groupby("cluster")] == [{"x"}, {"y"}, {"z"}]


def test_profiles_of_missing_cells_and_numbers():
    holes = MIXED.copy()
    holes.loc[GROUP == 1, "a"] = None
    profiles = cluster_profiles(couplings.MixedTable.from_pandas(holes), GROUP)
    gap = profiles[(profiles["attribute"] == "a") & profiles["value"].isna()].set_index("cluster")
    assert gap.loc[1, "inside"] == 1.0
    assert gap.loc[1, "outside"] == 0.0
    sizes = profiles[profiles["kind"] == "number"].set_index("cluster")
    assert sizes["inside"].round().tolist() == [0.0, 1.0, 2.0]
    assert sizes.loc[2, "difference"] > 1


test_profiles_need_a_label_per_object = refused(
    CouplingsError, cluster_profiles, [(FRAME, [0, 1], "vector of 120 labels")]
)


def test_pictures_show_what_the_tables_say():
    profiles = cluster_profiles(FRAME, GROUP)
    axes = plotting.plot_profiles(profiles, most=4)
    assert len(axes) == 3
    bars = [bar.get_width() for bar in axes[0].patches][::-1]
    assert bars == profiles.loc[profiles["cluster"] == 0, "inside"].head(4).tolist()
    table = choose_k(FRAME, k_range=[2, 3], n_bootstrap=2)
    ax = plotting.plot_choose_k(table)
    assert ax.lines[0].get_ydata().tolist() == table["silhouette"].tolist()


def test_mixed_data_have_silhouettes():
    frame = pd.DataFrame({"kind": list("aabb") * 5, "size": [1.0, 1.1, 9.0, None] * 5})
    table = choose_k(frame, couplings.KPrototypes(random_state=0), k_range=[2, 3])
    assert table.loc[2, "silhouette"] > 0.9
