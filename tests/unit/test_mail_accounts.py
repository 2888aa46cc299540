"""Settings of a mail account become IMAP and SMTP accounts; two logins at once, plain lines and empty secrets are said."""

from pathlib import Path

import pytest

from mail_accounts import imap_account, smtp_account
from settings import Settings, SettingsError, load_settings
from tests.identity_provider import identity_provider

OAUTH = {"token_url": "https://login.example/token", "client_id": "app", "refresh_token": "r"}


def read(tmp_path: Path, **imap: object) -> Settings:
    given = {"host": "imap.example", "port": 993, "user": "a@b.example", "security": "tls"} | imap
    return Settings(state_dir=tmp_path, imap=given)


def test_password_account(tmp_path):
    account = imap_account(read(tmp_path, password="p"))
    assert (account.username, account.password, account.tokens, account.security) == ("a@b.example", "p", None, "tls")


def test_secrets_from_files_reach_the_endpoint(tmp_path):
    (tmp_path / "refresh").write_text("refresh-0\n")
    (tmp_path / "secret").write_text("s3cret\n")
    with identity_provider() as provider:
        oauth = {"token_url": f"{provider.url}/token", "client_id": "app", "mechanism": "oauthbearer"}
        oauth |= {"client_secret_file": tmp_path / "secret", "refresh_token_file": tmp_path / "refresh"}
        account = imap_account(read(tmp_path, oauth=oauth))
        assert account.tokens is not None
        assert (account.tokens.token().value, account.mechanism) == ("access-1", "oauthbearer")


def test_smtp_account_has_tokens_of_its_own(tmp_path):
    settings = Settings(state_dir=tmp_path, smtp={"host": "localhost", "port": 25, "user": "a", "oauth": OAUTH})
    assert smtp_account(settings).tokens is not None
    assert imap_account(settings).tokens is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"password": "p", "oauth": OAUTH}, r"imap: .*password and oauth are both given"),
        ({"oauth": OAUTH, "security": "none"}, r"imap: .*oauth needs security = tls"),
        ({"oauth": OAUTH, "user": ""}, r"imap: .*oauth needs user"),
        ({"oauth": OAUTH | {"token_url": "http://login.example/"}}, r"imap\.oauth: .*must begin with https"),
        ({"oauth": OAUTH | {"refresh_token_file": "f"}}, r"imap\.oauth: .*give refresh_token or refresh_token_file"),
        ({"oauth": OAUTH | {"refresh_token": ""}}, r"imap\.oauth: .*give refresh_token, or client_secret"),
        ({"oauth": OAUTH | {"token_url": "https://u:p@login.example/"}}, r"imap\.oauth: .*user or password"),
        ({"oauth": {"token_url": "https://x/"}}, r"imap\.oauth\.client_id: Field required"),
    ],
)
def test_what_cannot_be_meant_is_said(tmp_path, monkeypatch, changes, said):
    lines = [f"{name} = {toml(value)}" for name, value in ({"user": "a", "security": "tls"} | changes).items()]
    lines[0] = lines[0] if "host" in changes else f'host = "imap.example"\n{lines[0]}'
    monkeypatch.chdir(tmp_path)
    (tmp_path / "countersign.toml").write_text("[imap]\n" + "\n".join(lines))
    with pytest.raises(SettingsError, match=said):
        load_settings(tmp_path)


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + "}"
    return f'"{value}"'


@pytest.mark.parametrize(("content", "said"), [(None, "cannot be read"), ("\n", "empty; put the secret into it")])
def test_unusable_secret_file(tmp_path, content, said):
    file = tmp_path / "refresh"
    if content is not None:
        file.write_text(content)
    oauth = {name: value for name, value in OAUTH.items() if name != "refresh_token"} | {"refresh_token_file": file}
    with pytest.raises(SettingsError, match=f"refresh: {said}"):
        imap_account(read(tmp_path, oauth=oauth))


def test_secret_from_the_environment_joins_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERSIGN_IMAP__OAUTH__REFRESH_TOKEN", "from-env")
    monkeypatch.setenv("COUNTERSIGN_IMAP__PASSWORD", "")
    (tmp_path / "parts.toml").write_text('[imap]\nport = 993\npassword = "embedded"\n')
    lines = [
        "[imap]",
        'user = "a@b.example"',
        "[imap.oauth]",
        'token_url = "https://login.example/"',
        'client_id = "app"',
    ]
    (tmp_path / "countersign.toml").write_text("\n".join(lines))
    oauth = load_settings(tmp_path).imap.oauth
    assert oauth is not None
    assert (oauth.refresh_token.get_secret_value(), oauth.client_id) == ("from-env", "app")
    assert "from-env" not in repr(oauth)
