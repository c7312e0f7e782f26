/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* _dl_find_object, program_invocation_short_name */
#include "process/site.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

void sim_site_text(const void *site, char *text, size_t bytes, uintptr_t *out_offset)
{
    *out_offset = 0;
    text[0] = '\0';
    if (!site)
        return;
#if defined(__GLIBC_PREREQ) && __GLIBC_PREREQ(2, 35)
    struct dl_find_object found;
    if (_dl_find_object((void *)(uintptr_t)site, &found) == 0) {
        const char *path = found.dlfo_link_map->l_name;
        const char *slash = strrchr(path, '/');
        const char *name = slash ? slash + 1 : path;
        *out_offset = (uintptr_t)site - found.dlfo_link_map->l_addr;
        snprintf(text, bytes, "%s+0x%llx", *name ? name : program_invocation_short_name,
                 (unsigned long long)*out_offset);
        return;
    }
#endif
    snprintf(text, bytes, "%p", site);
}
