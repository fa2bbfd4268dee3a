"""The python tool for wieldy."""

from .python import python

__all__ = ["python"]
