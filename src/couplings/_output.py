"""Transformers with a choice of output, and with a `transform` only where there is an embedding."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from couplings._params import Params, check_choice


class _IfEmbedded:
    """A method that only measures with an embedding have, so that ``hasattr`` tells."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self.method
        if instance._embeds():
            return self.method.__get__(instance, owner)
        name = self.method.__name__
        raise AttributeError(f"{instance!r} has no {name}: {instance._why_not_embedded()}")


if TYPE_CHECKING:

    def embedded_only(method: Any) -> Any:
        """Leave the signature to type checkers."""
        return method

else:
    embedded_only = _IfEmbedded


class Transformer(Params):
    """Base of what may have a `transform`; a subclass says in `_embeds` whether it has one."""

    if TYPE_CHECKING:  # what a subclass brings

        def fit(self, X: Any, y: object = None) -> Self: ...

        def transform(self, X: Any) -> Any: ...

        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...

    def _embeds(self) -> bool:
        return True

    def _why_not_embedded(self) -> str:
        return "its dissimilarity is no sum over the attributes; pairwise and kneighbors work"

    @embedded_only
    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Fit and embed the same objects; see `fit` and `transform`."""
        return self.fit(X, y).transform(X)

    @embedded_only
    def set_output(self, *, transform: str | None = None) -> Self:
        """Choose what `transform` returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            Array or data frame. Default: as it was.
        """
        if transform is not None:
            check_choice(
                type(self).__name__, "transform", transform, ("default", "pandas", "polars")
            )
            self._sklearn_output_config = {"transform": transform}
        return self

    def _contained(self, rows: np.ndarray, X: object) -> Any:
        """Return columns in the container that `set_output`, or scikit-learn at large, asks for."""
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform")
        if wanted is None:
            loaded = sys.modules.get("sklearn")
            wanted = loaded.get_config()["transform_output"] if loaded else "default"
        if wanted == "default":
            return rows
        names = list(self.get_feature_names_out())
        if wanted == "polars":
            import polars as pl

            return pl.DataFrame(rows, schema=names, orient="row")
        import pandas as pd

        return pd.DataFrame(rows, index=index_of(X), columns=names)


def index_of(X: Any) -> Any:
    """Return the index of a data frame, None for other data (the `index` of a list is a method)."""
    return getattr(X, "index", None) if hasattr(X, "columns") else None
