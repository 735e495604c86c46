"""Contracts as terms of the solver z3."""
