"""Runs Ascend C kernels on the CPU, one instruction at a time, and says what would go wrong on hardware."""
