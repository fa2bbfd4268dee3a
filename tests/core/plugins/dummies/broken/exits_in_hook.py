"""Ends the process where it is asked."""

import sys

from wieldy import hookimpl


@hookimpl
def wieldy_tools():
    sys.exit(3)
