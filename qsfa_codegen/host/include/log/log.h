// Stands in for log/log.h. This one keeps the first error of a call, for the runner to report.
#pragma once

#include <cstdarg>
#include <cstdio>

namespace standin {

struct ErrorLog {
    char first[4096] = {};
    size_t count = 0;
};

inline ErrorLog g_errors;

__attribute__((format(printf, 2, 3))) inline void LogError(const char *node, const char *format, ...)
{
    if (g_errors.count++ > 0 || node == nullptr) {
        return;
    }
    va_list args;
    va_start(args, format);
    std::vsnprintf(g_errors.first, sizeof(g_errors.first), format, args);
    va_end(args);
}

} // namespace standin

#define OP_LOGE(opName, ...) standin::LogError(opName, __VA_ARGS__)
