"""The graph: the current snapshot opens, how old what was read live is; and the embedding model loads."""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime

from cli.doctor.finding import Finding, right, warning, wrong
from cli.graph_age import ages_of
from settings import Settings

KINDS = {"service": "metadata", "valuehelp": "codes"}


def look_at_graph(settings: Settings, now: datetime) -> Sequence[Finding]:
    """Open it as a run would."""
    from graph.errors import GraphError
    from graph.library import open_library

    mend = "run 'starter.py ingest' (with --publish where graphs are shared)"
    try:
        with closing(open_library(settings.graphs, **settings.graph_endpoint.plain())) as library:
            digest = library.current()
            if digest is None:
                return [wrong("graph", f"no graph in {settings.graph_endpoint.url or settings.graphs}", mend)]
            reader = library.open(digest)
            services = reader.services()
            read_at = {f"{KINDS[kind]} of {s}": at for s in services for kind, at in reader.read_at(s).items()}
    except GraphError as error:
        return [wrong("graph", str(error), mend)]
    opened = right("graph", f"{digest[:12]}… opens, {len(services)} services")
    stale = [age for age in ages_of(read_at, now, settings.codes_stale_days) if age.stale]
    if stale:
        return [
            opened,
            warning("codes", f"{len(stale)} are stale, the oldest: {stale[0]}", "run 'starter.py ingest' again"),
        ]
    told = (
        f"{len(read_at)} read live, none older than {settings.codes_stale_days:g} days" if read_at else "all from files"
    )
    return [opened, right("codes", told)]


def look_at_embedder(settings: Settings) -> Sequence[Finding]:
    """Load the model and embed one text."""
    from graph.embeddings import make_embedder
    from graph.retrieval.errors import ModelNotFound

    mend = "set COUNTERSIGN_EMBEDDER to a model that is installed (docs/embedding-models.md)"
    try:
        vectors = make_embedder(settings.embedder).embed_queries(["purchase order"])
    except ModelNotFound as error:
        return [wrong("embedding model", str(error), mend)]
    return [right("embedding model", f"{settings.embedder} loads, {vectors.shape[1]} dimensions")]
