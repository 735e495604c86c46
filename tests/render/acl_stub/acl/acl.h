// What example programs use of AscendCL: device memory is host memory, and all of it must be given back.
#pragma once

#include <cstring>

#include "aclnn/acl_meta.h"

using aclError = int;
using aclFloat16 = uint16_t;
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST };
enum aclrtMemcpyKind { ACL_MEMCPY_HOST_TO_DEVICE = 1, ACL_MEMCPY_DEVICE_TO_HOST = 2 };
constexpr aclError ACL_SUCCESS = 0;

inline aclError aclInit(const char *)
{
    ++g_living;
    return 0;
}
inline aclError aclFinalize()
{
    return --g_living == 0 ? 0 : (std::abort(), 1);
}
inline aclError aclrtSetDevice(int32_t)
{
    ++g_living;
    return 0;
}
inline aclError aclrtResetDevice(int32_t)
{
    --g_living;
    return 0;
}
inline aclError aclrtCreateStream(aclrtStream *stream)
{
    ++g_living;
    *stream = &g_living;
    return 0;
}
inline aclError aclrtDestroyStream(aclrtStream)
{
    --g_living;
    return 0;
}
inline aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return stream == &g_living ? 0 : 1;
}
inline aclError aclrtMalloc(void **address, size_t bytes, aclrtMemMallocPolicy)
{
    ++g_living;
    *address = bytes > 0 ? std::malloc(bytes) : nullptr;
    return *address == nullptr ? 1 : 0;
}
inline aclError aclrtFree(void *address)
{
    --g_living;
    std::free(address);
    return 0;
}
inline aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind)
{
    if (room < bytes) {
        return 1;
    }
    std::memcpy(to, from, bytes);
    return 0;
}
inline float aclFloat16ToFloat(aclFloat16 value)
{
    return value == 0 ? 0.0f : 1.0f;
}
