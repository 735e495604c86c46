#pragma once

#include <cstdio>

#define ACLNN_SUCCESS 0
#define ACLNN_ERR_PARAM_NULLPTR 161001
#define ACLNN_ERR_PARAM_INVALID 161002
#define ACLNN_ERR_INNER 561000
#define ACLNN_ERR_INNER_NULLPTR 561103

extern char g_logged[4096];

#define OP_LOGE(status, ...) std::snprintf(g_logged, sizeof(g_logged), __VA_ARGS__)
