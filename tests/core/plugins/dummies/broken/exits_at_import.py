"""Ends the process where it is imported."""

import sys

sys.exit("no licence was found")
