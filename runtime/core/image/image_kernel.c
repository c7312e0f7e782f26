/* SPDX-License-Identifier: Apache-2.0 */
/* From symbols to kernels: names, types, halves that belong together. */
#include <stdlib.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/image/image_parts.h"

#define DEFAULT_CUBE_RATIO   1u
#define DEFAULT_VECTOR_RATIO 2u

static const char *const suffixes[TWIN_HALF_COUNT] = {"_mix_aic", "_mix_aiv"};

static const char *last_of(const char *text, const char *part)
{
    const char *found = NULL;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        found = at;
    return found;
}

/* The public name: without the last "_mix_aic", or else without the last "_mix_aiv". */
static int32_t name_kernel(twin_image_symbol *symbol)
{
    symbol->public_name = twin_strdup(symbol->name);
    if (!symbol->public_name)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for the name of a kernel");
    for (unsigned half = 0; half < TWIN_HALF_COUNT; half++) {
        const char *found = last_of(symbol->name, suffixes[half]);
        if (!found)
            continue;
        const char *rest = found + strlen(suffixes[half]);
        memcpy(symbol->public_name + (found - symbol->name), rest, strlen(rest) + 1);
        symbol->mix = true;
        symbol->half = (twin_kernel_half)half;
        break;
    }
    if (!symbol->public_name[0])
        return twin_fail(TWIN_ERR_BINARY, "kernel symbol \"%s\" leaves no name for its kernel",
                         symbol->name);
    return 0;
}

static void set_single(twin_image_symbol *symbol, twin_kernel_type type)
{
    symbol->type = type;
    symbol->mix = false;
    symbol->half = type == TWIN_KERNEL_VECTOR ? TWIN_HALF_VECTOR : TWIN_HALF_CUBE;
}

/* Which half, and which type if it stays alone. */
static int32_t classify(twin_image_symbol *symbol, const twin_image_defaults *defaults)
{
    switch (symbol->has_meta ? symbol->meta.type : TWIN_META_NONE) {
    case TWIN_META_AICORE:
        set_single(symbol, TWIN_KERNEL_AICORE);
        return 0;
    case TWIN_META_AIC:
    case TWIN_META_AIC_ROLLBACK:
        set_single(symbol, TWIN_KERNEL_CUBE);
        return 0;
    case TWIN_META_AIV:
    case TWIN_META_AIV_ROLLBACK:
        set_single(symbol, TWIN_KERNEL_VECTOR);
        return 0;
    case TWIN_META_MIX_AIC_MAIN:
    case TWIN_META_MIX_AIV_MAIN:
        if (!symbol->mix)
            return twin_fail(TWIN_ERR_BINARY,
                             "kernel symbol \"%s\" is half of a mixed kernel, and its name has "
                             "neither _mix_aic nor _mix_aiv",
                             symbol->name);
        break;
    default:
        if (!symbol->mix) {
            set_single(symbol, defaults->type);
            return 0;
        }
        break;
    }
    symbol->type = symbol->half == TWIN_HALF_VECTOR ? TWIN_KERNEL_VECTOR : TWIN_KERNEL_CUBE;
    return 0;
}

/* The number after the last '_' of the name; 0: there is none. */
static uint64_t key_in_name(const char *name)
{
    const char *digits = strrchr(name, '_');
    if (!digits || !digits[1] || strspn(digits + 1, "0123456789") != strlen(digits + 1))
        return 0;
    return strtoull(digits + 1, NULL, 10); /* one that is too large becomes the largest */
}

static void set_key(twin_kernel *kernel, const twin_image_symbol *symbol)
{
    kernel->order = symbol->order;
    kernel->has_key = !symbol->has_meta || symbol->meta.key_from != TWIN_KEY_NONE;
    kernel->key = symbol->has_meta && symbol->meta.key_from == TWIN_KEY_GIVEN
                      ? symbol->meta.key
                      : key_in_name(kernel->name);
}

static void take_meta(twin_kernel *kernel, twin_kernel_meta *meta)
{
    kernel->cross_core = kernel->cross_core || meta->cross_core;
    kernel->batch = kernel->batch || meta->batch;
    kernel->early_start = kernel->early_start || meta->early_start;
    if (meta->cube_ratio != 0 || meta->vector_ratio != 0) {
        kernel->cube_ratio = meta->cube_ratio;
        kernel->vector_ratio = meta->vector_ratio;
    }
    if (meta->type == TWIN_META_MIX_AIV_MAIN)
        kernel->main = TWIN_HALF_VECTOR;
    if (meta->ub_bytes > kernel->ub_bytes)
        kernel->ub_bytes = meta->ub_bytes;
    if (meta->stack_bytes > kernel->stack_bytes)
        kernel->stack_bytes = meta->stack_bytes;
    kernel->vector_kinds |= meta->vector_kinds;
    if (meta->has_params && !kernel->has_params) {
        kernel->has_params = true;
        kernel->param_count = meta->param_count;
        kernel->param_bytes = meta->param_bytes;
        kernel->params = meta->params;
        meta->params = NULL;
    }
}

static int by_name_and_order(const void *left, const void *right)
{
    const twin_image_symbol *a = left;
    const twin_image_symbol *b = right;
    const int names = strcmp(a->public_name, b->public_name);
    if (names != 0)
        return names;
    return a->order < b->order ? -1 : 1;
}

/* One kernel of the symbols of one public name, which are side by side. */
static int32_t build_one(twin_kernel *kernel, const twin_image_defaults *defaults,
                         twin_image_symbol *symbols, uint32_t count)
{
    if (count > 2 ||
        (count == 2 && (!symbols[0].mix || !symbols[1].mix || symbols[0].half == symbols[1].half)))
        return twin_fail(TWIN_ERR_BINARY,
                         "kernel symbols \"%s\" and \"%s\" both give kernel \"%s\"; only a cube "
                         "half (_mix_aic) and a vector half (_mix_aiv) go together",
                         symbols[0].name, symbols[count - 1].name, symbols[0].public_name);
    *kernel = (twin_kernel){.name = symbols[0].public_name,
                            .type = count == 2 ? TWIN_KERNEL_MIX : symbols[0].type,
                            .main = count == 2 ? TWIN_HALF_CUBE : symbols[0].half,
                            .cross_core = defaults->cross_core,
                            .cube_ratio = symbols[0].type != TWIN_KERNEL_VECTOR,
                            .vector_ratio = symbols[0].type == TWIN_KERNEL_VECTOR};
    if (kernel->type == TWIN_KERNEL_MIX) {
        kernel->cube_ratio = DEFAULT_CUBE_RATIO;
        kernel->vector_ratio = DEFAULT_VECTOR_RATIO;
    }
    symbols[0].public_name = NULL;
    for (uint32_t i = 0; i < count; i++) {
        kernel->code[symbols[i].half] =
            (twin_kernel_code){true, symbols[i].offset, symbols[i].bytes};
        if (symbols[i].has_meta)
            take_meta(kernel, &symbols[i].meta);
    }
    set_key(kernel, &symbols[0]);
    return 0;
}

int32_t twin_image_build_kernels(twin_image *image, const twin_image_defaults *defaults,
                                 twin_image_symbol *symbols, uint32_t count)
{
    int32_t code = 0;
    for (uint32_t i = 0; i < count && code == 0; i++) {
        code = name_kernel(&symbols[i]);
        if (code == 0)
            code = classify(&symbols[i], defaults);
    }
    if (code == 0) {
        image->kernels = twin_zalloc(count * sizeof(*image->kernels));
        if (!image->kernels)
            code = twin_fail(TWIN_ERR_NOMEM, "no host memory for %u kernels", count);
    }
    if (code == 0)
        qsort(symbols, count, sizeof(*symbols), by_name_and_order);
    for (uint32_t first = 0; first < count && code == 0;) {
        uint32_t end = first + 1;
        while (end < count && strcmp(symbols[first].public_name, symbols[end].public_name) == 0)
            end++;
        code =
            build_one(&image->kernels[image->kernel_count], defaults, &symbols[first], end - first);
        if (code == 0)
            image->kernel_count++;
        first = end;
    }
    for (uint32_t i = 0; i < count; i++)
        twin_free(symbols[i].public_name);
    return code;
}
