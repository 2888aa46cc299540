"""The metadata files of the folders as services: checked at start, read in full when first asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from embedded.odata_service.csdl import metadata_version, read_metadata
from embedded.odata_service.errors import MetadataError, StartError
from embedded.odata_service.rules import stem
from embedded.odata_service.schema import Service

_SUFFIXES = (".edmx", ".xml")


@dataclass(slots=True)
class Catalogue:
    """`refused` holds one line for each file that is left out."""

    versions: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    _paths: dict[str, Path] = field(default_factory=dict)
    _services: dict[str, Service] = field(default_factory=dict)

    def get(self, name: str) -> Service | None:
        """The service, read at its first use and kept."""
        if name not in self._services:
            path = self._paths.get(name)
            if path is None:
                return None
            data = path.read_bytes()
            self._services[name] = Service(name, read_metadata(data, path.name), data)
        return self._services[name]

    def add(self, path: Path) -> None:
        """Serve one metadata file; what cannot be served is told in ``refused`` and stops nothing."""
        name = stem(path.name)
        if name in self._paths:
            self.refused.append(f"{path.name}: another file is served as {name!r} already")
            return
        try:
            self.versions[name] = metadata_version(path.read_bytes(), path.name)
        except MetadataError as error:
            self.refused.append(str(error))
        except OSError as error:
            self.refused.append(f"{path.name}: cannot be read ({error.strerror})")
        else:
            self._paths[name] = path


def load_catalogue(sources: tuple[Path, ...]) -> Catalogue:
    """Raises StartError when a folder is missing or nothing in all of them can be served."""
    catalogue = Catalogue()
    for source in sources:
        if source.is_dir():
            for path in sorted(path for path in source.iterdir() if path.suffix.lower() in _SUFFIXES):
                catalogue.add(path)
        elif source.is_file():
            catalogue.add(source)
        else:
            raise StartError(f"metadata folder {source} does not exist")
    if not catalogue.versions:
        reasons = "; ".join(catalogue.refused) or "no .edmx or .xml file found"
        raise StartError(f"nothing to serve in {', '.join(str(source) for source in sources)}: {reasons}")
    return catalogue
