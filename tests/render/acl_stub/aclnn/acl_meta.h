// What example programs use of aclnn's types. An object is counted from its creation to its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

using aclnnStatus = int32_t;
using aclrtStream = void *;
struct aclOpExecutor;
struct aclScalar;
struct aclScalarList;
struct aclTensorList;

enum aclDataType {
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_BF16 = 27,
    ACL_INT4 = 29,
    ACL_HIFLOAT8 = 34,
    ACL_FLOAT8_E5M2 = 35,
    ACL_FLOAT8_E4M3FN = 36,
};
enum aclFormat {
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_NCDHW = 30,
};

inline int g_living = 0;

struct Counted {
    Counted()
    {
        ++g_living;
    }
    ~Counted()
    {
        --g_living;
    }
};
struct aclTensor : Counted {};
struct aclIntArray : Counted {};
struct aclFloatArray : Counted {};
struct aclBoolArray : Counted {};

inline aclTensor *aclCreateTensor(const int64_t *sizes, uint64_t rank, aclDataType, const int64_t *strides, int64_t,
    aclFormat, const int64_t *, uint64_t storageRank, void *)
{
    int64_t expected = 1;
    for (uint64_t axis = rank; axis > 0; --axis) {
        if (strides[axis - 1] != expected) {
            std::abort();
        }
        expected *= sizes[axis - 1];
    }
    return rank == storageRank ? new aclTensor : nullptr;
}
inline aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    delete tensor;
    return 0;
}
inline aclIntArray *aclCreateIntArray(const int64_t *, uint64_t)
{
    return new aclIntArray;
}
inline aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
    delete array;
    return 0;
}
inline aclFloatArray *aclCreateFloatArray(const float *, uint64_t)
{
    return new aclFloatArray;
}
inline aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
    delete array;
    return 0;
}
inline aclBoolArray *aclCreateBoolArray(const bool *, uint64_t)
{
    return new aclBoolArray;
}
inline aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
    delete array;
    return 0;
}
