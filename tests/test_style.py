"""The tests themselves: each states its rule."""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent
MODULES = sorted(HERE.rglob("test_*.py")) + sorted(
    (ROOT / "core/src/wieldy/testing").glob("*conformance.py")
)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_test_states_its_rule(path):
    """Every test has a docstring that is a sentence."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    ]
    silent = [
        node.name for node in tests if not (ast.get_docstring(node) or "").rstrip().endswith(".")
    ]
    assert silent == []
