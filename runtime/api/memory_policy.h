/* SPDX-License-Identifier: Apache-2.0 */
/* How the public policies of allocations are those of the seam. */
#ifndef TWINRT_API_MEMORY_POLICY_H
#define TWINRT_API_MEMORY_POLICY_H

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "core/work/memory.h"
#include "seam/types.h"

static inline bool twin_api_is_peer(uint32_t policy)
{
    return (policy >= ACL_MEM_MALLOC_HUGE_FIRST_P2P && policy <= ACL_MEM_MALLOC_NORMAL_ONLY_P2P) ||
           policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;
}

/* Page class and use of peer access that a policy names, into `out`. Unknown policies count as the
 * default. */
static inline void twin_api_place_plain(uint32_t policy, twin_allocation *out)
{
    static const twin_page_policy pages[] = {
        [ACL_MEM_MALLOC_HUGE_FIRST] = TWIN_PAGES_DEFAULT,
        [ACL_MEM_MALLOC_HUGE_ONLY] = TWIN_PAGES_HUGE_ONLY,
        [ACL_MEM_MALLOC_NORMAL_ONLY] = TWIN_PAGES_NORMAL_ONLY,
        [ACL_MEM_MALLOC_HUGE_FIRST_P2P] = TWIN_PAGES_DEFAULT,
        [ACL_MEM_MALLOC_HUGE_ONLY_P2P] = TWIN_PAGES_HUGE_ONLY,
        [ACL_MEM_MALLOC_NORMAL_ONLY_P2P] = TWIN_PAGES_NORMAL_ONLY,
        [ACL_MEM_MALLOC_HUGE1G_ONLY] = TWIN_PAGES_HUGE_1G,
        [ACL_MEM_MALLOC_HUGE1G_ONLY_P2P] = TWIN_PAGES_HUGE_1G,
    };
    if (policy >= sizeof(pages) / sizeof(pages[0]))
        return;
    out->pages = pages[policy];
    if (twin_api_is_peer(policy))
        out->flags |= TWIN_ALLOC_PEER;
}

/* The same of a policy with bits for bandwidth and rights. With an unknown page policy they count
 * as not given too. */
static inline void twin_api_place_pages(aclrtMemMallocPolicy policy, twin_allocation *out)
{
    const uint32_t bits = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                          ACL_MEM_ACCESS_USER_SPACE_READONLY;
    const uint32_t plain = (uint32_t)policy & ~bits;
    if (plain > ACL_MEM_MALLOC_HUGE1G_ONLY_P2P)
        return;
    twin_api_place_plain(plain, out);
    if (((uint32_t)policy & ACL_MEM_TYPE_LOW_BAND_WIDTH) != 0)
        out->flags |= TWIN_ALLOC_LOW_BAND;
    else if (((uint32_t)policy & ACL_MEM_TYPE_HIGH_BAND_WIDTH) != 0)
        out->flags |= TWIN_ALLOC_HIGH_BAND;
    if (((uint32_t)policy & ACL_MEM_ACCESS_USER_SPACE_READONLY) != 0)
        out->flags |= TWIN_ALLOC_READ_ONLY;
}

/* 207000: pages of 1 GiB on a part that does not have them; 107002. */
static inline int32_t twin_api_check_pages(twin_page_policy pages)
{
    if (pages != TWIN_PAGES_HUGE_1G)
        return 0;
    const int32_t code = twin_memory_check_context(NULL);
    return code != 0 ? code : twin_api_refuse_by_part(TWIN_OFFERED_A2_A3_950);
}

#endif
