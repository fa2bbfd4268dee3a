"""Prints what the plugin manager found, as JSON: `report.py [BLOCKED...]`."""

import dataclasses
import json
import sys

from wieldy import PluginManager

manager = PluginManager.load(block=sys.argv[1:])
report = {
    "plugins": {each.name: dataclasses.asdict(each) for each in manager.plugins()},
    "gives": {each.name: manager.gives(each) for each in manager.plugins()},
    "conflicts": manager.conflicts(),
    "tools": sorted(manager.tools),
    "sandboxes": sorted(manager.sandboxes),
    "models": sorted(manager.models),
    "approvers": sorted(manager.approvers),
    "compactions": sorted(manager.compactions),
    "message_filters": sorted(manager.message_filters),
}
print(json.dumps(report))
