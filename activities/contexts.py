"""Typed contexts as the turns of a run use them: the stored bytes are proven at every turn, and parsed once."""

from collections import OrderedDict
from threading import Lock

from wire.context import TypedContext

MOST_KEPT = 64


class Contexts:
    """The contexts used last, by the digest of their bytes."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, TypedContext] = OrderedDict()
        self._lock = Lock()

    def keep(self, digest: str, context: TypedContext) -> None:
        """Keep the context whose JSON hashes to ``digest``."""
        with self._lock:
            self._kept[digest] = context
            self._kept.move_to_end(digest)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def read(self, digest: str, body: bytes) -> TypedContext:
        """The context in ``body``, which the caller has proven to hash to ``digest``."""
        with self._lock:
            known = self._kept.get(digest)
        context = known or TypedContext.model_validate_json(body)
        self.keep(digest, context)
        return context
