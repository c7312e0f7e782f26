/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of kernel images share: an image, and a folder of files that goes with a test. */
#ifndef TWINRT_CONFORMANCE_IMAGE_TESTS_H
#define TWINRT_CONFORMANCE_IMAGE_TESTS_H

#include <limits.h>

#include "suite.h"

enum { IMAGE_BYTES = 256, IMAGE_TABLE_BYTES = 64, IMAGE_TABLE_PLACE = 64 };

/* What the image's slice holds. */
extern unsigned char image_code[IMAGE_BYTES];

/* An image with a cube kernel "cube_12" of which nothing is said, a vector kernel "vec" with two
 * parameters, a mixed kernel "mix", and a global variable "table"; in memory of malloc(). */
unsigned char *image_make(size_t *bytes);
/* Loads it; the memory it was loaded from is gone. */
aclrtBinHandle image_load(void);
aclrtFuncHandle image_find(aclrtBinHandle binary, const char *name);
/* One option. */
aclrtBinaryLoadOptions image_options(aclrtBinaryLoadOption *option);

typedef struct files {
    char folder[64];
} files;

void files_begin(files *f);
/* `out` holds PATH_MAX characters. */
void files_path(const files *f, const char *name, char *out);
void files_write(const files *f, const char *name, const void *data, size_t bytes);
void files_remove(const files *f, const char *name);
/* The folder is empty again. */
void files_end(const files *f);
aclError image_load_file(const files *f, const char *name, aclrtBinHandle *binary);

/* image_function.c */
void test_find(void);
void test_global(void);
void test_addresses(void);
void test_attributes(void);
void test_parameters(void);

/* image_cpu.c */
void test_cpu_list(void);
void test_cpu_registration(void);

#endif
