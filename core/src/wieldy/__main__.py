"""`python -m wieldy` is the `wieldy` command."""

from .cli.main import main

if __name__ == "__main__":
    main()
