"""Benchmarks of the program and of what it generates."""
