"""Checks the answers before anything is written: one line says what is wrong with the first that is."""

import builtins
import keyword
import re
import sys

NAME = {{ cookiecutter.name | jsonify }}
# A character beyond the first plane comes as two halves of a pair.
DESCRIPTION = {{ cookiecutter.description | jsonify }}.encode("utf-16", "surrogatepass").decode("utf-16")

OFFICIAL = {"anthropic", "bash", "bash_session", "python", "text_editor"}
RESERVED = {"plugin", "submit", "tool"}

# The package is `wieldy_NAME`; a provider takes tool names of 64 characters.
LONGEST = 50


def problem():
    """Returns what is wrong with the answers; None where nothing is."""
    module = NAME.replace("-", "_")
    if not re.fullmatch(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*", NAME):
        return f"the name {NAME!r} must be lowercase letters and digits, a letter first, with single - or _ between"
    if len(NAME) > LONGEST:
        return f"the name {NAME!r} must have at most {LONGEST} characters"
    if keyword.iskeyword(module) or keyword.issoftkeyword(module):
        return f"the name {NAME!r} is a keyword of Python; choose another one"
    if module in sys.stdlib_module_names:
        return f"the name {NAME!r} is a module of Python's standard library; choose another one"
    if hasattr(builtins, module):
        return f"the name {NAME!r} is a function of Python's own; choose another one"
    if module in OFFICIAL or module.startswith("sandbox_"):
        return f"the name {NAME!r} is that of a package of Wieldy; choose another one"
    if module in RESERVED or module.startswith("test"):
        return f"the name {NAME!r} means something else to Wieldy, to pytest or to the template; choose another one"
    if not DESCRIPTION.strip() or not DESCRIPTION.isprintable() or re.search(r'["\\]', DESCRIPTION):
        return "the description must be one line of text without double quotes and backslashes"
    return None


if problem():
    sys.exit(f"ERROR: {problem()}")
