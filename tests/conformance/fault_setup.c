/* SPDX-License-Identifier: Apache-2.0 */
#include "fault_tests.h"

twinrt_fault twin_fault_for(twinrt_fault_kind kind)
{
    twinrt_fault fault = TWINRT_FAULT_INIT(kind);
    if (kind == TWINRT_FAULT_ENGINE_SLOW)
        fault.factor_permille = 3000;
    if (kind == TWINRT_FAULT_ENGINE_TIMEOUT)
        fault.duration_ns = 100000;
    return fault;
}

uint32_t twin_inject_fault(const twinrt_fault *fault)
{
    uint32_t number = 0;
    CHECK_OK(twinrt_fault_inject(fault, &number));
    CHECK(number != 0);
    return number;
}
