// A stand-in for CANN's header: messages go to stderr, and the compiler checks their format.
#pragma once
#include <cstdarg>
#include <cstdio>

__attribute__((format(printf, 2, 3))) inline int LogError(const char *node, const char *format, ...)
{
    (void)node;
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stderr, format, arguments);
    va_end(arguments);
    return std::fputc('\n', stderr);
}

#define OP_LOGE(node, format, ...) LogError(node, "" format, ##__VA_ARGS__)
