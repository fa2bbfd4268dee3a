"""The {{ cookiecutter.name }} tool for Wieldy."""

from .{{ cookiecutter.__function }} import {{ cookiecutter.__function }}

__all__ = ["{{ cookiecutter.__function }}"]
