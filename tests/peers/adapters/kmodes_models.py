"""k-modes and k-prototypes under the names of kmodes; its errors and label types are translated."""

import inspect

import kmodes.kmodes
import kmodes.kprototypes
import numpy as np
import pandas as pd
from kmodes.util import dissim

import couplings
from adapters import CALLS
from couplings import CouplingsError, MissingValuesError

np.NaN = np.nan  # noqa: NPY201 (its tests are older than NumPy 2)
WORDS = {"Huang": "random", "huang": "random", "random": "random", "cao": "cao"}


def check_weights(weights, n, k):
    """Say what is wrong with weights in kmodes' words, where couplings refuses them."""
    if weights is None or len(weights) == 0:
        return
    if len(weights) != n:
        raise ValueError("sample_weight should be of equal size as samples.")
    if any(not isinstance(one, int | float | np.number) for one in weights):
        raise ValueError("sample_weight elements should either be int or floats.")
    if any(one < 0 for one in weights):
        raise ValueError("sample_weight elements should be positive.")
    if sum(one > 0 for one in weights) < k:
        raise ValueError(
            "Number of non-zero sample_weight elements should be larger than the number of "
            "clusters."
        )


class Model:
    """Parameters and results that both classes share."""

    def __init__(
        self,
        n_clusters=8,
        max_iter=100,
        cat_dissim=dissim.matching_dissim,
        init="Cao",
        n_init=10,
        verbose=0,
        random_state=None,
        n_jobs=1,
    ):
        self.n_clusters, self.max_iter, self.cat_dissim = n_clusters, max_iter, cat_dissim
        self.init, self.verbose, self.random_state = init, verbose, random_state
        self.n_jobs = n_jobs
        single = not isinstance(init, str) or (init.lower() == "cao" and self.once)
        self.n_init = 1 if single else n_init

    def __getattr__(self, name):
        if name.startswith("__") or "model" not in self.__dict__:
            raise AttributeError(name)
        found = getattr(self.model, {"cost_": "objective_"}.get(name, name))
        if name == "cluster_centroids_" and self.kind.kind in "iuU":
            return found.astype(self.kind)  # kmodes keeps the type of the data
        return found.astype(np.uint16) if name == "labels_" else found

    kind = np.dtype(object)

    def word(self):
        if not isinstance(self.init, str):
            return self.init
        if self.init.lower() not in ("huang", "random", "cao"):
            raise NotImplementedError(self.init)
        return WORDS.get(self.init, self.init.lower())

    def update(self, default):
        if self.cat_dissim is dissim.ng_dissim:
            return "ng"
        if self.cat_dissim is not dissim.matching_dissim:
            raise NotImplementedError("jaccard of kmodes is another measure than Jaccard")
        return default

    def fitted(self, model, X, weights):
        check_weights(weights, len(X), self.n_clusters)
        if self.n_clusters <= len(X):
            # kmodes has no more clusters than different rows
            model.n_clusters = min(self.n_clusters, len(pd.DataFrame(X).drop_duplicates()))
        CALLS[self.label] += 1
        try:
            self.model = model.fit(X, sample_weight=weights)
        except MissingValuesError:
            raise
        except CouplingsError as refusal:
            raise AssertionError(str(refusal)) from refusal
        return self

    def fit_predict(self, X, y=None, **given):
        return self.fit(X, y, **given).labels_

    def predicted(self, X):
        if "model" not in self.__dict__:
            raise AssertionError("not fitted")
        return self.model.predict(X).astype(np.uint16)


class KModes(Model):
    """couplings.KModes."""

    label = "cluster.KModes"
    once = True

    def fit(self, X, y=None, sample_weight=None, **_):
        init = self.word()
        own = couplings.KModes(
            self.n_clusters,
            init=init if isinstance(init, str) else np.asarray(init).astype(str),
            n_init=self.n_init,
            update=self.update("frequency"),
            max_iter=self.max_iter,
            random_state=self.random_state,
            measure=couplings.SimpleMatching(missing="value", unknown="mismatch"),
        )
        data = X if isinstance(X, pd.DataFrame) else np.asarray(X).astype(str)
        self.kind = np.asarray(X).dtype
        return self.fitted(own, data, sample_weight)

    def predict(self, X, **_):
        return self.predicted(X if isinstance(X, pd.DataFrame) else np.asarray(X).astype(str))


class KPrototypes(Model):
    """couplings.KPrototypes."""

    label = "cluster.KPrototypes"
    once = False

    def __init__(self, *args, gamma=None, num_dissim=None, **given):
        super().__init__(*args, **given)
        self.gamma = gamma

    def frame(self, X, categorical):
        columns = [categorical] if isinstance(categorical, int | np.integer) else categorical
        if not isinstance(columns, list | tuple | type(None)):
            raise AssertionError("categorical must be a list")
        if not columns:
            raise NotImplementedError("no categorical data")
        frame = pd.DataFrame(X)
        if max(columns) >= frame.shape[1] or len(columns) == frame.shape[1]:
            raise AssertionError("categorical does not fit")
        frame.columns = [f"x{j}" for j in range(frame.shape[1])]
        types = {name: object if j in columns else float for j, name in enumerate(frame.columns)}
        return frame.astype(types)

    def fit(self, X, y=None, categorical=None, sample_weight=None):
        init, more = self.word(), {}
        frame, update = self.frame(X, categorical), self.update("online")
        if update == "ng" or "update" in inspect.signature(couplings.KPrototypes).parameters:
            more["update"] = update
        if not isinstance(init, str):
            numbers, codes = (np.atleast_2d(one) for one in init)
            names = [n for n, one in zip(frame, frame.dtypes, strict=True) if one.kind == "O"]
            if len(numbers) != self.n_clusters or codes.shape != (self.n_clusters, len(names)):
                raise AssertionError("init does not fit")
            labels = {n: np.unique(frame[n])[codes[:, j]] for j, n in enumerate(names)}
            rest = [n for n in frame if n not in names]
            init = pd.DataFrame(dict(zip(rest, numbers.T, strict=True)) | labels)[list(frame)]
        else:
            init = "random"
        own = couplings.KPrototypes(
            self.n_clusters,
            scale="raw",
            gamma=self.gamma,
            init=init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            random_state=self.random_state,
            measure=couplings.SimpleMatching(missing="value", unknown="mismatch"),
            **more,
        )
        kind = np.asarray(X).dtype
        self.kind = np.dtype(str) if kind.kind == "U" else kind
        self.fitted(own, frame, sample_weight)
        self.gamma = self.model.gamma_
        return self

    def predict(self, X, categorical=None, **_):
        if "model" not in self.__dict__:
            raise AssertionError("not fitted")
        return self.predicted(self.frame(X, categorical))


for one, room in ((KModes, kmodes.kmodes), (KPrototypes, kmodes.kprototypes)):
    CALLS[one.label] = 0
    setattr(room, one.__name__, one)
