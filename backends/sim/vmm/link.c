/* SPDX-License-Identifier: Apache-2.0 */
/* The link over which devices reach memory of each other. The model has one between two devices,
 * which the profile names: to choose it changes nothing, to choose another one fails. */
#include <unistd.h>

#include "process/process.h"
#include "vmm/moved_pages.h"
#include "vmm/vmm.h"

static bool is(twin_link link, twin_memory_link chosen)
{
    return chosen == TWIN_MEMORY_LINK_HCCS
               ? link == TWIN_LINK_HCCS || link == TWIN_LINK_HCCS_SWITCH
               : chosen == TWIN_MEMORY_LINK_SIO && link == TWIN_LINK_SIO;
}

static twin_status check(twin_memory_link link)
{
    static const char *const names[TWIN_MEMORY_LINK_COUNT] = {"SIO", "HCCS", "UB, one port",
                                                              "UB, several ports"};
    if (is(sim_process.properties[0].peer_link, link))
        return TWIN_OK;
    sim_explain("the devices have no link \"%s\"; see identity.peer_link of the profile, which "
                "aclrtGetDevicesTopo reports",
                (uint32_t)link < TWIN_MEMORY_LINK_COUNT ? names[link] : "?");
    return TWIN_E_NO_LINK;
}

twin_status sim_vmm_set_link(uint64_t physical, twin_memory_link link)
{
    if (sim_vmm_find(physical))
        return check(link);
    sim_explain("it ended when its device was reset");
    return TWIN_E_INVALID;
}

twin_status sim_vmm_map_link(uint64_t address, uint64_t bytes, uint64_t physical, uint64_t source,
                             twin_memory_link link)
{
    (void)source;
    const twin_status status = check(link);
    return status == TWIN_OK ? sim_vmm_map(address, bytes, physical, true) : status;
}

twin_status sim_memory_set_link(const char *name, twin_memory_link link)
{
    struct sim_export export;
    if (!sim_export_read(name, &export)) {
        sim_explain("the key was not made by an export");
        return TWIN_E_INVALID;
    }
    /* one of another process is looked at when it is imported */
    const twin_status status =
        export.process == (uint32_t)getpid() ? sim_pages_allow(&export, NULL, 0) : TWIN_OK;
    return status == TWIN_OK ? check(link) : status;
}
