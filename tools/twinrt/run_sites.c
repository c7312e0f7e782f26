/* SPDX-License-Identifier: Apache-2.0 */
#include "run_sites.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "check/report/site.h"

/* The file that is mapped at the address. False: none. */
static bool find_file(int32_t process, uint64_t address, char path[PATH_MAX])
{
    char name[64];
    char line[PATH_MAX + 128];
    bool found = false;
    (void)snprintf(name, sizeof(name), "/proc/%" PRId32 "/maps", process);
    FILE *maps = fopen(name, "re");
    while (maps && !found && fgets(line, sizeof(line), maps)) {
        uint64_t begin, end;
        const char *file = strchr(line, '/');
        if (!file || sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) != 2 || address < begin ||
            address >= end)
            continue;
        (void)snprintf(path, PATH_MAX, "%.*s", (int)strcspn(file, "\n"), file);
        found = true;
    }
    if (maps)
        (void)fclose(maps);
    return found;
}

void run_sites_print(const twin_run_slot *slot)
{
    const int32_t process = atomic_load(&slot->process);
    struct symbolizer *symbolizer = symbolizer_new();
    for (uint32_t i = 0; symbolizer && i < slot->site_count && i < TWIN_RUN_SITES; i++) {
        char path[PATH_MAX];
        char text[CHECK_SITE_LINE];
        const twin_run_site *place = &slot->sites[i];
        /* the call is before where it returns to */
        struct check_site site = {.address = place->address - 1, .offset = place->offset - 1};
        if (!find_file(process, site.address, path))
            continue;
        site.module = path;
        site.module_name = strrchr(path, '/') + 1;
        symbolizer_look(symbolizer, path, NULL, 0, site.offset, &site.symbol);
        if (site.symbol.function[0] || site.symbol.line != 0)
            fprintf(stderr, "twinrt: thread %" PRIu32 " called from %s\n", place->thread,
                    check_site_text(&site, text));
    }
    symbolizer_free(symbolizer);
}
