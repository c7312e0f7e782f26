/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata sections: lists of records, each a type, a length and a body. */
#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/image/image_parts.h"

#define HEAD_BYTES  4u
#define PARAM_BYTES 36u

enum kernel_record {
    KERNEL_TYPE = 1,
    CROSS_CORE = 2,
    MIX_RATIO = 3,
    UB_BYTES = 7,
    STACK_BYTES = 8,
    EARLY_START = 11,
    VECTOR_KINDS = 12,
    ENTRY_KEY = 14,
    PARAM_SUMMARY = 16,
    PARAM = 17,
    SCHEDULE = 18
};

enum image_record { IMPLICIT = 4 };

#define KEY_GIVEN 0x00u
#define KEY_NONE  0x80u

typedef struct record {
    uint32_t type;
    twin_image_bytes body;
} record;

static uint64_t number(const unsigned char *at, unsigned bytes, bool big_endian)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[big_endian ? bytes - 1 - i : i] << (8 * i);
    return value;
}

static uint32_t word(twin_image_bytes body, unsigned at)
{
    return (uint32_t)number(body.at + at, 4, body.big_endian);
}

static uint16_t half(twin_image_bytes body, unsigned at)
{
    return (uint16_t)number(body.at + at, 2, body.big_endian);
}

/* A few fields are written in the order of the machine that reads them, whatever the file says. */
static bool host_is_big_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* Takes the next record off `rest`. False: there is none, or it runs past the section. */
static bool next_record(twin_image_bytes *rest, record *out)
{
    if (rest->count < HEAD_BYTES)
        return false;
    const uint16_t length = half(*rest, 2);
    if (rest->count - HEAD_BYTES < length)
        return false;
    out->type = half(*rest, 0);
    out->body = (twin_image_bytes){rest->at + HEAD_BYTES, length, rest->big_endian};
    rest->at += HEAD_BYTES + length;
    rest->count -= HEAD_BYTES + length;
    return true;
}

static int32_t fail(const char *name, const char *what)
{
    return twin_fail(TWIN_ERR_BINARY, "the metadata of kernel symbol \"%s\": %s", name, what);
}

static size_t least_bytes(uint32_t type)
{
    switch (type) {
    case KERNEL_TYPE:
    case CROSS_CORE:
    case MIX_RATIO:
    case UB_BYTES:
    case STACK_BYTES:
    case EARLY_START:
    case VECTOR_KINDS:
    case SCHEDULE:
        return 4;
    case ENTRY_KEY:
    case PARAM_SUMMARY:
        return 12;
    case PARAM:
        return PARAM_BYTES;
    default:
        return 0;
    }
}

static bool ratio_is_allowed(uint16_t cube, uint16_t vector)
{
    return (cube == 0 && vector == 0) || (cube == 1 && vector <= 2) || (cube == 2 && vector == 1) ||
           (cube == 0 && vector == 1);
}

/* All records but those of single parameters. */
static int32_t take(const char *name, const record *entry, twin_kernel_meta *meta)
{
    const twin_image_bytes body = entry->body;
    if (body.count < least_bytes(entry->type))
        return twin_fail(TWIN_ERR_BINARY,
                         "the metadata of kernel symbol \"%s\": record of type %u has %zu bytes, "
                         "not the %zu of its fields",
                         name, entry->type, body.count, least_bytes(entry->type));
    switch (entry->type) {
    case KERNEL_TYPE: {
        const uint32_t type = word(body, 0);
        if (type == TWIN_META_NONE || type >= TWIN_META_TYPE_COUNT)
            return twin_fail(TWIN_ERR_BINARY,
                             "the metadata of kernel symbol \"%s\": kernel type %u is not 1 to 7",
                             name, type);
        meta->type = (twin_meta_type)type;
        return 0;
    }
    case CROSS_CORE:
        meta->cross_core = word(body, 0) == 1;
        return 0;
    case MIX_RATIO:
        meta->cube_ratio = half(body, 0);
        meta->vector_ratio = half(body, 2);
        if (!ratio_is_allowed(meta->cube_ratio, meta->vector_ratio))
            return twin_fail(TWIN_ERR_BINARY,
                             "the metadata of kernel symbol \"%s\": ratio %u:%u of cube and "
                             "vector blocks is not 1:2, 2:1, 1:1, 1:0 or 0:1",
                             name, meta->cube_ratio, meta->vector_ratio);
        return 0;
    case UB_BYTES:
        meta->ub_bytes = word(body, 0);
        return 0;
    case STACK_BYTES:
        meta->stack_bytes = word(body, 0);
        return 0;
    case EARLY_START:
        meta->early_start = word(body, 0) == 1;
        return 0;
    case VECTOR_KINDS:
        meta->vector_kinds = word(body, 0);
        return 0;
    case ENTRY_KEY:
        if (body.at[0] != KEY_GIVEN && body.at[0] != KEY_NONE)
            return fail(name, "the flag of its entry is neither 0 nor 0x80");
        meta->key_from = body.at[0] == KEY_GIVEN ? TWIN_KEY_GIVEN : TWIN_KEY_NONE;
        meta->key = number(body.at + 4, 8, host_is_big_endian());
        return 0;
    case PARAM_SUMMARY:
        meta->has_params = true;
        meta->param_count = word(body, 0);
        meta->param_bytes = number(body.at + 4, 8, body.big_endian);
        return 0;
    case SCHEDULE:
        if (word(body, 0) > 1)
            return fail(name, "its schedule mode is neither 0 (normal) nor 1 (batch)");
        meta->batch = word(body, 0) == 1;
        return 0;
    default:
        return 0;
    }
}

static int32_t take_param(const char *name, twin_image_bytes body, twin_kernel_meta *meta,
                          bool *seen)
{
    const uint32_t ordinal = word(body, 4);
    const uint32_t offset = word(body, 8);
    const uint32_t bytes = word(body, 12);
    if (ordinal >= meta->param_count)
        return twin_fail(TWIN_ERR_BINARY,
                         "the metadata of kernel symbol \"%s\": parameter %u is none of its %u",
                         name, ordinal, meta->param_count);
    if (seen[ordinal])
        return twin_fail(TWIN_ERR_BINARY,
                         "the metadata of kernel symbol \"%s\": parameter %u appears twice", name,
                         ordinal);
    if (offset > meta->param_bytes || bytes > meta->param_bytes - offset)
        return twin_fail(TWIN_ERR_BINARY,
                         "the metadata of kernel symbol \"%s\": parameter %u, %u bytes at %u, "
                         "leaves the argument block of %llu bytes",
                         name, ordinal, bytes, offset, (unsigned long long)meta->param_bytes);
    seen[ordinal] = true;
    meta->params[ordinal] = (twin_kernel_param){offset, bytes};
    return 0;
}

/* The records of parameters, once their number is known. */
static int32_t take_params(const char *name, twin_image_bytes section, uint32_t records,
                           twin_kernel_meta *meta)
{
    if (records != meta->param_count)
        return twin_fail(TWIN_ERR_BINARY,
                         "the metadata of kernel symbol \"%s\": %u records of parameters, where "
                         "the summary says %u",
                         name, records, meta->param_count);
    if (records == 0)
        return 0;
    /* As many as there are records in the file, so no more than it has bytes. */
    meta->params = twin_zalloc(records * sizeof(*meta->params));
    bool *seen = twin_zalloc(records);
    int32_t code = 0;
    if (!meta->params || !seen)
        code = twin_fail(TWIN_ERR_NOMEM, "no host memory for %u parameters of a kernel", records);
    record entry;
    while (code == 0 && next_record(&section, &entry))
        if (entry.type == PARAM)
            code = take_param(name, entry.body, meta, seen);
    twin_free(seen);
    return code;
}

int32_t twin_meta_read_kernel(const char *name, twin_image_bytes section, twin_kernel_meta *out)
{
    *out = (twin_kernel_meta){0};
    twin_image_bytes rest = section;
    uint32_t params = 0;
    record entry;
    while (next_record(&rest, &entry)) {
        const int32_t code = take(name, &entry, out);
        if (code != 0)
            return code;
        params += entry.type == PARAM;
    }
    if (out->vector_kinds == 0)
        out->ub_bytes = 0; /* only for kernels whose metadata has their use of the vector unit */
    const int32_t code = take_params(name, section, params, out);
    if (code != 0) {
        twin_free(out->params);
        out->params = NULL;
    }
    return code;
}

uint32_t twin_meta_read_image(twin_image_bytes section)
{
    uint32_t implicit = 0;
    record entry;
    while (next_record(&section, &entry)) {
        if (entry.type != IMPLICIT || entry.body.count < 4)
            continue;
        const uint64_t bit = number(entry.body.at, 4, host_is_big_endian());
        if (bit >= 1 && bit <= 32)
            implicit |= 1u << (bit - 1);
    }
    return implicit;
}
