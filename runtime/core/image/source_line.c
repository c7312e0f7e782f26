/* SPDX-License-Identifier: Apache-2.0 */
#include "core/image/source_line.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/backend/registry.h"
#include "seam/source_line.h"

#define CODES_MOST 64u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static twin_source_line_fn find; /* NULL: there is no plug-in */

static void open_plugin(void)
{
    char path[4096];
    const int length =
        snprintf(path, sizeof(path), "%s/" TWIN_SOURCE_LINE_PLUGIN, twin_plugin_folder());
    /* Stays open for good. */
    void *library =
        length > 0 && (size_t)length < sizeof(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library ? dlsym(library, TWIN_SOURCE_LINE_ENTRY) : NULL;
    memcpy(&find, &symbol, sizeof(find));
}

bool twin_source_line(void *user, const uintptr_t *code, size_t count, char *out, size_t out_bytes)
{
    uint64_t offsets[CODES_MOST];
    size_t used = 0;
    Dl_info info = {0};
    (void)user;
    pthread_once(&once, open_plugin);
    for (; find && used < count && used < CODES_MOST; used++) {
        if (dladdr((const void *)code[used], &info) == 0)
            return false;
        offsets[used] = code[used] - (uintptr_t)info.dli_fbase;
    }
    if (used == 0)
        return false;
    pthread_mutex_lock(&lock);
    const bool found = find(info.dli_fname, offsets, used, out, out_bytes);
    pthread_mutex_unlock(&lock);
    return found;
}
