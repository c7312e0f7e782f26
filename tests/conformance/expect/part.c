/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of functions that some parts do not offer: skipped there. That these functions are refused
 * is part_suite's. */
#include "expect.h"

#include <stddef.h>

#include "../profile.h"

#define NEEDS(suite, test, function)                                                               \
    {                                                                                              \
        {suite, test, "the part does not offer " function}, function                               \
    }

static const struct {
    twin_exception exception;
    const char *function;
} rows[] = {
    NEEDS("across", "MEM-127: rows between", "aclrtDeviceEnablePeerAccess"),
    NEEDS("across", "UVA-20", "aclrtMemP2PMap"),
    NEEDS("across", "RED-03: reductions between", "aclrtDeviceEnablePeerAccess"),
    NEEDS("event", "EVT-22", "aclrtRecordEventWithFlag"),
    NEEDS("event", "EVT-24", "aclrtRecordEventWithFlag"),
    NEEDS("event", "EVT-34: a wait across devices is aborted", "aclrtDeviceTaskAbort"),
    NEEDS("event", "EVT-34: a wait across devices lasts", "aclrtDeviceTaskAbort"),
    NEEDS("event", "EVT-38", "aclrtStreamWaitEventWithFlag"),
    NEEDS("event", "EVT-39", "aclrtStreamWaitEventWithFlag"),
    NEEDS("event", "EVT-40", "aclrtSetOpWaitTimeout"),
    NEEDS("facts", "CFG-14", "aclrtDeviceSetLimit"),
    NEEDS("facts", "DEV-43", "aclrtDeviceGetUuid"),
    NEEDS("facts", "DEV-49", "aclrtDeviceEnablePeerAccess"),
    NEEDS("facts", "DEV-50", "aclrtDeviceEnablePeerAccess"),
    NEEDS("facts", "DEV-51", "aclrtDeviceEnablePeerAccess"),
    NEEDS("facts", "INIT-17", "aclrtDeviceGetLimit"),
    NEEDS("facts", "KRN-42", "aclrtGetHardwareSyncAddr"),
    NEEDS("facts", "a copy between devices needs", "aclrtDeviceEnablePeerAccess"),
    NEEDS("facts", "a device is found by its bus", "aclrtDeviceGetPCIBusId"),
    NEEDS("facts", "a device that is not visible is not found by", "aclrtDeviceGetPCIBusId"),
    NEEDS("facts", "a queued copy between devices needs", "aclrtDeviceEnablePeerAccess"),
    NEEDS("facts", "names on the bus", "aclrtDeviceGetPCIBusId"),
    NEEDS("facts", "of aclInit and aclrtDeviceSetLimit", "aclrtDeviceSetLimit"),
    NEEDS("facts", "peer access ends", "aclrtDeviceEnablePeerAccess"),
    NEEDS("facts", "peer access is that of", "aclrtDeviceEnablePeerAccess"),
    NEEDS("facts", "sizes of stacks", "aclrtDeviceSetLimit"),
    NEEDS("memory", "MEM-130", "aclrtMemcpyBatch"),
    NEEDS("memory", "MEM-132", "aclrtMemcpyBatch"),
    NEEDS("memory", "MEM-134", "aclrtMemcpyBatch"),
    NEEDS("memory", "MEM-135", "aclrtMemcpyBatch"),
    NEEDS("memory", "MEM-137", "aclrtMemcpyBatchAsync"),
    NEEDS("memory", "MEM-138", "aclrtMemcpyBatch"),
    NEEDS("notify", "NTF-12", "aclrtNotifyBatchReset"),
};

const twin_exception *twin_exceptions_of_part(void)
{
    static twin_exception list[sizeof(rows) / sizeof(rows[0]) + 1];
    size_t count = 0;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!twin_profile_offers(rows[i].function))
            list[count++] = rows[i].exception;
    return list;
}
