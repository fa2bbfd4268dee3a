"""Would take the place of a command of wieldy."""

from wieldy import hookimpl


@hookimpl
def wieldy_cli(cli):
    @cli.command("tools")
    def tools():
        """Lists nothing."""
