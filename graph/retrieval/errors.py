"""Everything that embeddings, the index and retrieval may raise.

RetrievalError (a GraphError)
├── ModelNotFound       no embedding model under that name or path
├── ModelUnavailable    the endpoint that serves the model gave no vectors
├── WeightsMismatch     the weights, or the vectors' length, are not those pinned or stated for that model
├── UnknownRetriever    no retriever of that name
└── IndexUnusable
    ├── IndexMissing    nothing was built for this graph and this model
    ├── StaleIndex      built from another graph snapshot
    ├── IndexMismatch   built with another embedding model
    └── IndexCorrupt    files are damaged or do not fit one another
"""

from graph.errors import GraphError


class RetrievalError(GraphError):
    """Base of the package's errors; the message names the part and says what to do."""


class ModelNotFound(RetrievalError):
    """``make_embedder`` knows no model of that name, or the path holds none, or its package is not installed."""


class ModelUnavailable(RetrievalError):
    """An embeddings endpoint cannot be reached, refuses, or answers without vectors; later it may answer."""


class WeightsMismatch(RetrievalError):
    """The SHA-256 of a model's weights differs from the pinned one, or a served vector has another length than stated."""


class UnknownRetriever(RetrievalError):
    """``make_retriever`` was asked for a name that it does not have."""


class IndexUnusable(RetrievalError):
    """The index on disk cannot answer for this graph and model; building it again mends it."""


class IndexMissing(IndexUnusable):
    """No index stands in the snapshot's directory for this model."""


class StaleIndex(IndexUnusable):
    """The index was built from a graph with another hash."""


class IndexMismatch(IndexUnusable):
    """The index was built with another embedding model, prefix, pooling or length."""


class IndexCorrupt(IndexUnusable):
    """A file of the index is missing, unreadable, or counts other rows than its manifest."""
