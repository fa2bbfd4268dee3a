"""How earlier results are shown to a model again, where their tools have a say in it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ..messages import ChatMessage, ChatMessageTool
from ..tools import ToolDef


def as_model_input(
    messages: Sequence[ChatMessage], tools: Mapping[str, ToolDef]
) -> Sequence[ChatMessage]:
    """Returns a conversation as its tools want it shown to the model; the one given stays as it is.

    Args:
        messages: The conversation.
        tools: The tools that exist, by name.
    """
    shown = {name: tool.model_input for name, tool in tools.items() if tool.model_input}
    if not shown:
        return messages
    totals = Counter(each.function for each in messages if isinstance(each, ChatMessageTool))
    seen: Counter[str] = Counter()
    result: list[ChatMessage] = []
    for message in messages:
        kept = message
        if isinstance(message, ChatMessageTool) and message.function in shown:
            name = message.function
            content = shown[name](seen[name], totals[name], message.content)
            kept = message.model_copy(update={"content": content})
            seen[name] += 1
        result.append(kept)
    return result
