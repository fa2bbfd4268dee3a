"""Agents: the ReAct loop, and running an agent."""

from .agent import Agent, AgentState, Ended, EndReason, NamedAgent, agent, agent_name, agent_with
from .prompts import AgentPrompt
from .react import AgentContinue, react
from .run import run
from .submit import AgentSubmit

__all__ = [
    "Agent",
    "AgentContinue",
    "AgentPrompt",
    "AgentState",
    "AgentSubmit",
    "EndReason",
    "Ended",
    "NamedAgent",
    "agent",
    "agent_name",
    "agent_with",
    "react",
    "run",
]
