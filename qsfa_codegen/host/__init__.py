"""Runs generated host code on this machine: a stand-in for the SDK, a runner, and an engine for calls."""
