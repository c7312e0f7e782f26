/* SPDX-License-Identifier: Apache-2.0 */
/* Taking back all work of a device. */
#ifndef TWINRT_CORE_WORK_ABORT_H
#define TWINRT_CORE_WORK_ABORT_H

#include <stdint.h>

/* Longest time that may be given, in ms. */
#define TWIN_ABORT_MS_MOST 2160000u

/* aclrtDeviceTaskAbort: forbids new work and waits on the device, calls the listeners, drops all
 * work, calls them again. `timeout_ms` covers all of that, 0: no limit. Contexts that a failure had
 * stopped go on afterwards. 107000, 107001. 107002: the device is not up. 107019: the time is over.
 * 107022: another thread does the same. A listener's answer that is not 0 ends it. Blocks as long
 * as the listeners do. */
int32_t twin_device_abort(int32_t id, uint32_t timeout_ms);

#endif
