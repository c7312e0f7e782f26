/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of reading kernel images share: an object that they build, read and break. */
#ifndef TWINRT_TESTS_UNIT_IMAGE_CHECK_H
#define TWINRT_TESTS_UNIT_IMAGE_CHECK_H

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/image/image.h"
#include "support/kernel_object.h"

enum { TYPE = 1, CROSS_CORE = 2, UB = 7, STACK = 8, EARLY = 11, VECTOR_KINDS = 12, SCHEDULE = 18 };
enum { AICORE = 1, AIC, AIV, MIX_AIC, MIX_AIV, AIC_ROLLBACK, AIV_ROLLBACK };

#define REFUSED 107000

static const twin_image_defaults split = {.type = TWIN_KERNEL_CUBE};
static const unsigned char text[64] = {1, 2, 3, 4};
static kernel_object object;
static object_meta meta;

/* An object with code and nothing else. */
static inline void begin(void)
{
    object_begin(&object, false);
    CU_ASSERT_EQUAL(object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
                                       text, sizeof(text)),
                    1);
    meta_begin(&meta, false);
}

static inline int32_t read_with(const twin_image_defaults *defaults, twin_image **out)
{
    size_t bytes = 0;
    unsigned char *file = object_write(&object, &bytes);
    *out = NULL;
    int32_t code = twin_image_read(file, bytes, defaults, out);
    memset(file, 0xee, bytes); /* the image has a copy */
    free(file);
    return code;
}

static inline twin_image *read_image(void)
{
    twin_image *image = NULL;
    CHECK_OK(read_with(&split, &image));
    return image;
}

/* The object is refused, and the message says why. */
static inline void check_refused(const char *why)
{
    twin_image *image = NULL;
    (void)twin_messages_take();
    CHECK_CODE(read_with(&split, &image), REFUSED);
    CU_ASSERT_PTR_NULL(image);
    const char *message = twin_messages_take();
    const bool named = message && strstr(message, why) && strstr(message, "EE1014");
    CU_ASSERT(named);
    if (!named)
        printf("\n    \"%s\" is not in: %s\n", why, message ? message : "(none)");
}

static inline void add_typed(const char *name, uint32_t type)
{
    meta_begin(&meta, false);
    meta_word(&meta, TYPE, type);
    object_add_meta(&object, name, &meta);
    object_add_kernel(&object, name, 0, 16);
}

static inline twin_kernel only(twin_image *image)
{
    twin_kernel none = {0};
    CU_ASSERT(image && image->kernel_count == 1);
    return image && image->kernel_count == 1 ? image->kernels[0] : none;
}

#endif
