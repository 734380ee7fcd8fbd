"""Hash the protocol of the study."""

import hashlib
import json
from typing import Any

from replication.plan.catalog import Catalog

_SHOWN = ("label", "printed")
"""Keys that do not affect results."""


def digest(catalog: Catalog) -> str:
    """Return the first eight digits of the SHA-256 of the protocol.

    The protocol is everything that decides results: data sets, preparations and experiments in
    ``config/papers/study.yaml``, the seed, and the entries of the measures and algorithms that the
    experiments list. Names that are only shown are left out.
    """
    study = catalog.papers["study"]
    experiments = study["experiments"].values()
    content = {
        "seed": catalog.config["seed"],
        **{key: study[key] for key in ("datasets", "preparations", "experiments")},
        **{
            kind: {name: known[name] for entry in experiments for name in entry.get(kind, ())}
            for kind, known in (("measures", catalog.measures), ("algorithms", catalog.algorithms))
        },
    }
    text = json.dumps(_without_names(content), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _without_names(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _without_names(content[key]) for key in content if key not in _SHOWN}
    return [_without_names(one) for one in content] if isinstance(content, list) else content
