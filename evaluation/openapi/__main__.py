"""``python -m evaluation.openapi``."""

import sys

from evaluation.openapi.command import main

if __name__ == "__main__":
    sys.exit(main())
