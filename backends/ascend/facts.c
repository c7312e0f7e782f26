/* SPDX-License-Identifier: Apache-2.0 */
/* What `twinrt info` shows of a board's software. */
#include <stdio.h>

#include "process.h"

static void put_fact(void (*take)(void *context, const twin_fact *fact), void *context,
                     const char *name, const char *value, const char *source)
{
    const twin_fact fact = {
        .name = name, .value = value, .unit = "", .mark = "", .source = source, .base = ""};
    take(context, &fact);
}

void ascend_diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    const ascend_library *found = &ascend_library_found;
    char text[64];
    put_fact(take, context, "vendor.library", found->path,
             found->inner ? "a second copy of this runtime, over the model" : "");
    put_fact(take, context, "vendor.home", found->home, "of the toolkit");
    put_fact(take, context, "vendor.toolkit", found->toolkit[0] ? found->toolkit : "unknown",
             "version.info of the toolkit");
    snprintf(text, sizeof(text), "%d.%d.%d", (int)found->version[0], (int)found->version[1],
             (int)found->version[2]);
    put_fact(take, context, "vendor.interface", text, "what the library says");
    snprintf(text, sizeof(text), "%u of %u", found->symbol_count - found->missing,
             found->symbol_count);
    put_fact(take, context, "vendor.functions", text, "found, of those that are used");
    for (uint32_t i = 0; i < found->symbol_count; i++) {
        const ascend_symbol *symbol = &found->symbols[i];
        if (symbol->found)
            continue;
        char source[96];
        snprintf(source, sizeof(source), "what rests on it is not supported%s%s",
                 *symbol->since ? "; toolkit " : "", *symbol->since ? symbol->since : "");
        char advice[128];
        snprintf(advice, sizeof(advice), "%s%s", source, *symbol->since ? " or newer has it" : "");
        put_fact(take, context, "vendor.missing", symbol->function, advice);
    }
}
