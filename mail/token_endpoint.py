"""Posts a form to a token endpoint: the only HTTP of the mail package."""

from collections.abc import Callable, Mapping
from time import monotonic

import httpx

from mail.errors import TokenUnavailable
from mail.oauth import OAuthSettings

_MOST_BYTES = 1 << 20


def post_form(
    settings: OAuthSettings, fields: Mapping[str, str], clock: Callable[[], float] = monotonic
) -> tuple[int, bytes]:
    """Status and body. Raises TokenUnavailable without an answer. No redirect is followed: it would carry secrets away."""
    end = clock() + settings.timeout_seconds
    limits = httpx.Timeout(settings.timeout_seconds)
    try:
        with (
            httpx.Client(timeout=limits, proxy=settings.proxy, trust_env=False, follow_redirects=False) as client,
            client.stream(
                "POST", settings.token_url, data=dict(fields), headers={"Accept": "application/json"}
            ) as answer,
        ):
            body = bytearray()
            for chunk in answer.iter_bytes():
                body += chunk
                if len(body) > _MOST_BYTES:
                    break
                if clock() > end:  # httpx limits each wait, not their sum; others wait for this sign-in
                    raise httpx.ReadTimeout("it takes too long")
            return answer.status_code, bytes(body)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        said = str(error) or type(error).__name__
        where = f"token endpoint {settings.token_url}: no answer ({said})"
        raise TokenUnavailable(f"{where}; check oauth.token_url, network and oauth.proxy") from error
