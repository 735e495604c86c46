// No header of the SDK: how the stand-in treats use that the real SDK punishes later, or silently.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace standin {

// Says why on stderr and ends the program; the caller of the runner reports it with the call at hand.
[[noreturn]] __attribute__((format(printf, 1, 2))) inline void Fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    std::vfprintf(stderr, format, args);
    va_end(args);
    std::fputc('\n', stderr);
    std::abort();
}

// A type as a value: equal for equal types, without run-time type information.
template <typename T>
inline constexpr char TYPE_TAG = 0;

using TypeTag = const char *;

template <typename T>
constexpr TypeTag TagOf()
{
    return &TYPE_TAG<T>;
}

} // namespace standin
