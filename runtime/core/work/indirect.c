/* SPDX-License-Identifier: Apache-2.0 */
#include "core/work/indirect.h"

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/lock.h"
#include "core/object/context.h"
#include "core/object/stream.h"
#include "core/work/range.h"

#define OFFSET_MOST 0xffffffffffffull /* what an entry of the device holds */

/* Device memory: `bytes` at an address with an alignment. */
static int32_t check_device_memory(const char *role, uint64_t address, uint64_t bytes,
                                   uint64_t align, twin_memory_info *out)
{
    const void *pointer = (const void *)(uintptr_t)address;
    *out = twin_range_info(pointer);
    int32_t code = twin_range_check(role, pointer, bytes, out);
    if (code == 0 && out->kind != TWIN_MEMORY_DEVICE)
        code = twin_fail(TWIN_ERR_PARAM,
                         "the %s, %p, is not device memory; give an address of aclrtMalloc", role,
                         pointer);
    if (code == 0 && address % align != 0)
        code = twin_fail(TWIN_ERR_PARAM, "the %s, %p, is not a multiple of %llu", role, pointer,
                         (unsigned long long)align);
    return code;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* What they are when the task runs decides; now they are on one device. */
static int32_t check_described(const twin_copy *copy)
{
    twin_memory_info src;
    twin_memory_info dst;
    int32_t code = check_device_memory("source", copy->src, 1, 1, &src);
    if (code != 0 || copy->dst == 0)
        return code;
    code = check_device_memory("destination", copy->dst, 1, 1, &dst);
    if (code == 0 && src.device != dst.device)
        code = twin_fail(TWIN_ERR_PARAM_RELATION,
                         "source and destination are on devices %u and %u; a descriptor copies "
                         "within one device",
                         src.device, dst.device);
    return code;
}

int32_t twin_descriptor_write(void *at, const twin_copy *copy)
{
    if (copy->bytes > UINT32_MAX)
        return twin_fail(TWIN_ERR_PARAM, "the size is %llu; a descriptor holds at most %u bytes",
                         (unsigned long long)copy->bytes, UINT32_MAX);
    const uint64_t address = (uint64_t)(uintptr_t)at;
    twin_memory_info info;
    int32_t code = check_device_memory("descriptor", address, TWIN_DESCRIPTOR_BYTES,
                                       TWIN_DESCRIPTOR_ALIGN, &info);
    if (code == 0)
        code = check_described(copy);
    TWIN_PINNED(context, context);
    if (code == 0)
        code = twin_context_pin_current(&context);
    if (code == 0)
        code = twin_device_refuse_aborting(context->device, "cannot write a descriptor");
    if (code == 0)
        code = twin_range_check_owner("descriptor", &info, context->device);
    if (code != 0)
        return code;
    twin_assert_unlocked("memory.describe with a lock held");
    const twin_status status = twin_device_note(
        context->device, twin_ops()->memory.describe(context->device->hw, address, copy));
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "the descriptor at %p", at);
}

int32_t twin_described_async(void *at, twin_range_op op, uint64_t stream)
{
    twin_stream *found = NULL;
    twin_context *context = NULL;
    twin_memory_info info;
    const twin_maintenance task = {.address = (uint64_t)(uintptr_t)at, .op = op};
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = check_device_memory("descriptor", task.address, TWIN_DESCRIPTOR_BYTES,
                                   TWIN_DESCRIPTOR_ALIGN, &info);
    if (code == 0)
        code = twin_stream_check_found(found, stream, &context);
    if (code == 0)
        code = twin_range_check_owner("descriptor", &info, context->device);
    return code != 0 ? code
                     : twin_stream_submit(stream, &(twin_task){.kind = TWIN_TASK_DESCRIBED,
                                                               .maintenance = &task,
                                                               .stream = found});
}

/* ---- cache maintenance ----------------------------------------------------------------------- */

int32_t twin_maintain_async(const twin_maintenance *maintenance, uint64_t stream)
{
    twin_stream *found = NULL;
    twin_context *context = NULL;
    twin_memory_info info;
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = twin_stream_check_found(found, stream, &context);
    if (code == 0)
        code = check_device_memory("range", maintenance->address, maintenance->bytes, 1, &info);
    if (code == 0)
        code = twin_range_check_owner("range", &info, context->device);
    if (code != 0)
        return code;
    return twin_stream_submit(
        stream,
        &(twin_task){.kind = TWIN_TASK_MAINTAIN, .maintenance = maintenance, .stream = found});
}

int32_t twin_maintain_now(void *pointer, size_t bytes, bool invalidate)
{
    TWIN_PINNED(context, context);
    int32_t code = twin_context_pin_current(&context);
    if (code != 0)
        return code;
    const twin_memory_info info = twin_range_info(pointer);
    code = twin_range_check("range", pointer, bytes, &info);
    if (code == 0 && info.kind == TWIN_MEMORY_UNKNOWN)
        code = twin_fail(TWIN_ERR_PARAM,
                         "the range, %p, is memory of the program; give an address of aclrtMalloc "
                         "or aclrtMallocHost",
                         pointer);
    if (code != 0)
        return code;
    const twin_status status = twin_device_note(
        context->device, twin_ops()->memory.maintain(
                             context->device->hw, (uint64_t)(uintptr_t)pointer, bytes, invalidate));
    return twin_fail_status(status, TWIN_CODE_STREAM_TIMEOUT, "%zu bytes at %p", bytes, pointer);
}

/* ---- base addresses in device memory --------------------------------------------------------- */

static int32_t check_offsets(const twin_based_copy *copy, uint64_t dst_bytes)
{
    if (copy->dst_offset > OFFSET_MOST || copy->src_offset > OFFSET_MOST)
        return twin_fail(TWIN_ERR_PARAM, "the offset of the %s is %#llx; it must be at most %#llx",
                         copy->dst_offset > OFFSET_MOST ? "destination" : "source",
                         (unsigned long long)(copy->dst_offset > OFFSET_MOST ? copy->dst_offset
                                                                             : copy->src_offset),
                         OFFSET_MOST);
    if (copy->dst_offset >= dst_bytes || copy->bytes > dst_bytes - copy->dst_offset)
        return twin_fail(TWIN_ERR_PARAM_RELATION,
                         "%llu bytes at offset %llu do not fit into the %llu of the destination",
                         (unsigned long long)copy->bytes, (unsigned long long)copy->dst_offset,
                         (unsigned long long)dst_bytes);
    return 0;
}

static int32_t check_base(const char *role, uint64_t address, const twin_device *device)
{
    twin_memory_info info;
    const int32_t code =
        check_device_memory(role, address, sizeof(uint64_t), sizeof(uint64_t), &info);
    return code != 0 ? code : twin_range_check_owner(role, &info, device);
}

int32_t twin_copy_based_async(const twin_based_copy *copy, uint64_t dst_bytes, uint64_t stream)
{
    twin_stream *found = NULL;
    twin_context *context = NULL;
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = check_offsets(copy, dst_bytes);
    if (code == 0)
        code = twin_stream_check_found(found, stream, &context);
    if (code == 0)
        code = check_base("place of the destination's address", copy->dst, context->device);
    if (code == 0)
        code = check_base("place of the source's address", copy->src, context->device);
    return code != 0 ? code
                     : twin_stream_submit(stream, &(twin_task){.kind = TWIN_TASK_COPY_BASED,
                                                               .based = copy,
                                                               .stream = found});
}

/* ---- random numbers -------------------------------------------------------------------------- */

#define COUNTER_BYTES 16u
#define PARAMS_BYTES  16u

/* Memory that the task names beside its result. */
static int32_t check_random_sources(const twin_random *random)
{
    twin_memory_info info;
    const struct {
        const char *role;
        const twin_random_value *value;
    } values[] = {{"first parameter", &random->first},
                  {"second parameter", &random->second},
                  {"seed", &random->seed},
                  {"number of random numbers", &random->count}};
    int32_t code = check_device_memory("counter", random->counter, COUNTER_BYTES, 1, &info);
    if (code == 0 && random->params != 0)
        code =
            check_device_memory("place of the parameters", random->params, PARAMS_BYTES, 1, &info);
    for (size_t i = 0; code == 0 && i < sizeof(values) / sizeof(values[0]); i++)
        if (values[i].value->is_address)
            code = check_device_memory(values[i].role, values[i].value->value, 1, 1, &info);
    return code;
}

static int32_t check_random(const twin_random *random, const twin_device *device)
{
    twin_memory_info to;
    const uint64_t bytes =
        random->count.is_address
            ? 1
            : twin_random_bytes(random->function, random->type, random->count.value);
    if (bytes == 0)
        return twin_fail(TWIN_ERR_PARAM, "the number of random numbers is 0");
    int32_t code = check_device_memory("result", random->dst, bytes, 1, &to);
    if (code == 0)
        code = twin_range_check_owner("result", &to, device);
    return code != 0 ? code : check_random_sources(random);
}

int32_t twin_random_async(const twin_random *random, uint64_t stream)
{
    twin_stream *found = NULL;
    twin_context *context = NULL;
    int32_t code = twin_stream_find(stream, &found);
    if (code == 0)
        code = twin_stream_check_found(found, stream, &context);
    if (code == 0)
        code = check_random(random, context->device);
    if (code == 0 && random->params != 0) {
        const uint64_t values[2] = {random->first.value, random->second.value};
        code =
            twin_memory_copy((void *)(uintptr_t)random->params, PARAMS_BYTES, values, PARAMS_BYTES);
    }
    return code != 0 ? code
                     : twin_stream_submit(stream, &(twin_task){.kind = TWIN_TASK_RANDOM,
                                                               .random = random,
                                                               .stream = found});
}
