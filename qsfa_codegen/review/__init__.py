"""What the edit of a spec did: to callers, to built kernels, to the docs."""
