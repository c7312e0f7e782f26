/* SPDX-License-Identifier: Apache-2.0 */
/* What devices are: facts of the profile, and identities made up for devices that are on no
 * board. */
#include <stdio.h>
#include <string.h>

#include "process/process.h"

#define FNV_OFFSET 0xcbf29ce484222325ull
#define FNV_PRIME  0x100000001b3ull
/* Engines that reach registered memory of the host, by their public numbers: the scheduler, cube
 * and vector cores, PCIe DMA and SDMA. */
#define HOST_MAPPING (1u << 0 | 1u << 2 | 1u << 3 | 1u << 4 | 1u << 6)

static char pci_bus_ids[SIM_DEVICES_MOST][TWIN_PCI_BYTES]; /* written at start only */

static uint64_t hash(uint64_t seed, const char *text)
{
    uint64_t value = FNV_OFFSET ^ seed;
    for (; *text; text++)
        value = (value ^ (unsigned char)*text) * FNV_PRIME;
    return value;
}

/* A UUID of version 8 (made by the program's own rule): a hash of the SoC's name, then the device's
 * number. */
static void make_uuid(const char *soc_name, uint32_t index, uint8_t *uuid)
{
    uint64_t high = hash(0, soc_name), low = hash(1, soc_name);
    for (int i = 0; i < 8; i++) {
        uuid[i] = (uint8_t)(high >> (56 - 8 * i));
        uuid[8 + i] = (uint8_t)(low >> (56 - 8 * i));
    }
    uuid[6] = (uint8_t)(0x80 | (uuid[6] & 0x0f));
    uuid[8] = (uint8_t)(0x80 | (uuid[8] & 0x3f));
    uuid[15] = (uint8_t)index;
}

static bool read_link(const twinsim_profile *profile, twin_link *out_link)
{
    static const struct {
        const char *name;
        twin_link link;
    } links[] = {{"HCCS", TWIN_LINK_HCCS}, {"HCCS_SW", TWIN_LINK_HCCS_SWITCH},
                 {"PHB", TWIN_LINK_PHB},   {"PIX", TWIN_LINK_PIX},
                 {"SIO", TWIN_LINK_SIO},   {"SYS", TWIN_LINK_SYS}};
    const struct twinsim_parameter *given = twinsim_profile_find(profile, "identity.peer_link");
    for (size_t i = 0; given && i < sizeof(links) / sizeof(links[0]); i++)
        if (strcmp(given->text, links[i].name) == 0) {
            *out_link = links[i].link;
            return true;
        }
    sim_fail(
        "profile %s: identity.peer_link is \"%s\"; expected HCCS, HCCS_SW, PHB, PIX, SIO or SYS",
        sim_process.profile_path, given ? given->text : "");
    return false;
}

bool sim_devices_linked(void)
{
    const twin_link link = sim_process.properties[0].peer_link;
    return link != TWIN_LINK_PHB && link != TWIN_LINK_PIX && link != TWIN_LINK_SYS;
}

/* Properties of a core that kernels on the host need. */
static bool read_core(const twinsim_profile *profile, twin_core_properties *out)
{
    enum { KIB = 1024 };
    const struct {
        const char *name;
        uint32_t least, unit;
        uint32_t *out;
    } wanted[] = {
        {"aicore.cube_k_fp16", 1, 1, &out->cube_k_fp16},
        {"aicore.cube_k_fp32", 0, 1, &out->cube_k_fp32},
        {"aicore.cube_k_int8", 1, 1, &out->cube_k_int8},
        {"aicore.cube_start_cycles", 0, 1, &out->cube_start},
        {"aicore.l0a_kib", 1, KIB, &out->l0a_bytes},
        {"aicore.l0a_load_bytes", 1, 1, &out->l0a_load_bytes},
        {"aicore.l0b_kib", 1, KIB, &out->l0b_bytes},
        {"aicore.l0b_load_bytes", 1, 1, &out->l0b_load_bytes},
        {"aicore.l0c_kib", 1, KIB, &out->l0c_bytes},
        {"aicore.l0c_read_bytes", 1, 1, &out->l0c_read_bytes},
        {"aicore.l1_kib", 1, KIB, &out->l1_bytes},
        {"aicore.mte_start_cycles", 0, 1, &out->mte_start},
        {"aicore.scalar_access_cycles", 0, 1, &out->scalar_access},
        {"aicore.scalar_block_cycles", 0, 1, &out->scalar_block},
        {"aicore.ub_banks", 1, 1, &out->ub_banks},
        {"aicore.ub_groups", 0, 1, &out->ub_groups},
        {"aicore.ub_kib", 1, KIB, &out->ub_bytes},
        {"aicore.vector_bytes", 1, 1, &out->vector_bytes},
        {"aicore.vector_load_cycles", 0, 1, &out->vector_load},
        {"aicore.vector_start_cycles", 0, 1, &out->vector_start},
        {"aicore.vector_unaligned_cycles", 0, 1, &out->vector_unaligned},
    };
    uint64_t value;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        if (!sim_profile_number(profile, wanted[i].name, wanted[i].least, &value))
            return false;
        *wanted[i].out = (uint32_t)value * wanted[i].unit;
    }
    if (!sim_profile_number(profile, "aicore.split", 0, &value))
        return false;
    out->split = value != 0;
    if (!sim_profile_number(profile, "link.l2.by_address", 0, &value))
        return false;
    out->places = value != 0;
    return true;
}

twin_status sim_device_properties_read(const twinsim_profile *profile)
{
    uint64_t priorities, memory_mib, l2_mib, aic_cores, aiv_cores, ai_cpus, arch, bf16, inf_nan,
        values;
    uint64_t op_unit_ns, pci_bus, stream_ids;
    const struct sim_profile_number wanted[] = {
        {"aicore.arch", 1, &arch},
        {"aicore.bf16", 0, &bf16},
        {"aicore.inf_nan", 0, &inf_nan},
        {"cond.value_wait", 0, &values},
        {"identity.pci_bus", 0, &pci_bus},
        {"limit.ai_cpus", 0, &ai_cpus},
        {"limit.aic_cores", 1, &aic_cores},
        {"limit.aiv_cores", 0, &aiv_cores},
        {"limit.l2_mib", 0, &l2_mib},
        {"limit.memory_mib", 1, &memory_mib},
        {"limit.priorities", 1, &priorities},
        {"limit.stream_ids", 1, &stream_ids},
        {"sqe.credit_unit_ns", 1, &op_unit_ns},
    };
    if (!sim_profile_numbers(profile, wanted, sizeof(wanted) / sizeof(wanted[0])))
        return TWIN_E_INVALID;
    const struct twinsim_parameter *soc = twinsim_profile_find(profile, "soc_name");
    twin_link link;
    if (!soc)
        sim_fail("profile %s has no soc_name", sim_process.profile_path);
    twin_core_properties core;
    if (!soc || !read_link(profile, &link) || !read_core(profile, &core))
        return TWIN_E_INVALID;

    for (uint32_t i = 0; i < SIM_DEVICES_MOST; i++) {
        snprintf(pci_bus_ids[i], sizeof(pci_bus_ids[i]), "0000:%02x:00.0",
                 (unsigned)(pci_bus + i) & 0xff);
        sim_process.properties[i] = (twin_device_properties){
            .soc_name = soc->text,
            .stream_limit = sim_process.limits.streams,
            .event_limit = sim_process.limits.events,
            .notify_limit = sim_process.limits.notifies,
            .priority_count = (uint32_t)priorities,
            .queue_depth = sim_process.limits.in_flight,
            .memory_bytes = memory_mib << 20,
            .on_device = false,
            .aic_cores = (uint32_t)aic_cores,
            .aiv_cores = (uint32_t)aiv_cores,
            .ai_cpus = (uint32_t)ai_cpus,
            .l2_bytes = l2_mib << 20,
            .arch = (uint32_t)arch,
            .values = values != 0,
            .software_queues = sim_process.software_queues,
            .bf16 = bf16 != 0,
            .inf_nan = inf_nan != 0,
            .op_unit_ns = op_unit_ns,
            .peer_link = link,
            .pci_bus_id = pci_bus_ids[i],
            .has_uuid = true,
            .count_notify_limit = sim_process.limits.count_notifies,
            .by_part = true,
            .stream_id_limit = (uint32_t)stream_ids,
            .host_mapping = HOST_MAPPING,
            .core = core,
        };
        make_uuid(soc->text, i, sim_process.properties[i].uuid);
    }
    return TWIN_OK;
}
