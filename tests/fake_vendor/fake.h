/* SPDX-License-Identifier: Apache-2.0 */
/* A replacement of the vendor's library. Each function follows a script, and then calls the same
 * function of a second copy of our runtime.
 *
 * FAKE_VENDOR_BELOW  path of that copy
 * FAKE_VENDOR        the script: parts with ; between them
 *     NAME#N=CODE    the N-th call of NAME answers CODE and does nothing
 *     NAME=CODE      every call does
 *     NAME~US        every call takes so many microseconds longer
 *     version=A.B.C  what the library says of itself
 *     devices=N      how many it says there are
 * FAKE_VENDOR_TRACE  file that gets a line for each call */
#ifndef TWINRT_TESTS_FAKE_H
#define TWINRT_TESTS_FAKE_H

#include <stdbool.h>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#include "acl/acl_rt_memory_soma.h"

#define FAKE_MOST 256

/* Which rows of symbols.def the library has: those of all toolkits, and those that came later. */
#define FAKE_HAS_REQUIRED 1
#define FAKE_HAS_OLD      1
#ifndef FAKE_HAS_NEW
#define FAKE_HAS_NEW 1
#endif

/* Whether the script has the answer. */
bool fake_stops(unsigned index, const char *name, long *out_code);
/* The function of the copy. Ends the process when there is none. */
void *fake_below(const char *name);

#endif
