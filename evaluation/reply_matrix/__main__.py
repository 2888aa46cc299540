"""Judges generated replies: ``python -m evaluation.reply_matrix --out DIR --json OUT``.

Writes the cases to DIR (``python -m evaluation.replies DIR --json …`` judges the same folder) and counts by group. Exit code 1
when any case has another outcome than a right one.
"""

import argparse
import json
import sys
from pathlib import Path

from evaluation.reply_matrix.judge import all_cases, judge, write_cases


def main() -> int:
    """Exit code as the module says."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.reply_matrix", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the cases are written")
    parser.add_argument("--json", type=Path, required=True, metavar="OUT", help="where the counts are written")
    given = parser.parse_args()
    cases = all_cases()
    write_cases(given.out, cases)
    result = judge(given.out, cases)
    given.json.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name, count in result["groups"].items():
        print(
            f"{name:13} {count['right']} of {count['cases']} right; wrongly believed {count['wrongly_believed']}"
            f" (true rate under {count['upper_95']:.2%}, 95 %)"
        )
    for fault in result["wrong"]:
        wanted = "|".join(fault["want"])
        print(f"wrong: {fault['case']}: {fault['outcome']} ({fault['reason']}), wanted {wanted}: {fault['shows']}")
    return 1 if result["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
