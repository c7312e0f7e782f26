/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of a recording, for the checker. */
#ifndef TWINRT_CHECK_FEED_H
#define TWINRT_CHECK_FEED_H

#include "check/checker.h"

/* Feeds all to a checker, in its order, and finishes. False: out of memory. */
bool check_ops_feed(const struct twin_ops *ops, struct checker *checker);

#endif
