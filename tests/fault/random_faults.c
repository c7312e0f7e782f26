/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls that inject faults and take them away, and ask for errors of memory. */
#include <stdatomic.h>
#include <string.h>

#include "random_arguments.h"
#include "twinrt/fault.h"

/* What injected faults cause ------------------------------------------------------------------- */

#define KINDS (TWINRT_FAULT_DOORBELL_LOST + 1)

/* Codes that a task fails with for no other reason. */
static const aclError caused[] = {TASK_FAILED,     ENGINE_FAILED, KERNEL_TOO_LONG,
                                  VECTOR_TOO_LONG, MEMORY_FAILED, LINK_FAILED};
#define CAUSED (sizeof(caused) / sizeof(caused[0]))

static uint32_t kinds_of_run;
/* Faults injected, or just being injected, that cause it. Also of those that were removed: what
 * they hit stays hit. */
static _Atomic uint32_t causes[CAUSED];

void random_fault_begin(uint64_t seed)
{
    random_state random;
    random_seed(&random, seed, UINT64_C(0xfa017));
    for (uint32_t kind = 0; kind < KINDS && seed % 4 != 0; kind++)
        if (random_percent(&random, 60))
            kinds_of_run |= 1u << kind;
}

bool random_fault_explains(aclError code)
{
    for (size_t i = 0; i < CAUSED; i++)
        if (caused[i] == code)
            return atomic_load(&causes[i]) != 0;
    return true;
}

/* Error numbers of the scheduler that faults are given, and the codes they become. */
static const struct {
    uint32_t status;
    aclError code;
} statuses[] = {{0x205, TASK_FAILED},
                {0x20a, ADDRESS_GONE},
                {0x217, ENGINE_FAILED},
                {0x221, MEMORY_FAILED},
                {0x222, LINK_FAILED}};

static bool causes_code(const twinrt_fault *fault, aclError code)
{
    bool any = fault->task == TWINRT_FAULT_TASK_ANY;
    bool kernel = any || fault->task == TWINRT_FAULT_TASK_KERNEL;
    bool host = any || fault->task == TWINRT_FAULT_TASK_HOST_DMA;
    bool late = code == KERNEL_TOO_LONG || code == VECTOR_TOO_LONG;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
        if (fault->status == statuses[i].status && statuses[i].code == code)
            return true;
    switch (fault->kind) {
    case TWINRT_FAULT_BAD_TASK:
        return code == TASK_FAILED;
    case TWINRT_FAULT_MEMORY:
        return code == MEMORY_FAILED || code == LINK_FAILED;
    case TWINRT_FAULT_ENGINE_ERROR:
        return (code == TASK_FAILED && fault->task != TWINRT_FAULT_TASK_HOST_DMA) ||
               (code == ENGINE_FAILED && host);
    case TWINRT_FAULT_ENGINE_TIMEOUT:
    case TWINRT_FAULT_ENGINE_HANG:
    case TWINRT_FAULT_ENGINE_SLOW:
        return late && kernel;
    default:
        return false;
    }
}

static void count_causes(const twinrt_fault *fault, uint32_t by)
{
    for (size_t i = 0; i < CAUSED; i++)
        if (causes_code(fault, caused[i]))
            atomic_fetch_add(&causes[i], by);
}

/* Injecting ------------------------------------------------------------------------------------ */

/* A fault that hits soon and seldom: the others have work to do. */
static twinrt_fault any_fault(random_worker *worker)
{
    twinrt_fault fault = TWINRT_FAULT_INIT(below(worker, TWINRT_FAULT_DOORBELL_LOST + 1));
    fault.task = below(worker, TWINRT_FAULT_TASK_CONDITION + 1);
    if (chance(worker, 50))
        fault.task = TWINRT_FAULT_TASK_ANY;
    fault.device = chance(worker, 50) ? -1 : any_device(worker);
    fault.stream = chance(worker, 70) ? -1 : (int32_t)below(worker, 64);
    fault.first = 1 + below(worker, 20);
    if ((fault.kind == TWINRT_FAULT_ENGINE_TIMEOUT || fault.kind == TWINRT_FAULT_COMPLETION_LOST ||
         fault.kind == TWINRT_FAULT_REPORTS_FULL || chance(worker, 2)) &&
        chance(worker, 90))
        fault.duration_ns = 1 + below(worker, 1000000);
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
    bool fails = fault.kind == TWINRT_FAULT_MEMORY || fault.kind == TWINRT_FAULT_ENGINE_ERROR ||
                 fault.kind == TWINRT_FAULT_ENGINE_TIMEOUT;
    if (chance(worker, fails ? 20 : 1)) /* the rest have no use for it, and refuse it */
        fault.status = statuses[below(worker, sizeof(statuses) / sizeof(statuses[0]))].status;
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
static aclError call_inject(random_worker *worker)
{
    aclError code = BAD_VALUE;
    uint32_t number = 0;
    for (uint32_t i = 0; i < 4 && code == BAD_VALUE; i++) {
        twinrt_fault fault = any_fault(worker);
        if (fault.kind >= KINDS || (kinds_of_run >> fault.kind & 1) == 0)
            fault.reserved = 1; /* it is refused */
        count_causes(&fault, 1);
        code = twinrt_fault_inject(chance(worker, 98) ? &fault : NULL, OUT(worker, number));
        if (code != ACL_SUCCESS)
            count_causes(&fault, UINT32_MAX);
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
        return twinrt_fault_triggered((uint32_t)HANDLE(any(worker, RANDOM_FAULT)),
                                      OUT(worker, times));
    if (chance(worker, 20))
        return twinrt_fault_remove((uint32_t)HANDLE(any(worker, RANDOM_FAULT)));
    /* None in that place: 0, which takes all away. */
    return twinrt_fault_remove((uint32_t)random_pool_take(&worker->random, RANDOM_FAULT).handle);
}

/* Errors of memory ----------------------------------------------------------------------------- */

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

/* All of it ------------------------------------------------------------------------------------ */

const random_row random_fault_rows[] = {
    {"twinrt_fault_inject",
     call_inject,
     2,
     {NULL_ARGUMENT, BAD_VALUE, NO_SUCH_DEVICE, NO_MEMORY},
     false},
    {"twinrt_fault_remove, twinrt_fault_triggered",
     call_remove,
     3,
     {NULL_ARGUMENT, BAD_VALUE},
     false},
    {"errors of memory",
     call_memory_errors,
     8,
     {NULL_ARGUMENT, BAD_VALUE, NO_SUCH_DEVICE, NOT_UP},
     false},
};
const uint32_t random_fault_row_count = sizeof(random_fault_rows) / sizeof(random_fault_rows[0]);
