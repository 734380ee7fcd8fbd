"""What the cases of this folder share beside fixtures."""

import numpy as np

from couplings.table import CategoricalTable
from replication.data.store import Tables
from replication.plan.configuration import read_yaml
from replication.plan.plan import Plan

ROWS = [f"{'xyz'[i % 3]},{'pq'[i // 2 % 2]},{'rst'[i // 3 % 3]},{'uv'[i % 2]}" for i in range(12)]
GOOD = "\n".join(["a,b,c,use", *ROWS]) + "\n"
"""Content of a file: three attributes and a class."""
TABLES = Tables(
    {"status": "ok", "reason": "", "classes": ["u", "v"], "cuts": [], "label_cuts": []},
    [CategoricalTable.from_codes(np.array([[0, 1], [1, 0], [1, 1], [0, 0]]))],
    [np.array([0, 1, 1, 0])],
)
PAPER = "config/papers/crosscheck.yaml"
"""A configuration with data sets, a preparation and one experiment."""


def load(root):
    return Plan.load(read_yaml(root / "config/config.yaml", "config/config.yaml"), root)


def looks(experiment):
    """An experiment that reads what it is given."""
    yield {"objects": len(experiment.prepared), "status": experiment.facts["status"]}
