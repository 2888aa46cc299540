"""Room for documents that nest deeply. The XML parser ends at 2,048 levels; Python's own limit is far below what they need."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

# The readers take up to six calls for one level of XML.
_ENOUGH = 16_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Raise the limit of nested calls while a document is read, and put it back."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _ENOUGH))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
