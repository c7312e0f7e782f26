/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/soc.h"

#include <stdio.h>
#include <string.h>

/* Names and NpuArch of CANN's platform_config files; the 950 has many names and one set. Parts: the
 * reference's overview of products and SoCs. */
static const struct {
    const char *name;
    uint32_t arch;
    uint32_t part;
} socs[] = {
    {"Ascend031", 3004, 0},
    {"Ascend035", 3505, 0},
    {"Ascend035A", 3505, 0},
    {"Ascend035B", 3505, 0},
    {"Ascend310B1", 3002, TWIN_PART_310B},
    {"Ascend310B2", 3002, TWIN_PART_310B},
    {"Ascend310B3", 3002, TWIN_PART_310B},
    {"Ascend310B4", 3002, TWIN_PART_310B},
    {"Ascend310P1", 2002, TWIN_PART_310P},
    {"Ascend310P3", 2002, TWIN_PART_310P},
    {"Ascend310P5", 2002, TWIN_PART_310P},
    {"Ascend310P7", 2002, TWIN_PART_310P},
    {"Ascend350_354f", 3510, 0},
    {"Ascend350_355e", 3510, 0},
    {"Ascend910A", 1001, TWIN_PART_910},
    {"Ascend910B", 1001, TWIN_PART_910},
    {"Ascend910B1", 2201, TWIN_PART_A2},
    {"Ascend910B2", 2201, TWIN_PART_A2},
    {"Ascend910B2C", 2201, TWIN_PART_A2},
    {"Ascend910B3", 2201, TWIN_PART_A2},
    {"Ascend910B4", 2201, TWIN_PART_A2},
    {"Ascend910B4-1", 2201, TWIN_PART_A2},
    {"Ascend910PremiumA", 1001, TWIN_PART_910},
    {"Ascend910ProA", 1001, TWIN_PART_910},
    {"Ascend910ProB", 1001, TWIN_PART_910},
    {"Ascend910_9362", 2201, TWIN_PART_A3},
    {"Ascend910_9363", 2201, TWIN_PART_A3},
    {"Ascend910_9372", 2201, TWIN_PART_A3},
    {"Ascend910_9381", 2201, TWIN_PART_A3},
    {"Ascend910_9382", 2201, TWIN_PART_A3},
    {"Ascend910_9391", 2201, TWIN_PART_A3},
    {"Ascend910_9392", 2201, TWIN_PART_A3},
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

uint32_t twin_soc_part(const char *name)
{
    if (strncmp(name, "Ascend950PR_", 12) == 0)
        return TWIN_PART_950PR;
    if (strncmp(name, "Ascend950DT_", 12) == 0)
        return TWIN_PART_950DT;
    for (size_t i = 0; i < sizeof(socs) / sizeof(socs[0]); i++)
        if (strcmp(socs[i].name, name) == 0)
            return socs[i].part;
    return 0;
}

void twin_soc_list_parts(uint32_t parts, char text[TWIN_PARTS_BYTES])
{
    static const struct {
        uint32_t part;
        const char *name;
    } names[] = {
        {TWIN_PART_910, "910 (TWINRT_PROFILE=910a)"},
        {TWIN_PART_310P, "310P (TWINRT_PROFILE=310p3)"},
        {TWIN_PART_310B, "310B (TWINRT_PROFILE=310b1)"},
        {TWIN_PART_A2, "A2 (TWINRT_PROFILE=910b3)"},
        {TWIN_PART_A3, "A3 (TWINRT_PROFILE=910_9391)"},
        {TWIN_PART_950PR, "950PR (TWINRT_PROFILE=950)"},
        {TWIN_PART_950DT, "950DT"},
        {TWIN_PART_IPV350, "IPV350"},
    };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if ((parts & names[i].part) != 0 && used < TWIN_PARTS_BYTES)
            used += (size_t)snprintf(text + used, TWIN_PARTS_BYTES - used, "%s%s",
                                     used > 0 ? ", " : "", names[i].name);
}
