"""The login side of the IMAP server: users by address, one shared set of mailboxes each."""

from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path

from pymap.backend.session import BaseSession
from pymap.config import BackendCapability, IMAPConfig
from pymap.exceptions import AuthorizationFailure, InvalidAuth, NotAllowedError
from pymap.health import HealthStatus
from pymap.interfaces.backend import BackendInterface
from pymap.interfaces.login import IdentityInterface, LoginInterface
from pymap.token import AllTokens
from pymap.user import UserMetadata
from pysasl.creds.server import ServerCredentials
from pysasl.hashing import Cleartext

from embedded.mail_server.mailbox import StoredMailboxes, StoredMessage
from embedded.mail_server.users import User


class ServerConfig(IMAPConfig):
    """Settings of the IMAP side: loopback, plain text, IDLE on."""

    def __init__(self, host: str, port: int, admin_key: bytes) -> None:
        args = Namespace(inherited_sockets=None, passlib_cfg=None, proxy_protocol=None, debug=False)
        super().__init__(
            args, host=host, port=port, tls_enabled=False, secure_auth=False, reject_dnsbl=False, admin_key=admin_key,
            hash_context=Cleartext(), max_append_len=64 << 20, bad_command_limit=20,
        )  # fmt: skip

    @property
    def backend_capability(self) -> BackendCapability:
        """What the mailboxes can do."""
        return BackendCapability(idle=True, object_id=True, multi_append=True)


class MailboxSession(BaseSession[StoredMessage]):
    """One IMAP connection of one user."""

    def __init__(self, owner: str, config: ServerConfig, mailboxes: StoredMailboxes) -> None:
        super().__init__(owner)
        self._config = config
        self._mailboxes = mailboxes

    @property
    def config(self) -> ServerConfig:
        """The server's settings."""
        return self._config

    @property
    def mailbox_set(self) -> StoredMailboxes:
        """The user's folders."""
        return self._mailboxes


class UserIdentity(IdentityInterface):
    """A user who logged in."""

    def __init__(self, login: "UserLogin", name: str) -> None:
        self._login = login
        self._name = name

    @property
    def name(self) -> str:
        """The address."""
        return self._name

    @property
    def roles(self) -> frozenset[str]:
        """None."""
        return frozenset()

    async def new_token(self, *, expiration: datetime | None = None) -> str | None:
        """Tokens are not offered."""
        return None

    @asynccontextmanager
    async def new_session(self) -> AsyncIterator[MailboxSession]:
        """A session on the user's shared folders."""
        yield MailboxSession(self._name, self._login.config, self._login.mailboxes[self._name])

    async def get(self) -> UserMetadata:
        """The user's record."""
        return UserMetadata(self._login.config, self._name, password=self._login.users[self._name].password)

    async def set(self, metadata: UserMetadata) -> int | None:
        """Users come from the users file only."""
        raise NotAllowedError("Users are read from the users file.")

    async def delete(self) -> None:
        """Users come from the users file only."""
        raise NotAllowedError("Users are read from the users file.")


class UserLogin(LoginInterface):
    """Checks addresses and passwords."""

    def __init__(self, config: ServerConfig, users: dict[str, User], home: Path, new_uidvalidity: int) -> None:
        self.config = config
        self.users = users
        self.mailboxes = {address: StoredMailboxes(home / address, new_uidvalidity) for address in users}
        self._tokens = AllTokens(config)

    @property
    def tokens(self) -> AllTokens:
        """pymap's token services (unused)."""
        return self._tokens

    async def authenticate(self, credentials: ServerCredentials) -> UserIdentity:
        """Raises InvalidAuth unless address and password are those of one user."""
        name = credentials.authcid.lower()
        user = self.users.get(name)
        if user is None or not credentials.verify(
            UserMetadata(self.config, credentials.authcid, password=user.password)
        ):
            raise InvalidAuth
        return UserIdentity(self, name)

    async def authorize(self, authenticated: IdentityInterface, authzid: str) -> UserIdentity:
        """Everybody may only be themselves."""
        if authenticated.name != authzid.lower():
            raise AuthorizationFailure
        return UserIdentity(self, authenticated.name)


class MaildirBackend(BackendInterface):
    """What pymap's IMAP service starts from."""

    def __init__(self, login: UserLogin) -> None:
        super().__init__()
        self._login = login
        self._status = HealthStatus()

    @property
    def login(self) -> UserLogin:
        """The login service."""
        return self._login

    @property
    def config(self) -> ServerConfig:
        """The settings."""
        return self._login.config

    @property
    def status(self) -> HealthStatus:
        """pymap's health (unused)."""
        return self._status

    @classmethod
    def add_subparser(cls, name: str, subparsers: object) -> None:  # type: ignore[override]
        """pymap's own command line is not used."""

    @classmethod
    async def init(cls, args: Namespace, **overrides: object) -> tuple["MaildirBackend", ServerConfig]:
        """pymap's own command line is not used."""
        raise NotImplementedError("started by embedded.mail_server only")

    async def start(self, stack: AsyncExitStack) -> None:
        """Nothing runs beside the service."""
