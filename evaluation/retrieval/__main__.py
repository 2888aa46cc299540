"""``python -m evaluation.retrieval``."""

import sys

from evaluation.retrieval.command import main

if __name__ == "__main__":
    sys.exit(main())
