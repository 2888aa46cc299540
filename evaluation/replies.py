"""Judges reply cases: ``python -m evaluation.replies DIR --json OUT``.

Runs each case of ``DIR`` (raw mails, ``context.json``, ``expected.tsv``) through the real parser, authenticity check, ledger
and gates, and writes ``{"cases": {name: {"outcome", "reason"}}, "wrong": [...]}``. Exit code 1 when an outcome is not among
the wanted ones, 2 when the folder cannot be read.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from evaluation.reply_world import CasesError, Context, ReplyWorld, load_context, make_policy
from ledger.judging import IncomingMail
from ledger.store import Ledger
from mail.authenticity import check_authenticity
from mail.errors import KeywordsError
from mail.reply_parser import parse_reply
from wire.approval import Judgement, Outcome


def load_expected(folder: Path) -> dict[str, tuple[str, ...]]:
    """Wanted outcomes by case name. Raises CasesError."""
    path = folder / "expected.tsv"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CasesError(f"{path}: {error.strerror}") from error
    if not lines or lines[0].split("\t")[:2] != ["file", "want"]:
        raise CasesError(f"{path}: the first line must name the columns file, want")
    wanted: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) < 2:
            raise CasesError(f"{path}, line {number}: fewer than two columns")
        wanted[cells[0].removesuffix(".eml")] = tuple(cells[1].split("|"))
    return wanted


def read_case(folder: Path, context: Context, name: str) -> IncomingMail:
    """The mail of a case as the mailroom would hand it over."""
    try:
        raw = (folder / f"{name}.eml").read_bytes()
    except OSError as error:
        raise CasesError(f"{folder / name}.eml: {error.strerror}") from error
    override = context.override(name)
    parsed = parse_reply(
        raw,
        languages=context.languages if override.languages is None else override.languages,
        own_addresses=context.own_addresses(),
        own_message_ids=[request.message_id.strip("<> ") for request in context.requests],
    )
    received_at = override.received_at or context.received_at
    proof = check_authenticity(raw, context.trust.profile())
    return IncomingMail(raw=raw, parsed=parsed, authenticity=proof, received_at=received_at)


def judge_case(folder: Path, context: Context, name: str, ledger: Ledger) -> Judgement:
    """The judgement on a case, after the cases that came before it."""
    override = context.override(name)
    policy = make_policy(context, context.delegates if override.delegates is None else override.delegates)
    for earlier in override.after:
        mail = read_case(folder, context, earlier)
        ledger.judge_batch([mail], policy, mail.received_at)
    mail = read_case(folder, context, name)
    return ledger.judge_batch([mail], policy, mail.received_at)[0]


def outcome_of(judgement: Judgement) -> str:
    """The outcome in the words of the cases: an untouched mail is refused, a bounce is no person's answer."""
    if judgement.outcome is Outcome.UNTOUCHED:
        return Outcome.REFUSED.value
    return (Outcome.IGNORED if judgement.outcome is Outcome.UNDELIVERABLE else judgement.outcome).value


def judge_folder(folder: Path) -> dict[str, object]:
    """All cases of a folder in the form of the output file."""
    context, wanted = load_context(folder), load_expected(folder)
    cases: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        world = ReplyWorld(context, Path(scratch))
        for name in wanted:
            with world.ledger() as ledger:
                judgement = judge_case(folder, context, name, ledger)
            cases[name] = {"outcome": outcome_of(judgement), "reason": judgement.reason}
    wrong = [name for name, outcomes in wanted.items() if cases[name]["outcome"] not in outcomes]
    return {"cases": cases, "wrong": wrong}


def main() -> int:
    """Exit code as the module says."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.replies", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--json", type=Path, required=True, metavar="OUT")
    given = parser.parse_args()
    try:
        result = judge_folder(given.folder)
    except (CasesError, KeywordsError) as error:
        print(f"evaluation.replies: {error}", file=sys.stderr)
        return 2
    given.json.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    wrong = result["wrong"]
    assert isinstance(wrong, list)
    cases = result["cases"]
    assert isinstance(cases, dict)
    print(f"{len(cases) - len(wrong)} of {len(cases)} reply cases right")
    for name in wrong:
        print(f"wrong: {name}: {cases[name]['outcome']} ({cases[name]['reason']})")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
