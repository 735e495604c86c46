"""Compiler from one operator spec to a whole Ascend operator package."""

__version__ = "0.1.0"
