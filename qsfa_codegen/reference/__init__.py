"""What kernel families compute, once more: numpy and float64, written from the formulas.

Nothing here is shared with generated code, so that one can tell what is wrong in the other.
"""
