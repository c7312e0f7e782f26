/* SPDX-License-Identifier: Apache-2.0 */
/* A second copy of this runtime in the place of the vendor's: how the way to a board is tried
 * without one.
 *
 * A program calls the outer runtime, whose backend for boards opens the inner one (another file,
 * not a link) as it would open the vendor's library; the inner one runs the model.
 * TWINRT_ASCEND_HOME names the folder of that copy. */
#ifndef TWINRT_INNER_H
#define TWINRT_INNER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This copy is the inner one. Its settings are now those with TWINRT_INNER_ in place of TWINRT_;
 * those that say what the model is (profile, devices, seed, files it writes, ...) are looked for
 * under their usual names too. The outer runtime calls it, before everything else. 0; 507000: calls
 * were made already. */
int32_t twinrt_be_inner(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
