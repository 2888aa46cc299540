"""The command line as a whole: options before the command, one line per error, stable exit codes."""

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command

from cli import audit, call, demo, erase, graph_commands, ingest, operators, policy_commands, refused, runs, settle, up
from cli.context import Context
from cli.doctor.command import doctor
from cli.errors import CommandError
from cli.exit_codes import Exit
from cli.output import complain

_WRONG_PATH = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)

app = typer.Typer(
    name="starter.py",
    help="Countersign: agents draft calls to enterprise systems; nothing takes effect before a named human countersigned it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def options(
    context: typer.Context,
    state: Annotated[Path | None, typer.Option(help="State folder. Default: COUNTERSIGN_STATE_DIR or ./state")] = None,
    json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the stack trace of an error.")] = False,
) -> None:
    """Options that stand before the command."""
    context.obj = Context(state_dir=state, json=json, debug=debug)


app.add_typer(policy_commands.app, name="policy")
app.command("up")(up.up)
app.command("run")(runs.run)
app.command("list")(runs.list_runs)
app.command("show")(runs.show)
app.command("wait")(runs.wait)
app.command("cancel")(runs.cancel)
app.command("waiting")(operators.waiting)
app.command("reissue")(operators.reissue)
app.command("extend")(operators.extend)
app.command("delegate")(operators.delegate)
app.command("replace")(operators.replace)
app.command("release")(operators.release)
app.command("confirm")(operators.confirm)
app.command("note")(operators.note)
app.command("settle")(settle.settle)
app.add_typer(refused.app, name="refused")
app.command("erase")(erase.erase)
app.command("ingest")(ingest.ingest)
app.command("search")(graph_commands.search)
app.command("call")(call.call)
app.command("audit")(audit.audit)
app.command("doctor")(doctor)
app.command("demo")(demo.demo)


def run_command(arguments: Sequence[str]) -> int:
    """Run one command and answer its exit code; an error is one line, with ``--debug`` a stack trace too."""
    debug = "--debug" in arguments
    # --json and --debug may stand anywhere: people type them last.
    early = [a for a in arguments if a in ("--json", "--debug")]
    rest = [a for a in arguments if a not in ("--json", "--debug")]
    unreadable = next((a for a in rest if not _is_text(a)), None)
    if unreadable is not None:
        return _failed(f"argument {ascii(unreadable)} is no UTF-8: write or rename it so", Exit.USAGE, debug)
    try:
        result = get_command(app).main(args=[*early, *rest], prog_name="starter.py", standalone_mode=False)
    except CommandError as error:
        return _failed(str(error), error.code, debug)
    except typer.Abort:
        return _failed("interrupted", Exit.INTERRUPTED, debug)
    except KeyboardInterrupt:
        return _failed("interrupted", Exit.INTERRUPTED, debug)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _failed(
            f"{where}{error.strerror or error}", Exit.USAGE if isinstance(error, _WRONG_PATH) else Exit.FAILED, debug
        )
    except RecursionError:
        return _failed("the input is nested too deeply to be read", Exit.USAGE, debug)
    except Exception as error:
        usage = getattr(error, "format_message", None)
        if usage is not None:
            return _failed(f"{usage()} ({_help(error)} shows how)", Exit.USAGE, debug)
        return _failed(f"{type(error).__name__}: {error} (--debug shows where)", Exit.FAILED, debug)
    return result if isinstance(result, int) else Exit.OK


def _is_text(argument: str) -> bool:
    """Bytes that are no UTF-8 reach Python as lone surrogates, which nothing can store or print."""
    return not any("\ud800" <= char <= "\udfff" for char in argument)


def _help(error: Exception) -> str:
    """The help of the command that was used wrongly."""
    used = getattr(error, "ctx", None)
    return f"{used.command_path if used is not None else 'starter.py'} --help"


def _failed(message: str, code: int, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    complain(f"starter.py: {message}")
    return int(code)


def main() -> None:
    """Run and leave. ``os._exit`` because the SDK's native threads can crash the interpreter while it ends."""
    code = run_command(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
