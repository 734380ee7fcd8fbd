"""Odd arguments of the library: the right result, or one clear error of ours."""

import gzip
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from couplings import (
    CategoricalTable,
    CooccurrenceCounts,
    CouplingsError,
    DilcaRR,
    Goodall,
    KMeans,
    KModes,
    KPrototypes,
    LatentClasses,
    MixedDistance,
    MixedTable,
    MultinomialGaussianMixture,
    TableError,
    Ward,
    choose_k,
    cluster_profiles,
    cooccurrence,
    external_scores,
    nmi,
    read_table,
    ward_linkage,
)
from couplings.cluster.ward import ward
from couplings.discretize import apply_cuts, automatic_categories, equal_width_cuts, mdl_cuts

ROWS = [["x", "u"], ["x", "v"], ["y", "v"], ["y", "u"], ["x", "u"]]
FRAME = pd.DataFrame(ROWS, columns=["a", "b"])
MIXED = FRAME.assign(n=[1.0, 2.0, 3.0, 4.0, 5.0])
DATES = pd.to_datetime(["2020-01-01", "2021-01-01"]).to_numpy()


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    return path


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def counts():
    return cooccurrence(CategoricalTable.from_any(FRAME))


NOT_NUMBERS = [
    (["a", "b"], "not text"),
    (["1", "2"], "not text"),
    (np.array(["1", "2"], dtype=object), "not text"),
    ([b"1", b"2"], "not text"),
    ([1, 2j], "not complex128"),
    (np.array([1, 2j], dtype=object), "must be real numbers"),
    (DATES, "not datetime64"),
    (DATES - DATES[0], "not timedelta64"),
    ([[1], [1, 2]], "must be real numbers"),
    ([{}, {}], "must be real numbers"),
]
TAKES_NUMBERS = {
    "equal_width_cuts": equal_width_cuts,
    "automatic_categories": automatic_categories,
    "mdl_cuts": lambda x: mdl_cuts(x, [0, 1]),
    "apply_cuts": lambda x: apply_cuts(x, [0.5]),
    "cuts": lambda x: apply_cuts([1.0, 2.0], x),
    "ward": lambda x: ward(x, 2),
    "ward_linkage": ward_linkage,
    "Ward": lambda x: Ward(2, measure="precomputed").fit([x, x]),
    "KMeans": lambda x: KMeans(2).fit([x, x]),
}


@pytest.mark.parametrize("name", TAKES_NUMBERS)
@pytest.mark.parametrize(("values", "words"), NOT_NUMBERS)
def test_what_is_no_real_number_is_refused(name, values, words):
    if name in {"Ward", "KMeans"}:
        words = "must be real numbers|Complex data not supported"
    with pytest.raises(CouplingsError, match=words):
        TAKES_NUMBERS[name](values)


@pytest.mark.parametrize("x", [[True, False], [Decimal(1), Fraction(1, 2)], [1, None]])
def test_numbers_of_other_types_are_numbers(x):
    assert equal_width_cuts(x, 2).dtype == np.float64
    nullable = pd.Series([1, None, 3], dtype="Int64")
    assert equal_width_cuts(nullable, 2).tolist() == [2.0]
    assert apply_cuts(nullable, [2.0]).tolist() == [0, -1, 1]


@pytest.mark.parametrize("cuts", [[np.nan], [1, np.nan], [np.nan, 1], [2, 1], [1, 1], 3])
def test_cuts_that_do_not_increase_are_refused(cuts):
    with pytest.raises(CouplingsError, match="increasing numbers"):
        apply_cuts([1.0], cuts)


def test_missing_labels_of_mdl_are_refused():
    with pytest.raises(CouplingsError, match="labels: 1 of the labels are missing"):
        mdl_cuts([1.0, 2.0], ["a", None])


@pytest.mark.parametrize("separator", ["::", "", 5, True, '"', "\n", "\0", "§", b",", ["a"]])
def test_a_separator_is_one_character(csv, separator):
    with pytest.raises(TableError, match="separator"):
        CategoricalTable.from_csv(csv, separator=separator)


@pytest.mark.parametrize("path", [None, 0, 1.5, b"a.csv", ["a.csv"], {"a.csv"}])
@pytest.mark.parametrize(
    "call", [CategoricalTable.from_csv, read_table, CooccurrenceCounts.load, counts().save]
)
def test_what_is_no_path_is_refused(call, path):
    with pytest.raises(TableError, match="is no path"):
        call(path)


@pytest.mark.parametrize("path", ["/nope/a.csv", "a\0b.csv", "x" * 5000, "/dev/zero", "."])
def test_a_path_that_is_no_file_is_refused(path):
    with pytest.raises(TableError, match=r"no such file|folder or a pipe"):
        read_table(path)


@pytest.mark.parametrize("name", ["nope/x.npz", "x" * 5000, ".", "file/x.npz", "a\0b"])
def test_counts_are_saved_into_a_folder_that_is_there(tmp_path, name):
    (tmp_path / "file").write_text("")
    with pytest.raises(TableError, match=r"no folder|cannot be written|is a folder"):
        counts().save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_counts_do_not_replace_a_device():
    with pytest.raises(TableError, match="a device or a pipe"):
        counts().save("/dev/null")


def test_a_column_is_named_once(csv):
    with pytest.raises(TableError, match=r"usecols: column 'a' occurs twice"):
        CategoricalTable.from_csv(csv, usecols=["a", "a"])


def test_a_matrix_of_numpy_is_an_array():
    array = np.array([[1, 2], [3, 4]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        table = CategoricalTable.from_any(np.matrix(array))
    assert table.categories == CategoricalTable.from_any(array).categories


@pytest.mark.parametrize("codes", [[[1], [1, 2]], [[0, "a"]], [[0.5]], [], [[]], None, "ab"])
def test_codes_are_rows_of_integers_of_one_length(codes):
    with pytest.raises(TableError, match=r"codes|table needs rows"):
        CategoricalTable.from_codes(codes)


@pytest.mark.parametrize("read", [CategoricalTable.from_any, DilcaRR().fit, KModes(1).fit])
@pytest.mark.parametrize(
    "data",
    [
        [["\ud800", "b"], ["a", "c"]],
        pd.DataFrame({"a": pd.Series(["\ud800", "a"], dtype=object)}),
        np.array([["\ud800", "b"], ["a", "c"]]),
    ],
)
def test_a_lone_surrogate_is_refused_where_it_enters(read, data):
    with pytest.raises(TableError, match="not valid text"):
        read(data)


@pytest.mark.parametrize("variant", [True, np.True_, "1", None, 5, [1], np.array([1, 2]), 0])
def test_a_choice_is_one_of_those_named(variant):
    with pytest.raises(CouplingsError, match=r"variant=.*choose one of 1, 2, 3, 4"):
        Goodall(variant).fit(FRAME)


@pytest.mark.parametrize("average", [np.array(["sqrt", "max"]), ["sqrt"], {}, 1j, np.nan])
def test_a_choice_that_cannot_be_compared_is_refused(average):
    with pytest.raises(CouplingsError, match="average="):
        nmi([0, 1], [0, 1], average=average)


@pytest.mark.parametrize("sample", [1, 2])
def test_silhouettes_need_more_objects_than_clusters(sample):
    with pytest.raises(CouplingsError, match="more objects than clusters"):
        choose_k(FRAME, k_range=[2], sample=sample, n_bootstrap=1)


@pytest.mark.parametrize("large", [1e308, -1e308, 1e151, np.inf])
def test_numbers_whose_squares_overflow_are_refused(large):
    frame = MIXED.assign(n=[large, -large, 1.0, 2.0, 3.0])
    estimators = (KPrototypes(2), MixedDistance(), MultinomialGaussianMixture(2))
    for estimator in (*estimators, KPrototypes(2, scale="raw")):
        with pytest.raises(TableError, match=r"column 'n' has (numbers beyond 1e150|infinite)"):
            estimator.fit(frame)
    with pytest.raises(TableError, match="column 'n'"):
        KPrototypes(2, random_state=0).fit(MIXED).predict(frame)


def test_complex_columns_are_no_numbers():
    frame = FRAME.assign(z=np.arange(5) * 1j)
    for fit in (KPrototypes(2).fit, MixedDistance().fit, MixedTable.from_pandas, KModes(2).fit):
        with pytest.raises(TableError, match=r"complex|all columns are categorical"):
            fit(frame)


def test_weights_near_the_largest_float_are_refused():
    with pytest.raises(CouplingsError, match="sum of sample_weight"):
        LatentClasses(2).fit(FRAME, sample_weight=np.full(5, 1e308))


def test_a_first_line_of_a_million_names_is_refused_at_once(tmp_path):
    names = ",".join(f"c{i}" for i in range(10**6))
    path = written(tmp_path / "wide.csv", f"{names}\n{','.join(['1'] * 10**6)}\n")
    with pytest.raises(TableError, match="names 1000000 columns, and a table has at most 100000"):
        read_table(path)


def test_many_columns_are_read(tmp_path):
    n = 2_000
    names = ",".join(f"c{i}" for i in range(n))
    row = ",".join(["1"] * n)
    table = read_table(written(tmp_path / "wide.csv", f"{names}\n{row}\n{row}\n"))
    assert table.n_attributes == n


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_first_line_without_end_is_not_read_to_its_end(tmp_path, suffix):
    content = b"x" * (1 << 26)
    packed = gzip.compress(content, 1) if suffix else content
    with pytest.raises(TableError, match="longer than 16 MB"):
        read_table(written(tmp_path / f"line.csv{suffix}", packed))


OTHER_FILES = [
    ("<!DOCTYPE html>\n<html><body>404</body></html>\n", "a web page"),
    ("\n  <HTML><head><title>a, b</title></head>\n<body>x, y</body></HTML>\n", "a web page"),
    ('<?xml version="1.0"?>\n<rows><row a="1"/></rows>\n', "an XML file"),
    ('{"a": [1, 2],\n "b": [3, 4]}\n', "a JSON file"),
    ('[{"a": 1},\n {"a": 2}]\n', "a JSON file"),
    ("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\n", "a PDF file"),
    ("{\\rtf1\\ansi\n{a,b}\n", "an RTF file"),
]


@pytest.mark.parametrize(("content", "kind"), OTHER_FILES)
@pytest.mark.parametrize("read", [read_table, CategoricalTable.from_csv])
def test_a_file_of_another_kind_under_the_name_of_a_table_is_said(tmp_path, read, content, kind):
    with pytest.raises(TableError, match=rf"a\.csv: is {kind}, no table"):
        read(written(tmp_path / "a.csv", content))


def test_names_and_cells_with_markup_are_a_table(tmp_path):
    path = written(tmp_path / "a.csv", "<b>a</b>,[1]\n<html>,{}\n<i>,{}\n")
    assert read_table(path).attributes == ("<b>a</b>", "[1]")


MASKED = np.ma.array([1.0, 2.0, 3.0, 9.0, 9.0], mask=[1, 0, 0, 0, 0])
LABELS = np.ma.array([0, 1, 1, 0, 0], mask=[1, 0, 0, 0, 0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: external_scores(LABELS, [0, 1, 1, 0, 0]),
        lambda: external_scores([0, 1, 1, 0, 0], LABELS),
        lambda: nmi(np.ma.array([[1, 2], [3, 4]], mask=[[1, 0], [0, 0]])),
        lambda: mdl_cuts([1.0, 2.0, 3.0, 4.0, 5.0], LABELS),
        lambda: KMeans(2).fit(MASKED[:, np.newaxis]),
        lambda: ward_linkage(np.ma.array([1.0, 2.0, 3.0], mask=[1, 0, 0])),
        lambda: KModes(2, random_state=0).fit(FRAME, sample_weight=MASKED),
        lambda: KModes(2, random_state=0).fit(FRAME, sample_weight=LABELS),
        lambda: cluster_profiles(FRAME, LABELS),
        lambda: apply_cuts([1.0], np.ma.array([1.0, 2.0], mask=[0, 1])),
    ],
)
def test_what_is_masked_is_missing(call):
    with pytest.raises(CouplingsError, match=r"missing|masked|NaN|finite|increasing"):
        call()


def test_a_masked_number_has_no_interval():
    assert (
        equal_width_cuts(MASKED, 2).tolist() == equal_width_cuts([np.nan, *MASKED[1:]], 2).tolist()
    )
    assert apply_cuts(MASKED, [2.5]).tolist() == [-1, 0, 1, 1, 1]


def test_a_label_whose_class_has_no_text_is_refused():
    class Silent:
        def __str__(self):
            raise RuntimeError("no text")

    with pytest.raises(TableError, match="a label of type Silent has no text: RuntimeError"):
        CategoricalTable.from_any([[Silent(), 1], [Silent(), 2]])
