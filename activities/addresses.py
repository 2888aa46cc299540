"""Settings -> how a service is reached: its address, its login, and what goes with every request."""

import httpx

from activities.services import Address
from odata.auth import BasicAuth, BearerAuth, ClientCredentials
from settings import ODataService, Settings


def service_address(settings: Settings, service: str) -> Address | None:
    """Where a service is, from its own settings or the defaults of all; None when neither names an address."""
    defaults = settings.odata
    own = defaults.services.get(service) or ODataService()
    url = own.url or defaults.base_url.replace("{service}", service)
    if not url:
        return None
    proxy = own.proxy or defaults.proxy
    return Address(
        url=url,
        repeatable=defaults.repeatability if own.repeatability is None else own.repeatability,
        auth=auth_of(own),
        headers=headers_of(own),
        sap_client=own.sap_client or defaults.sap_client,
        language=own.language or defaults.language,
        timeout_seconds=own.timeout_seconds or defaults.timeout_seconds,
        proxy=proxy.get_secret_value() if proxy else None,
        csrf=defaults.csrf if own.csrf is None else own.csrf,
    )


def auth_of(own: ODataService) -> httpx.Auth | None:
    """The login of a service; settings hold at most one."""
    if own.token_url is not None and own.client_id is not None and own.client_secret is not None:
        return ClientCredentials(own.token_url, own.client_id, own.client_secret.get_secret_value(), own.scope)
    if own.bearer is not None:
        return BearerAuth(own.bearer.get_secret_value())
    if own.user:
        return BasicAuth(own.user, own.password.get_secret_value() if own.password else "")
    return None


def headers_of(own: ODataService) -> dict[str, str]:
    """Headers of every request to the service."""
    return {name: value.get_secret_value() for name, value in own.headers.items()}
