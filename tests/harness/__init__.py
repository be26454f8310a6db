"""Shared by the tests that run whole programs; tests/pyproject.toml puts it on the path."""
