"""Implements a hook that nearly exists."""

from wieldy import hookimpl


@hookimpl
def wieldy_aprove(request):
    return None
