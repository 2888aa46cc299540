"""``search``: what a goal would get from the graph."""

from contextlib import closing
from typing import Annotated

import typer

from cli.context import Context, now
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.graph_age import ages_of
from cli.output import complain, print_json, say
from graph.errors import GraphError

_WHAT = {"service": "metadata", "valuehelp": "codes"}


def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What you look for, in words.")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, metavar="N", help="How many endpoints.")] = 5,
) -> None:
    """The endpoints that a goal would get, and why each is there."""
    here: Context = context.obj
    if not query.strip():
        raise CommandError("the query is empty: say in words what you look for")
    settings = here.settings()
    # Imported here: the embedding model takes seconds to load, and no other command needs it.
    from activities.graph_shelf import GraphShelf
    from graph.library import open_library

    try:
        with closing(open_library(settings.graphs, **settings.graph_endpoint.plain())) as library:
            shelf = GraphShelf(
                library,
                settings.graphs,
                embedder=settings.embedder,
                retriever=settings.retriever,
                budget_tokens=settings.context_tokens,
            )
            digest = shelf.current()
            hits = shelf.retriever(digest).search(query, k)
            read_at = {hit.service: shelf.read_at(digest, hit.service) for hit in hits}
    except GraphError as error:
        raise CommandError(str(error), Exit.NOT_FOUND) from error
    ages = {
        service: ages_of({_WHAT[kind]: at for kind, at in found.items()}, now(), settings.codes_stale_days)
        for service, found in read_at.items()
    }
    if here.json:
        told = ((hit.model_dump(mode="json"), ages[hit.service]) for hit in hits)
        print_json([{**hit, "read": [age.as_json() for age in found]} for hit, found in told])
        return
    if not hits:
        complain("nothing found")
    for hit in hits:
        say(f"{hit.rank:2}. {hit.service}/{hit.endpoint} ({hit.kind}, {hit.score:.3f})")
        for reason in hit.reasons:
            say(f"      {reason.kind}: {reason.text}")
        for age in ages[hit.service]:
            say(f"      {age}")
