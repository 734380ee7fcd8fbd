"""The errors of this library: all are ``ValueError`` and say how to go on."""


class CouplingsError(ValueError):
    """Base class of every error that this library raises on purpose."""


class TableError(CouplingsError):
    """The data cannot be read as a table of categorical attributes."""


class MissingValuesError(CouplingsError):
    """A computation that needs complete rows met missing cells."""


class MeasureError(CouplingsError):
    """A measure cannot be computed on these data, or with these parameters."""


class NotFittedError(MeasureError, AttributeError):
    """A measure or clustering was asked for a result before ``fit``."""
