/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptions of allocators, which are plain values, and their registration on streams. */
#include "core/object/allocator.h"

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/object/stream.h"

/* What an aclrtAllocatorDesc means. The functions are not meant for several threads at once on one
 * description; a pin keeps a destroyed one in place until they are done. */
typedef struct description {
    twin_object head;
    twin_allocator allocator;
} description;

static void release(void *object);

static twin_handle_table descriptions = TWIN_HANDLE_TABLE_INITIALIZER(
    "allocator description", TWIN_HANDLE_ALLOCATOR_DESC, description, NULL, release);

static void release(void *object)
{
    twin_handle_free(&descriptions, object);
}

static int32_t pin(aclrtAllocatorDesc handle, description **out_description)
{
    *out_description = twin_handle_pin(&descriptions, twin_api_handle(handle));
    return *out_description
               ? 0
               : twin_fail(TWIN_ERR_HANDLE, "allocatorDesc is not a valid description: use what "
                                            "aclrtAllocatorCreateDesc gave, until it is destroyed");
}

aclrtAllocatorDesc aclrtAllocatorCreateDesc(void)
{
    TWIN_ENTER_HOST(LOCAL);
    description *made = twin_handle_alloc(&descriptions);
    if (!made) {
        (void)TWIN_LEAVE(twin_fail(TWIN_ERR_NOMEM, "no host memory for an allocator description"));
        return NULL;
    }
    made->allocator = (twin_allocator){.object = NULL};
    const uint64_t handle = twin_handle_publish(made);
    (void)TWIN_LEAVE(0);
    return twin_api_pointer(handle);
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)
{
    TWIN_ENTER_HOST(LOCAL);
    TWIN_NOT_NULL(allocatorDesc);
    description *pinned = NULL;
    int32_t code = pin(allocatorDesc, &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    if (!twin_handle_retire(pinned)) /* another thread was faster */
        code = twin_fail(TWIN_ERR_HANDLE, "allocatorDesc was destroyed meanwhile");
    twin_handle_unpin(&descriptions, pinned);
    return TWIN_LEAVE(code);
}

/* One field of a description; the parameters keep their public names, which messages state. */
#define SET_FIELD(parameter, field)                                                                \
    TWIN_ENTER_HOST(LOCAL);                                                                        \
    TWIN_NOT_NULL(allocatorDesc, parameter);                                                       \
    description *pinned = NULL;                                                                    \
    const int32_t code = pin(allocatorDesc, &pinned);                                              \
    if (code == 0) {                                                                               \
        pinned->allocator.field = (parameter);                                                     \
        twin_handle_unpin(&descriptions, pinned);                                                  \
    }                                                                                              \
    return TWIN_LEAVE(code)

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator)
{
    SET_FIELD(allocator, object);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                          aclrtAllocatorAllocFunc func)
{
    SET_FIELD(func, alloc);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                         aclrtAllocatorFreeFunc func)
{
    SET_FIELD(func, free);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                aclrtAllocatorAllocAdviseFunc func)
{
    SET_FIELD(func, advise);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func)
{
    SET_FIELD(func, address);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Takes what a description says, if it is complete. */
static int32_t take(aclrtAllocatorDesc handle, twin_allocator *out_allocator)
{
    description *pinned = NULL;
    const int32_t code = pin(handle, &pinned);
    if (code != 0)
        return code;
    *out_allocator = pinned->allocator;
    out_allocator->description = twin_api_handle(handle);
    twin_handle_unpin(&descriptions, pinned);
    const char *missing = !out_allocator->object    ? "object; call aclrtAllocatorSetObjToDesc"
                          : !out_allocator->alloc   ? "function that allocates; call "
                                                      "aclrtAllocatorSetAllocFuncToDesc"
                          : !out_allocator->free    ? "function that frees; call "
                                                      "aclrtAllocatorSetFreeFuncToDesc"
                          : !out_allocator->address ? "function that gives the address of a block; "
                                                      "call "
                                                      "aclrtAllocatorSetGetAddrFromBlockFuncToDesc"
                                                    : NULL;
    return missing ? twin_fail(TWIN_ERR_ARG_NULL, "allocatorDesc lacks the %s first", missing) : 0;
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtAllocatorRegister);
    TWIN_NOT_NULL(stream, allocatorDesc);
    twin_allocator allocator;
    int32_t code = take(allocatorDesc, &allocator);
    twin_stream *pinned = NULL;
    if (code == 0)
        code = twin_stream_pin(twin_api_handle(stream), &pinned);
    if (code != 0)
        return TWIN_LEAVE(code);
    code = twin_allocator_register(pinned, &allocator);
    twin_stream_unpin(pinned);
    return TWIN_LEAVE(code);
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc *allocatorDesc,
                                   aclrtAllocator *allocator, aclrtAllocatorAllocFunc *allocFunc,
                                   aclrtAllocatorFreeFunc *freeFunc,
                                   aclrtAllocatorAllocAdviseFunc *allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc *getAddrFromBlockFunc)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtAllocatorGetByStream);
    TWIN_NOT_NULL(allocatorDesc, stream);
    twin_allocator found;
    twin_stream *pinned = twin_handle_pin(&twin_streams, twin_api_handle(stream));
    const bool registered = pinned && twin_allocator_registered(pinned, &found);
    if (pinned)
        twin_stream_unpin(pinned);
    if (!registered)
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "no allocator is registered for the stream; call "
                                    "aclrtAllocatorRegister"));
    *allocatorDesc = twin_api_pointer(found.description);
    if (allocator)
        *allocator = found.object;
    if (allocFunc)
        *allocFunc = found.alloc;
    if (freeFunc)
        *freeFunc = found.free;
    if (allocAdviseFunc)
        *allocAdviseFunc = found.advise;
    if (getAddrFromBlockFunc)
        *getAddrFromBlockFunc = found.address;
    return TWIN_LEAVE(ACL_SUCCESS);
}

aclError aclrtAllocatorUnregister(aclrtStream stream)
{
    TWIN_ENTER_BY_PART(LOCAL, aclrtAllocatorUnregister);
    TWIN_NOT_NULL(stream);
    /* A stream that was destroyed has taken its allocator with it: nothing is left to do. */
    twin_stream *pinned = twin_handle_pin(&twin_streams, twin_api_handle(stream));
    if (pinned) {
        (void)twin_allocator_register(pinned, NULL);
        twin_stream_unpin(pinned);
    }
    return TWIN_LEAVE(ACL_SUCCESS);
}
