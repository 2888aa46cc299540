"""The only reader of environment, ``.env`` and TOML. Frozen, and passed on by argument.

Order, first wins: ``COUNTERSIGN_*`` variables, ``.env``, ``countersign.toml`` in the working folder, ``parts.toml`` in the
state folder (written by ``starter.py up``, so that every command finds the running parts), defaults.
"""

import os
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from policies.rulebook import PolicyError, read_policy
from wire.policy import Policy

DEFAULT_STATE = Path("state")
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
REPOSITORY = Path(__file__).resolve().parent


class SettingsError(ValueError):
    """A setting that cannot be used. The message names the setting and where it may be set."""


class MailOAuth(BaseModel, frozen=True):
    """OAuth 2.0 instead of a password: a refresh token, or without one client credentials (Microsoft's app-only access).

    A secret may stand in a file of its own instead (``client_secret_file``, ``refresh_token_file``).
    """

    token_url: str
    client_id: str
    client_secret: SecretStr = SecretStr("")
    client_secret_file: Path | None = None
    refresh_token: SecretStr = SecretStr("")
    refresh_token_file: Path | None = None
    scope: str = ""
    mechanism: Literal["", "xoauth2", "oauthbearer"] = ""
    timeout_seconds: float = 30.0
    proxy: SecretStr | None = None

    @model_validator(mode="after")
    def _complete(self) -> "MailOAuth":
        """Tokens and secrets travel encrypted; each is given once; one grant is possible."""
        url = urlsplit(self.token_url)
        if url.scheme != "https" and not (url.scheme == "http" and url.hostname in LOOPBACK):
            raise ValueError("token_url must begin with https:// (http:// only on loopback)")
        if url.username is not None or url.password is not None:
            raise ValueError(
                "token_url holds a user or password, and stands in messages: use client_id and client_secret"
            )
        for name in ("client_secret", "refresh_token"):
            if getattr(self, name).get_secret_value() and getattr(self, f"{name}_file") is not None:
                raise ValueError(f"give {name} or {name}_file, not both")
        if not any((self.refresh_token.get_secret_value(), self.refresh_token_file)) and not any(
            (self.client_secret.get_secret_value(), self.client_secret_file)
        ):
            raise ValueError("give refresh_token, or client_secret for client credentials, or a _file of one")
        return self


class MailServer(BaseModel, frozen=True):
    """One IMAP or SMTP account, with a password or ``oauth``. ``security``: ``none`` only on loopback."""

    host: str = "127.0.0.1"
    port: int = 0
    user: str = ""
    password: SecretStr = SecretStr("")
    security: Literal["none", "starttls", "tls"] = "none"
    oauth: MailOAuth | None = None

    @model_validator(mode="after")
    def _one_login(self) -> "MailServer":
        """Which of two logins is meant, nobody can know; a bearer token goes over no plain line."""
        if self.oauth is None:
            return self
        if self.password.get_secret_value():
            raise ValueError('password and oauth are both given: remove one, or set password = "" where oauth is meant')
        if not self.user:
            raise ValueError("oauth needs user: the address of the mailbox")
        if self.security == "none" and self.host not in LOOPBACK:
            raise ValueError("oauth needs security = tls or starttls")
        return self


class Dkim(BaseModel, frozen=True):
    """Our own mail is signed when ``key_file`` (RSA, PEM) is set; ``domain`` is that of ``mail_from`` unless given."""

    key_file: Path | None = None
    selector: str = "countersign"
    domain: str = ""


class ODataService(BaseModel, frozen=True):
    """How one service (by its id in the graph) is reached. Missing fields come from the defaults of ``odata``."""

    url: str | None = None
    user: str | None = None
    password: SecretStr | None = None
    bearer: SecretStr | None = None
    token_url: str | None = None
    client_id: str | None = None
    client_secret: SecretStr | None = None
    scope: str = ""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    sap_client: str | None = None
    language: str | None = None
    timeout_seconds: float | None = None
    proxy: SecretStr | None = None
    csrf: bool | None = None
    repeatability: bool | None = None

    @model_validator(mode="after")
    def _one_login(self) -> "ODataService":
        """Which of two logins is meant, nobody can know."""
        given = [name for name in ("user", "bearer", "token_url") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"give one login, not {' and '.join(given)}")
        if self.token_url is not None and (self.client_id is None or self.client_secret is None):
            raise ValueError("token_url needs client_id and client_secret")
        return self


class OData(BaseModel, frozen=True):
    """All services: ``{service}`` in ``base_url`` stands for the service id."""

    base_url: str = ""
    repeatability: bool = False
    sap_client: str | None = None
    language: str | None = None
    timeout_seconds: float = 60.0
    proxy: SecretStr | None = None
    csrf: bool = True
    services: dict[str, ODataService] = Field(default_factory=dict)


class GraphEndpoint(BaseModel, frozen=True):
    """A shared store that snapshots are published to and read from. ``url``: base of an Oxigraph server, or the URLs of SPARQL
    query and Graph Store Protocol, joined by ``|``. Empty: snapshots stay in the state folder."""

    url: str = ""
    user: str = ""
    password: SecretStr = SecretStr("")
    bearer: SecretStr = SecretStr("")

    def plain(self) -> dict[str, str]:
        """The fields as ``graph.library.open_library`` takes them."""
        secrets = {"password": self.password.get_secret_value(), "bearer": self.bearer.get_secret_value()}
        return {"url": self.url, "user": self.user, **secrets}


class Model(BaseModel, frozen=True):
    """An OpenAI-compatible endpoint. Without ``base_url`` the deterministic planner decides."""

    base_url: str = ""
    name: str = ""
    api_key: SecretStr = SecretStr("")
    api_key_header: Literal["authorization", "api-key"] = "authorization"
    extra_query: dict[str, str] = Field(default_factory=dict)
    token_limit_field: Literal["max_tokens", "max_completion_tokens", "none"] = "max_tokens"
    max_output_tokens: int = 1024
    prompt_tokens: int = 6000
    send_temperature: bool = True
    timeout_seconds: float = 120.0


class Settings(BaseSettings):
    """Everything that can be chosen."""

    model_config = SettingsConfigDict(
        env_prefix="COUNTERSIGN_", env_nested_delimiter="__", env_file=".env", extra="ignore", frozen=True
    )

    state_dir: Path = DEFAULT_STATE
    temporal_address: str = "127.0.0.1:7233"
    temporal_namespace: str = "default"
    temporal_ui: str = ""
    task_queue: str = "countersign"
    ledger_url: str = ""
    graph_root: Path | None = None
    graph_endpoint: GraphEndpoint = GraphEndpoint()
    codes_stale_days: float = 7.0
    policy_file: Path = REPOSITORY / "policies" / "data" / "default.toml"
    embedder: str = "minilm-int8"
    retriever: str = "countersign"
    context_tokens: int = 24_000
    imap: MailServer = MailServer()
    smtp: MailServer = MailServer()
    mailbox_archive_days: float = Field(default=30.0, ge=0)
    mail_from: str = "approvals@countersign.example"
    mail_name: str = "Countersign"
    dkim: Dkim = Dkim()
    operator_address: str = "operator@countersign.example"
    odata: OData = OData()
    model: Model = Model()
    brain_script: Path | None = None

    @property
    def ledger(self) -> str:
        """SQLAlchemy URL of the ledger; an SQLite file in the state folder unless set."""
        return self.ledger_url or f"sqlite:///{(self.state_dir / 'ledger.sqlite').absolute()}"

    @property
    def dkim_domain(self) -> str:
        """The domain that signs our mail."""
        return self.dkim.domain or self.mail_from.rpartition("@")[2]

    @property
    def graphs(self) -> Path:
        """Folder that holds the graph snapshots."""
        return self.graph_root or self.state_dir / "graph"

    @property
    def brain(self) -> str:
        """Which brain decides, as every surface says it. ``brain_script`` is for tests: a scripted, faulty one."""
        if self.brain_script is not None:
            return f"faulty:{self.brain_script.name}"
        return f"endpoint:{self.model.name}" if self.model.base_url else "planner"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Environment and ``.env`` before what ``load_settings`` read from TOML."""
        return env_settings, dotenv_settings, init_settings


def load_settings(state_dir: Path | None = None) -> Settings:
    """Read all sources. Raises ``SettingsError`` naming each wrong setting and the files that were read."""
    state = state_dir or Path(os.environ.get("COUNTERSIGN_STATE_DIR", DEFAULT_STATE))
    files = [state / "parts.toml", Path("countersign.toml")]
    values: dict[str, Any] = {}
    for file in files:
        values = _merged(values, _toml(file))
    values["state_dir"] = state
    try:
        return Settings(**values)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(str(p) for p in e['loc'])}: {e['msg']}" for e in error.errors())
        raise SettingsError(f"settings ({', '.join(str(f) for f in files)}, COUNTERSIGN_*): {faults}") from error


def read_secret(variable: str) -> SecretStr:
    """A secret that a command names by its environment variable. Raises ``SettingsError`` when it is not set."""
    found = os.environ.get(variable)
    if not found:
        raise SettingsError(f"the environment variable {variable} is not set: export it with the secret")
    return SecretStr(found)


def dkim_key(settings: Settings) -> bytes | None:
    """The private key that signs our own mail, None without one. Raises ``SettingsError``."""
    return None if settings.dkim.key_file is None else _read(settings.dkim.key_file)


def oauth_secret(value: SecretStr, file: Path | None) -> str:
    """A secret that is given as it is or as a file (surrounding white space is none of it). Raises ``SettingsError``."""
    if file is None:
        return value.get_secret_value()
    try:
        found = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: cannot be read ({error})") from error
    if not found:
        raise SettingsError(f"{file}: empty; put the secret into it")
    return found


def read_toml(file: Path) -> dict[str, Any]:
    """A TOML file as a dict. Raises ``SettingsError`` naming file and line."""
    return _parsed(_read(file), file)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise SettingsError(f"{file}: no such file") from error


def _parsed(content: bytes, file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8").replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{file}: {error}") from error


def load_policy(settings: Settings) -> Policy:
    """The policy file as it stands now. Raises ``SettingsError`` naming file and every fault."""
    return _policy(_read(settings.policy_file), settings.policy_file)


# Asked at every use so that a change bites at once: the file is read each time, and parsed when its bytes are others.
@lru_cache(maxsize=4)
def _policy(content: bytes, file: Path) -> Policy:
    try:
        return read_policy(_parsed(content, file), str(file))
    except PolicyError as error:
        raise SettingsError(str(error)) from error


def _toml(file: Path) -> dict[str, Any]:
    return read_toml(file) if file.exists() else {}


def _merged(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """``second`` over ``first``, tables merged."""
    both = {**first, **second}
    for key in first.keys() & second.keys():
        if isinstance(first[key], dict) and isinstance(second[key], dict):
            both[key] = _merged(first[key], second[key])
    return both
