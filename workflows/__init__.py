"""Temporal workflows: they import rules and types only, and read as the list of stages of a run."""
