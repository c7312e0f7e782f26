/* SPDX-License-Identifier: Apache-2.0 */
/* The model is a plug-in of the runtime, and this looks at the one that is loaded: for its clock,
 * and for the marks of its parameters. Other devices have neither. */
#define _GNU_SOURCE
#include "device_below.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "seam/backend.h"

static const struct twin_backend *find_model(void)
{
    Dl_info runtime;
    char path[PATH_MAX];
    int (*known)(const char *) = aclInit;
    void *address;
    memcpy(&address, &known, sizeof(address));
    if (dladdr(address, &runtime) == 0)
        return NULL;
    const char *slash = strrchr(runtime.dli_fname, '/');
    int used =
        snprintf(path, sizeof(path), "%.*s/twinrt/backend-sim.so",
                 slash ? (int)(slash - runtime.dli_fname) : 1, slash ? runtime.dli_fname : ".");
    if (used < 0 || (size_t)used >= sizeof(path))
        return NULL;
    void *plugin = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!plugin)
        return NULL;
    twin_backend_entry_fn entry;
    *(void **)&entry = dlsym(plugin, TWIN_BACKEND_ENTRY);
    const struct twin_backend *backend = entry ? entry() : NULL;
    return backend && backend->version == TWIN_SEAM_VERSION ? backend : NULL;
}

static const struct twin_backend *model(void)
{
    static const struct twin_backend *found;
    if (!found)
        found = find_model();
    return found;
}

bool bench_virtual_ns(uint64_t *out_ns)
{
    const struct twin_backend *backend = model();
    *out_ns = 0;
    if (!backend || !backend->host.now)
        return false;
    *out_ns = backend->host.now();
    return true;
}

bool bench_look_up(uint64_t address)
{
    const struct twin_backend *backend = model();
    twin_memory_info info;
    return backend && backend->memory.info && backend->memory.info(address, &info) == 0;
}

struct wanted {
    const char *const *names;
    bool any;
};

static void take_fact(void *context, const twin_fact *fact)
{
    struct wanted *wanted = context;
    for (const char *const *at = wanted->names; *at; at++) {
        if (strcmp(*at, fact->name) != 0)
            continue;
        printf("%s\"%s\": \"%s\"", wanted->any ? ", " : "", fact->name, fact->mark);
        wanted->any = true;
    }
}

void bench_print_marks(const char *const *names)
{
    struct wanted wanted = {.names = names};
    const struct twin_backend *backend = model();
    printf("\"parameters\": {");
    if (backend && backend->diag.facts)
        backend->diag.facts(take_fact, &wanted);
    printf("}, ");
}
