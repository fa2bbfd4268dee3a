"""What an approver is asked and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from pydantic import BaseModel, ConfigDict

from ..messages import ChatMessage, ToolCall, ToolCallView

ApprovalDecision: TypeAlias = Literal["approve", "modify", "reject", "terminate", "escalate"]
"""Run it; run it with other arguments; do not run it; end the run; let the next approver decide."""

STRICTNESS: dict[ApprovalDecision, int] = {
    "escalate": 0,
    "approve": 1,
    "modify": 2,
    "reject": 3,
    "terminate": 4,
}
"""How strict each decision is; of several answers the strictest wins."""


class Approval(BaseModel):
    """The answer of an approver."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    decision: ApprovalDecision
    """What is to be done."""
    modified: ToolCall | None = None
    """With "modify": the call that is to run instead; the same tool, other arguments."""
    explanation: str | None = None
    """Why; the model reads it where the call is rejected, the user where the run ends."""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """One call that wants to run.

    Attributes:
        call: The call; its arguments are checked, and are those that will run.
        view: How the tool shows the call to people; None where it has no view of its own.
        message: What the model said with the call.
        history: The conversation before it.
    """

    call: ToolCall
    view: ToolCallView | None
    message: str
    history: Sequence[ChatMessage]


class Approver(Protocol):
    """An async function that decides on calls."""

    async def __call__(
        self,
        message: str,
        call: ToolCall,
        view: ToolCallView | None,
        history: Sequence[ChatMessage],
    ) -> Approval:
        """Decides on one call; the arguments are the fields of `ApprovalRequest`."""
        ...
