/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/shared_memory.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/context.h"
#include "core/object/peer.h"
#include "core/work/overflow.h"
#include "core/work/range.h"

int32_t twin_shared_export(const void *pointer, size_t bytes, bool check_pid,
                           char out_key[TWIN_SHARE_NAME])
{
    const twin_memory_info info = twin_range_info(pointer);
    if (info.kind != TWIN_MEMORY_DEVICE || twin_overflow_is(info.device, info.base))
        return twin_fail(
            TWIN_ERR_PARAM,
            "%p is not memory of a device, of aclrtMalloc or mapped, which is shared by keys",
            pointer);
    return twin_fail_status(
        twin_ops()->memory.share((uint64_t)(uintptr_t)pointer, bytes, check_pid, out_key),
        TWIN_CODE_STREAM_TIMEOUT, "export of %zu bytes at %p", bytes, pointer);
}

int32_t twin_shared_allow(const char *key, const int32_t *pids, size_t count)
{
    return twin_fail_status(twin_ops()->memory.allow(key, pids, count), TWIN_CODE_STREAM_TIMEOUT,
                            "list of processes of a key");
}

/* Lets the device reach the owner of imported memory. */
static int32_t reach_owner(twin_device *device, uint64_t address)
{
    const twin_memory_info info = twin_range_info((const void *)(uintptr_t)address);
    const twin_device *owner = twin_device_of_hardware(info.device);
    if (!owner || owner == device)
        return 0;
    return twin_peer_change_current((int32_t)owner->id, true);
}

int32_t twin_shared_import(const char *key, bool peer, void **out_pointer)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    uint64_t address = 0;
    twin_status status = twin_device_note(
        context->device, twin_ops()->memory.open(context->device->hw, key, &address));
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "import of a key");
    code = peer ? reach_owner(context->device, address) : 0;
    if (code != 0)
        (void)twin_ops()->memory.close(NULL, address);
    else
        *out_pointer = (void *)(uintptr_t)address;
    return code;
}

int32_t twin_shared_set_link(const char *key, twin_memory_link link)
{
    return twin_fail_status(twin_ops()->memory.set_link(key, link), TWIN_CODE_STREAM_TIMEOUT,
                            "link of a key");
}

int32_t twin_shared_close(const char *key, const void *pointer)
{
    return twin_fail_status(twin_ops()->memory.close(key, (uint64_t)(uintptr_t)pointer),
                            TWIN_CODE_STREAM_TIMEOUT, "end of shared memory");
}
