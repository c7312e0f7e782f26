/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the vendor's runtime layer that loaders look up in the handle of a library of ours
 * (decision 1). No header with them is installed: their callers declare pointers to them.
 * Prototypes and codes are those of the vendor's open runtime. A result is 0 or one of the
 * ACL_ERROR_RT_* codes. Each may be called by any thread. functions.def lists them with the
 * others. */
#ifndef TWINRT_API_RT_NAMES_H
#define TWINRT_API_RT_NAMES_H

#include <stdint.h>

#include "acl/acl_base.h"

/* Process id of the caller, as aclrtDeviceGetBareTgid. 107000: pid is NULL. */
aclError rtDeviceGetBareTgid(uint32_t *pid);

/* Number in the machine of the device that the user counts as `devIndex`, from 0. 107000: phyId is
 * NULL, no such device. */
aclError rtGetDevicePhyIdByIndex(uint32_t devIndex, uint32_t *phyId);
/* The same. 107000: logicDevId is NULL; 107001: no such device. */
aclError rtGetLogicDevIdByUserDevId(const int32_t userDevId, int32_t *const logicDevId);

/* The number of cores of one kind: modules 1 (AI CPU), 4 (AI core) and 7 (vector core) with
 * information 3; module 4 also with 0x775A5A5A (cube cores). They equal the attributes of
 * aclrtGetDeviceInfo. 107000: no such device, val is NULL, or module 8 (host AI CPU); 207000: any
 * other pair. */
aclError rtGetDeviceInfo(uint32_t deviceId, int32_t moduleType, int32_t infoType, int64_t *val);

/* Lets device `devIdDes`, as the user counts, reach the memory of device `phyIdSrc`, as the machine
 * counts; `flag` is not looked at. Access ends when devIdDes is released. The device must be set
 * (107002), which the vendor's does not ask for. 107000: phyIdSrc is 64 or more, not visible, or
 * the same device; 107001: no device devIdDes; 207000: no link. */
aclError rtEnableP2P(uint32_t devIdDes, uint32_t phyIdSrc, uint32_t flag);
/* Ends that access. As above. */
aclError rtDisableP2P(uint32_t devIdDes, uint32_t phyIdSrc);

/* Copies `cnt` bytes after the work of `stm` (NULL: the default stream), as aclrtMemcpyAsync;
 * `destMax` bytes have room. `kind` is not compared with the addresses, which decide the direction:
 * 1 to 4. With 6 the host's bytes are read during the call. cnt 0: success, and nothing else is
 * looked at. 107000: dst or src is NULL, cnt exceeds destMax, kind is negative, 8 (the check that
 * this function leaves out) or more; 207000: kind is 0, 5 (lists of addresses) or 7; 107002,
 * 107003: as aclrtMemcpyAsync. */
aclError rtMemcpyAsyncWithoutCheckKind(void *dst, uint64_t destMax, const void *src, uint64_t cnt,
                                       int32_t kind, aclrtStream stm);

/* Memory that processes share by name, as aclrtIpcMem*: `name` is a key, of at least 65 bytes.
 * 107000: an argument is NULL or 0, or the memory, name or address is not one of that kind. */
aclError rtIpcSetMemoryName(const void *ptr, uint64_t byteCount, char *name, uint32_t len);
aclError rtIpcDestroyMemoryName(const char *name);
/* 107002: the thread has no context. */
aclError rtIpcOpenMemory(void **ptr, const char *name);
aclError rtIpcCloseMemory(const void *ptr);
/* 107000: name or pid is NULL, num is not above 0; else 207000: there is one server. */
aclError rtSetIpcMemorySuperPodPid(const char *name, uint32_t sdid, int32_t pid[], int32_t num);

#endif
