"""Makes and uses what a configuration may name; prints what came of it as JSON."""

import json

import anyio

from wieldy import ChatMessageAssistant, ChatMessageUser, PluginManager, ToolCall

CONVERSATION = [ChatMessageUser(content="hello"), ChatMessageAssistant(content="yes?")]


async def main():
    """Looks each up by its name alone."""
    plugins = await anyio.to_thread.run_sync(PluginManager.load)
    approver = plugins.approvers["acme_refuser"](reason="not today")
    approval = await approver("", ToolCall(id="1", function="any"), None, CONVERSATION)
    strategy = plugins.compactions["acme_keep_last"](count=1)
    only_users = plugins.message_filters["acme_only_users"]
    report = {
        "approver": [approval.decision, approval.explanation],
        "compaction": [each.text for each in strategy(CONVERSATION)],
        "message_filter": [each.text for each in await only_users(CONVERSATION)],
    }
    print(json.dumps(report))


anyio.run(main)
