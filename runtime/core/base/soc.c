/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/soc.h"

#include <stddef.h>
#include <string.h>

/* Names and NpuArch of CANN's platform_config files; the 950 has many names and one set. */
static const struct {
    const char *name;
    uint32_t arch;
} socs[] = {
    {"Ascend031", 3004},      {"Ascend035", 3505},         {"Ascend035A", 3505},
    {"Ascend035B", 3505},     {"Ascend310B1", 3002},       {"Ascend310B2", 3002},
    {"Ascend310B3", 3002},    {"Ascend310B4", 3002},       {"Ascend310P1", 2002},
    {"Ascend310P3", 2002},    {"Ascend310P5", 2002},       {"Ascend310P7", 2002},
    {"Ascend350_354f", 3510}, {"Ascend350_355e", 3510},    {"Ascend910A", 1001},
    {"Ascend910B", 1001},     {"Ascend910B1", 2201},       {"Ascend910B2", 2201},
    {"Ascend910B2C", 2201},   {"Ascend910B3", 2201},       {"Ascend910B4", 2201},
    {"Ascend910B4-1", 2201},  {"Ascend910PremiumA", 1001}, {"Ascend910ProA", 1001},
    {"Ascend910ProB", 1001},  {"Ascend910_9362", 2201},    {"Ascend910_9363", 2201},
    {"Ascend910_9372", 2201}, {"Ascend910_9381", 2201},    {"Ascend910_9382", 2201},
    {"Ascend910_9391", 2201}, {"Ascend910_9392", 2201},
};

#define ARCH_910B 2201
#define ARCH_950  3510

bool twin_soc_arch(const char *name, uint32_t *out_arch)
{
    if (strncmp(name, "Ascend950PR_", 12) == 0 || strncmp(name, "Ascend950DT_", 12) == 0) {
        *out_arch = ARCH_950;
        return name[12] != '\0';
    }
    for (size_t i = 0; i < sizeof(socs) / sizeof(socs[0]); i++)
        if (strcmp(socs[i].name, name) == 0) {
            *out_arch = socs[i].arch;
            return true;
        }
    return false;
}

bool twin_soc_split(uint32_t arch)
{
    return arch == ARCH_910B || arch == ARCH_950;
}
