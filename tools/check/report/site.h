/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program made the public calls of a recording: function, file and line where debug
 * information is there, module and offset else. The files must be those that were recorded, which
 * their build IDs show. */
#ifndef TWINRT_CHECK_REPORT_SITE_H
#define TWINRT_CHECK_REPORT_SITE_H

#include "recording/ops.h"
#include "recording/reader.h"
#include "symbolize/symbolize.h"

struct check_site {
    const char *module; /* path; "": the address is in no file that was recorded */
    const char *module_name;
    uint64_t address; /* of the call, or within it */
    uint64_t offset;  /* as the module counts */
    struct symbol symbol;
    bool is_wrapper; /* of the Python module, or of a library without debug information */
    bool is_alone;   /* nothing is known of its callers */
};

struct check_sites;

/* NULL: out of memory. Both arguments outlive it. */
struct check_sites *check_sites_new(const twin_recording *recording, struct symbolizer *symbolizer);
void check_sites_free(struct check_sites *sites);

/* The caller, or of a stack the innermost frame that is not a wrapper. False: the recording does
 * not have it (it is of an older version, or the op is of no public call). */
bool check_sites_look(struct check_sites *sites, const twin_op *op, struct check_site *out);
/* The stack that the call was made from, the innermost frame first. Returns how many there are; 0:
 * none was recorded. */
size_t check_sites_stack(struct check_sites *sites, const twin_op *op,
                         struct check_site out[TWIN_RECORD_STACK_MOST]);

/* "upload (src/upload.c:41)", "upload (libx.so+0x1139)", "libx.so+0x1139": what is known, and what
 * to do if that is a wrapper alone. */
#define CHECK_SITE_LINE (SYMBOL_FUNCTION_BYTES + SYMBOL_FILE_BYTES + 160u)
const char *check_site_text(const struct check_site *site, char out[CHECK_SITE_LINE]);

/* "aclrtMalloc at main (copy.c:12)": the public call that an op was part of; "" without one. */
#define CHECK_SITE_CALL (TWIN_OP_NAME + CHECK_SITE_LINE + 4u)
const char *check_sites_call(struct check_sites *sites, const twin_op *op,
                             char out[CHECK_SITE_CALL]);

/* What is the matter with a call site that is a wrapper alone, and what to do; "": it is not
 * one. */
const char *check_site_hint(const struct check_site *site);

/* The file without the folder in which the tool runs, if it is below that. */
const char *check_site_file(const struct check_site *site);

#endif
