// The template arguments of a kernel: declared with their values, selected in combinations, read from a tiling key.
// A bool goes into the key as it is, an uint as its place in the declaration, from the lowest bit on.
#ifndef EMULATED_TEMPLATE_ARGUMENT_H
#define EMULATED_TEMPLATE_ARGUMENT_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#define ASCENDC_TPL_UI_LIST 1

namespace emulator {

constexpr size_t TPL_VALUES = 64;
constexpr size_t TPL_ARGUMENTS = 32;

// An argument with values: all of them in a declaration, some of them in a selection.
struct TplArgument {
    std::string_view name = "";
    bool listed = false;
    uint32_t bits = 0;
    size_t count = 0;
    uint64_t values[TPL_VALUES] = {};

    constexpr bool Has(uint64_t value) const
    {
        for (size_t i = 0; i < count; ++i) {
            if (values[i] == value) {
                return true;
            }
        }
        return false;
    }
};

template <typename... Values>
constexpr TplArgument TplValues(std::string_view name, bool listed, uint32_t bits, Values... values)
{
    return {name, listed, bits, sizeof...(values), {static_cast<uint64_t>(values)...}};
}

template <typename... Values>
constexpr TplArgument TplUint(std::string_view name, uint32_t bits, int mode, Values... values)
{
    // A constant expression cannot throw: another mode does not compile.
    return mode == ASCENDC_TPL_UI_LIST ? TplValues(name, true, bits, values...)
                                       : throw "only values in a list are understood";
}

struct TplSelection {
    size_t count = 0;
    TplArgument arguments[TPL_ARGUMENTS] = {};
};

template <typename... Arguments>
constexpr TplSelection TplSelected(Arguments... arguments)
{
    return {sizeof...(arguments), {arguments...}};
}

// The value of the argument at `place`, as the key has it.
template <size_t count>
constexpr uint64_t TplValue(const TplArgument (&declared)[count], uint64_t key, size_t place)
{
    uint32_t shift = 0;
    for (size_t i = 0; i < place; ++i) {
        shift += declared[i].bits;
    }
    const uint64_t field = (key >> shift) & ((1ULL << declared[place].bits) - 1);
    if (!declared[place].listed) {
        return field;
    }
    return field < declared[place].count ? declared[place].values[field] : throw "the key has a value that is not declared";
}

// Whether the key is one of the combinations that are compiled.
template <size_t count, size_t selections>
constexpr bool TplIsSelected(const TplArgument (&declared)[count], const TplSelection (&selected)[selections], uint64_t key)
{
    for (const TplSelection &selection : selected) {
        bool all = selection.count == count;
        for (size_t place = 0; all && place < count; ++place) {
            bool has = false;
            for (size_t i = 0; i < selection.count; ++i) {
                const TplArgument &argument = selection.arguments[i];
                has = has || (argument.name == declared[place].name && argument.Has(TplValue(declared, key, place)));
            }
            all = has;
        }
        if (all) {
            return true;
        }
    }
    return false;
}

template <uint64_t key, size_t place, size_t count, size_t selections>
constexpr int TplArgumentOf(const TplArgument (&declared)[count], const TplSelection (&selected)[selections])
{
    return TplIsSelected(declared, selected, key) ? static_cast<int>(TplValue(declared, key, place))
                                                  : throw "the tiling key is not among the selected combinations";
}

} // namespace emulator

#define ASCENDC_TPL_BOOL_DECL(x, ...) emulator::TplValues(#x, false, 1, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bits, mode, ...) emulator::TplUint(#x, bits, mode, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) emulator::TplValues(#x, false, 1, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, mode, ...) emulator::TplUint(#x, 0, mode, __VA_ARGS__)
#define ASCENDC_TPL_ARGS_DECL(x, ...) constexpr emulator::TplArgument emulatedTplDeclared[] = {__VA_ARGS__}
#define ASCENDC_TPL_ARGS_SEL(...) emulator::TplSelected(__VA_ARGS__)
#define ASCENDC_TPL_SEL(...) constexpr emulator::TplSelection emulatedTplSelected[] = {__VA_ARGS__}

// The template argument at `place`, of the kernel that a key asks for.
#define EMULATED_TPL_ARGUMENT(key, place) \
    (emulator::TplArgumentOf<key, place>(emulatedTplDeclared, emulatedTplSelected))

#endif // EMULATED_TEMPLATE_ARGUMENT_H
