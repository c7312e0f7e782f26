/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of the vendor's runtime as statuses of the seam. */
#ifndef TWINRT_ASCEND_STATUS_H
#define TWINRT_ASCEND_STATUS_H

#include <stdint.h>

#include "seam/backend.h"

/* The status of a code, with what the vendor said of it added to the thread's messages; a code that no status has becomes
 * TWIN_E_VENDOR and stays what it is for the caller. Thread: any. */
twin_status ascend_status(int32_t code);
/* The same of a wait: its timeouts. `forever`: it had no limit, so it was given up. */
twin_status ascend_wait_status(int32_t code, bool forever);
/* The same without taking the vendor's messages: of what failed elsewhere. */
twin_status ascend_status_of(int32_t code);

#endif
