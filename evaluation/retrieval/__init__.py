"""How well endpoints are found: ``python -m evaluation.retrieval``. See ``docs/evaluation-retrieval.md``."""
