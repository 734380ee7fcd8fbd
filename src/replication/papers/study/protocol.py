"""The hash of the study's protocol: what is computed, on what, with which registered entries."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from replication.plan.catalog import Catalog

_SHOWN = ("label", "printed")
"""Keys that change no result."""


def digest(catalog: Catalog) -> str:
    """Return the first eight digits of the SHA-256 of the protocol.

    The protocol is all of ``config/papers/study.yaml`` that decides what is computed (data sets,
    preparations, experiments), the seed, and the entries of the measures and algorithms that the
    experiments list. Names that are only shown are no part of it.
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
        kept = content.items()
        return {key: _without_names(value) for key, value in kept if key not in _SHOWN}
    return [_without_names(one) for one in content] if isinstance(content, list) else content
