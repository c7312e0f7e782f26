/* SPDX-License-Identifier: Apache-2.0 */
#include "core/image/symbol.h"

#include "core/backend/error.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/image/binary.h"
#include "core/object/context.h"

typedef struct symbol {
    const void *host;
    uint64_t binary;
    uint64_t offset; /* from the start of the slice */
    uint64_t bytes;
} symbol;

static twin_lock lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_BINARIES);
/* Guarded by the lock; sorted by host. */
static symbol *symbols;
static size_t symbol_count, symbol_room;

/* The first that is not below. */
static size_t place_locked(const void *host)
{
    size_t first = 0;
    size_t last = symbol_count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if ((uintptr_t)symbols[middle].host < (uintptr_t)host)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static bool is_at_locked(size_t place, const void *host)
{
    return place < symbol_count && symbols[place].host == host;
}

static bool grow_locked(void)
{
    if (symbol_count < symbol_room)
        return true;
    const size_t room = symbol_room == 0 ? 16 : 2 * symbol_room;
    symbol *grown = twin_regrow(symbols, room, sizeof(*symbols));
    if (!grown)
        return false;
    symbols = grown;
    symbol_room = room;
    return true;
}

static bool add_locked(const symbol *added)
{
    const size_t place = place_locked(added->host);
    if (is_at_locked(place, added->host))
        return true;
    if (!grow_locked())
        return false;
    for (size_t i = symbol_count++; i > place; i--)
        symbols[i] = symbols[i - 1];
    symbols[place] = *added;
    return true;
}

int32_t twin_symbol_register(uint64_t binary, const void *host, const char *name)
{
    TWIN_PINNED(binary, pinned);
    const int32_t code = twin_binary_pin(binary, &pinned);
    if (code != 0)
        return code;
    if (!pinned->image)
        return twin_fail(TWIN_ERR_PARAM, "an image of CPU kernels has no variables");
    const twin_image_global *global = twin_image_find_global(pinned->image, name);
    if (!global)
        return twin_fail(TWIN_ERR_NO_SYMBOL, "the kernel image has no global variable \"%s\"",
                         name);
    const symbol added = {
        .host = host, .binary = binary, .offset = global->offset, .bytes = global->bytes};
    twin_lock_take(&lock);
    const bool done = add_locked(&added);
    twin_lock_drop(&lock);
    return done ? 0 : twin_fail(TWIN_ERR_NOMEM, "no host memory for a symbol");
}

static int32_t find(const void *host, symbol *out)
{
    twin_lock_take(&lock);
    const size_t place = place_locked(host);
    const bool found = is_at_locked(place, host);
    if (found)
        *out = symbols[place];
    twin_lock_drop(&lock);
    return found ? 0
                 : twin_fail(TWIN_ERR_SYMBOL,
                             "%p is not the symbol of a device variable; load its kernel image and "
                             "register it",
                             host);
}

int32_t twin_symbol_bytes(const void *host, uint64_t *out_bytes)
{
    symbol found;
    const int32_t code = find(host, &found);
    if (code == 0)
        *out_bytes = found.bytes;
    return code;
}

int32_t twin_symbol_address(const void *host, uint64_t *out_address)
{
    symbol found;
    uint64_t base = 0;
    TWIN_PINNED(binary, binary);
    TWIN_PINNED(context, context);
    int32_t code = find(host, &found);
    if (code == 0)
        code = twin_binary_pin(found.binary, &binary);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code == 0)
        code = twin_binary_place(binary, context->device, &base);
    if (code == 0)
        *out_address = base + found.offset;
    return code;
}

void twin_symbols_forget(uint64_t binary)
{
    twin_lock_take(&lock);
    size_t kept = 0;
    for (size_t i = 0; i < symbol_count; i++)
        if (symbols[i].binary != binary)
            symbols[kept++] = symbols[i];
    symbol_count = kept;
    if (kept == 0) {
        twin_free(symbols);
        symbols = NULL;
        symbol_room = 0;
    }
    twin_lock_drop(&lock);
}
