"""The scikit-learn interface of estimators: parameters, tags and choice of output."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args, get_origin

import numpy as np

from couplings._checks import check_choice, did_you_mean
from couplings.errors import CouplingsError, NotFittedError


class Params:
    """Mixin: reads the parameters from the signature of ``__init__``.

    A subclass stores every argument of ``__init__`` unchanged under its own name, as a dataclass
    does, and validates them in ``fit``. scikit-learn is not imported, so that measures load fast.
    """

    _sign_of_fit: ClassVar[str] = "labels_"
    """The attribute that only `fit` sets."""
    _role: ClassVar[str | None] = None
    """What scikit-learn calls the type of the estimator."""

    _old_names: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def _param_names(cls) -> list[str]:
        return list(_signature(cls).parameters)

    def __sklearn_is_fitted__(self) -> bool:
        """Tell scikit-learn whether `fit` has been called."""
        return hasattr(self, self._sign_of_fit)

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        transforms = hasattr(self, "transform")
        allow_nan = getattr(self, "missing", None) not in (None, "raise")
        return Tags(
            estimator_type=self._role,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]) if transforms else None,
            input_tags=InputTags(categorical=True, string=True, allow_nan=allow_nan),
        )

    def _check_choices(self) -> None:
        """Raise `CouplingsError` unless each parameter of a `Literal` type is one of its values."""
        for name, one in _signature(type(self)).parameters.items():
            if get_origin(one.annotation) is Literal:
                check_choice(self._owner, name, getattr(self, name), get_args(one.annotation))

    @property
    def _owner(self) -> str:
        """Name of the class, for messages."""
        return type(self).__name__

    def _require_fit(self) -> None:
        """Raise `NotFittedError` before `fit`, scikit-learn's too if it is loaded."""
        if not self.__sklearn_is_fitted__():
            loaded = sys.modules.get("sklearn.exceptions")
            error = _not_fitted_type(loaded.NotFittedError) if loaded else NotFittedError
            raise error(f"this {type(self).__name__} is not fitted yet; call fit first")

    def _remember_features(self, names: Sequence[str] | np.ndarray | None, n_features: int) -> None:
        """Set the attributes that describe the data of `fit`."""
        self.n_features_in_ = n_features
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep` those of nested estimators too."""
        params = {name: getattr(self, name) for name in self._param_names()}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    inner = value.get_params(deep=True)
                    params |= {f"{name}__{key}": part for key, part in inner.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, those of a nested estimator as ``name__parameter``.

        Raises
        ------
        CouplingsError
            If a name is unknown.
        """
        names = self._param_names()
        # Own parameters first: those of a nested estimator are set on the new one.
        for name in sorted(params, key=lambda name: "__" in name):
            own, _, inner = name.partition("__")
            if own in self._old_names and self._old_names[own] in names:
                setattr(self, own, params[name])
                continue
            if own not in names:
                raise CouplingsError(
                    f"{type(self).__name__} has no parameter {own!r}{did_you_mean(own, names)}; "
                    f"its parameters: {', '.join(names) or 'none'}"
                )
            if not inner:
                setattr(self, own, params[name])
            elif not hasattr(estimator := getattr(self, own), "set_params"):
                raise CouplingsError(
                    f"{type(self).__name__}: {own}={estimator!r} has no parameters to set; give "
                    "an instance instead of a name"
                )
            else:
                estimator.set_params(**{inner: params[name]})
        return self

    def __repr__(self) -> str:
        """Show the parameters that differ from their defaults."""
        signature = _signature(type(self)).parameters
        shown = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if value is not signature[name].default
            and not np.array_equal(value, signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


class _IfEmbedded:
    """A method that only measures with an embedding have, as ``hasattr`` reports."""

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
        """Return the method with its signature, for type checkers."""
        return method

else:
    embedded_only = _IfEmbedded


class Transformer(Params):
    """Base class of estimators with an optional `transform`, declared by `_embeds`."""

    _sign_of_fit = "space_"

    # Defined by subclasses.
    fit: Callable[..., Self]
    transform: Callable[..., Any]
    get_feature_names_out: Callable[..., np.ndarray]

    def _embeds(self) -> bool:
        return True

    def _why_not_embedded(self) -> str:
        return "its dissimilarity is not a sum over the attributes; pairwise and kneighbors work"

    @embedded_only
    def fit_transform(self, X: Any, y: object = None, **given: Any) -> Any:
        """Fit and embed the same objects; see `fit` and `transform`."""
        return self.fit(X, y, **given).transform(X)

    @embedded_only
    def set_output(self, *, transform: str | None = None) -> Self:
        """Set the container that `transform` returns.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            Array or data frame. Default: unchanged.
        """
        if transform is not None:
            check_choice(
                type(self).__name__, "transform", transform, ("default", "pandas", "polars")
            )
            self._sklearn_output_config = {"transform": transform}
        return self

    def _contained(self, rows: np.ndarray, X: object) -> Any:
        """Return columns in the container set by `set_output` or scikit-learn's configuration."""
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


def distinct_names(names: Sequence[str]) -> np.ndarray:
    """Return names of columns, object of shape (n,); one that occurs again gets a number.

    Names are joined from attributes and values: ``a`` with ``b_c`` and ``a_b`` with ``c`` collide.
    """
    found: list[str] = []
    known = set(names)
    used: set[str] = set()
    for name in names:
        unique, number = name, 2
        while unique in used or (unique != name and unique in known):
            unique, number = f"{name}_{number}", number + 1
        used.add(unique)
        found.append(unique)
    return np.array(found, dtype=object)


def index_of(X: Any) -> Any:
    """Return the index of a data frame, None for other data (the `index` of a list is a method)."""
    return getattr(X, "index", None) if hasattr(X, "columns") else None


_SIGNATURES: dict[type, inspect.Signature] = {}


def _signature(kind: type) -> inspect.Signature:
    """Return the signature of a class, which takes longer to find than a small fit."""
    if kind not in _SIGNATURES:
        _SIGNATURES[kind] = inspect.signature(kind)
    return _SIGNATURES[kind]


@cache
def _not_fitted_type(theirs: type[Exception]) -> type[NotFittedError]:
    return type("NotFittedError", (NotFittedError, theirs), {})
