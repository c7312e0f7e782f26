/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools whose allocations and frees are ordered like tasks of a stream. */
#ifndef INC_EXTERNAL_ACL_RT_MEMORY_H_
#define INC_EXTERNAL_ACL_RT_MEMORY_H_

#include <stddef.h>

#include "acl_base.h"
#include "acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Memory pools ---------------------------------------------------------------------------- */

typedef void *aclrtMemPool;

typedef enum aclrtMemPoolAttr {
    ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES   = 1,
    ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC         = 2,
    ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD            = 4,
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT         = 5,
    ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH            = 6,
    ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT             = 7,
    ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH                = 8,
} aclrtMemPoolAttr;

typedef struct {
    aclrtMemAllocationType allocType;
    aclrtMemHandleType handleType;
    aclrtMemLocation location;
    size_t maxSize;
    unsigned char reserved[32];
} aclrtMemPoolProps;

/* A pool of device memory: location is a device that is set. maxSize 0: all of its memory; else
 * rounded up to 2 MiB. 100000: allocType, location.type or reserved bytes; 107000: more than the
 * device has; 107001: no such device; 107002: it is not set (SOMA-01 to SOMA-03). */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolCreate(aclrtMemPool *memPool,
                                                const aclrtMemPoolProps *poolProps);

/* Ends the pool. 507000: it is not a pool, or ended (SOMA-18). */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolDestroy(const aclrtMemPool memPool);

/* value points to a uint32_t of the three REUSE attributes, else to a uint64_t of bytes. 107000:
 * value is NULL, or not a pool, or an attribute that is only read; 507000: no such attribute, a
 * HIGH other than 0, or a threshold above the pool's size (SOMA-11 to SOMA-14, SOMA-23). */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr,
                                                 void *value);

/* The same, read. 107000: value is NULL, or not a pool; 507000: no such attribute. */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr,
                                                 void *value);

/* Memory for tasks that are queued on the stream from now on; multiples of 2 MiB. The stream is
 * not NULL. size 0: success, *ptr stays. 107000: the pool is of another device; 107003: a stream
 * of another context; 507000: not a pool, or nothing left (SOMA-04 to SOMA-07, SOMA-16, SOMA-19 to
 * SOMA-21). */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolMallocAsync(void **ptr, size_t size, aclrtMemPool memPool,
                                                     aclrtStream stream);

/* Returns memory to its pool after the work that the stream has now; memory of aclrtMalloc is
 * freed then. 107000: not the start of an allocation; 507000: the stream is NULL (SOMA-08,
 * SOMA-09, SOMA-22). */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolFreeAsync(void *ptr, aclrtStream stream);

/* Releases idle memory of the pool until it reserves minBytesToKeep, or what is used. 507000: not
 * a pool, or fewer than used, or more than its size (SOMA-15). */
ACL_FUNC_VISIBILITY aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* INC_EXTERNAL_ACL_RT_MEMORY_H_ */
