"""Claims about cost: verdicts follow from mutated times, memory and counted operations."""

import pandas as pd
import pytest
from kit import Invented, judged_claim
from test_papers_dilca_times import times as dilca_time

from replication.judge.claims import CONFIRMED, MIXED, NOT_RUN, NOT_TESTABLE, REFUTED
from replication.papers.caso import claims_theory as caso
from replication.papers.caso import theory
from replication.papers.cde import claims as cde
from replication.papers.dilca import times as dilca

BOOKS = {"caso": caso.CLAIMS, "cde": cde.CLAIMS, "dilca": dilca.TIMES}


def judged(name, evidence):
    return judged_claim(BOOKS[evidence.paper], name, evidence)


def frame(rows, dataset=None):
    return pd.DataFrame([{"status": "ok", "dataset": dataset, **row} for row in rows])


def timed(seconds, step=1e-6, **labels):
    taken = {"seconds": seconds, "slowest": 1.02 * seconds, "repeats": 3, "step": step, "calls": 1}
    return labels | taken


EVALUATIONS = {"power": 400.0, "universal": 100.0, "joint": 90.0, "intersection": 80.0}
SPENT = {"power": 4.0, "universal": 0.2, "joint": 0.2, "intersection": 0.1}
SPENT |= {"add": 0.01, "cado": 0.04}


def of_caso(spent=SPENT, evaluations=EVALUATIONS, exceptions=0, kept=10, counted=True):
    synthetic = {"axis": "values", "values": 4, "attributes": 4}
    grown = [
        {**synthetic, "relation": name, "total": total, "counted": counted or name != "power"}
        for name, total in evaluations.items()
    ]
    work = [timed(value, what=name) for name, value in spent.items()]
    reuse = [timed(0.1 * kept, what="values kept", evaluations=kept)]
    reuse.append(timed(2.0, what="values computed again", evaluations=20))
    statement = {"statement": theory.POWER_SET, "cases": 12, "exceptions": exceptions}
    return Invented(
        "caso",
        {"theory": pd.DataFrame([statement | {"tried_on": "random tables"}])},
        growth=frame(grown),
        # numbers of any length are texts
        evaluations=frame([{name: f"{total:.0f}" for name, total in evaluations.items()}], "zoo"),
        seconds=frame([one | synthetic for one in work]),
        seconds_data=frame(work + reuse, "zoo"),
    )


CASO = [
    ("caso-30", {}, CONFIRMED, "4/4; 6/6"),
    # 16 values of n^2 R^3 = 1024 are the printed order
    ("caso-30", {"evaluations": EVALUATIONS | {"joint": 1025.0}}, MIXED, "3/4; 6/6"),
    ("caso-30", {"evaluations": EVALUATIONS | {"intersection": 95.0}}, MIXED, "4/4; 4/6"),
    # what was not counted on the synthetic table decides nothing
    ("caso-30", {"counted": False}, CONFIRMED, "3/3; 5/5"),
    ("caso-31", {}, CONFIRMED, "6/6"),
    ("caso-31", {"spent": SPENT | {"joint": 0.11}}, NOT_TESTABLE, "4/6 (2 cannot be told)"),
    ("caso-31", {"spent": SPENT | {"joint": 0.05}}, MIXED, "4/6"),
    ("caso-31", {"spent": SPENT | {"intersection": 9.0}}, REFUTED, "0/6"),
    ("caso-32", {}, CONFIRMED, "12/12"),
    ("caso-32", {"exceptions": 1}, REFUTED, "11/12"),
    ("caso-63", {}, REFUTED, "0/2"),
    ("caso-63", {"spent": SPENT | {"add": 0.2}}, CONFIRMED, "2/2"),
    # more than twice, but not by the margin
    ("caso-63", {"spent": SPENT | {"add": 0.1}}, NOT_TESTABLE, "0/2 (2 cannot be told)"),
    ("caso-64", {}, CONFIRMED, "1/1"),
    ("caso-64", {"kept": 20}, REFUTED, "0/1"),
]

POWERS = {"objects": 1.0, "attributes": 2.0, "values": 3.0, "rows": 1.0, "columns": 1.0}
EDGE = POWERS | {"values": 3.5}


def of_growth(powers=POWERS, step=1e-6, below=9):
    rows = [
        timed(size**power, work=work, size=size, columns=12, step=step)
        for work, power in powers.items()
        for size in (10, 20, 40)
    ]
    steps = [{"k": k, "values": 10} for k in (2, 3, below)]
    return Invented("cde", embedding_growth=frame(rows), granularity=frame(steps, "zoo"))


GROWTH = [
    ("cde-06", {}, CONFIRMED, "2/2; 1/1; 3/3"),
    ("cde-06", {"powers": POWERS | {"values": 3.9}}, MIXED, "2/2; 0/1; 3/3"),
    # the repetitions allow more and less than 3.5
    ("cde-06", {"powers": EDGE}, NOT_TESTABLE, "2/2; 0/1 (1 cannot be told); 3/3"),
    ("cde-06", {"below": 10}, MIXED, "2/2; 1/1; 2/3"),
    # a clock of a second: the least times are 10, 100 and 1000 s
    ("cde-06", {"step": 1.0}, NOT_TESTABLE, "1/2 (1 cannot be told); 1/1; 3/3"),
    ("cde-41", {}, CONFIRMED, "2/2"),
    ("cde-41", {"powers": POWERS | {"columns": 2.0}}, REFUTED, "1/2"),
    ("cde-41", {"step": 1.0}, NOT_TESTABLE, "0/2 (2 cannot be told)"),
]


def of_speed(cde_seconds=1.0, similarity=9.0, **more):
    kinds = {"one_hot": 0.1, "one_hot_pca": 0.1, "idf": 0.1, "cde": cde_seconds}
    rows = [timed(time, method=name, kind="embedding", **more) for name, time in kinds.items()]
    rows += [timed(similarity, method=name, kind="similarity") for name in ("cado", "add")]
    return Invented("cde", embedding_times=frame(rows, "zoo"))


SPEED = [
    ("cde-37", {}, CONFIRMED, "1/1; 2/2"),
    # 10 times, but the similarities are no slower than that
    ("cde-37", {"similarity": 0.5}, MIXED, "1/1; 0/2"),
    ("cde-37", {"similarity": 2.0}, NOT_TESTABLE, "1/1; 0/2 (2 cannot be told)"),
    # at the edge of half an order of magnitude
    ("cde-37", {"cde_seconds": 0.4}, NOT_TESTABLE, "0/1 (1 cannot be told); 2/2"),
    ("cde-37", {"cde_seconds": 0.1}, MIXED, "0/1; 2/2"),
    ("cde-37", {"cde_seconds": 5.0, "similarity": 90.0}, MIXED, "0/1; 2/2"),
    # all of them on two steps of a clock of 8 ms
    ("cde-37", {"step": 0.05}, NOT_TESTABLE, "0/1 (1 cannot be told); 0/2 (2 cannot be told)"),
]


def test_memory_of_the_authors_is_not_ours_to_test():
    for peak in (100.0, 9000.0):
        rows = [
            {"pipeline": name, "peak_mib": peak, "matrix_mib": 6941.0}
            for name in ("cos", "dilca", "algo", "cde_g")
        ]
        row = judged("cde-26", Invented("cde", adult_cost=frame(rows, "adult")))
        assert (row["verdict"], row["ours"]) == (NOT_TESTABLE, "")
        assert f"cos {peak:.0f} MiB" in row["evidence"]


def of_storage(dimension):
    sizes = {"adult": 3.0, "zoo": dimension}.items()
    embeddings = frame([{"dataset": name, "dimension": size} for name, size in sizes])
    factors = [
        {"dataset": "adult", "objects": 1000, "attributes": 10},
        {"dataset": "zoo", "objects": 100, "attributes": 4},
    ]
    return Invented("cde", embeddings=embeddings.assign(measure="cde"), factors=frame(factors))


STORAGE = [
    ("cde-27", {"dimension": 2.0}, CONFIRMED, "2/2"),
    ("cde-27", {"dimension": 30.0}, MIXED, "1/2"),
]

PHASES = {
    ("all", "counts"): 0.1,
    ("dilca_m", "values"): 0.02,
    ("dilca_rr", "values"): 0.01,
    ("delta", "values"): 0.2,
    ("all", "objects"): 1.0,
    ("all", "dendrogram"): 2.0,
    ("limbo", "clustering"): 9.0,
    ("rock", "clustering"): 8.0,
}
"""Seconds at the smallest size; those of all phases grow linearly with objects, quadratically
with attributes."""


def of_dilca(changes=(), sizes=((5000, 10_000), (500, 1000)), beyond=2000, peak=900.0, **times):
    rows, instances = [], sizes[0]
    spent = {**PHASES, **dict(changes)}
    for (method, phase), seconds in spent.items():
        for axis, steps, power in zip(("instances", "attributes"), sizes, (1, 2), strict=True):
            for size in steps:
                grown = seconds * (size / steps[0]) ** power
                rows.append(dilca_time(axis, size, method, phase, grown))
        for size in (instances[-1], 100 * instances[-1]) if phase in ("counts", "values") else ():
            grown = seconds * size / instances[0]
            rows.append(dilca_time("long", size, method, phase, grown))
        if method not in ("limbo", "rock"):
            rows.append(dilca_time("beyond", beyond, method, phase, seconds) | {"peak_mib": peak})
    return Invented("dilca", scalability=pd.DataFrame(rows).assign(**times))


LAST = ("limbo_clustering", "rock_clustering")


def change(**seconds):
    return {tuple(name.rsplit("_", 1)): value for name, value in seconds.items()}.items()


DILCA = [
    ("dilca-38", {}, CONFIRMED, "12/12"),
    # what DELTA shares with DILCA decides nothing, however long it takes
    ("dilca-38", {"changes": change(all_dendrogram=2.5, delta_values=0.005)}, MIXED, "8/12"),
    ("dilca-38", {"changes": change(rock_clustering=4.0)}, NOT_TESTABLE, "8/12 (4 cannot be told)"),
    ("dilca-38", {"changes": change(**dict.fromkeys(LAST, 1.0))}, REFUTED, "4/12"),
    ("dilca-40", {}, CONFIRMED, "8/8"),
    ("dilca-40", {"changes": change(limbo_clustering=1.0)}, MIXED, "4/8"),
    ("dilca-41", {}, CONFIRMED, "4/4"),
    ("dilca-41", {"changes": change(dilca_rr_values=0.02)}, NOT_TESTABLE, "0/4 (4 cannot be told)"),
    ("dilca-41", {"changes": change(dilca_rr_values=0.04)}, REFUTED, "0/4"),
    ("dilca-43", {}, CONFIRMED, "2/2"),
    ("dilca-43", {"peak": 2049.0}, REFUTED, "0/2"),
    ("dilca-43", {"changes": change(all_objects=100.0)}, REFUTED, "0/2"),
    ("dilca-43", {"changes": change(all_objects=50.0)}, NOT_TESTABLE, "0/2 (2 cannot be told)"),
    ("dilca-46", {}, CONFIRMED, "4/4; 8/8"),
    # less than the two together, not less than one of them
    ("dilca-46", {"changes": change(all_objects=0.05)}, MIXED, "4/4; 4/8"),
    (
        "dilca-46",
        {"changes": change(all_objects=0.11)},
        NOT_TESTABLE,
        "4/4; 4/8 (4 cannot be told)",
    ),
    ("dilca-46", {"changes": change(all_counts=9.0)}, REFUTED, "0/4; 0/8"),
    ("dilca-47", {}, CONFIRMED, "8/8"),
    ("dilca-47", {"changes": change(delta_values=0.05)}, NOT_TESTABLE, "4/8 (4 cannot be told)"),
    ("dilca-47", {"changes": change(delta_values=0.01)}, REFUTED, "0/8"),
]
MADE = {of_caso: CASO, of_growth: GROWTH, of_speed: SPEED, of_storage: STORAGE, of_dilca: DILCA}
CASES = [(make, *one) for make, cases in MADE.items() for one in cases]


@pytest.mark.parametrize(("make", "name", "changes", "verdict", "ours"), CASES)
def test_cost_decides(make, name, changes, verdict, ours):
    row = judged(name, make(**changes))
    assert (row["verdict"], row["ours"]) == (verdict, ours)


@pytest.mark.parametrize(
    ("power", "verdict", "ours"),
    [(2, CONFIRMED, "5/5"), (2.4, CONFIRMED, "5/5"), (3, REFUTED, "3/5")],
)
def test_growth_of_dilca_is_judged_on_counted_operations(power, verdict, ours):
    sizes = [("instances", n, 5, 25 * n) for n in (100, 1000)]
    sizes += [("attributes", 100, m, 100 * m**power) for m in (50, 100)]
    one = pd.DataFrame(sizes, columns=["axis", "objects", "attributes", "scan"])
    one = one.assign(status="ok", dataset=None, learning=0)
    both = pd.concat([one.assign(method=method) for method in ("dilca_m", "dilca_rr")])
    row = judged("dilca-42", Invented("dilca", operations=both))
    # the strict rule keeps all equal attributes, which the other one reduces to one
    assert row["verdict"] == REFUTED
    assert row["under"].endswith(f"algorithm3 {verdict} {ours}")


@pytest.mark.parametrize("name", sorted(set(dilca.TIMES) - {"dilca-39", "dilca-42", "dilca-43"}))
def test_a_clock_that_is_too_coarse_decides_nothing_about_dilca(name):
    row = judged(name, of_dilca(step=1e6))
    assert row["verdict"] == NOT_TESTABLE
    assert row["ours"].startswith("0/")


def test_times_on_the_machine_of_the_authors_are_not_ours_to_test():
    for seconds in (1.0, 9999.0):
        row = judged("dilca-39", of_dilca(change(rock_clustering=seconds)))
        assert (row["verdict"], row["ours"]) == (NOT_TESTABLE, "")
        assert f"10,000 objects in {2 * seconds:.1f} s" in row["evidence"]


@pytest.mark.parametrize("name", sorted(set(dilca.TIMES) - {"dilca-42"}))
def test_smaller_tables_than_the_papers_test_nothing(name):
    row = judged(name, of_dilca(sizes=((200, 400), (20, 40))))
    assert row["verdict"] == NOT_RUN
    assert "goes up to" in row["evidence"]
