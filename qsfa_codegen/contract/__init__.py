"""Is a concrete call legal, what comes out of it, and which calls does a spec imply."""
