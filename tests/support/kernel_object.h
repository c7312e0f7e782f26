/* SPDX-License-Identifier: Apache-2.0 */
/* Writes ELF objects with kernels, byte by byte, so that tests can have good ones and broken ones
 * of any kind. */
#ifndef TWINRT_TESTS_SUPPORT_KERNEL_OBJECT_H
#define TWINRT_TESTS_SUPPORT_KERNEL_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OBJECT_SECTIONS = 64, OBJECT_SYMBOLS = 64, OBJECT_BYTES = 1 << 20, META_BYTES = 8192 };

/* A list of metadata records. */
typedef struct object_meta {
    bool big_endian;
    size_t count;
    unsigned char bytes[META_BYTES];
} object_meta;

void meta_begin(object_meta *meta, bool big_endian);
/* A record whose body are those bytes. */
void meta_record(object_meta *meta, uint16_t type, const void *body, uint16_t bytes);
/* A record whose body is one word. */
void meta_word(object_meta *meta, uint16_t type, uint32_t value);
void meta_ratio(object_meta *meta, uint16_t cube, uint16_t vector);
/* As the machine writes them, whatever the object's order. */
void meta_key(object_meta *meta, uint8_t flag, uint64_t key);
void meta_params(object_meta *meta, uint32_t count, uint64_t bytes);
void meta_param(object_meta *meta, uint32_t ordinal, uint32_t offset, uint32_t bytes);

typedef struct object_section {
    char name[128];
    uint32_t type;
    uint64_t flags;
    uint64_t offset; /* once written */
    size_t bytes;
    uint32_t link, info;
    uint64_t entry_bytes;
    const unsigned char *data;
} object_section;

typedef struct object_symbol {
    char name[8192];
    uint8_t info, other;
    uint16_t section;
    uint64_t value, bytes;
} object_symbol;

typedef struct kernel_object {
    bool big_endian;
    uint16_t machine;
    uint32_t version;
    uint32_t section_count, symbol_count;
    object_section sections[OBJECT_SECTIONS];
    object_symbol *symbols; /* OBJECT_SYMBOLS */
    object_meta *metas;     /* OBJECT_SECTIONS: copies */
    unsigned char *bytes;   /* OBJECT_BYTES; the object once written */
    size_t count;
} kernel_object;

void object_begin(kernel_object *object, bool big_endian);
void object_end(kernel_object *object);
/* Gives the section's number. `data` stays valid until the object is written. */
uint16_t object_add_section(kernel_object *object, const char *name, uint32_t type, uint64_t flags,
                            const void *data, size_t bytes);
/* The metadata of a symbol, or of the object for NULL. */
uint16_t object_add_meta(kernel_object *object, const char *symbol, const object_meta *meta);
void object_add_symbol(kernel_object *object, const char *name, uint8_t info, uint16_t section,
                       uint64_t value, uint64_t bytes);
/* A global function of section 1. */
void object_add_kernel(kernel_object *object, const char *name, uint64_t value, uint64_t bytes);
/* The object's bytes, in memory of malloc(). */
unsigned char *object_write(kernel_object *object, size_t *out_bytes);

#endif
