"""Write config/README.md and config/schema: every key of the configuration, from its types."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from replication.plan.model import ABSENT
from replication.plan.model import FILE_TYPES as TYPES

FILES = {
    "config": ("config.yaml", ""),
    "datasets": ("datasets.yaml", "The data sets of the workflow, by their ids."),
    "measures": ("measures.yaml", "Measures. A variant of a measure is an entry of its own."),
    "algorithms": (
        "algorithms.yaml",
        "Algorithms. A variant of an algorithm is an entry of its own.",
    ),
    "readings": (
        "readings.yaml",
        "Steps that a paper leaves open, or on which its text contradicts itself or its numbers.",
    ),
    "papers": ("papers/&lt;paper&gt;.yaml", ""),
    "independent": ("independent.yaml", ""),
    "what_if": ("what-if/&lt;name&gt;.yaml", ""),
}
HEAD = """# Configuration

Written by `tools/config_readme.py` from the types in `replication.plan.model`. Every
run checks these files
against the types. A mistake ends the run with one line that names the file, the key, the value and
the remedy. Required keys are **bold**. `<id>` stands for a name that you choose, `[]` for the
entries of a list. The folder `schema` holds JSON schemas for editors.
"""
_KINDS = {
    "object": "map",
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
}


def schema(kind: str) -> dict[str, Any]:
    """JSON schema of a kind of file, references to parts resolved.

    Parameters
    ----------
    kind : str
        A key of `replication.plan.model.FILE_TYPES`.

    Returns
    -------
    dict
    """
    found = TYPES[kind].json_schema()
    parts = found.pop("$defs", {})

    def whole(node: Any) -> Any:
        if isinstance(node, list):
            return [whole(one) for one in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            node = {**parts[node["$ref"].rpartition("/")[2]], **node}
        # a title is the name of a field, unless it is that field
        gone = {"$ref"} | ({"title"} if isinstance(node.get("title"), str) else set())
        gone |= {"default"} if node.get("default") is ABSENT else set()
        kept = {key: whole(one) for key, one in node.items() if key not in gone}
        if isinstance(kept.get("description"), str):
            kept["description"] = " ".join(kept["description"].split())
        return kept

    return whole(found)


def readme() -> str:
    """Text of config/README.md."""
    parts = [HEAD]
    for kind, (file, about) in FILES.items():
        found = schema(kind)
        rows = "\n".join(_rows(found, ""))
        about = about or _line(found)
        parts.append(f"## {file}\n\n{about}\n\n| key | holds | meaning |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def schemas() -> dict[str, str]:
    """JSON schemas for an editor, by the names of their files."""
    return {f"{kind}.json": json.dumps(schema(kind)) + "\n" for kind in FILES}


def _rows(found: dict, prefix: str) -> Iterator[str]:
    children = list(found.get("properties", {}).items())
    entries = found.get("patternProperties", {}).values()
    children += [("<id>", child) for child in entries if "properties" in child]
    for key, child in children:
        mark = "**" if key in found.get("required", []) else ""
        yield f"| {mark}`{prefix}{key}`{mark} | {_holds(child)} | {_line(child)} |"
        yield from _rows(child, f"{prefix}{key}.")
        yield from _rows(child.get("items", {}), f"{prefix}{key}[].")


def _holds(found: dict) -> str:
    match found:
        case {"enum": values}:
            return ", ".join(f"`{value}`" for value in values)
        case {"const": value}:
            return f"`{value}`"
        case {"anyOf": kinds}:
            return " or ".join(map(_holds, kinds))
        case {"type": "array", "items": entry}:
            return f"list of {_holds(entry)}" if entry else "list"
    return _KINDS[found["type"]]


def _line(found: dict) -> str:
    text = found.get("description", "").replace("|", "\\|")
    parts = text.split("`")
    # what stands in a code span is shown as it is
    parts[::2] = [part.replace("<", "&lt;").replace(">", "&gt;") for part in parts[::2]]
    return "`".join(parts)


if __name__ == "__main__":
    folder = Path(*sys.argv[1:] or ["config"])
    (folder / "schema").mkdir(exist_ok=True)
    (folder / "README.md").write_text(readme(), encoding="utf-8")
    for name, text in schemas().items():
        (folder / "schema" / name).write_text(text, encoding="utf-8")
