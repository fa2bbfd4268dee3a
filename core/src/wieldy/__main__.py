"""The `wieldy` command, as an entry point and as `python -m wieldy`."""

import sys

INTERRUPTED = 130  # 128 and the number of SIGINT


def main() -> None:
    """Runs the command; Ctrl-C ends it quietly also while it is still being loaded."""
    try:
        from .cli.main import main as command  # noqa: PLC0415 - the loading is what may be interrupted

        command()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
