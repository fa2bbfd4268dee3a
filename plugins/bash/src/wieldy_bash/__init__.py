"""The bash tool for wieldy."""

from .bash import bash

__all__ = ["bash"]
