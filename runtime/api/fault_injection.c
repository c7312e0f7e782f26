/* SPDX-License-Identifier: Apache-2.0 */
#include "twinrt/fault.h"

#include <assert.h>
#include <stddef.h>

#include "api/entry.h"
#include "core/inject/fault_injection.h"

#define SAME(name)                                                                                 \
    static_assert((int)TWINRT_FAULT_##name == (int)TWIN_FAULT_##name, "the seam counts likewise")
#define TWIN_FAULT_SAME(name, word) SAME(name);
TWIN_FAULT_LIST(TWIN_FAULT_SAME)
#define TWIN_FAULT_TASK_SAME(name, word) SAME(TASK_##name);
TWIN_FAULT_TASK_LIST(TWIN_FAULT_TASK_SAME)
SAME(READ);
SAME(WRITE);

static int32_t convert(const twinrt_fault *given, twin_fault *out)
{
    if (given->kind >= TWIN_FAULT_KINDS || given->task >= TWIN_FAULT_TASKS || given->reserved != 0)
        return twin_fail(TWIN_ERR_PARAM,
                         "kind %u and task %u: there are %d and %d, and reserved is 0", given->kind,
                         given->task, TWIN_FAULT_KINDS, TWIN_FAULT_TASKS);
    if (given->device < -1 || given->stream < -1 || given->id < -1)
        return twin_fail(TWIN_ERR_PARAM, "device %d, stream %d, id %d: a number, or -1 for any",
                         given->device, given->stream, given->id);
    uint32_t device = TWIN_FAULT_ANY;
    if (given->device >= 0) {
        twin_device *found = NULL;
        int32_t code = twin_device_find(given->device, &found);
        if (code != 0)
            return code;
        device = found->hw_index;
    }
    *out = (twin_fault){
        .kind = (twin_fault_kind)given->kind,
        .task = (twin_fault_task)given->task,
        .device = device,
        .stream = given->stream < 0 ? TWIN_FAULT_ANY : (uint32_t)given->stream,
        .id = given->id < 0 ? TWIN_FAULT_ANY : (uint32_t)given->id,
        .first = given->first,
        .times = given->times,
        .duration_ns = given->duration_ns,
        .factor_permille = given->factor_permille,
        .access = given->access,
        .address = given->address,
        .bytes = given->bytes,
        .status = given->status,
    };
    return 0;
}

int32_t twinrt_fault_inject(const twinrt_fault *fault, uint32_t *number)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(fault);
    if (fault->size != sizeof(*fault))
        return TWIN_LEAVE(twin_fail(TWIN_ERR_ARG_VALUE,
                                    "size is %u; use TWINRT_FAULT_INIT, and the header of this "
                                    "runtime (%zu)",
                                    fault->size, sizeof(*fault)));
    twin_fault wanted;
    uint32_t injected = 0;
    int32_t code = convert(fault, &wanted);
    if (code == 0)
        code = twin_fault_inject(&wanted, &injected);
    if (code == 0 && number)
        *number = injected;
    return TWIN_LEAVE(code);
}

int32_t twinrt_fault_remove(uint32_t number)
{
    TWIN_ENTER(LOCAL);
    return TWIN_LEAVE(twin_fault_remove(number));
}

int32_t twinrt_fault_triggered(uint32_t number, uint64_t *times)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(times);
    return TWIN_LEAVE(twin_fault_triggered(number, times));
}

int32_t twinrt_fault_load(const char *path)
{
    TWIN_ENTER(LOCAL);
    TWIN_NOT_NULL(path);
    return TWIN_LEAVE(twin_fault_load(path));
}
