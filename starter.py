"""What a person types: ``python starter.py --help``."""

from cli.main import main

if __name__ == "__main__":
    main()
