"""Specifications of methods, which the plan writes as JSON and the step `trials` reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class AlgorithmSpec:
    """Algorithm of a pipeline."""

    # id in config/algorithms.yaml
    id: str
    # module:Class
    class_: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """Read what `content` gives."""
        return cls(content["id"], content["class"], content["parameters"])

    @property
    def content(self) -> dict[str, Any]:
        """Content for JSON."""
        return {"id": self.id, "class": self.class_, "parameters": self.parameters}


@dataclass(frozen=True)
class PipelineSpec:
    """Preparation, measure and algorithm of a method under one reading."""

    reading: str
    preparation: str
    # empty if the algorithm works on the table
    measure: str
    # points of the grid of the measure, or else of the algorithm
    settings: list[dict[str, Any]]
    algorithm: AlgorithmSpec

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """Read what `content` gives."""
        algorithm = AlgorithmSpec.of(content["algorithm"])
        return cls(**{**content, "algorithm": algorithm})

    @property
    def content(self) -> dict[str, Any]:
        """Content for JSON."""
        return {**vars(self), "algorithm": self.algorithm.content}


@dataclass(frozen=True)
class MethodSpec:
    """One method on one data set."""

    paper: str
    dataset: str
    method: str
    # files of the tables, and of the similarities: empty if no reading has a measure
    tables: str
    similarity: str
    readings: list[PipelineSpec]
    # rule that chooses a setting, see `replication.run.selection`, and the setting shown beside it
    select: str | None
    fixed: dict[str, Any] | None
    # permutations of the rows
    row_orders: int
    seed: int
    # folder of what an interrupted run has finished
    journal: str

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Self:
        """Read what `content` gives."""
        readings = [PipelineSpec.of(one) for one in content["readings"]]
        return cls(**{**content, "readings": readings})

    @property
    def content(self) -> dict[str, Any]:
        """Content for JSON."""
        return {**vars(self), "readings": [one.content for one in self.readings]}

    def under(self, pipeline: PipelineSpec) -> dict[str, Any]:
        """Return all that decides the clusterings under one reading, as a key of the journal."""
        shared = {key: value for key, value in vars(self).items() if key != "readings"}
        return shared | pipeline.content
