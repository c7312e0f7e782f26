/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report/site.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/report/utf8.h"

#define BUILD_ID_BYTES 64u

struct module {
    uint64_t seq; /* of its entry */
    uint64_t begin, end, base;
    const char *path;
    unsigned char build_id[BUILD_ID_BYTES];
    size_t build_id_bytes;
};

struct check_sites {
    struct symbolizer *symbolizer;
    struct module *modules; /* in the order of their entries */
    size_t count;
};

static size_t bytes_of_hex(const char *text, unsigned char *out, size_t room)
{
    size_t bytes = 0;
    unsigned value;
    while (bytes < room && sscanf(text + 2 * bytes, "%2x", &value) == 1)
        out[bytes++] = (unsigned char)value;
    return bytes;
}

struct check_sites *check_sites_new(const twin_recording *recording, struct symbolizer *symbolizer)
{
    struct check_sites *sites = calloc(1, sizeof(*sites));
    if (!sites)
        return NULL;
    sites->symbolizer = symbolizer;
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_MODULE module;
        if (!TWIN_RECORDING_GET(entry, MODULE, &module))
            continue;
        struct module *more = realloc(sites->modules, (sites->count + 1) * sizeof(*more));
        if (!more) {
            check_sites_free(sites);
            return NULL;
        }
        sites->modules = more;
        struct module *last = &more[sites->count++];
        *last = (struct module){.seq = entry->begin_seq,
                                .begin = module.begin,
                                .end = module.end,
                                .base = module.base,
                                .path = twin_recording_text(entry, 0)};
        last->build_id_bytes =
            bytes_of_hex(twin_recording_text(entry, 1), last->build_id, BUILD_ID_BYTES);
    }
    return sites;
}

void check_sites_free(struct check_sites *sites)
{
    if (!sites)
        return;
    free(sites->modules);
    free(sites);
}

/* A module that takes the place of one that was closed has its entry later. */
static const struct module *module_of(const struct check_sites *sites, const check_op *op)
{
    for (size_t i = sites->count; i-- > 0;)
        if (op->site - 1 >= sites->modules[i].begin && op->site - 1 < sites->modules[i].end &&
            sites->modules[i].seq < op->begin_seq)
            return &sites->modules[i];
    return NULL;
}

bool check_sites_look(struct check_sites *sites, const check_op *op, struct check_site *out)
{
    if (op->site == 0)
        return false;
    const struct module *module = module_of(sites, op);
    /* the call is before where it returns to */
    *out = (struct check_site){.address = op->site - 1, .module = "", .module_name = ""};
    if (!module)
        return true;
    const char *slash = strrchr(module->path, '/');
    out->module = module->path;
    out->module_name = slash ? slash + 1 : module->path;
    out->offset = out->address - module->base;
    out->is_wrapper = fnmatch("_acl.*.so", out->module_name, 0) == 0;
    symbolizer_look(sites->symbolizer, module->path, module->build_id, module->build_id_bytes,
                    out->offset, &out->symbol);
    utf8_clean(out->symbol.function);
    utf8_clean(out->symbol.file);
    return true;
}

const char *check_site_file(const struct check_site *site)
{
    char folder[PATH_MAX];
    const char *file = site->symbol.file;
    const size_t length = getcwd(folder, sizeof(folder)) ? strlen(folder) : 0;
    return length > 1 && strncmp(file, folder, length) == 0 && file[length] == '/'
               ? file + length + 1
               : file;
}

const char *check_site_text(const struct check_site *site, char out[CHECK_SITE_LINE])
{
    char place[SYMBOL_FILE_BYTES + 32];
    if (site->symbol.line != 0)
        (void)snprintf(place, sizeof(place), "%s:%" PRIu32, check_site_file(site),
                       site->symbol.line);
    else if (site->module[0])
        (void)snprintf(place, sizeof(place), "%.900s+0x%" PRIx64, site->module_name, site->offset);
    else
        (void)snprintf(place, sizeof(place), "0x%" PRIx64, site->address);
    (void)snprintf(out, CHECK_SITE_LINE, site->symbol.function[0] ? "%s (%s)%s" : "%s%s%s",
                   site->symbol.function, place,
                   site->is_wrapper ? ", the Python module: its caller is not known" : "");
    return out;
}
