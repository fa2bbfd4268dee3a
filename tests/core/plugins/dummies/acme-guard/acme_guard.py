"""Implements every behaviour hook: what a call says decides what happens to it."""

import os
from pathlib import Path

from wieldy import Approval, hookimpl


@hookimpl
async def wieldy_approve(request):
    text = request.call.arguments.get("text")
    if text == "forbidden":
        return Approval(decision="reject", explanation="acme forbids that")
    if text == "the end":
        return Approval(decision="terminate", explanation="acme has seen enough")
    if text == "rude":
        polite = request.call.model_copy(update={"arguments": {"text": "polite"}})
        return Approval(decision="modify", modified=polite)
    return None


@hookimpl
def wieldy_truncate_output(output, limit):
    return f"acme: {len(output)} characters, {limit} allowed"


@hookimpl
def wieldy_event(event):
    log = os.environ.get("ACME_LOG")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(event.type + "\n")
