"""Derived ``refersTo`` edges against a carry-over table: ``python -m evaluation.refers_to --bench DIR --metadata DIR``.

The table (``carryover.csv``) is kept from the graph, so every edge there is derived. It speaks of steps of its processes
only; so precision is taken over derived edges between endpoints of two steps of one process (bound ones, and sets nested in
them). Recall is taken over all rows, and beside it over those between two services whose key is called alike on both sides:
within a service navigations join the sets already, and a key under another name is known only to who declares it.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graph.errors import GraphError
from graph.ingest import ingest
from graph.reader import SnapshotReader, open_snapshot
from graph.refers_to import COLUMNS
from graph.tables import read_table, service_of
from wire.endpoint import Verb

Edge = tuple[str, str, str, str, str, str]
_TABLES = ("bindings.csv", "required.csv")


@dataclass(frozen=True)
class Figure:
    """Edges as (service, endpoint, property) twice. ``scope``: derived edges between steps of one process."""

    gold: frozenset[Edge]
    derived: int
    scope: frozenset[Edge]

    @property
    def right(self) -> frozenset[Edge]:
        """Derived edges that the table holds."""
        return self.gold & self.scope

    @property
    def derivable(self) -> frozenset[Edge]:
        """Rows between two services whose key is called alike on both sides."""
        return frozenset(edge for edge in self.gold if edge[2] == edge[5] and edge[0] != edge[3])

    @property
    def precision(self) -> float:
        """Share of the edges in scope that the table holds."""
        return _share(len(self.right), len(self.scope))

    @property
    def recall(self) -> float:
        """Share of the table that was derived."""
        return _share(len(self.right), len(self.gold))

    @property
    def recall_derivable(self) -> float:
        """Share of the derivable rows that was derived."""
        return _share(len(self.right & self.derivable), len(self.derivable))

    def as_json(self) -> dict[str, Any]:
        """All numbers, and the edges behind them."""
        return {
            "gold": len(self.gold),
            "gold_derivable": len(self.derivable),
            "derived": self.derived,
            "in_scope": len(self.scope),
            "right": len(self.right),
            "precision": round(self.precision, 4),
            "recall": round(self.recall, 4),
            "recall_derivable": round(self.recall_derivable, 4),
            "not_in_table": [edge_text(edge) for edge in sorted(self.scope - self.gold)],
            "not_derived": [edge_text(edge) for edge in sorted(self.gold - self.scope)],
        }


def measure(bench: Path, metadata: Path, work: Path) -> Figure:
    """Ingest everything but the carry-over table under ``work`` and compare. Raises ``GraphError``, ``OSError``."""
    table = read_table((bench / "carryover.csv").read_bytes(), "carryover.csv", COLUMNS)
    gold = frozenset(
        _edge(
            *(service_of(row["from_service"]), row["from_entity"], row["from_property"]),
            *(service_of(row["to_service"]), row["to_entity_or_operation"], row["to_property_or_parameter"]),
        )
        for row in table
    )
    extra = [bench / name for name in _TABLES if (bench / name).is_file()]
    report = ingest([metadata, bench / "processes", *extra], work)
    reader = open_snapshot(work, report.graph_hash)
    derived = frozenset(
        _edge(
            *(row.from_service, row.from_endpoint, row.from_property),
            *(row.to_service, row.to_endpoint, row.to_property),
        )
        for row in reader.carries()
    )
    return Figure(gold, len(derived), frozenset(_in_scope(derived, _steps(reader))))


def _edge(
    from_service: str, from_endpoint: str, from_property: str, to_service: str, to_endpoint: str, to_property: str
) -> Edge:
    """Bound operations may be named with or without their namespace."""
    return from_service, _simple(from_endpoint), from_property, to_service, _simple(to_endpoint), to_property


def _simple(endpoint: str) -> str:
    return endpoint.rpartition(".")[2]


def _steps(reader: SnapshotReader) -> dict[str, dict[str, set[tuple[str, str]]]]:
    """Process -> node -> endpoints of that step: bound ones, and the sets that a bound set nests."""
    names = {item.iri: (item.service, item.endpoint) for item in reader.endpoints()}
    processes = {node.iri: node.process_id for node in reader.process_nodes()}
    found: dict[str, dict[str, set[tuple[str, str]]]] = {}
    for binding in reader.bindings():
        service, endpoint = names[binding.endpoint]
        held = found.setdefault(processes[binding.node], {}).setdefault(binding.node, set())
        held |= {(service, _simple(endpoint)), *_nested(reader, service, endpoint, binding.verb)}
    return found


def _nested(reader: SnapshotReader, service: str, endpoint: str, verb: Verb) -> Iterable[tuple[str, str]]:
    contract = reader.contract(service, endpoint, verb)
    entity = contract.type(contract.entity_type)
    for navigation in entity.navigations if entity is not None and verb is Verb.CREATE else ():
        if navigation.target_set and navigation.cardinality == "*":
            yield service, navigation.target_set


def _in_scope(edges: Iterable[Edge], steps: dict[str, dict[str, set[tuple[str, str]]]]) -> Iterable[Edge]:
    for edge in edges:
        source, target = (edge[0], edge[1]), (edge[3], edge[4])
        for nodes in steps.values():
            sources = {node for node, held in nodes.items() if source in held}
            targets = {node for node, held in nodes.items() if target in held}
            if sources and targets and len(sources | targets) > 1:
                yield edge
                break


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def edge_text(edge: Edge) -> str:
    """An edge in words."""
    return f"{edge[0]} {edge[1]}/{edge[2]} -> {edge[3]} {edge[4]}/{edge[5]}"


def lines_of(figure: Figure, *, edges: bool) -> list[str]:
    """The numbers in lines, with the edges behind them when asked for."""
    lines = [
        f"rows of the table       {len(figure.gold)}, {len(figure.derivable)} of them between services under one name",
        f"derived edges           {figure.derived}, {len(figure.scope)} of them between steps of one process",
        f"precision               {figure.precision:.3f}  ({len(figure.right)} of {len(figure.scope)} are in the table)",
        f"recall                  {figure.recall:.3f}  ({len(figure.right)} of {len(figure.gold)})",
        f"recall of derivable     {figure.recall_derivable:.3f}  "
        f"({len(figure.right & figure.derivable)} of {len(figure.derivable)})",
    ]
    if edges:
        lines += [f"not in the table: {edge_text(edge)}" for edge in sorted(figure.scope - figure.gold)]
        lines += [f"not derived: {edge_text(edge)}" for edge in sorted(figure.gold - figure.scope)]
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.refers_to", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--bench", type=Path, required=True, help="folder with carryover.csv, bindings.csv, processes/")
    parser.add_argument("--metadata", type=Path, required=True, help="folder of the services' metadata")
    parser.add_argument("--edges", action="store_true", help="name every edge that is wrong or missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything as JSON, too")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="refers-to-") as folder:
        try:
            figure = measure(options.bench, options.metadata, Path(folder))
        except (GraphError, OSError) as error:
            sys.stderr.write(f"evaluation.refers_to: {error}\n")
            return 2
    sys.stdout.write("\n".join(lines_of(figure, edges=options.edges)) + "\n")
    if options.json:
        options.json.write_text(json.dumps(figure.as_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
