"""How a service is reached, as settings say it."""

import httpx
import pytest
from pydantic import ValidationError

from activities.addresses import service_address
from odata.auth import BasicAuth, BearerAuth, ClientCredentials
from settings import ODataService, Settings

TOKEN = {"token_url": "https://id.test/token", "client_id": "id", "client_secret": "secret"}


def settings(own, **defaults):
    return Settings(odata={"base_url": "https://all.test/{service}/", "services": {"S": own}, **defaults})


def test_what_a_service_does_not_say_comes_from_the_defaults():
    found = service_address(settings({"language": "de"}, sap_client="100", timeout_seconds=9, repeatability=True), "S")
    assert (found.url, found.sap_client, found.language) == ("https://all.test/S/", "100", "de")
    assert (found.timeout_seconds, found.repeatable, found.csrf, found.auth) == (9, True, True, None)


def test_a_service_has_the_last_word():
    own = {"url": "https://own.test/", "repeatability": False, "csrf": False, "proxy": "http://proxy.test:1"}
    found = service_address(settings(own, repeatability=True), "S")
    assert (found.url, found.repeatable, found.csrf, found.proxy) == (
        "https://own.test/",
        False,
        False,
        "http://proxy.test:1",
    )


@pytest.mark.parametrize(
    ("own", "kind"),
    [({"user": "a", "password": "b"}, BasicAuth), ({"bearer": "t"}, BearerAuth), (TOKEN, ClientCredentials)],
)
def test_each_login_has_its_flow(own, kind):
    assert isinstance(service_address(settings(own), "S").auth, kind)


@pytest.mark.parametrize(
    ("own", "fault"),
    [({"user": "a", "bearer": "t"}, "one login"), ({"token_url": "https://id.test"}, "client_id and client_secret")],
)
def test_logins_that_nobody_can_use_are_refused(own, fault):
    with pytest.raises(ValidationError, match=fault):
        ODataService(**own)


def test_secrets_show_nowhere():
    own = {**TOKEN, "headers": {"apikey": "secret-key"}, "proxy": "http://u:secret@proxy.test"}
    made = settings(own)
    assert "secret" not in f"{made!r} {service_address(made, 'S')!r}".replace("client_secret", "")
    assert service_address(made, "S").headers == {"apikey": "secret-key"}


def test_without_an_address_there_is_none():
    assert service_address(Settings(), "S") is None
    assert isinstance(service_address(settings({}), "S").url, str)
    assert httpx.URL(service_address(settings({}), "T").url).path == "/T/"
