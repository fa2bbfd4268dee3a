"""Fails where it should add its commands."""

from wieldy import hookimpl


@hookimpl
def wieldy_cli(cli):
    msg = "no terminal"
    raise RuntimeError(msg)
