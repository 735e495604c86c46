// In the place of libtorch_npu.so and aclnn, for tests on the CPU: what an aclnn function is given is written down,
// and launches wait until they are asked for, as on a task queue.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <acl/acl_base.h>
#include <torch_npu/csrc/core/npu/NPUStream.h>
#include <torch_npu/csrc/core/npu/NPUWorkspaceAllocator.h>
#include <torch_npu/csrc/framework/OpCommand.h>

struct aclBoolArray;

struct aclTensor {
    std::string text;
};

struct aclOpExecutor {};

namespace recorder {
inline std::string g_text;
inline int g_alive = 0;
inline int g_status = 0;
inline uint64_t g_workspace = 0;
inline c10::DeviceType g_device = at::kCPU;
inline std::vector<std::function<int()>> g_queue;
inline std::map<std::string, void *> g_functions;

inline std::string List(const int64_t *values, uint64_t count)
{
    std::string text;
    for (uint64_t index = 0; index < count; ++index) {
        text += (index == 0 ? "" : ",") + std::to_string(values[index]);
    }
    return text;
}

inline aclTensor *CreateTensor(const int64_t *sizes, uint64_t rank, aclDataType dtype, const int64_t *strides,
    int64_t offset, aclFormat format, const int64_t *storage, uint64_t storageRank, void *)
{
    ++g_alive;
    return new aclTensor{std::to_string(dtype) + " (" + List(sizes, rank) + ") by (" + List(strides, rank) + ") from " +
        std::to_string(offset) + " of (" + List(storage, storageRank) + ") format " + std::to_string(format)};
}

inline int DestroyTensor(const aclTensor *tensor)
{
    --g_alive;
    delete tensor;
    return 0;
}

inline const char *Reason()
{
    return "out of cores";
}

inline std::string Shown(const aclTensor *tensor)
{
    return tensor == nullptr ? "nothing" : tensor->text;
}

inline std::string Shown(const aclBoolArray *values)
{
    return values == nullptr ? "nothing" : "flags";
}

inline std::string Shown(const char *text)
{
    return text;
}

inline std::string Shown(int64_t value)
{
    return std::to_string(value);
}

inline std::string Shown(double value)
{
    return std::to_string(value);
}

inline std::string Shown(bool value)
{
    return value ? "true" : "false";
}

template <typename Value>
void Write(const char *name, Value value)
{
    g_text += std::string(name) + "=" + Shown(value) + ";";
}

inline int Prepared(uint64_t *size, aclOpExecutor **executor)
{
    static aclOpExecutor one;
    *size = g_workspace;
    *executor = &one;
    return g_status;
}

inline int Launch(void *workspace, uint64_t size, aclOpExecutor *, aclrtStream)
{
    g_text += std::string("launched with ") + (workspace == nullptr ? "no" : "a") + " workspace of " +
        std::to_string(size) + ", " + std::to_string(g_alive) + " tensors described;";
    return g_status;
}
} // namespace recorder

void *GetOpApiFuncAddr(const char *name)
{
    const auto found = recorder::g_functions.find(name);
    return found == recorder::g_functions.end() ? nullptr : found->second;
}

namespace c10_npu {
NPUStream getCurrentNPUStream(c10::DeviceIndex)
{
    return NPUStream(NPUStream::UNCHECKED, c10::Stream(c10::Stream::DEFAULT, c10::Device(recorder::g_device)));
}

aclrtStream NPUStream::stream(bool) const
{
    return nullptr;
}
} // namespace c10_npu

namespace at_npu::native {
at::Tensor allocate_workspace(uint64_t size, aclrtStream)
{
    return at::empty({static_cast<int64_t>(size)}, at::kByte);
}

void OpCommand::RunOpApiV2(const string &, const PROC_FUNC &launch, bool)
{
    recorder::g_queue.push_back(launch);
}
} // namespace at_npu::native

extern "C" {
const char *RecordedText()
{
    return recorder::g_text.c_str();
}

int RecordedAlive()
{
    return recorder::g_alive;
}

void RecorderReset(int status, uint64_t workspace)
{
    recorder::g_text.clear();
    recorder::g_queue.clear();
    recorder::g_status = status;
    recorder::g_workspace = workspace;
    recorder::g_device = at::kCPU;
    recorder::g_functions["aclCreateTensor"] = reinterpret_cast<void *>(&recorder::CreateTensor);
    recorder::g_functions["aclDestroyTensor"] = reinterpret_cast<void *>(&recorder::DestroyTensor);
    recorder::g_functions["aclGetRecentErrMsg"] = reinterpret_cast<void *>(&recorder::Reason);
}

void RecorderFail(int status)
{
    recorder::g_status = status;
}

// The stream is on another device than the tensors.
void RecorderMoveStream()
{
    recorder::g_device = at::kMeta;
}

// The message of a launch that failed, empty when all went well.
const char *RecorderRunQueue()
{
    static std::string message;
    message.clear();
    for (const std::function<int()> &launch : recorder::g_queue) {
        try {
            launch();
        } catch (const c10::Error &error) {
            message = error.what_without_backtrace();
        }
    }
    recorder::g_queue.clear();
    return message.c_str();
}
}
