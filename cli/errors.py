"""Errors of the commands.

CommandError          a command could not do what was asked; one line, an exit code
"""

from cli.exit_codes import Exit


class CommandError(Exception):
    """One line that says what is wrong and what to do, and the exit code that goes with it."""

    def __init__(self, message: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(message)
        self.code = code
