// Who a core is, and how a kernel gets its tiling data and workspace.
#ifndef EMULATED_SYSTEM_H
#define EMULATED_SYSTEM_H

#include "emulated/tensor.h"

namespace AscendC {

// A group of cores has one index for its cube core, and two for its vector cores.
inline int64_t GetBlockIdx()
{
    return emulator::Here().Index();
}

inline int64_t GetBlockNum()
{
    return emulator::Here().Whole().Options().blockDim;
}

inline int64_t GetSubBlockIdx()
{
    return emulator::Here().Sub();
}

inline int64_t GetSubBlockNum()
{
    return emulator::Here().Whole().VectorCoresOfGroup();
}

inline int64_t GetTaskRation()
{
    return emulator::Here().Cube() ? 1 : GetSubBlockNum();
}

inline int64_t GetTaskRatio()
{
    return GetTaskRation();
}

// The user's part of the workspace: the emulator has no system part.
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace)
{
    return workspace;
}

inline int64_t GetSystemCycle()
{
    return 0;
}

template <typename T>
void CopyTiling(T &to, GM_ADDR from, Site site)
{
    GlobalTensor<uint8_t> data;
    data.SetGlobalBuffer(from);
    const Operand place = data.Place("GET_TILING_DATA", site);
    if (place.offset + sizeof(T) > place.memory->Bytes()) {
        Refuse("GET_TILING_DATA", site, emulator::Text("the tiling data has %llu bytes, the kernel reads %zu", static_cast<unsigned long long>(place.memory->Bytes()), sizeof(T)));
    }
    std::memcpy(&to, from, sizeof(T));
}

} // namespace AscendC

#define g_coreType (emulator::Here().Cube() ? AscendC::AIC : AscendC::AIV)
#define ASCEND_IS_AIC (emulator::Here().Cube())
#define ASCEND_IS_AIV (!emulator::Here().Cube())
#define ASCEND_IS_NOT_AIC ASCEND_IS_AIV
#define ASCEND_IS_NOT_AIV ASCEND_IS_AIC

#define REGISTER_TILING_DEFAULT(type)
#define KERNEL_TASK_TYPE_DEFAULT(type)
#define KERNEL_TASK_TYPE(key, type)
#define GET_TILING_DATA_WITH_STRUCT(type, name, address) \
    type name; \
    AscendC::CopyTiling(name, address, emulator::Site::Here())

#endif // EMULATED_SYSTEM_H
