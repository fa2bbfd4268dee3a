"""The version of every Wieldy distribution; each pyproject.toml reads it here."""

__version__ = "0.1.0"
