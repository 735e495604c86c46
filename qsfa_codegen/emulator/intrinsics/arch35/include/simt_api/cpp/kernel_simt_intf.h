// Stands for the header of this name in a toolkit: SIMT is not emulated.
