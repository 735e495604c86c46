// Codes of dtypes, which kernels compare ORIG_DTYPE_<INPUT> with in the preprocessor.
#ifndef EMULATED_DTYPES_H
#define EMULATED_DTYPES_H

#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_BF16 27
#define DT_INT4 29
#define DT_HIFLOAT8 34
#define DT_FLOAT8_E5M2 35
#define DT_FLOAT8_E4M3FN 36

#endif // EMULATED_DTYPES_H
