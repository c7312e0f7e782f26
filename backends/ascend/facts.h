/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_ASCEND_FACTS_H
#define TWINRT_ASCEND_FACTS_H

#include "seam/backend.h"

/* The diag op `facts`. */
void ascend_facts(void (*take)(void *context, const twin_fact *fact), void *context);

#endif
