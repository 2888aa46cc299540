"""Foreign text that every database takes."""


def storable(text: str, limit: int = 500) -> str:
    """Foreign text made safe for any database: PostgreSQL refuses NUL, UTF-8 refuses lone surrogates; bounded in length."""
    clean = text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\x00", "\\x00")
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
