/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/stream_value.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/object/stream.h"

#define WORD_BYTES 8u

int32_t twin_value_check_word(const char *role, uint64_t address, uint32_t bytes,
                              const twin_device *device, twin_side *out_side)
{
    if (address % bytes != 0)
        return twin_fail(TWIN_ERR_PARAM, "%s is %#llx, which is not aligned to %u bytes", role,
                         (unsigned long long)address, bytes);
    twin_memory_info info = {.kind = TWIN_MEMORY_UNKNOWN};
    twin_status status = twin_ops()->memory.info(address, &info);
    if (status != TWIN_OK)
        return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%s is %#llx", role,
                                (unsigned long long)address);
    if (info.kind != TWIN_MEMORY_DEVICE && info.kind != TWIN_MEMORY_MAPPED &&
        info.kind != TWIN_MEMORY_MANAGED)
        return twin_fail(
            TWIN_ERR_PARAM,
            "%s is %#llx, which is not device memory%s; give an address of aclrtMalloc or "
            "aclrtHostRegister",
            role, (unsigned long long)address,
            info.kind == TWIN_MEMORY_GONE ? " any more: it was freed" : "");
    if (info.kind != TWIN_MEMORY_MANAGED && info.device != device->hw_index)
        return twin_fail(
            TWIN_ERR_PARAM,
            "%s is %#llx, memory of another device than the stream's, which is device %u", role,
            (unsigned long long)address, device->id);
    if (info.size_bytes < bytes || address - info.base > info.size_bytes - bytes)
        return twin_fail(
            TWIN_ERR_PARAM,
            "%s is %#llx, whose %u bytes leave their allocation of %llu bytes at %#llx", role,
            (unsigned long long)address, bytes, (unsigned long long)info.size_bytes,
            (unsigned long long)info.base);
    if (out_side)
        *out_side = (twin_side){.kind = info.kind, .device = info.device};
    return 0;
}

/* Fills in the side of `value`. */
static int32_t submit(twin_task_kind kind, twin_value_wait *value, uint64_t stream)
{
    if (value->address % WORD_BYTES != 0)
        return twin_fail(TWIN_ERR_PARAM, "%#llx is not aligned to 8 bytes",
                         (unsigned long long)value->address);
    twin_stream *found = NULL;
    twin_context *context = NULL;
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = twin_stream_check_found(found, stream, &context);
    if (code != 0)
        return code;
    const twin_device *device = context->device;
    if (!device->properties->values)
        return twin_fail(TWIN_ERR_UNSUPPORTED,
                         "device %u, %s, has no tasks that write or wait for values", device->id,
                         device->properties->soc_name);
    code = twin_value_check_word("devAddr", value->address, WORD_BYTES, device, &value->side);
    return code != 0 ? code
                     : twin_stream_submit(
                           stream, &(twin_task){.kind = kind, .value = value, .stream = found});
}

int32_t twin_value_write(uint64_t address, uint64_t value, uint64_t stream)
{
    twin_value_wait word = {.address = address, .value = value};
    return submit(TWIN_TASK_WRITE_VALUE, &word, stream);
}

int32_t twin_value_wait_for(uint64_t address, uint64_t value, twin_relation relation,
                            uint64_t stream)
{
    twin_value_wait wait = {.address = address, .value = value, .relation = relation};
    return submit(TWIN_TASK_WAIT_VALUE, &wait, stream);
}
