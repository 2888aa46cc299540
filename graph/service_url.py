"""Addresses of services as people give them: a service root or its ``$metadata``, with or without a name of one's own."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from graph.errors import SourceError

_NAMED = re.compile(r"(?P<name>[\w.-]+)=(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)
_METADATA = "/$metadata"
_SAP = "/sap/opu/"
_ALL_LISTS = "sap-value-list=all"


@dataclass(frozen=True)
class ServiceUrl:
    """``root`` ends in a slash; ``query`` is sent with every request (``sap-client=100``); ``name`` is the service id."""

    name: str
    root: str
    query: str = ""

    @property
    def shown(self) -> str:
        """How messages and manifests name the source."""
        return f"{self.root}$metadata"

    @property
    def metadata_path(self) -> str:
        """The path below the root, with its query. SAP leaves value lists out unless they are asked for."""
        wanted = [self.query] if self.query else []
        if _SAP in self.root and "sap-value-list" not in self.query:
            wanted.append(_ALL_LISTS)
        return f"$metadata?{'&'.join(wanted)}" if wanted else "$metadata"


def is_url(text: str) -> bool:
    """Whether a source is an address rather than a path."""
    return "://" in text


def without_credentials(text: str) -> str:
    """The address as it may be shown: what stands before ``@`` is a secret, which nobody should read in a manifest."""
    return re.sub(r"//[^/@\s]*@", "//", text)


def parse_service_url(text: str) -> ServiceUrl:
    """``[NAME=]http(s)://host/path/[$metadata][?query]``. Raises ``SourceError`` saying what is wrong with it."""
    named = _NAMED.fullmatch(text)
    url, text = named["url"] if named else text, without_credentials(text)
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise SourceError(text, None, "", f"is no URL ({error})", "check the address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SourceError(text, None, "", "is no http or https URL", "give the root of an OData service")
    if parts.username is not None or parts.password is not None:
        raise SourceError(text, None, "", "holds credentials", "use --user and --password-env, or --bearer-env")
    root = f"{parts.scheme}://{parts.netloc}{_root_path(parts)}"
    name = named["name"] if named else _name_of(root)
    if not name:
        raise SourceError(text, None, "", "names no service", "give it a name: NAME=URL")
    return ServiceUrl(name, root, parts.query)


def _root_path(parts: SplitResult) -> str:
    path = parts.path.rstrip("/")
    if path.lower().endswith(_METADATA):
        path = path[: -len(_METADATA)]
    return f"{path}/"


def _name_of(root: str) -> str:
    """The last part of the path; a bare version number takes the part before it along (``salesorder_0001``)."""
    parts = [re.sub(r"[^\w.-]+", "_", part) for part in urlsplit(root).path.split("/") if part]
    if len(parts) > 1 and re.fullmatch(r"v?\d+(\.\d+)*", parts[-1]):
        return "_".join(parts[-2:])
    return parts[-1].removesuffix(".svc") if parts else ""
