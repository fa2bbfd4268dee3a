"""Approval: who decides whether a call runs."""

from .approval import STRICTNESS, Approval, ApprovalDecision, ApprovalRequest, Approver

__all__ = ["STRICTNESS", "Approval", "ApprovalDecision", "ApprovalRequest", "Approver"]
