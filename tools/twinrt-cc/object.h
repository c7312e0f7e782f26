/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the object that carries native kernels: kernels, their parameters and the shared
 * object. */
#ifndef TWINRT_TOOLS_CC_OBJECT_H
#define TWINRT_TOOLS_CC_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cc_cores { CC_CUBE, CC_VECTOR, CC_MIXED };

struct cc_param {
    uint32_t offset; /* in the argument block */
    uint32_t bytes;
};

struct cc_kernel {
    const char *name;
    enum cc_cores cores;
    bool vector_main;                  /* CC_MIXED: a launch counts vector blocks */
    uint16_t cube_ratio, vector_ratio; /* CC_MIXED: blocks of each half that belong together */
    bool cross_core;                   /* its cores wait for each other */
    bool batch;
    bool params_known;
    uint64_t args_bytes;
    const struct cc_param *params;
    uint32_t param_count;
};

/* A variable in device memory. */
struct cc_variable {
    const char *name;
    uint64_t bytes;
    const void *initial;
};

/* What an object has. */
struct cc_content {
    const struct cc_kernel *kernels;
    size_t kernel_count;
    const struct cc_variable *variables;
    size_t variable_count;
};

struct cc_bytes {
    const void *at;
    size_t count;
};

/* Writes the object of `content` and of the shared object to `path`, whole or not at all. Returns
 * 0, or -1 with a message. */
int cc_write_object(const char *path, const struct cc_content *content, struct cc_bytes library);

#endif
