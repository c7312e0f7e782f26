/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel images: what an ELF object says of its kernels. Only reading; no device, no handles, no
 * locks.
 *
 * An image is one slice of the file, from the first section that is loaded to the last, and is
 * never relocated. Which symbols are kernels, and of what kind, is in the symbol table and in
 * metadata sections: see runtime/docs/kernel-images.md. Nothing in the file is trusted: every size
 * and offset is checked against the file. An image of native kernels (kernel/object.h) carries a
 * shared object besides; reading does not load it. */
#ifndef TWINRT_CORE_IMAGE_IMAGE_H
#define TWINRT_CORE_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With the public values. */
typedef enum twin_kernel_type {
    TWIN_KERNEL_AICORE = 0, /* a core that has both units */
    TWIN_KERNEL_CUBE = 1,
    TWIN_KERNEL_VECTOR = 2,
    TWIN_KERNEL_MIX = 3, /* a cube half and a vector half that run together */
    TWIN_KERNEL_AICPU = 100
} twin_kernel_type;

typedef enum twin_kernel_half {
    TWIN_HALF_CUBE,
    TWIN_HALF_VECTOR,
    TWIN_HALF_COUNT
} twin_kernel_half;

/* Code of one half: bytes from the start of the slice. */
typedef struct twin_kernel_code {
    bool present;
    uint64_t offset;
    uint64_t bytes;
} twin_kernel_code;

typedef struct twin_kernel_param {
    uint32_t offset; /* in the argument block, bytes */
    uint32_t bytes;
} twin_kernel_param;

typedef struct twin_kernel {
    char *name; /* public: without "_mix_aic" or "_mix_aiv" */
    twin_kernel_type type;
    twin_kernel_code code[TWIN_HALF_COUNT]; /* of a TWIN_KERNEL_AICORE: the first */
    twin_kernel_half main;                  /* of a mix: whose blocks a launch counts */
    uint16_t cube_ratio, vector_ratio;      /* of a mix: blocks of each half that belong together */
    bool cross_core;                        /* its cores wait for each other */
    bool batch;                             /* all blocks start together */
    bool early_start;
    bool has_key;
    uint64_t key;          /* for finding it by entry */
    uint32_t order;        /* place in the symbol table */
    uint32_t ub_bytes;     /* unified buffer that the compiler has used */
    uint32_t stack_bytes;  /* least stack; 0: not said */
    uint32_t vector_kinds; /* what it does with the vector unit; 0: not said */
    bool has_params;
    uint32_t param_count;
    uint64_t param_bytes; /* of the argument block */
    twin_kernel_param *params;
} twin_kernel;

typedef struct twin_image_global {
    char *name;
    uint64_t offset; /* from the start of the slice */
    uint64_t bytes;
} twin_image_global;

/* Bits of what the loader or a launch supplies. */
#define TWIN_IMPLICIT_PRINT        (1u << 0)
#define TWIN_IMPLICIT_SYNC_ADDRESS (1u << 1) /* in a global, so not in front of the arguments */
#define TWIN_IMPLICIT_RUN_SETTINGS (1u << 2)
#define TWIN_IMPLICIT_SIMT_PRINT   (1u << 3)
#define TWIN_IMPLICIT_ASSERT       (1u << 4)

typedef struct twin_image {
    unsigned char *file; /* a copy */
    size_t file_bytes;
    uint64_t slice_offset;
    uint64_t slice_bytes;
    bool writable;        /* has variables: not shared */
    char *library_name;   /* NULL: none */
    uint32_t stack_bytes; /* class that the image asks for, 16384 or 32768; 0: none */
    uint32_t implicit;    /* TWIN_IMPLICIT_* */
    twin_kernel *kernels; /* sorted by name */
    uint32_t kernel_count;
    twin_image_global *globals; /* sorted by name */
    uint32_t global_count;
    const unsigned char
        *library; /* native kernels: the shared object, in the file; NULL: device code */
    size_t library_bytes;
} twin_image;

/* What decides about a kernel that says nothing about itself. */
typedef struct twin_image_defaults {
    twin_kernel_type type; /* of kernels without type and without a suffix */
    bool cross_core;       /* all kernels wait for each other */
} twin_image_defaults;

/* Reads an image; `data` is copied. 107000: not such an object, or damaged, with a message that
 * says what and where.
 * 207001. Thread: any. */
int32_t twin_image_read(const void *data, size_t bytes, const twin_image_defaults *defaults,
                        twin_image **out_image);
void twin_image_free(twin_image *image);

/* NULL: there is none. */
const twin_kernel *twin_image_kernel(const twin_image *image, const char *name);
/* The first in the symbol table with that key. */
const twin_kernel *twin_image_kernel_by_key(const twin_image *image, uint64_t key);
const twin_image_global *twin_image_find_global(const twin_image *image, const char *name);

#endif
