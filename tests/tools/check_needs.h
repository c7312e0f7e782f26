/* SPDX-License-Identifier: Apache-2.0 */
/* Which changes of a count a wait cannot do without, worked out the long way, without the checker's
 * tables. */
#ifndef TWINRT_TESTS_CHECK_NEEDS_H
#define TWINRT_TESTS_CHECK_NEEDS_H

#include <stddef.h>

#include "recording/ops.h"

#define NEEDS_MOST 64u

/* Of a wait in a program that begins each round when the one before is over, with a count of 0.
 * Returns how many; fewer when it would take too long. */
size_t check_needs(const twin_op *ops, size_t wait, size_t out[NEEDS_MOST]);

#endif
