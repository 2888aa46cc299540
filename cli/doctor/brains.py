"""The brain: the planner needs nothing; a model's endpoint must answer."""

from collections.abc import Sequence

import httpx

from cli.doctor.finding import Finding, right, warning, wrong
from settings import Model, Settings


def look_at_brain(
    settings: Settings, seconds: float, transport: httpx.BaseTransport | None = None
) -> Sequence[Finding]:
    """Ask the endpoint which models it has: the one request that every server answers and that costs nothing."""
    model = settings.model
    if settings.brain_script is not None:
        return [warning("brain", f"{settings.brain}: a script for tests decides", "unset COUNTERSIGN_BRAIN_SCRIPT")]
    if not model.base_url:
        return [right("brain", "the deterministic planner; no endpoint is needed")]
    url = f"{model.base_url.rstrip('/')}/models"
    with httpx.Client(transport=transport, timeout=seconds, follow_redirects=False) as client:
        try:
            answer = client.get(url, headers=_login(model), params=dict(model.extra_query))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return [
                wrong("brain", f"{url} does not answer: {error}", "check COUNTERSIGN_MODEL__BASE_URL and the server")
            ]
    if answer.status_code in (401, 403):
        mend = "check COUNTERSIGN_MODEL__API_KEY and __API_KEY_HEADER"
        return [wrong("brain", f"{url} refuses the key (HTTP {answer.status_code})", mend)]
    if answer.status_code != 200:
        mend = "reachable; whether it answers chat requests, the first run shows"
        return [warning("brain", f"{url} says HTTP {answer.status_code}", mend)]
    return [_of_models(settings, answer, url)]


def _login(model: Model) -> dict[str, str]:
    key = model.api_key.get_secret_value()
    if not key:
        return {}
    return {"api-key": key} if model.api_key_header == "api-key" else {"Authorization": f"Bearer {key}"}


def _of_models(settings: Settings, answer: httpx.Response, url: str) -> Finding:
    try:
        names = [str(item.get("id", "")) for item in answer.json().get("data", [])]
    except (ValueError, AttributeError, TypeError):
        names = []
    if names and settings.model.name not in names:
        mend = f"set COUNTERSIGN_MODEL__NAME to one of {', '.join(names[:5])}"
        return warning("brain", f"{url} answers and does not list {settings.model.name}", mend)
    return right("brain", f"{settings.brain}: {url} answers")
