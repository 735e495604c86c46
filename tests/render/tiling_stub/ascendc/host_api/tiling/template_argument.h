#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>
#define ASCENDC_TPL_UI_LIST 1
namespace tpl_stub {
struct Param {
    bool is_uint;
    uint8_t bits;
    std::vector<uint64_t> values;
};
inline uint64_t Encode(const std::vector<Param> &params, std::initializer_list<uint64_t> args)
{
    if (params.size() != args.size()) return UINT64_MAX;
    uint64_t key = 0;
    uint32_t shift = 0;
    size_t i = 0;
    for (uint64_t arg : args) {
        const Param &param = params[i++];
        if (param.is_uint) {
            size_t at = 0;
            while (at < param.values.size() && param.values[at] != arg) ++at;
            if (at == param.values.size()) return UINT64_MAX;
            arg = at;
        }
        key |= arg << shift;
        shift += param.bits;
    }
    return key;
}
} // namespace tpl_stub
#define ASCENDC_TPL_BOOL_DECL(name, ...) tpl_stub::Param{false, 1, {__VA_ARGS__}}
#define ASCENDC_TPL_UINT_DECL(name, bits, mode, ...) tpl_stub::Param{true, bits, {__VA_ARGS__}}
#define ASCENDC_TPL_ARGS_DECL(op, ...) static const std::vector<tpl_stub::Param> g_tplParams{__VA_ARGS__}
#define ASCENDC_TPL_BOOL_SEL(...)
#define ASCENDC_TPL_UINT_SEL(...)
#define ASCENDC_TPL_ARGS_SEL(...)
#define ASCENDC_TPL_SEL(...)
#define GET_TPL_TILING_KEY(...) tpl_stub::Encode(g_tplParams, {__VA_ARGS__})
