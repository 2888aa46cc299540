"""The base of all wire types."""

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    """Frozen and closed: an unknown field is an error, except in histories (see ``Recorded``)."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Recorded(BaseModel):
    """Frozen and lenient: stands in workflow histories, where a newer field must not break an older reader."""

    model_config = ConfigDict(frozen=True, extra="ignore")
