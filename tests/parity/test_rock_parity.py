"""The partitions of R's package cba; see tests/data/rock/README.md."""

import csv
from pathlib import Path

import numpy as np
import pytest

from couplings.cluster.rock import Rock
from couplings.table import CategoricalTable

DATA = Path(__file__).parents[1] / "data" / "rock"
CASES = sorted(path.name.removesuffix("_codes.csv") for path in DATA.glob("*_codes.csv"))


def read(case):
    codes = np.loadtxt(DATA / f"{case}_codes.csv", delimiter=",", dtype=np.int64)
    with (DATA / f"{case}_labels.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    return CategoricalTable.from_codes(codes), header, np.array(rows, dtype=np.int64)


def test_references_are_there():
    assert len(CASES) == 7


@pytest.mark.parametrize("case", CASES)
def test_same_partition_as_cba(case):
    table, header, labels = read(case)
    for run, expected in zip(header, labels.T, strict=True):
        theta, k = run.split("_")
        rock = Rock(int(k), float(theta)).fit(table)
        np.testing.assert_array_equal(rock.labels_, expected, err_msg=run)
