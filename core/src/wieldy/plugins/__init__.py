"""Plugins: the hooks that they implement, and the manager that finds and calls them."""

from .hookspecs import hookimpl
from .manager import PluginManager, PluginStatus, current_plugins, use_plugins
from .registry import Registry

__all__ = [
    "PluginManager",
    "PluginStatus",
    "Registry",
    "current_plugins",
    "hookimpl",
    "use_plugins",
]
