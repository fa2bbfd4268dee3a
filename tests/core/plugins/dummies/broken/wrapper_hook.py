"""Wraps a hook."""

from wieldy import hookimpl


@hookimpl(wrapper=True)
def wieldy_approve(request):
    return (yield)
