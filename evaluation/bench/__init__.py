"""Measures of the whole system: ``python -m evaluation.bench``. Nothing is imported here: the floor's workflow lives beside."""
