import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import couplings
from couplings import KModes, Ward, choose_k, cluster_profiles
from couplings import plotting as plots
from couplings.errors import CouplingsError

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
def test_three_groups_are_found_to_be_three(algorithm):
    table = choose_k(FRAME, algorithm, k_range=[2, 3, 5], n_bootstrap=4)
    assert table.index.tolist() == [2, 3, 5]
    assert table["silhouette"].idxmax() == 3
    assert table.loc[3, "stability"] > max(0.9, table.loc[5, "stability"])
    assert (table["smallest"] > 0).all()


def test_a_measure_by_name_and_the_same_again():
    first = choose_k(FRAME, KModes(), "ahmad_dey", [2, 3], n_bootstrap=2)
    again = choose_k(FRAME, KModes(), "ahmad_dey", [2, 3], n_bootstrap=2)
    pd.testing.assert_frame_equal(first, again)
    model = KModes(3, measure="ahmad_dey", random_state=0).fit(FRAME)
    assert first.loc[3, "objective"] == model.objective_
    silhouette = __import__("sklearn.metrics").metrics.silhouette_score(
        model.measure_.pairwise(FRAME), model.labels_, metric="precomputed"
    )
    assert first.loc[3, "silhouette"] == pytest.approx(silhouette)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"k_range": [0]}, "k=0 is not an integer from 1 to 120"),
        ({"n_bootstrap": 0}, "n_bootstrap=0"),
        ({"sample": 1.5}, r"sample=1\.5"),
        ({"algorithm": couplings.Limbo(), "measure": "eskin"}, "Limbo has no measure"),
    ],
)
def test_what_cannot_be_compared(settings, message):
    with pytest.raises(CouplingsError, match=message):
        choose_k(FRAME, **settings)


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


def test_profiles_need_a_label_per_object():
    with pytest.raises(CouplingsError, match="vector of 120 labels"):
        cluster_profiles(FRAME, [0, 1])


def test_pictures_show_what_the_tables_say():
    profiles = cluster_profiles(FRAME, GROUP)
    axes = plots.plot_profiles(profiles, most=4)
    assert len(axes) == 3
    bars = [bar.get_width() for bar in axes[0].patches][::-1]
    assert bars == profiles.loc[profiles["cluster"] == 0, "inside"].head(4).tolist()
    table = choose_k(FRAME, k_range=[2, 3], n_bootstrap=2)
    ax = plots.plot_choose_k(table)
    assert ax.lines[0].get_ydata().tolist() == table["silhouette"].tolist()


def test_mixed_data_have_silhouettes():
    frame = pd.DataFrame({"kind": list("aabb") * 5, "size": [1.0, 1.1, 9.0, None] * 5})
    table = choose_k(frame, couplings.KPrototypes(random_state=0), k_range=[2, 3])
    assert table.loc[2, "silhouette"] > 0.9
