"""Ends the process where it should add its commands."""

import sys

from wieldy import hookimpl


@hookimpl
def wieldy_cli(cli):
    sys.exit("no commands today")
