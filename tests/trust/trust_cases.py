"""What the cases of this folder share beside fixtures."""

from replication.plan.configuration import read_yaml
from replication.plan.plan import Plan

ROWS = [f"{'xyz'[i % 3]},{'pq'[i // 2 % 2]},{'rst'[i // 3 % 3]},{'uv'[i % 2]}" for i in range(12)]
GOOD = "\n".join(["a,b,c,use", *ROWS]) + "\n"
"""Content of a file: three attributes and a class."""
PAPER = "config/papers/stored.yaml"
"""The shortest configuration of a paper."""


def load(root):
    return Plan.load(read_yaml(root / "config/config.yaml", "config/config.yaml"), root)


def looks(experiment):
    """An experiment that reads what it is given."""
    yield {"objects": len(experiment.prepared), "status": experiment.facts["status"]}
