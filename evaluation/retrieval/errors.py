"""What this evaluation may raise.

EvaluationError
├── BenchError       a benchmark folder is missing, incomplete, or contradicts another
└── UnknownChoice    a split, method or model that is not there
"""


class EvaluationError(Exception):
    """Base; the message names the file and line, or the option, and says what to do."""


class BenchError(EvaluationError):
    """A file of a benchmark folder cannot be used."""


class UnknownChoice(EvaluationError):
    """An option names something that does not exist."""
