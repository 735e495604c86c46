"""Holds generated host code against the contract: calls without end, and small cases of what differs."""
