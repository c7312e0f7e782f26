/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls that plant faults and take them away, and ask for errors of memory. */
#include <string.h>

#include "random_arguments.h"
#include "twinrt/fault.h"

/* A fault that strikes soon and seldom: the others have work to do. */
static twinrt_fault any_fault(random_worker *worker)
{
    twinrt_fault fault = TWINRT_FAULT_INIT(below(worker, TWINRT_FAULT_DOORBELL_LOST + 1));
    fault.task = below(worker, TWINRT_FAULT_TASK_CONDITION + 1);
    if (chance(worker, 50))
        fault.task = TWINRT_FAULT_TASK_ANY;
    fault.device = chance(worker, 50) ? -1 : any_device(worker);
    fault.stream = chance(worker, 70) ? -1 : (int32_t)below(worker, 64);
    fault.first = 1 + below(worker, 20);
    fault.duration_ns = chance(worker, 90) ? 1 + below(worker, 1000000) : 0;
    if (fault.kind == TWINRT_FAULT_ENGINE_SLOW)
        fault.factor_permille = 1001 + below(worker, 9000);
    if (fault.kind == TWINRT_FAULT_RECORD_LOST && chance(worker, 50))
        fault.id = (int32_t)below(worker, 64);
    if (fault.kind == TWINRT_FAULT_MEMORY && chance(worker, 95)) {
        fault.task = TWINRT_FAULT_TASK_ANY;
        fault.stream = -1;
        random_entry memory = random_pool_any(&worker->random, RANDOM_MEMORY, 0);
        fault.address = memory.handle;
        fault.bytes = 1 + below(worker, 4096);
        fault.access = 1 + below(worker, 3);
    }
    if (chance(worker, 10))
        fault.status = 0x200 + below(worker, 0x40);
    if (!chance(worker, 10))
        return fault;
    switch (below(worker, 6)) {
    case 0:
        fault.size = any_number(worker);
        break;
    case 1:
        fault.kind = any_number(worker);
        break;
    case 2:
        fault.task = any_number(worker);
        break;
    case 3:
        fault.stream = (int32_t)any_number(worker);
        break;
    case 4:
        fault.bytes = any_number(worker);
        break;
    default:
        fault.reserved = any_number(worker);
        break;
    }
    return fault;
}

/* A kind and a task that do not go together are refused, so several are tried. */
static aclError call_plant(random_worker *worker)
{
    aclError code = BAD_VALUE;
    uint32_t number = 0;
    for (uint32_t i = 0; i < 4 && code == BAD_VALUE; i++) {
        twinrt_fault fault = any_fault(worker);
        code = twinrt_fault_plant(chance(worker, 98) ? &fault : NULL, OUT(worker, number));
    }
    if (number == 0)
        return code;
    random_entry old = random_pool_put(&worker->random, RANDOM_FAULT, (random_entry){number, 0});
    if (old.handle != 0)
        (void)twinrt_fault_remove((uint32_t)old.handle);
    return code;
}

static aclError call_remove(random_worker *worker)
{
    uint64_t times = 0;
    if (chance(worker, 30))
        return twinrt_fault_struck((uint32_t)HANDLE(any(worker, RANDOM_FAULT)), OUT(worker, times));
    if (chance(worker, 20))
        return twinrt_fault_remove((uint32_t)HANDLE(any(worker, RANDOM_FAULT)));
    /* None in that place: 0, which takes all away. */
    return twinrt_fault_remove((uint32_t)random_pool_take(&worker->random, RANDOM_FAULT).handle);
}

/* Errors of memory --------------------------------------------------------------------------------- */

static aclError call_memory_errors(random_worker *worker)
{
    aclrtErrorInfo info;
    aclrtMemUceInfo list[MAX_MEM_UCE_INFO_ARRAY_SIZE];
    size_t count = 0;
    int32_t device = any_device(worker);
    memset(&info, 0, sizeof(info));
    memset(list, 0, sizeof(list));
    aclError code;
    switch (below(worker, 4)) {
    case 0:
        return aclrtGetErrorVerbose(device, OUT(worker, info));
    case 1:
        code = aclrtGetErrorVerbose(device, &info);
        if (chance(worker, 10)) {
            info.tryRepair = (uint8_t)below(worker, 2);
            info.hasDetail = (uint8_t)below(worker, 2);
            info.errorType = (aclrtErrorType)any_number(worker);
            info.detail.uceInfo.arraySize = any_number(worker);
        }
        return code != ACL_SUCCESS ? code : aclrtRepairError(device, OUT(worker, info));
    case 2:
        return aclrtGetMemUceInfo(device, OUT(worker, *list),
                                  chance(worker, 80) ? MAX_MEM_UCE_INFO_ARRAY_SIZE
                                                     : below(worker, 3),
                                  OUT(worker, count));
    default:
        code = aclrtGetMemUceInfo(device, list, MAX_MEM_UCE_INFO_ARRAY_SIZE, &count);
        if (code != ACL_SUCCESS)
            return code;
        if (count > MAX_MEM_UCE_INFO_ARRAY_SIZE)
            random_failure("%zu errors of memory in a list of %d", count,
                           MAX_MEM_UCE_INFO_ARRAY_SIZE);
        if (chance(worker, 10)) {
            list[0].addr = any(worker, RANDOM_MEMORY);
            list[0].len = any_number(worker);
            count = chance(worker, 50) ? 1 : any_number(worker);
        }
        if (count > MAX_MEM_UCE_INFO_ARRAY_SIZE) /* refused by its number */
            return aclrtMemUceRepair(device, list, count);
        return aclrtMemUceRepair(device, OUT(worker, *list), count);
    }
}

/* All of it ---------------------------------------------------------------------------------------- */

const random_row random_fault_rows[] = {
    {"twinrt_fault_plant",
     call_plant,
     2,
     {NULL_ARGUMENT, BAD_VALUE, NO_SUCH_DEVICE, NO_MEMORY},
     false},
    {"twinrt_fault_remove, twinrt_fault_struck", call_remove, 3, {NULL_ARGUMENT, BAD_VALUE}, false},
    {"errors of memory",
     call_memory_errors,
     8,
     {NULL_ARGUMENT, BAD_VALUE, NO_SUCH_DEVICE, NOT_UP},
     false},
};
const uint32_t random_fault_row_count = sizeof(random_fault_rows) / sizeof(random_fault_rows[0]);
