"""Runs the generated kernel of a spec through the emulator, and holds its outputs against the reference."""
