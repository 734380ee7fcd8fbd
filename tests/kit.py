"""What several test modules share: the papers of the configuration."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PAPERS = tuple(yaml.safe_load((ROOT / "config/config.yaml").read_text("utf-8"))["papers"])
"""Ids of the papers that are run."""


def configuration(paper):
    """What `config/papers` says of a paper."""
    return yaml.safe_load((ROOT / f"config/papers/{paper}.yaml").read_text("utf-8"))
