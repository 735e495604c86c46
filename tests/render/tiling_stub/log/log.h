#pragma once
#include <cinttypes>
#include <cstdio>
#define OP_LOGE(opName, fmt, ...) std::fprintf(stderr, "[%s] " fmt "\n", opName, ##__VA_ARGS__)
