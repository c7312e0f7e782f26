/* SPDX-License-Identifier: Apache-2.0 */
/* The plug-in of seam/source_line.h. */
#include "seam/source_line.h"

#include <stdio.h>
#include <string.h>

#include "symbolize/symbolize.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT bool twin_source_line_find(const char *path, const uint64_t *offsets, size_t count,
                                  char *out, size_t out_bytes);

static const char *name_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* Sources of twinrt itself: a user does not look for an error there. */
static bool is_ours(const char *file)
{
    return strstr(file, "/twinrt/kernel") || strstr(file, "twinrt_ascendc") ||
           strstr(file, "/kernel/linked/");
}

/* Innermost first: one that is the user's, and then one in the source that was compiled. */
static bool write_line(const struct source_place *places, size_t count, bool last, char *out,
                       size_t out_bytes)
{
    size_t inner = 0;
    while (inner < count && is_ours(places[inner].file))
        inner++;
    size_t own = inner;
    while (own < count && !places[own].primary)
        own++;
    if (inner == count || (own == count && !last))
        return false;
    own = own == count ? count - 1 : own;
    const int length =
        snprintf(out, out_bytes, "%s:%u", places[own].file, (unsigned)places[own].line);
    if (own > inner && length > 0 && (size_t)length < out_bytes)
        snprintf(out + length, out_bytes - (size_t)length, " (in %s:%u)",
                 name_of(places[inner].file), (unsigned)places[inner].line);
    return true;
}

bool twin_source_line_find(const char *path, const uint64_t *offsets, size_t count, char *out,
                           size_t out_bytes)
{
    static struct source_place places[SOURCE_PLACES_MOST];
    struct symbolizer *symbolizer = symbolizer_new();
    bool found = false;
    for (size_t i = 0; symbolizer && i < count && !found; i++) {
        const size_t known =
            symbolizer_inlined(symbolizer, path, offsets[i], places, SOURCE_PLACES_MOST);
        found = write_line(places, known, i + 1 == count, out, out_bytes);
    }
    symbolizer_free(symbolizer);
    return found;
}
