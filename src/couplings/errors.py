"""Errors of this library: all are ``ValueError`` and name a remedy."""


class CouplingsError(ValueError):
    """Base class of all errors that this library raises deliberately."""


class TableError(CouplingsError):
    """The data cannot be read as a table of categorical attributes."""


class MissingValuesError(CouplingsError):
    """A computation that needs complete rows found missing cells."""


class MeasureError(CouplingsError):
    """A measure cannot be computed on these data, or with these parameters."""


class MissingPackageError(CouplingsError, ImportError):
    """An optional package is needed; the message says how to install it."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(f"{what} need {package}; install it with pip install couplings[{extra}]")


class UnknownValueWarning(UserWarning):
    """Values that `fit` has not seen count as different from every other value."""


class NotFittedError(MeasureError, AttributeError):
    """A result of a measure or clustering was requested before ``fit``."""
