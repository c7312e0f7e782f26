/* SPDX-License-Identifier: Apache-2.0 */
/* The object that carries native kernels: how `twinrt-cc` writes it and how the loader knows it
 * again.
 *
 * It is an ELF object like one of device code, with symbols and metadata of its kernels. Its first
 * loaded section is right after the ELF header and begins with the header below; the section
 * `.twinrt.native` holds the shared object of the host. The checksum is of the whole file: a byte
 * that is changed by accident disables its native kernels and no device code either. It is no
 * protection against those who mean harm: a native image is code of the process. */
#ifndef TWINRT_KERNEL_OBJECT_H
#define TWINRT_KERNEL_OBJECT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TWIN_NATIVE_SECTION      ".twinrt.native"
#define TWIN_NATIVE_IMAGE_SYMBOL "twk_image"       /* what the shared object exports */
#define TWIN_NATIVE_PLACE        64u               /* of the header in the file */
#define TWIN_NATIVE_MAGIC        "twinrt native k" /* with its end 16 bytes */
#define TWIN_NATIVE_VERSION      1u

/* In the byte order of the host. */
typedef struct twin_native_header {
    char magic[16];
    uint16_t version;
    uint16_t machine;       /* e_machine of the shared object */
    uint32_t library_place; /* of the shared object in the file */
    uint64_t library_bytes;
    uint64_t file_bytes;
    uint64_t sum; /* twin_native_sum of the file */
    uint64_t reserved[2];
} twin_native_header;

_Static_assert(sizeof(twin_native_header) == 64, "as files have it");

#define TWIN_NATIVE_SUM_PLACE (TWIN_NATIVE_PLACE + offsetof(twin_native_header, sum))

/* Whether bytes begin as such an object does, whatever else they hold. */
static inline int twin_native_is(const void *file, size_t bytes)
{
    return bytes >= TWIN_NATIVE_PLACE + sizeof(twin_native_header) &&
           memcmp((const char *)file + TWIN_NATIVE_PLACE, TWIN_NATIVE_MAGIC,
                  sizeof(TWIN_NATIVE_MAGIC)) == 0;
}

/* FNV-1a over words of 8 bytes, the last one filled up with 0, without the word that holds the sum.
 * No change of a single word leaves it the same. */
static inline uint64_t twin_native_sum(const void *file, size_t bytes)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
        const size_t left = bytes - at;
        uint64_t word = 0;
        memcpy(&word, (const char *)file + at, left < sizeof(word) ? left : sizeof(word));
        if (at == TWIN_NATIVE_SUM_PLACE)
            continue;
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
    }
    return sum;
}

#endif
