// Stands for the header of this name in a toolkit: its numbers are in stub_def.h.
