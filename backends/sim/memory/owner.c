/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/owner.h"

#include <stdio.h>

#include "wait/clock.h"

void sim_owner_take(struct sim_owner *owner, const twin_allocation *allocation)
{
    const twin_call_place *place = sim_clock.place;
    const bool known = place && place->call;
    *owner = (struct sim_owner){.module = allocation->module < TWIN_MODULES ? allocation->module
                                                                            : TWIN_MODULE_APP,
                                .thread = sim_clock.system_id,
                                .stream = SIM_NO_STREAM,
                                .what = allocation->what,
                                .call = known ? place->call->name : NULL,
                                .site = known ? place->site : NULL};
}

/* Modules of the vendor's software, by number; those without a name are in no public header. */
static const char *const module_names[] = {
    [0] = "SLOG",
    [1] = "IDEDD",
    [2] = "SCC",
    [3] = "HCCL",
    [4] = "FMK",
    [5] = "CCU",
    [6] = "DVPP",
    [7] = "RUNTIME",
    [8] = "CCE",
    [9] = "HDC",
    [10] = "DRV",
    [11] = "NET",
    [12] = "HIXL",
    [22] = "DEVMM",
    [23] = "KERNEL",
    [24] = "LIBMEDIA",
    [25] = "CCECPU",
    [27] = "ROS",
    [28] = "HCCP",
    [29] = "ROCE",
    [30] = "TEFUSION",
    [31] = "PROFILING",
    [32] = "DP",
    [33] = "APP",
    [34] = "TS",
    [35] = "TSDUMP",
    [36] = "AICPU",
    [37] = "LP",
    [38] = "TDT",
    [39] = "FE",
    [40] = "MD",
    [41] = "MB",
    [42] = "ME",
    [43] = "IMU",
    [44] = "IMP",
    [45] = "GE",
    [47] = "CAMERA",
    [48] = "ASCENDCL",
    [49] = "TEEOS",
    [50] = "ISP",
    [51] = "SIS",
    [52] = "HSM",
    [53] = "DSS",
    [54] = "PROCMGR",
    [55] = "BBOX",
    [56] = "AIVECTOR",
    [57] = "TBE",
    [58] = "FV",
    [59] = "PYPTO",
    [60] = "TUNE",
    [61] = "HSS",
    [62] = "FFTS",
    [63] = "OP",
    [64] = "UDF",
    [65] = "HICAID",
    [66] = "TSYNC",
    [67] = "AUDIO",
    [68] = "TPRT",
    [69] = "ASCENDCKERNEL",
    [70] = "ASYS",
    [71] = "ATRACE",
    [72] = "RTC",
    [73] = "SYSMONITOR",
    [74] = "AML",
    [75] = "ADETECT",
};

void sim_module_name(uint32_t module, char *name, size_t bytes)
{
    const char *known =
        module < sizeof(module_names) / sizeof(module_names[0]) ? module_names[module] : NULL;
    if (known)
        (void)snprintf(name, bytes, "%s", known);
    else
        (void)snprintf(name, bytes, "module %u", module);
}
