"""Imports what is not installed."""

import acme_library_that_is_not_installed  # noqa: F401
