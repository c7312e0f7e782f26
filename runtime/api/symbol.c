/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of kernel images, by the objects of the host that denote them. */
#include "core/image/symbol.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/work/memory.h"
#include "twinrt/symbol.h"

int32_t twinrt_register_variable(void *binary, const void *symbol, const char *name)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(binary, symbol, name);
    return TWIN_LEAVE(twin_symbol_register(twin_api_handle(binary), symbol, name));
}

aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr)
{
    TWIN_ENTER_BY_PART(MEMORY, aclrtGetSymbolAddress);
    TWIN_NOT_NULL(symbol, devPtr);
    uint64_t address = 0;
    const int32_t code = twin_symbol_address(symbol, &address);
    if (code == 0)
        *devPtr = twin_api_pointer(address);
    return TWIN_LEAVE(code);
}

aclError aclrtGetSymbolSize(const void *symbol, size_t *size)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtGetSymbolSize);
    TWIN_NOT_NULL(symbol, size);
    uint64_t bytes = 0;
    const int32_t code = twin_symbol_bytes(symbol, &bytes);
    if (code == 0)
        *size = bytes;
    return TWIN_LEAVE(code);
}

/* A part of the variable of a symbol; `kind` of the copies in one direction: the one given or
 * DEFAULT. */
static int32_t part_of(const void *symbol, size_t offset, size_t count, aclrtMemcpyKind kind,
                       aclrtMemcpyKind given, void **out_part)
{
    if (kind != given && kind != ACL_MEMCPY_DEFAULT)
        return twin_fail(TWIN_ERR_ARG_VALUE, "kind is %d; it must be %d or %d", (int)kind,
                         (int)given, ACL_MEMCPY_DEFAULT);
    uint64_t bytes = 0;
    int32_t code = twin_symbol_bytes(symbol, &bytes);
    if (code == 0 && (offset > bytes || count > bytes - offset))
        code = twin_fail(TWIN_ERR_ARG_RELATION,
                         "%zu bytes at offset %zu are not inside the variable, which has %llu",
                         count, offset, (unsigned long long)bytes);
    uint64_t address = 0;
    if (code == 0)
        code = twin_symbol_address(symbol, &address);
    if (code == 0)
        *out_part = twin_api_pointer(address + offset);
    return code;
}

static int32_t from_symbol(void *dst, size_t dstMax, const void *symbol, size_t count,
                           size_t offset, aclrtMemcpyKind kind, void **out_part)
{
    if (!symbol || !dst)
        return twin_api_null(!symbol ? "symbol" : "dst");
    if (count > dstMax)
        return twin_fail(TWIN_ERR_ARG_RELATION, "%zu bytes do not fit into dstMax, %zu", count,
                         dstMax);
    return part_of(symbol, offset, count, kind, ACL_MEMCPY_DEVICE_TO_HOST, out_part);
}

static int32_t to_symbol(const void *symbol, const void *src, size_t count, size_t offset,
                         aclrtMemcpyKind kind, void **out_part)
{
    if (!symbol || !src)
        return twin_api_null(!symbol ? "symbol" : "src");
    return part_of(symbol, offset, count, kind, ACL_MEMCPY_HOST_TO_DEVICE, out_part);
}

aclError aclrtMemcpyFromSymbol(void *dst, size_t dstMax, const void *symbol, size_t count,
                               size_t offset, aclrtMemcpyKind kind)
{
    TWIN_ENTER_BY_PART(COPY, aclrtMemcpyFromSymbol);
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    void *part = NULL;
    const int32_t code = from_symbol(dst, dstMax, symbol, count, offset, kind, &part);
    return TWIN_LEAVE(code != 0 ? code : twin_memory_copy(dst, dstMax, part, count));
}

aclError aclrtMemcpyFromSymbolAsync(void *dst, size_t dstMax, const void *symbol, size_t count,
                                    size_t offset, aclrtMemcpyKind kind, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(TRANSFER, aclrtMemcpyFromSymbolAsync);
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    void *part = NULL;
    const int32_t code = from_symbol(dst, dstMax, symbol, count, offset, kind, &part);
    return TWIN_LEAVE(code != 0
                          ? code
                          : twin_memory_copy_async(dst, dstMax, part, count, (twin_copy_kind)kind,
                                                   twin_api_handle(stream)));
}

aclError aclrtMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                             aclrtMemcpyKind kind)
{
    TWIN_ENTER_BY_PART(COPY, aclrtMemcpyToSymbol);
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    void *part = NULL;
    const int32_t code = to_symbol(symbol, src, count, offset, kind, &part);
    return TWIN_LEAVE(code != 0 ? code : twin_memory_copy(part, count, src, count));
}

aclError aclrtMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                  aclrtMemcpyKind kind, aclrtStream stream)
{
    TWIN_ENTER_BY_PART(TRANSFER, aclrtMemcpyToSymbolAsync);
    if (count == 0)
        return TWIN_LEAVE(ACL_SUCCESS);
    void *part = NULL;
    const int32_t code = to_symbol(symbol, src, count, offset, kind, &part);
    return TWIN_LEAVE(code != 0
                          ? code
                          : twin_memory_copy_async(part, count, src, count, (twin_copy_kind)kind,
                                                   twin_api_handle(stream)));
}
