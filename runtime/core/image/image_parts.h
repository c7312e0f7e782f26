/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of reading an image share; for image*.c alone. */
#ifndef TWINRT_CORE_IMAGE_IMAGE_PARTS_H
#define TWINRT_CORE_IMAGE_IMAGE_PARTS_H

#include "core/image/image.h"

/* A range of the file. */
typedef struct twin_image_bytes {
    const unsigned char *at;
    size_t count;
    bool big_endian;
} twin_image_bytes;

/* KERNEL_TYPE of the metadata. */
typedef enum twin_meta_type {
    TWIN_META_NONE,
    TWIN_META_AICORE,
    TWIN_META_AIC,
    TWIN_META_AIV,
    TWIN_META_MIX_AIC_MAIN,
    TWIN_META_MIX_AIV_MAIN,
    TWIN_META_AIC_ROLLBACK,
    TWIN_META_AIV_ROLLBACK,
    TWIN_META_TYPE_COUNT
} twin_meta_type;

/* What one kernel's metadata says. */
typedef struct twin_kernel_meta {
    twin_meta_type type;
    bool cross_core;
    uint16_t cube_ratio, vector_ratio; /* both 0: not said */
    uint32_t ub_bytes;
    uint32_t stack_bytes;
    bool early_start;
    uint32_t vector_kinds;
    enum { TWIN_KEY_FROM_NAME, TWIN_KEY_GIVEN, TWIN_KEY_NONE } key_from;
    uint64_t key;
    bool batch;
    bool has_params;
    uint32_t param_count;
    uint64_t param_bytes;
    twin_kernel_param *params; /* the reader's, until a kernel takes it */
} twin_kernel_meta;

/* Reads the metadata of the symbol `name`. 107000, 207001. */
int32_t twin_meta_read_kernel(const char *name, twin_image_bytes section, twin_kernel_meta *out);
/* Reads the metadata of the image: TWIN_IMPLICIT_*. */
uint32_t twin_meta_read_image(twin_image_bytes section);

/* Before anything else of a file is looked at: an object of native kernels must be whole, and for
 * this machine. 107000. */
int32_t twin_image_check_native(const void *data, size_t bytes);
/* After the sections: the shared object is where the header says, `section` the one of its name
 * (none: count 0). 107000. */
int32_t twin_image_take_native(twin_image *image, twin_image_bytes section);

/* A symbol that is a kernel, or half of one. */
typedef struct twin_image_symbol {
    const char *name; /* in the file */
    uint64_t offset;  /* of its code, from the start of the slice */
    uint64_t bytes;
    uint32_t order; /* place in the symbol table */
    bool has_meta;
    twin_kernel_meta meta;
    /* The builder's. */
    char *public_name;
    bool mix; /* half of two, by its suffix */
    twin_kernel_half half;
    twin_kernel_type type; /* when no other half comes */
} twin_image_symbol;

/* Makes the image's kernels of the symbols, which it sorts and whose parameters it takes. 107000,
 * 207001. */
int32_t twin_image_build_kernels(twin_image *image, const twin_image_defaults *defaults,
                                 twin_image_symbol *symbols, uint32_t count);

#endif
