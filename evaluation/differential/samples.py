"""What the matrix judges: one call, what is wrong with it if anything, and the request that it makes on the wire."""

from dataclasses import dataclass, field
from typing import Any, Literal

from wire.call import ProposedCall
from wire.endpoint import EndpointContract

Kind = Literal["valid", "neighbour", "mutant"]
# Names along a payload: members and indexes.
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Sample:
    """``valid``: a payload as the metadata wants it; ``neighbour``: one that stands right at a bound and is still valid;
    ``mutant``: one that breaks ``rule`` at ``pointer``. ``base`` numbers the valid call that it was made from."""

    number: int
    base: int
    kind: Kind
    rule: str
    pointer: str
    call: ProposedCall
    contract: EndpointContract = field(repr=False)
    why: str = ""

    @property
    def label(self) -> str:
        """Service, verb and endpoint, for reports."""
        return f"{self.call.service} {self.call.method} {self.call.endpoint}"


@dataclass(frozen=True)
class Draft:
    """A changed call before it is numbered."""

    kind: Kind
    rule: str
    pointer: str
    call: ProposedCall
    why: str = ""


def pointer_of(place: Place) -> str:
    """The JSON pointer of a place in the payload."""
    parts = (str(part).replace("~", "~0").replace("/", "~1") for part in place)
    return "/".join(("/payload", *parts))


def replaced(body: Any, place: Place, value: Any) -> Any:
    """A copy of the body with another value at the place; a member that was not there is added."""
    if not place:
        return value
    head, rest = place[0], place[1:]
    if isinstance(body, list):
        return [replaced(item, rest, value) if index == head else item for index, item in enumerate(body)]
    return {**body, head: replaced(body.get(head), rest, value)}


def removed(body: Any, place: Place) -> Any:
    """A copy of the body without the member at the place."""
    head, rest = place[0], place[1:]
    if isinstance(body, list):
        return [removed(item, rest) if index == head else item for index, item in enumerate(body)]
    if not rest:
        return {name: value for name, value in body.items() if name != head}
    return {name: removed(value, rest) if name == head else value for name, value in body.items()}
