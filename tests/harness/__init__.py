"""Shared by the tests that run programs; tests/pyproject.toml adds it to the path."""
