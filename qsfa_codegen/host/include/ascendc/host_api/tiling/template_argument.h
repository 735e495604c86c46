// Stands in for ascendc/host_api/tiling/template_argument.h.
// As the SDK in its debug mode, this one gives INVALID_TILING_KEY for a combination that is not selected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "standin/fail.h"

#define ASCENDC_TPL_UI_LIST 1

constexpr uint64_t INVALID_TILING_KEY = 0xFFFFFFFFFFFFFFFF;

namespace standin {

constexpr size_t ABSENT = SIZE_MAX;
constexpr uint32_t KEY_BITS = 64;

inline size_t Place(const std::vector<uint64_t> &values, uint64_t value)
{
    for (size_t i = 0; i < values.size(); ++i) {
        if (values[i] == value) {
            return i;
        }
    }
    return ABSENT;
}

// One template argument: declared with all its values, or selected with some of them.
struct TplArgument {
    const char *name;
    bool isUint; // goes into the key as its place in the declaration; a bool goes as it is
    uint32_t bits;
    std::vector<uint64_t> values;
};

inline TplArgument UintArgument(
    const char *name, uint32_t bits, int mode, std::initializer_list<uint64_t> values)
{
    if (mode != ASCENDC_TPL_UI_LIST) {
        Fail("%s: only values in a list are understood", name);
    }
    return {name, true, bits, values};
}

class TplDeclaration {
public:
    TplDeclaration(std::initializer_list<TplArgument> arguments)
        : arguments_(arguments)
    {
        uint32_t bits = 0;
        for (const TplArgument &argument : arguments_) {
            bits += argument.bits;
            if (argument.values.size() > 1ULL << argument.bits) {
                Fail("%s has %zu values in %u bits", argument.name, argument.values.size(), argument.bits);
            }
        }
        if (bits > KEY_BITS) {
            Fail("the template arguments have %u bits, a tiling key has %u", bits, KEY_BITS);
        }
    }

    size_t Count() const
    {
        return arguments_.size();
    }

    const TplArgument &operator[](size_t index) const
    {
        return arguments_[index];
    }

private:
    std::vector<TplArgument> arguments_;
};

class TplSelection {
public:
    // Arguments may stand in any order; each must be there once, with values that are declared.
    TplSelection(const TplDeclaration &declaration, std::initializer_list<std::vector<TplArgument>> selected)
        : declaration_(declaration)
    {
        for (const std::vector<TplArgument> &arguments : selected) {
            std::vector<std::vector<uint64_t>> values;
            for (size_t i = 0; i < declaration.Count(); ++i) {
                values.push_back(ValuesOf(declaration[i], arguments));
            }
            if (arguments.size() != declaration.Count()) {
                Fail("a selection has %zu template arguments of %zu", arguments.size(), declaration.Count());
            }
            combinations_.push_back(values);
        }
    }

    uint64_t Encode(std::initializer_list<uint64_t> values) const
    {
        if (values.size() != declaration_.Count() || !IsSelected(values.begin())) {
            return INVALID_TILING_KEY;
        }
        uint64_t key = 0;
        uint32_t shift = 0;
        for (size_t i = 0; i < values.size(); ++i) {
            const uint64_t value = values.begin()[i];
            const TplArgument &argument = declaration_[i];
            key |= (argument.isUint ? Place(argument.values, value) : value) << shift;
            shift += argument.bits;
        }
        return key;
    }

private:
    static const std::vector<uint64_t> &ValuesOf(
        const TplArgument &declared, const std::vector<TplArgument> &arguments)
    {
        for (const TplArgument &argument : arguments) {
            if (std::strcmp(argument.name, declared.name) == 0 && argument.isUint == declared.isUint) {
                for (const uint64_t value : argument.values) {
                    if (Place(declared.values, value) == ABSENT) {
                        Fail("%s is selected with %lu, which is not declared", declared.name, value);
                    }
                }
                return argument.values;
            }
        }
        Fail("a selection says nothing of template argument %s", declared.name);
    }

    bool IsSelected(const uint64_t *values) const
    {
        for (const std::vector<std::vector<uint64_t>> &combination : combinations_) {
            size_t i = 0;
            while (i < combination.size() && Place(combination[i], values[i]) != ABSENT) {
                ++i;
            }
            if (i == combination.size()) {
                return true;
            }
        }
        return false;
    }

    const TplDeclaration &declaration_;
    std::vector<std::vector<std::vector<uint64_t>>> combinations_;
};

} // namespace standin

// clang-format off
#define ASCENDC_TPL_BOOL_DECL(x, ...) standin::TplArgument{#x, false, 1, {__VA_ARGS__}}
#define ASCENDC_TPL_UINT_DECL(x, bw, mode, ...) standin::UintArgument(#x, bw, mode, {__VA_ARGS__})
#define ASCENDC_TPL_BOOL_SEL(x, ...) standin::TplArgument{#x, false, 1, {__VA_ARGS__}}
#define ASCENDC_TPL_UINT_SEL(x, mode, ...) standin::UintArgument(#x, 0, mode, {__VA_ARGS__})
#define ASCENDC_TPL_ARGS_DECL(x, ...) static const standin::TplDeclaration g_tilingDeclareParams{__VA_ARGS__}
#define ASCENDC_TPL_ARGS_SEL(...) {__VA_ARGS__}
#define ASCENDC_TPL_SEL(...) \
    static const standin::TplSelection g_tilingSelectParams(g_tilingDeclareParams, {__VA_ARGS__})
#define GET_TPL_TILING_KEY(...) g_tilingSelectParams.Encode({__VA_ARGS__})
// clang-format on
