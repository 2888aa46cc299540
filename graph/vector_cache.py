"""Vectors by the content hash of their text, kept over snapshots, so that a rebuild encodes only what changed."""

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from graph.embeddings_port import Embedder, Vectors, no_vectors

_CHUNK = 500  # below SQLite's oldest limit on bound parameters (999)
_BLOCK = 256


class VectorCache:
    """One SQLite file per embedding model. Several processes may use it at once: rows are only ever added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def embed(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """Vectors of ``texts`` as passages, row by row; only texts never seen before are encoded."""
        dims = embedder.fingerprint.dims
        path = self._folder / f"{embedder.fingerprint.key}.sqlite"
        self._folder.mkdir(parents=True, exist_ok=True)
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        known = _known(path, keys, dims)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        # By length, so that a block pads little, and block by block, so that a kill loses one block and not minutes.
        waiting = sorted(missing, key=lambda key: (len(missing[key]), key))
        for start in range(0, len(waiting), _BLOCK):
            some = waiting[start : start + _BLOCK]
            encoded = dict(zip(some, embedder.embed_passages([missing[key] for key in some]), strict=True))
            known.update(encoded)
            _add(path, encoded.items())
        return np.stack([known[key] for key in keys]) if keys else no_vectors(dims)


def _known(path: Path, keys: Sequence[bytes], dims: int) -> dict[bytes, Vectors]:
    """What the file holds of ``keys``; a damaged file is put aside, since all of it can be encoded again."""
    try:
        return _read(path, keys, dims)
    except sqlite3.OperationalError:
        raise  # locked, or the disk is full: nothing is wrong with the content
    except sqlite3.DatabaseError:
        path.replace(path.with_suffix(".damaged"))
        return _read(path, keys, dims)


def _read(path: Path, keys: Sequence[bytes], dims: int) -> dict[bytes, Vectors]:
    found: dict[bytes, Vectors] = {}
    with closing(sqlite3.connect(path, timeout=60)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        for start in range(0, len(keys), _CHUNK):
            some = keys[start : start + _CHUNK]
            marks = ",".join("?" * len(some))
            for key, vector in database.execute(f"SELECT text, vector FROM vectors WHERE text IN ({marks})", some):
                if len(vector) == dims * 4:
                    found[bytes(key)] = np.frombuffer(vector, dtype=np.float32)
    return found


def _add(path: Path, vectors: Iterable[tuple[bytes, Vectors]]) -> None:
    with closing(sqlite3.connect(path, timeout=60)) as database, database:
        rows = [(key, vector.tobytes()) for key, vector in vectors]
        database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
