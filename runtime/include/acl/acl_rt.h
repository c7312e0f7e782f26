/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime: devices, contexts, streams, events, memory, kernels, graphs.
 *
 * What holds everywhere, unless a function says otherwise:
 * - The answer is 0 (ACL_SUCCESS) or a result code; out-parameters are written on success only.
 * - ACL_ERROR_INVALID_PARAM (100000): a pointer or handle that is needed is NULL.
 *   ACL_ERROR_RT_PARAM_INVALID (107000): a value out of range.
 *   ACL_ERROR_RT_CONTEXT_NULL (107002): the thread has no current context.
 *   ACL_ERROR_RT_STREAM_CONTEXT (107003): the stream is not of the current context.
 *   ACL_ERROR_RT_INVALID_HANDLE (107017): a destroyed handle, or one of another kind.
 *   ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000): this runtime or this device does not do it.
 * - A stream of NULL is the default stream of the current context.
 * - Work is only queued: success says nothing about its outcome, which a later wait returns.
 * - Sizes are bytes. The units of a timeout differ; each function states its own.
 * - Any thread may call. Arguments are read before the call returns, except the memory that a
 *   queued task uses.
 * Names such as (MEM-60) are rows of runtime/docs/contract, which have the sources. */
#ifndef INC_EXTERNAL_ACL_ACL_RT_H_
#define INC_EXTERNAL_ACL_ACL_RT_H_

#include <stdint.h>
#include <stddef.h>
#include <stdbool.h>

#include "acl_base.h"
#include "acl_rt_allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version of the interface and of installed packages -------------------------------------- */

#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 17
#define ACL_PATCH_VERSION 0

#define ACL_PKG_VERSION_MAX_SIZE       128
#define ACL_PKG_VERSION_PARTS_MAX_SIZE 64

typedef enum aclCANNPackageName {
    ACL_PKG_NAME_CANN       = 0,
    ACL_PKG_NAME_RUNTIME    = 1,
    ACL_PKG_NAME_COMPILER   = 2,
    ACL_PKG_NAME_HCCL       = 3,
    ACL_PKG_NAME_TOOLKIT    = 4,
    ACL_PKG_NAME_OPP        = 5,
    ACL_PKG_NAME_OPP_KERNEL = 6,
    ACL_PKG_NAME_DRIVER     = 7,
} aclCANNPackageName;

typedef struct aclCANNPackageVersion {
    char version[ACL_PKG_VERSION_MAX_SIZE];
    char majorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char minorVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char releaseVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char patchVersion[ACL_PKG_VERSION_PARTS_MAX_SIZE];
    char reserved[ACL_PKG_VERSION_MAX_SIZE];
} aclCANNPackageVersion;

/* Version of a package, and its four parts. 100000: NULL, or no such package; 100003: it is not
 * installed below ASCEND_HOME_PATH, or its version cannot be read. */
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionStr or aclsysGetVersionNum")
ACL_FUNC_VISIBILITY aclError aclsysGetCANNVersion(aclCANNPackageName name,
                                                  aclCANNPackageVersion *version);

/* The version of a package, by its name in share/info, as text of up to 128 bytes. 100000: NULL;
 * 100003: as above. */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionStr(char *pkgName, char *versionStr);

/* The same as a number: 10000000 for each major, 100000 minor, 1000 patch. 100000, 100003 as above;
 * 500000: the text is not a version. */
ACL_FUNC_VISIBILITY aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum);

/* The version of this interface. 100000: NULL. */
ACL_DEPRECATED_MESSAGE("use aclsysGetVersionNum")
ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion,
                                             int32_t *patchVersion);

/* ---- Start and end --------------------------------------------------------------------------- */

typedef enum aclRegisterCallbackType {
    ACL_REG_TYPE_ACL_MODEL       = 0,
    ACL_REG_TYPE_ACL_OP_EXECUTOR = 1,
    ACL_REG_TYPE_ACL_OP_CBLAS    = 2,
    ACL_REG_TYPE_ACL_OP_COMPILER = 3,
    ACL_REG_TYPE_ACL_TDT_CHANNEL = 4,
    ACL_REG_TYPE_ACL_TDT_QUEUE   = 5,
    ACL_REG_TYPE_ACL_DVPP        = 6,
    ACL_REG_TYPE_ACL_RETR        = 7,
    ACL_REG_TYPE_OTHER           = 0xFFFF,
} aclRegisterCallbackType;

typedef aclError (*aclInitCallbackFunc)(const char *configStr, size_t len, void *userData);
typedef aclError (*aclFinalizeCallbackFunc)(void *userData);

/* Starts the runtime, or adds a reference. configPath: a JSON file, or NULL for none. 100002
 * (already started): harmless, the reference was added. Other codes: the file is missing, not
 * JSON, or has a wrong value. */
ACL_FUNC_VISIBILITY aclError aclInit(const char *configPath);

/* Ends the runtime whatever the number of references. 100037: it was not started. */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

/* Takes one reference away and ends the runtime with the last; refCount (may be NULL) is what is
 * left. */
ACL_FUNC_VISIBILITY aclError aclFinalizeReference(uint64_t *refCount);

/* Calls cbFunc in aclInit with the text of the configuration, at once if the runtime runs
 * already. */
ACL_FUNC_VISIBILITY aclError aclInitCallbackRegister(aclRegisterCallbackType type,
                                                     aclInitCallbackFunc cbFunc, void *userData);

/* Ends that. 100000: NULL; 500000: it is not registered. */
ACL_FUNC_VISIBILITY aclError aclInitCallbackUnRegister(aclRegisterCallbackType type,
                                                       aclInitCallbackFunc cbFunc);

/* Calls cbFunc in aclFinalize; an answer other than 0 stops it. */
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,
                                                         aclFinalizeCallbackFunc cbFunc,
                                                         void *userData);

/* Ends that. 100000: NULL; 500000: it is not registered. */
ACL_FUNC_VISIBILITY aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,
                                                           aclFinalizeCallbackFunc cbFunc);

/* ---- Last error ------------------------------------------------------------------------------ */

typedef enum aclrtLastErrLevel {
    ACL_RT_THREAD_LEVEL = 0,
} aclrtLastErrLevel;

/* What went wrong in this thread since the last call, newest first, for people; NULL: nothing
 * did. Valid until the next call. */
ACL_FUNC_VISIBILITY const char *aclGetRecentErrMsg(void);

/* The last error of this thread, which stays. level: ACL_RT_THREAD_LEVEL. */
ACL_FUNC_VISIBILITY aclError aclrtPeekAtLastError(aclrtLastErrLevel level);

/* The last error of this thread, which is cleared. level: ACL_RT_THREAD_LEVEL. */
ACL_FUNC_VISIBILITY aclError aclrtGetLastError(aclrtLastErrLevel level);

/* ---- Devices: choose and release ------------------------------------------------------------- */

/* A process counts the references to each device. The first one brings the device up, with its
 * default context and default stream; the last one releases them and all that was made in there. */

/* Where the program runs: on the control processor of the device, or on a host. */
typedef enum aclrtRunMode {
    ACL_DEVICE = 0,
    ACL_HOST   = 1,
} aclrtRunMode;

typedef enum aclrtTsId {
    ACL_TS_ID_AICORE   = 0,
    ACL_TS_ID_AIVECTOR = 1,
    ACL_TS_ID_RESERVED = 2,
} aclrtTsId;

typedef enum aclrtDeviceStatus {
    ACL_RT_DEVICE_STATUS_NORMAL   = 0,
    ACL_RT_DEVICE_STATUS_ABNORMAL = 1,
    ACL_RT_DEVICE_STATUS_END      = 0xFFFF,
} aclrtDeviceStatus;

typedef enum {
    ACL_RT_DEVICE_STATE_SET_PRE    = 0,
    ACL_RT_DEVICE_STATE_SET_POST   = 1,
    ACL_RT_DEVICE_STATE_RESET_PRE  = 2,
    ACL_RT_DEVICE_STATE_RESET_POST = 3,
} aclrtDeviceState;

typedef void (*aclrtDeviceStateCallback)(int32_t deviceId, aclrtDeviceState state, void *args);

/* Number of devices that ASCEND_RT_VISIBLE_DEVICES leaves visible. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCount(uint32_t *count);

/* Adds a reference and makes the default context of the device current in this thread. 107001:
 * no such device. */
ACL_FUNC_VISIBILITY aclError aclrtSetDevice(int32_t deviceId);

/* Device of the current context of this thread. */
ACL_FUNC_VISIBILITY aclError aclrtGetDevice(int32_t *deviceId);

/* Takes a reference away; the last one waits for the work of the default context and ends that.
 * Contexts of aclrtCreateContext stay, with their streams, events and memory, until they are
 * destroyed; without any the device is released. 507007: there is no reference to take. CTX-22. */
ACL_FUNC_VISIBILITY aclError aclrtResetDevice(int32_t deviceId);

/* Takes all references away at once and releases the device. 507007: there are none. */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceForce(int32_t deviceId);

/* Works without a device. */
ACL_FUNC_VISIBILITY aclError aclrtGetRunMode(aclrtRunMode *runMode);

/* Chooses a task scheduler; devices that have one accept 0 and 1 and change nothing. */
ACL_FUNC_VISIBILITY aclError aclrtSetTsDevice(aclrtTsId tsId);

/* Tells whether the device is fit to work. 107001: no such device. */
ACL_FUNC_VISIBILITY aclError aclrtQueryDeviceStatus(int32_t deviceId,
                                                    aclrtDeviceStatus *deviceStatus);

/* Blocks until everything queued so far on all streams of the current context is done. Answers
 * the code of a task that failed. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDevice(void);

/* The same for at most timeout milliseconds, -1 without limit. 107000: 0. 507046:
 * not done yet, the work goes on. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout);

/* Calls callback under a name when a device is set or reset, on that thread, with the program's
 * number of it. callback NULL: ends it. 107000: the name is taken (DEV-56, DEV-57, DEV-62). */
ACL_FUNC_VISIBILITY aclError aclrtRegDeviceStateCallback(const char *regName,
                                                         aclrtDeviceStateCallback callback,
                                                         void *args);

/* The numbers of devices: user, as the program counts the visible ones; logic and phy, as the
 * machine does, where both are the same here. 107000: no such device (DEV-63). The same of the
 * five functions below; in the two that have Logic and Phy, Logic is the program's number. */
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid,
                                                           int32_t *const logicDevId);
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByLogicDevId(const int32_t logicDevId,
                                                           int32_t *const userDevid);
ACL_FUNC_VISIBILITY aclError aclrtGetLogicDevIdByPhyDevId(const int32_t phyDevId,
                                                          int32_t *const logicDevId);
ACL_FUNC_VISIBILITY aclError aclrtGetPhyDevIdByLogicDevId(const int32_t logicDevId,
                                                          int32_t *const phyDevId);
ACL_FUNC_VISIBILITY aclError aclrtGetUserDevIdByPhyDevId(const int32_t phyDevId,
                                                         int32_t *const userDevId);
ACL_FUNC_VISIBILITY aclError aclrtGetPhyDevIdByUserDevId(const int32_t userDevId,
                                                         int32_t *const phyDevId);

/* ---- Devices: what they can do --------------------------------------------------------------- */

#define ACL_DEV_FEATURE_SUPPORT     0x00000001
#define ACL_DEV_FEATURE_NOT_SUPPORT 0x00000000

#define ACL_HOST_DEVICE_CONNECT_TYPE_PCIE 0
#define ACL_HOST_DEVICE_CONNECT_TYPE_HCCS 1
#define ACL_HOST_DEVICE_CONNECT_TYPE_UB   2

#define ACL_DEVICE_FORM_FACTOR_POD       0
#define ACL_DEVICE_FORM_FACTOR_A_K       1
#define ACL_DEVICE_FORM_FACTOR_A_X       2
#define ACL_DEVICE_FORM_FACTOR_PCIE_CARD 3

#define ACL_RT_DEVS_TOPOLOGY_HCCS    0x01ULL
#define ACL_RT_DEVS_TOPOLOGY_PIX     0x02ULL
#define ACL_RT_DEVS_TOPOLOGY_PIB     0x04ULL
#define ACL_RT_DEVS_TOPOLOGY_PHB     0x08ULL
#define ACL_RT_DEVS_TOPOLOGY_SYS     0x10ULL
#define ACL_RT_DEVS_TOPOLOGY_SIO     0x20ULL
#define ACL_RT_DEVS_TOPOLOGY_HCCS_SW 0x40ULL

typedef struct aclrtUtilizationExtendInfo aclrtUtilizationExtendInfo;

typedef struct aclrtUtilizationInfo {
    int32_t cubeUtilization;
    int32_t vectorUtilization;
    int32_t aicpuUtilization;
    int32_t memoryUtilization;
    aclrtUtilizationExtendInfo *utilizationExtend;
} aclrtUtilizationInfo;

typedef enum {
    ACL_DEV_ATTR_AICPU_CORE_NUM             = 1,
    ACL_DEV_ATTR_AICORE_CORE_NUM            = 101,
    ACL_DEV_ATTR_CUBE_CORE_NUM              = 102,
    ACL_DEV_ATTR_VECTOR_CORE_NUM            = 201,
    ACL_DEV_ATTR_WARP_SIZE                  = 202,
    ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE = 203,
    ACL_DEV_ATTR_LOCAL_MEM_PER_VECTOR_CORE ACL_DEPRECATED =
        204, /* use ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE */
    ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE  = 204,
    ACL_DEV_ATTR_MAX_GRID_DIM_X        = 205,
    ACL_DEV_ATTR_MAX_GRID_DIM_Y        = 206,
    ACL_DEV_ATTR_MAX_GRID_DIM_Z        = 207,
    ACL_DEV_ATTR_MAX_BLOCK_PER_GRID    = 208,
    ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK = 209,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_X       = 210,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Y       = 211,
    ACL_DEV_ATTR_MAX_BLOCK_DIM_Z       = 212,
    ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE = 301,
    ACL_DEV_ATTR_L2_CACHE_SIZE         = 302,
    ACL_DEV_ATTR_SMP_ID                = 401,
    ACL_DEV_ATTR_PHY_CHIP_ID           = 402,
    ACL_DEV_ATTR_SUPER_POD_DEVIDE_ID   = 403, /* the same under an older spelling */
    ACL_DEV_ATTR_SUPER_POD_DEVICE_ID   = 403,
    ACL_DEV_ATTR_SUPER_POD_SERVER_ID   = 404,
    ACL_DEV_ATTR_SUPER_POD_ID          = 405,
    ACL_DEV_ATTR_CUST_OP_PRIVILEGE     = 406,
    ACL_DEV_ATTR_MAINBOARD_ID          = 407,
    ACL_DEV_ATTR_HD_CONNECT_TYPE       = 408,
    ACL_DEV_ATTR_DEVICE_FORM_FACTOR    = 409,
    ACL_DEV_ATTR_IS_VIRTUAL            = 501,
    ACL_DEV_ATTR_NPU_ARCH              = 601,
} aclrtDevAttr;

typedef enum {
    ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV = 1,
    ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV       = 21,
} aclrtDevFeatureType;

typedef struct aclrtUuid {
    char bytes[16];
} aclrtUuid;

typedef enum aclrtAtomicOperationCapability {
    ACL_RT_ATOMIC_CAPABILITY_SIGNED     = 1 << 0,
    ACL_RT_ATOMIC_CAPABILITY_UNSIGNED   = 1 << 1,
    ACL_RT_ATOMIC_CAPABILITY_REDUCATION = 1 << 2, /* the same under an older spelling */
    ACL_RT_ATOMIC_CAPABILITY_REDUCTION  = 1 << 2,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR8    = 1 << 3,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR16   = 1 << 4,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR32   = 1 << 5,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR64   = 1 << 6,
    ACL_RT_ATOMIC_CAPABILITY_SCALAR128  = 1 << 7,
    ACL_RT_ATOMIC_CAPABILITY_VECTOR32X4 = 1 << 8,
} aclrtAtomicOperationCapability;

typedef enum aclrtAtomicOperation {
    ACL_RT_ATOMIC_OPERATION_INTEGER_ADD       = 0,
    ACL_RT_ATOMIC_OPERATION_INTEGER_MIN       = 1,
    ACL_RT_ATOMIC_OPERATION_INTEGER_MAX       = 2,
    ACL_RT_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
    ACL_RT_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
    ACL_RT_ATOMIC_OPERATION_AND               = 5,
    ACL_RT_ATOMIC_OPERATION_OR                = 6,
    ACL_RT_ATOMIC_OPERATION_XOR               = 7,
    ACL_RT_ATOMIC_OPERATION_EXCHANGE          = 8,
    ACL_RT_ATOMIC_OPERATION_CAS               = 9,
    ACL_RT_ATOMIC_OPERATION_FLOAT_ADD         = 10,
    ACL_RT_ATOMIC_OPERATION_FLOAT_MIN         = 11,
    ACL_RT_ATOMIC_OPERATION_FLOAT_MAX         = 12,
    ACL_RT_ATOMIC_OPERATION_DMA_ADD           = 30,
    ACL_RT_ATOMIC_OPERATION_DMA_MIN           = 31,
    ACL_RT_ATOMIC_OPERATION_DMA_MAX           = 32,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_ADD   = 40,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MIN   = 41,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_MAX   = 42,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_CAS   = 43,
    ACL_RT_ATOMIC_OPERATION_SIMD_SCALAR_EXCH  = 44,
} aclrtAtomicOperation;

typedef enum aclrtDeviceLimit {
    ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE                = 0,
    ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE       = 1,
    ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE                = 2,
    ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE = 3,
    ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE          = 4,
} aclrtDeviceLimit;

/* One number of a device, which need not be set: cores, bytes of memory and L2, the instruction
 * set. 107000: no such device; 207000: another attribute (DEV-42). */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr,
                                                int64_t *value);

/* Whether the device updates queued tasks, or has queue events across devices: 0. 107000: another
 * feature; 107001: no such device. */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceCapability(int32_t deviceId,
                                                      aclrtDevFeatureType devFeatureType,
                                                      int32_t *value);

/* How busy the device is, in percent; -1: not measured, as always for memory, and for all of a
 * device that does not exist. utilizationExtend must be NULL, else 100000 (DEV-40, DEV-64). */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceUtilizationRate(int32_t deviceId,
                                                           aclrtUtilizationInfo *utilizationInfo);

/* An identifier of 16 bytes, the same on each run. 107001: no such device; 207000: it has none
 * (DEV-43). */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetUuid(int32_t deviceId, aclrtUuid *uuid);

/* Sets a limit of all devices, for each from its next bring-up on. 100000: no such limit, or above
 * UINT32_MAX; 107000: not a size of a print buffer; 207000: limits of SIMT on other parts (CFG-14,
 * CFG-15). */
ACL_FUNC_VISIBILITY aclError aclrtDeviceSetLimit(aclrtDeviceLimit limit, size_t value);

/* Reads it. Codes as above. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetLimit(aclrtDeviceLimit limit, size_t *value);

/* The process id outside of containers; here that of the process. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetBareTgid(int32_t *pid);

/* Where the device is on the PCI bus, "0000:01:00.0"; len is 13 at least, else 107000. 107001: no
 * such device; 207000: it is on none. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetPCIBusId(int32_t deviceId, char *pciBusId, int32_t len);

/* The device there. 107000: no visible one is. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetByPCIBusId(const char *pciBusId, int32_t *deviceId);

/* Which atomic operations the device has on memory of the host: a set of data types for each of the
 * count operations; here always 0, none. 107000: a NULL, count 0, or no such operation; 107001: no
 * such device. */
ACL_FUNC_VISIBILITY aclError
aclrtDeviceGetHostAtomicCapabilities(uint32_t *capabilities, const aclrtAtomicOperation *operations,
                                     const uint32_t count, int32_t deviceId);

/* The same on memory of another device. 107001: also the same device twice. */
ACL_FUNC_VISIBILITY aclError
aclrtDeviceGetP2PAtomicCapabilities(uint32_t *capabilities, const aclrtAtomicOperation *operations,
                                    const uint32_t count, int32_t srcDeviceId, int32_t dstDeviceId);

/* How two devices are connected: one of ACL_RT_DEVS_TOPOLOGY_.... 107001: no such device; 207000:
 * not known. */
ACL_FUNC_VISIBILITY aclError aclrtGetDevicesTopo(uint32_t deviceId, uint32_t otherDeviceId,
                                                 uint64_t *value);

/* Writes 1 if code for the named SoC runs on these devices, else 0. 107000: a NULL, or no such
 * SoC. */
ACL_FUNC_VISIBILITY aclError aclrtCheckArchCompatibility(const char *socVersion,
                                                         int32_t *canCompatible);

/* An address of the current device for kernels that synchronize. 107000: addr is NULL (KRN-42). */
ACL_FUNC_VISIBILITY aclError aclrtGetHardwareSyncAddr(void **addr);

/* Not supported: 207000. rsv must be NULL, else 100000. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceL2CacheFlush(void *rsv);

/* ---- Devices: access to a peer --------------------------------------------------------------- */

/* Writes 1 if the device can reach memory of the other, else 0. 100000: the same device twice;
 * 107000: no such device (DEV-49, DEV-63). */
ACL_FUNC_VISIBILITY aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId,
                                                      int32_t peerDeviceId);

/* Lets the current device reach memory of the peer, in this direction only. 100000: the same
 * device; 107001: no such device; 200006: flags is not 0 (DEV-49, DEV-50). */
ACL_FUNC_VISIBILITY aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags);

/* Ends that. Codes as above. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId);

/* Writes 1 if the device reaches the peer's memory, else 0 (DEV-51). */
ACL_FUNC_VISIBILITY aclError aclrtDevicePeerAccessStatus(int32_t deviceId, int32_t peerDeviceId,
                                                         int32_t *status);

/* ---- Shares of a device's cores -------------------------------------------------------------- */

typedef enum {
    ACL_RT_DEV_RES_CUBE_CORE   = 0,
    ACL_RT_DEV_RES_VECTOR_CORE = 1,
} aclrtDevResLimitType;

/* How many cores of a kind the program is to use on the device: what was set last, else all. A
 * share is advice for who chooses a number of blocks; the device does not enforce it. 100000: NULL;
 * 107000: no such kind; 107001: no such device; 507033: it is not set (RES-01, RES-02). */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                                    uint32_t *value);

/* Sets it. 107000: no such kind, or more than there are; else as above (RES-01). */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type,
                                                    uint32_t value);

/* All cores again. 107001, 507033 as above (RES-02). */
ACL_FUNC_VISIBILITY aclError aclrtResetDeviceResLimit(int32_t deviceId);

/* The same of a stream, NULL for the default one: its own share, else that of the device. It may
 * exceed the share of the device. 100000: NULL; 107000: no such kind, or more than there are;
 * 107002: no context; 107017: the handle is dead (RES-03, RES-04). */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                                    uint32_t *value);
ACL_FUNC_VISIBILITY aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type,
                                                    uint32_t value);
ACL_FUNC_VISIBILITY aclError aclrtResetStreamResLimit(aclrtStream stream);

/* The share of the stream is that of this thread, until Unuse of this stream or another Use.
 * 107002: no context; 107017: the handle is dead (RES-05). */
ACL_FUNC_VISIBILITY aclError aclrtUseStreamResInCurrentThread(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream);

/* What this thread is to use: the share of the stream in use, else of the current device, else all
 * cores. 100000: NULL; 107000: no such kind; 107002: no context (RES-05). */
ACL_FUNC_VISIBILITY aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value);

/* ---- Compute groups -------------------------------------------------------------------------- */

typedef enum aclrtGroupAttr {
    ACL_GROUP_AICORE_INT  = 0,
    ACL_GROUP_AIV_INT     = 1,
    ACL_GROUP_AIC_INT     = 2,
    ACL_GROUP_SDMANUM_INT = 3,
    ACL_GROUP_ASQNUM_INT  = 4,
    ACL_GROUP_GROUPID_INT = 5,
} aclrtGroupAttr;

typedef struct tagRtGroupInfo aclrtGroupInfo;

/* Groups of cores are of other products: 207000, and no list (NULL). Shares of cores do the same
 * here (aclrtSetStreamResLimit). 100000: a NULL; also, of Detail, an index below 0, no such
 * attribute, or valueLen below 4 (GRP-01 to GRP-03). */
ACL_FUNC_VISIBILITY aclError aclrtSetGroup(int32_t groupId);
ACL_FUNC_VISIBILITY aclError aclrtGetGroupCount(uint32_t *count);
ACL_FUNC_VISIBILITY aclrtGroupInfo *aclrtCreateGroupInfo(void);
ACL_FUNC_VISIBILITY aclError aclrtDestroyGroupInfo(aclrtGroupInfo *groupInfo);
ACL_FUNC_VISIBILITY aclError aclrtGetAllGroupInfo(aclrtGroupInfo *groupInfo);
ACL_FUNC_VISIBILITY aclError aclrtGetGroupInfoDetail(const aclrtGroupInfo *groupInfo,
                                                     int32_t groupIndex, aclrtGroupAttr attr,
                                                     void *attrValue, size_t valueLen,
                                                     size_t *paramRetSize);

/* ---- Contexts -------------------------------------------------------------------------------- */

/* A context is a set of streams and other resources on one device. Which context is current is a
 * property of each host thread; a new thread has none. */

/* Makes a context with its own default stream, and current in this thread. 107001: no such
 * device. */
ACL_FUNC_VISIBILITY aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId);

/* Destroys the context and its streams. 107002: a default context, or one destroyed before. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyContext(aclrtContext context);

/* Makes the context, and so its device, current in this thread. 107000: it exists no more. */
ACL_FUNC_VISIBILITY aclError aclrtSetCurrentContext(aclrtContext context);

/* The default context after aclrtSetDevice, or the one set last. */
ACL_FUNC_VISIBILITY aclError aclrtGetCurrentContext(aclrtContext *context);

/* A handle for what NULL means as a stream. */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream);

/* active: 1 while the device has references, else 0. flags must be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags,
                                                     int32_t *active);

/* An option of the current context: 0 to 2 (deterministic, debug kernel, strong consistency).
 * 100000: NULL, or another option; 107002; 107021: it was never set (CFG-04 to CFG-07). */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value);

/* Sets it: 0 to 3 for deterministic, else 0 or 1. 100000: another option; 107000: another value;
 * 107002 (CFG-14b). */
ACL_FUNC_VISIBILITY aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/* An option of the process, 0 to 3 (also early start of kernels); 0 before it is set. Any thread
 * sees the last value. 100000: NULL, or another option (CFG-01 to CFG-03). */
ACL_FUNC_VISIBILITY aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value);
ACL_FUNC_VISIBILITY aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value);

/* ---- Streams --------------------------------------------------------------------------------- */

/* A stream runs its tasks one after the other, in the order in which they were queued. Tasks of
 * different streams have no order and may overlap; the default stream is no exception. */

#define ACL_STREAM_FAST_LAUNCH     0x00000001U /* costs more to create, less to launch on */
#define ACL_STREAM_FAST_SYNC       0x00000002U /* costs processor time to wait for, but less time */
#define ACL_STREAM_PERSISTENT      0x00000004U /* keeps tasks for the graph it is bound to */
#define ACL_STREAM_HUGE            0x00000008U /* accepted, without effect */
#define ACL_STREAM_CPU_SCHEDULE    0x00000010U /* for queues of device processors */
#define ACL_STREAM_DEVICE_USE_ONLY 0x00000020U /* for kernels alone */

#define ACL_CONTINUE_ON_FAILURE 0x00000000U /* the next tasks run, the default */
#define ACL_STOP_ON_FAILURE     0x00000001U /* the context runs nothing more */

typedef enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE  = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED  = 0xFFFF,
} aclrtStreamStatus;

typedef enum {
    ACL_RT_STREAM_WORK_ADDR_PTR = 0,
    ACL_RT_STREAM_WORK_SIZE     = 1,
    ACL_RT_STREAM_FLAG          = 2,
    ACL_RT_STREAM_PRIORITY      = 3,
} aclrtStreamConfigAttr;

typedef struct aclrtStreamConfigHandle {
    void *workptr;
    size_t workSize;
    size_t flag;
    uint32_t priority;
} aclrtStreamConfigHandle;

typedef enum {
    ACL_STREAM_ATTR_FAILURE_MODE         = 1,
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    ACL_STREAM_ATTR_USER_CUSTOM_TAG      = 3,
    ACL_STREAM_ATTR_CACHE_OP_INFO        = 4,
    ACL_STREAM_ATTR_PRIORITY             = 5,
} aclrtStreamAttr;

typedef union {
    uint64_t failureMode;
    uint32_t overflowSwitch;
    uint32_t userCustomTag;
    uint32_t cacheOpInfoSwitch;
    uint32_t streamPriority;
    uint32_t reserve[4];
} aclrtStreamAttrValue;

typedef enum {
    ACL_RT_STREAM_STATE_CREATE_POST = 1,
    ACL_RT_STREAM_STATE_DESTROY_PRE = 2,
} aclrtStreamState;

typedef void (*aclrtStreamStateCallback)(aclrtStream stm, aclrtStreamState state, void *args);

/* A stream of the highest priority (0) in the current context. The device has no stream left:
 * 207005 on parts with more stream ids than queues (910B, 910_93, 950), 207008 on the others. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStream(aclrtStream *stream);

/* Absent here, as from the vendor's library for hosts: the name links, and dlsym gives NULL. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamV2(aclrtStream *stream,
                                                 const aclrtStreamConfigHandle *handle);

/* priority: 0 (highest) to 7, larger ones count as 7. flag: ACL_STREAM_*, ORed. */
ACL_FUNC_VISIBILITY aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority,
                                                         uint32_t flag);

/* Waits for the work of the stream, then destroys it. NULL is not the default stream here. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStream(aclrtStream stream);

/* Destroys the stream at once; work that is not done has no defined result. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamForce(aclrtStream stream);

/* Blocks until everything queued so far on the stream is done. Answers the code of a task that
 * failed. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStream(aclrtStream stream);

/* The same for at most timeout milliseconds, -1 without limit. 107000: 0. 507046:
 * not done yet, the work goes on. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout);

/* Tells without blocking whether everything queued so far is done. */
ACL_FUNC_VISIBILITY aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status);

/* A number unique among the living streams of the device. */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId);

/* The priority, 0 (high) to 7 (STR-09, STR-60). */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority);

/* The ACL_STREAM_* flags of the creation. */
ACL_FUNC_VISIBILITY aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags);

/* Both bounds; the smaller number is the higher priority. Either pointer may be NULL. */
ACL_FUNC_VISIBILITY aclError aclrtDeviceGetStreamPriorityRange(int32_t *leastPriority,
                                                               int32_t *greatestPriority);

/* How many streams can still be created on the current device. */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAvailableNum(uint32_t *streamCount);

/* What a failed task does to the streams of its context: 0, later tasks run; 1, all work of all
 * of them is dropped, and they answer its code from then on. 1 cannot be taken back. 107000: NULL
 * without a context; 207000: back to 0, after a failure, or a stream of a model instance (STR-32
 * to STR-38, STR-59, STR-61). */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode);

/* Sets one attribute: failure mode, overflow switch, tag, operator information, priority. 107000:
 * no such attribute or value, or NULL without a context; 207000 as of aclrtSetStreamFailureMode
 * (STR-40 to STR-42, CTX-24). */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamAttribute(aclrtStream stream,
                                                     aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue *value);

/* Reads one attribute; needs no context. 107000: no such attribute (STR-40, STR-64, CTX-24). */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamAttribute(aclrtStream stream,
                                                     aclrtStreamAttr stmAttrType,
                                                     aclrtStreamAttrValue *value);

/* Stops the running task and drops the others of the stream, which takes new work then. Threads
 * that wait for it get 107023. Streams that wait for its events are not released. 107019: the
 * device did not confirm in time; 507000: a stream of a model instance (STR-44 to STR-48).
 * Blocks. */
ACL_FUNC_VISIBILITY aclError aclrtStreamAbort(aclrtStream stream);

/* Stops the running task and keeps the others. 107000: NULL; 507000: a stream of a model instance
 * (STR-49, STR-50). Blocks. */
ACL_FUNC_VISIBILITY aclError aclrtStreamStop(aclrtStream stream);

/* Absent here, as from the vendor's library for hosts: the names link, and dlsym gives NULL. */
ACL_FUNC_VISIBILITY aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void);
ACL_FUNC_VISIBILITY aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle);
ACL_FUNC_VISIBILITY aclError aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
                                                     aclrtStreamConfigAttr attr,
                                                     const void *attrValue, size_t valueSize);

/* Calls callback under a name after a stream is made and before it is destroyed, on that thread.
 * callback NULL: ends it. 107000: the name is taken (STR-56, STR-57). */
ACL_FUNC_VISIBILITY aclError aclrtRegStreamStateCallback(const char *regName,
                                                         aclrtStreamStateCallback callback,
                                                         void *args);

/* Drops the tasks that a persistent stream keeps; it takes new ones then. 107000: NULL; 507000:
 * not persistent, not of a model instance, or in use (STR-51). */
ACL_FUNC_VISIBILITY aclError aclrtPersistentTaskClean(aclrtStream stream);

/* The last task that this thread queued on a stream that it or another thread made; UINT32_MAX:
 * none (EXC-27, STR-58, STR-65). */
ACL_FUNC_VISIBILITY aclError aclrtGetThreadLastTaskId(uint32_t *taskId);

/* ---- Events ---------------------------------------------------------------------------------- */

/* An event marks a point in a stream: what was queued before its record. There are three kinds:
 * aclrtCreateEventExWithFlag  reusable, a wait means the newest record at the time of the wait call
 * aclrtCreateEvent            the same for general use, timing included
 * aclrtCreateEventWithFlag    with ACL_EVENT_SYNC a flag that stays set until aclrtResetEvent */

#define ACL_EVENT_SYNC                    0x00000001U /* streams may wait for it */
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002U /* its state may be asked for */
#define ACL_EVENT_TIME_LINE               0x00000008U /* it keeps the time */
#define ACL_EVENT_DEVICE_USE_ONLY         0x00000010U /* for kernels alone */
#define ACL_EVENT_EXTERNAL                0x00000020U /* a flag, also for graphs */
#define ACL_EVENT_IPC                     0x00000040U /* shared with other processes */

#define ACL_IPC_EVENT_HANDLE_SIZE 64U

#define ACL_EVENT_RECORD_DEFAULT  0x0U
#define ACL_EVENT_RECORD_EXTERNAL 0x01U

#define ACL_EVENT_WAIT_DEFAULT  0x0U
#define ACL_EVENT_WAIT_EXTERNAL 0x01U

/* Beware: the two status types number "complete" differently. */
typedef enum aclrtEventStatus {
    ACL_EVENT_STATUS_COMPLETE  = 0,
    ACL_EVENT_STATUS_NOT_READY = 1,
    ACL_EVENT_STATUS_RESERVED  = 2,
} aclrtEventStatus;

typedef enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE  = 1,
} aclrtEventRecordedStatus;

typedef enum aclrtEventWaitStatus {
    ACL_EVENT_WAIT_STATUS_COMPLETE  = 0,
    ACL_EVENT_WAIT_STATUS_NOT_READY = 1,
    ACL_EVENT_WAIT_STATUS_RESERVED  = 0xFFFF,
} aclrtEventWaitStatus;

typedef struct aclrtIpcEventHandle {
    char reserved[ACL_IPC_EVENT_HANDLE_SIZE];
} aclrtIpcEventHandle;

/* An event for waiting and timing. */
ACL_FUNC_VISIBILITY aclError aclrtCreateEvent(aclrtEvent *event);

/* flag: SYNC, CAPTURE_STREAM_PROGRESS, TIME_LINE ORed, or DEVICE_USE_ONLY or EXTERNAL alone.
 * 207007: SYNC takes a hardware event at once and none is left. */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag);

/* flag: SYNC, CAPTURE_STREAM_PROGRESS, TIME_LINE ORed, or IPC alone. Takes no hardware event
 * before it is recorded. */
ACL_FUNC_VISIBILITY aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag);

/* The handle ends at once; records and waits that are queued still do their work. */
ACL_FUNC_VISIBILITY aclError aclrtDestroyEvent(aclrtEvent event);

/* Queues the mark: the event is complete when everything queued before it on the stream is done. */
ACL_FUNC_VISIBILITY aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);

/* flag 0: as aclrtRecordEvent; 1, on a stream in capture: each run records the event for streams
 * and graphs outside, which wait for it as for any event. With 1 the event is one of
 * aclrtCreateEventExWithFlag with ACL_EVENT_SYNC alone. The first record of an event fixes its
 * flag. 100000: another flag; 107000: the other flag before, or used in this graph already;
 * 107003: an event of another device; 107029: the stream is not in capture; 207000: another event
 * (EVT-22 to EVT-24, EVT-74). */
ACL_FUNC_VISIBILITY aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream,
                                                      uint32_t flag);

/* Holds later tasks of the stream until the event is complete; the host does not wait. 207000:
 * the event was created without ACL_EVENT_SYNC. */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event);

/* flag 0: as aclrtStreamWaitEventWithTimeout; 1, on a stream in capture: each run waits for the
 * newest record that the event has when the run is queued, by any stream outside; timeout is 0.
 * With 1 the event is as in aclrtRecordEventWithFlag. The first wait for an event fixes its flag.
 * 100000: another flag, or 1 with a timeout; 107000: the other flag before, or used in this graph
 * already; 107029: the stream is not in capture; 207000: another event (EVT-24, EVT-38, EVT-39). */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,
                                                          uint32_t timeout, uint32_t flag);

/* The same for at most timeout seconds, 0 without limit; after that the wait fails with 107020,
 * seen at the next synchronisation. */
ACL_FUNC_VISIBILITY aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,
                                                             int32_t timeout);

/* Queues the clearing of the flag. 207000: only events of aclrtCreateEventWithFlag with
 * ACL_EVENT_SYNC have one. */
ACL_FUNC_VISIBILITY aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream);

/* Before any record: complete. Not for events of aclrtCreateEventExWithFlag (207000). */
ACL_DEPRECATED_MESSAGE("use aclrtQueryEventStatus")
ACL_FUNC_VISIBILITY aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status);

/* State of the newest record, without blocking. */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventStatus(aclrtEvent event,
                                                   aclrtEventRecordedStatus *status);

/* Complete when every wait queued on the event has passed. Not for events of
 * aclrtCreateEventExWithFlag (207000). */
ACL_FUNC_VISIBILITY aclError aclrtQueryEventWaitStatus(aclrtEvent event,
                                                       aclrtEventWaitStatus *status);

/* Blocks until the newest record is complete; at once if there is none. Needs no context. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEvent(aclrtEvent event);

/* The same for at most timeout milliseconds, -1 without limit. 107000: 0. 507047: not done yet. */
ACL_FUNC_VISIBILITY aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout);

/* Milliseconds of device time from one record to the other. 507000: one was never recorded;
 * 107006: not complete. */
ACL_FUNC_VISIBILITY aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent,
                                                   aclrtEvent endEvent);

/* Microseconds of device time at which the record completed. Codes as above. */
ACL_FUNC_VISIBILITY aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp);

/* Number of the hardware event that it holds. 507000: it holds none now. */
ACL_FUNC_VISIBILITY aclError aclrtGetEventId(aclrtEvent event, uint32_t *eventId);

/* How many hardware events of the current device are free. */
ACL_FUNC_VISIBILITY aclError aclrtGetEventAvailNum(uint32_t *eventCount);

/* A handle by which any other process opens the event. 107000: it was made without ACL_EVENT_IPC
 * (EVT-69). */
ACL_FUNC_VISIBILITY aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle);

/* The event of a handle; aclrtDestroyEvent ends it in this process. 107000: no such event
 * (EVT-69). */
ACL_FUNC_VISIBILITY aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event);

/* ---- Notifies -------------------------------------------------------------------------------- */

/* A notify is a one-shot signal between streams: a record sets it, one wait takes it away again. */

#define ACL_NOTIFY_DEFAULT 0x00000000U

#define ACL_NOTIFY_DEVICE_USE_ONLY 0x00000001U

#define ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT                0x0UL
#define ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x02UL

#define ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT            0x0UL
#define ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x02UL

typedef struct {
    uint32_t sdid;
    int32_t *pid;
    size_t num;
} aclrtServerPid;

/* flag: ACL_NOTIFY_DEFAULT or ACL_NOTIFY_DEVICE_USE_ONLY. 207009: the device has no notify left. */
ACL_FUNC_VISIBILITY aclError aclrtCreateNotify(aclrtNotify *notify, uint64_t flag);

/* Ends the notify in this process (NTF-10, NTF-16). */
ACL_FUNC_VISIBILITY aclError aclrtDestroyNotify(aclrtNotify notify);

/* Queues the signal; it is remembered until a wait takes it. */
ACL_FUNC_VISIBILITY aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream);

/* Holds later tasks of the stream until the signal, and takes it. timeout: seconds, 0 without
 * limit; after that 107020 at the next synchronisation. */
ACL_FUNC_VISIBILITY aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,
                                                     uint32_t timeout);

/* A number unique among the living notifies of the device. */
ACL_FUNC_VISIBILITY aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t *notifyId);

/* Takes the signal of each away, in order; the first bad one ends the call with its code. */
ACL_FUNC_VISIBILITY aclError aclrtNotifyBatchReset(aclrtNotify *notifies, size_t num);

/* A key of 64 characters and their end by which other processes import the notify; len is 65 at
 * least. flags 2: any process may; 0: those of aclrtNotifySetImportPid. 107000: a smaller len, or
 * other flags (NTF-13). */
ACL_FUNC_VISIBILITY aclError aclrtNotifyGetExportKey(aclrtNotify notify, char *key, size_t len,
                                                     uint64_t flags);

/* The notify of a key: this process may record it, and wait for it on the device that made it.
 * flags is 0, or 2 to enable access to that device. 107000: other flags, no such key, or not
 * allowed (NTF-14 to NTF-16). aclrtDestroyNotify ends it. */
ACL_FUNC_VISIBILITY aclError aclrtNotifyImportByKey(aclrtNotify *notify, const char *key,
                                                    uint64_t flags);

/* Lets num processes import it. 107000: num 0, or not a pid (NTF-14). */
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t *pid, size_t num);

/* Not supported: 207000, after the check of its arguments (NTF-17). */
ACL_FUNC_VISIBILITY aclError aclrtNotifySetImportPidInterServer(aclrtNotify notify,
                                                                aclrtServerPid *serverPids,
                                                                size_t num);

/* ---- Counting notifies ----------------------------------------------------------------------- */

typedef enum {
    ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE = 0,
    ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE       = 1,
    ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE    = 2,
    ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE   = 4,
} aclrtCntNotifyRecordMode;

typedef struct {
    aclrtCntNotifyRecordMode mode;
    uint32_t value;
} aclrtCntNotifyRecordInfo;

typedef enum {
    ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE               = 0,
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE              = 1,
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE             = 2,
    ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE    = 3,
    ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE = 4,
} aclrtCntNotifyWaitMode;

typedef struct {
    aclrtCntNotifyWaitMode mode;
    uint32_t value;
    uint32_t timeout;
    uint8_t isClear;
    uint8_t rsv[3];
} aclrtCntNotifyWaitInfo;

/* A counting notify with the count 0. 107000: a NULL, or flag is not 0; 207000: on parts without
 * them (CNT-01, CNT-03). */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyCreate(aclrtCntNotify *cntNotify, uint64_t flag);

/* Ends it. 107000: NULL; 107017; 207000 (CNT-01). */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify);

/* Queues a change of the count, of 32 bits, by info->mode: 0 set, 1 add, 2 or, 4 and. 107000:
 * cntNotify is NULL, or another mode; 107017; 207000 (CNT-02, CNT-04). */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,
                                                  aclrtCntNotifyRecordInfo *info);

/* Holds later tasks of the stream until the count fits info->mode: 0 less than value, 1 equal, 2
 * greater, 3 greater or equal, 4 all bits of value. isClear 1: it is 0 then. timeout is seconds,
 * 0 has no limit. 107000: cntNotify is NULL, or another mode or isClear; 107017; 207000 (CNT-02,
 * CNT-05). */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify,
                                                           aclrtStream stream,
                                                           aclrtCntNotifyWaitInfo *info);

/* Queues a count of 0. Codes as of aclrtCntNotifyRecord (CNT-06). */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream);

/* Its number on the device. 107000: a NULL; 107017; 207000. */
ACL_FUNC_VISIBILITY aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t *notifyId);

/* ---- Time limits of tasks -------------------------------------------------------------------- */

/* Limit in seconds for waits queued later by aclrtStreamWaitEvent, for the whole process; 0:
 * none. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpWaitTimeout(uint32_t timeout);

/* The time limit of kernels of the process, in seconds; 0: the largest. The last call of these
 * three counts; a limit of a launch goes first (EXC-20, CFG-16). */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOut(uint32_t timeout);

/* The same in milliseconds. */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutWithMs(uint32_t timeout);

/* The same in microseconds; *actualTimeout is what the device does: a multiple of its interval,
 * 254 at most. 0: never if the interval is below 100000 us, then UINT64_MAX, else the largest
 * (EXC-21 to EXC-23, CFG-17, CFG-18). */
ACL_FUNC_VISIBILITY aclError aclrtSetOpExecuteTimeOutV2(uint64_t timeout, uint64_t *actualTimeout);

/* The interval of the current device, in microseconds (EXC-19). */
ACL_FUNC_VISIBILITY aclError aclrtGetOpTimeOutInterval(uint64_t *interval);

/* The limit in force, in milliseconds, rounded up; UINT32_MAX: none (EXC-24, CFG-19). */
ACL_FUNC_VISIBILITY aclError aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs);

/* ---- Waiting for and writing values, labels, switches ---------------------------------------- */

#define ACL_STREAM_WAIT_VALUE_GEQ 0x00000000U /* (int64_t)(word - value) >= 0 */
#define ACL_STREAM_WAIT_VALUE_EQ  0x00000001U /* word == value */
#define ACL_STREAM_WAIT_VALUE_AND 0x00000002U /* (word & value) != 0 */
#define ACL_STREAM_WAIT_VALUE_NOR 0x00000003U /* ~(word | value) != 0 */

typedef enum {
    ACL_RT_EQUAL            = 0,
    ACL_RT_NOT_EQUAL        = 1,
    ACL_RT_GREATER          = 2,
    ACL_RT_GREATER_OR_EQUAL = 3,
    ACL_RT_LESS             = 4,
    ACL_RT_LESS_OR_EQUAL    = 5,
} aclrtCondition;

typedef enum {
    ACL_RT_SWITCH_INT32 = 0,
    ACL_RT_SWITCH_INT64 = 1,
} aclrtCompareDataType;

/* Queues a 64-bit store to device or mapped memory, at a multiple of 8; flag is 0. 107000:
 * another flag or memory; 207000: on 310B, 310P and 910 (VAL-01, VAL-05 to VAL-08). */
ACL_FUNC_VISIBILITY aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag,
                                             aclrtStream stream);

/* Holds later tasks of the stream until the 64-bit word and value are related as flag says: 0
 * word >= value as a signed difference, 1 equal, 2 (word & value) != 0, 3 ~(word | value) != 0.
 * It does not change the word. Codes as of aclrtValueWrite (VAL-02 to VAL-08). */
ACL_FUNC_VISIBILITY aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag,
                                            aclrtStream stream);

/* A label: a place in a stream of a model instance, to which a task can jump. 100000: NULL; 107002:
 * no context; 507000: there are 65535 (LBL-01). */
ACL_FUNC_VISIBILITY aclError aclrtCreateLabel(aclrtLabel *label);

/* Puts the label behind what was queued on the stream, which is bound to an instance. Once. 100000:
 * NULL; 107005: not bound, or the instance is complete; 507000: the label is in no list, or was
 * set; 507031: it is of another context (LBL-04, LBL-05). */
ACL_FUNC_VISIBILITY aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream);

/* 100000: NULL; 107017: it is dead; 507031: it is of another context (LBL-09). */
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabel(aclrtLabel label);

/* Gives labels their numbers, 0 to num - 1, for switches. The labels stay the program's. 100000:
 * NULL; 107000: num is 0 or above 65535; 507000: a label has a list; 507031: one is of another
 * device (LBL-02, LBL-03, LBL-10). */
ACL_FUNC_VISIBILITY aclError aclrtCreateLabelList(aclrtLabel *labels, size_t num,
                                                  aclrtLabelList *labelList);

/* 100000: NULL; 107017: it is dead. What tasks need of it stays (LBL-09). */
ACL_FUNC_VISIBILITY aclError aclrtDestroyLabelList(aclrtLabelList labelList);

/* Queues a jump: when it runs, the device reads a uint32_t at ptr, and goes on at the label with
 * that number, on the label's stream; maxValue is how many labels it may choose from. 100000: NULL;
 * 107000: maxValue is 0 or more than the list has, or ptr is not device memory; 107005: the stream
 * is not bound to an instance, or that is complete (LBL-06, LBL-07). */
ACL_FUNC_VISIBILITY aclError aclrtSwitchLabelByIndex(void *ptr, uint32_t maxValue,
                                                     aclrtLabelList labelList, aclrtStream stream);

/* Queues the begin of activeStream; both streams are bound to one instance. 100000: NULL; 107005:
 * they are not, or it is complete; 507002: the stream is full. */
ACL_FUNC_VISIBILITY aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream);

/* Queues a comparison: when it runs, the device compares the words at both addresses, and if cond
 * holds trueStream begins and this stream ends. falseStream is NULL. 100000: NULL, or falseStream
 * is not; 107000: no such cond or dataType, or not words of device memory; 107005 as above. */
ACL_FUNC_VISIBILITY aclError aclrtSwitchStream(void *leftValue, aclrtCondition cond,
                                               void *rightValue, aclrtCompareDataType dataType,
                                               aclrtStream trueStream, aclrtStream falseStream,
                                               aclrtStream stream);

/* ---- Memory: kinds and places ---------------------------------------------------------------- */

#define ACL_RT_MEM_TYPE_DEV  (0X2U)
#define ACL_RT_MEM_TYPE_DVPP (0X8U)
#define ACL_RT_MEM_TYPE_RSVD (0X10U)

/* Page sizes; the last three may be ORed to a page size where a function says so. */
typedef enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST          = 0, /* huge pages above 1 MiB, else normal ones */
    ACL_MEM_MALLOC_HUGE_ONLY           = 1, /* no fallback */
    ACL_MEM_MALLOC_NORMAL_ONLY         = 2,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P      = 3,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P       = 4,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P     = 5,
    ACL_MEM_MALLOC_HUGE1G_ONLY         = 6,
    ACL_MEM_MALLOC_HUGE1G_ONLY_P2P     = 7,
    ACL_MEM_TYPE_LOW_BAND_WIDTH        = 0x100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH       = 0x1000,
    ACL_MEM_ACCESS_USER_SPACE_READONLY = 0x100000,
} aclrtMemMallocPolicy;

typedef enum {
    ACL_RT_MEM_ATTR_RSV       = 0,
    ACL_RT_MEM_ATTR_MODULE_ID = 1,
    ACL_RT_MEM_ATTR_DEVICE_ID = 2,
    ACL_RT_MEM_ATTR_VA_FLAG   = 3,
} aclrtMallocAttrType;

typedef union {
    uint16_t moduleId;
    uint32_t deviceId;
    uint32_t vaFlag;
    uint8_t rsv[8];
} aclrtMallocAttrValue;

typedef struct {
    aclrtMallocAttrType attr;
    aclrtMallocAttrValue value;
} aclrtMallocAttribute;

typedef struct {
    aclrtMallocAttribute *attrs;
    size_t numAttrs;
} aclrtMallocConfig;

typedef enum aclrtMemAttr {
    ACL_DDR_MEM            = 0,
    ACL_HBM_MEM            = 1,
    ACL_DDR_MEM_HUGE       = 2,
    ACL_DDR_MEM_NORMAL     = 3,
    ACL_HBM_MEM_HUGE       = 4,
    ACL_HBM_MEM_NORMAL     = 5,
    ACL_DDR_MEM_P2P_HUGE   = 6,
    ACL_DDR_MEM_P2P_NORMAL = 7,
    ACL_HBM_MEM_P2P_HUGE   = 8,
    ACL_HBM_MEM_P2P_NORMAL = 9,
    ACL_HBM_MEM_HUGE1G     = 10,
    ACL_HBM_MEM_P2P_HUGE1G = 11,
    ACL_MEM_NORMAL         = 12,
    ACL_MEM_HUGE           = 13,
    ACL_MEM_HUGE1G         = 14,
    ACL_MEM_P2P_NORMAL     = 15,
    ACL_MEM_P2P_HUGE       = 16,
    ACL_MEM_P2P_HUGE1G     = 17,
} aclrtMemAttr;

typedef enum aclrtMemLocationType {
    ACL_MEM_LOCATION_TYPE_HOST         = 0,
    ACL_MEM_LOCATION_TYPE_DEVICE       = 1,
    ACL_MEM_LOCATION_TYPE_UNREGISTERED = 2,
    ACL_MEM_LOCATION_TYPE_MANAGED      = 3,
    ACL_MEM_LOCATION_TYPE_HOST_NUMA    = 4,
} aclrtMemLocationType;

typedef struct aclrtMemLocation {
    uint32_t id;
    aclrtMemLocationType type;
} aclrtMemLocation;

typedef struct aclrtPtrAttributes {
    aclrtMemLocation location;
    uint32_t pageSize;
    uint32_t rsv[4];
} aclrtPtrAttributes;

typedef struct aclrtMemUsageInfo {
    char name[32];
    uint64_t curMemSize;
    uint64_t memPeakSize;
    size_t reserved[8];
} aclrtMemUsageInfo;

enum aclrtMemPgType {
    NORMAL_PAGE_TYPE = 0,
    HUGE_PAGE_TYPE   = 1,
    HUGE1G_PAGE_TYPE = 2,
};

enum aclrtMemType {
    HBM_TYPE     = 0,
    DDR_TYPE     = 1,
    P2P_HBM_TYPE = 2,
    P2P_DDR_TYPE = 3,
};

struct MemAttrMapping {
    uint32_t pgType;
    uint32_t memType;
    bool isHostAlloc;
    aclrtMemAttr memAttr;
};

/* ---- Memory: allocate and free --------------------------------------------------------------- */

/* Nothing here waits for queued work. Free memory only when no queued task needs it any more. */

/* Device memory aligned to 64, at least size rounded up to 32 plus 32 bytes, of HUGE1G without
 * the 32; its content is undefined. policy: the pages; an unknown one is the default, 2 MiB for
 * more than 1 MiB. 100000: size 0 or too large; 207000: pages of 1 GiB on a part without them;
 * 207001: no memory left; then nothing waits (MEM-01 to MEM-15, MEM-39). Release it with
 * aclrtFree. */
ACL_FUNC_VISIBILITY aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy);

/* As aclrtMalloc, without the 32 bytes on top (MEM-07). */
ACL_FUNC_VISIBILITY aclError aclrtMallocAlign32(void **devPtr, size_t size,
                                                aclrtMemMallocPolicy policy);

/* As aclrtMalloc, for memory that is cached; policies for peers count as the default (MEM-08). */
ACL_FUNC_VISIBILITY aclError aclrtMallocCached(void **devPtr, size_t size,
                                               aclrtMemMallocPolicy policy);

/* Device memory with attributes; size is rounded up to 32 bytes, nothing is added. policy may
 * have bits for bandwidth and rights. cfg NULL: no attributes; of an attribute given twice the
 * last counts. 100000: size 0, or attributes without an array; 107000: an attribute of host
 * memory, or a device that is not the current one; 207000: pages of 1 GiB on a part without them;
 * 207001: no memory left (MEM-16 to MEM-21, MEM-39, MEM-45). */
ACL_FUNC_VISIBILITY aclError aclrtMallocWithCfg(void **devPtr, size_t size,
                                                aclrtMemMallocPolicy policy,
                                                aclrtMallocConfig *cfg);

/* As aclrtMallocWithCfg, for words and descriptors that tasks of a stream read (MEM-22). Release
 * it with aclrtFree. */
ACL_FUNC_VISIBILITY aclError aclrtMallocForTaskScheduler(void **devPtr, size_t size,
                                                         aclrtMemMallocPolicy policy,
                                                         aclrtMallocConfig *cfg);

/* As aclrtMallocHost, with attributes: the module, and VA_FLAG for memory that has the same
 * address on the device. 107000: cfg without attributes, or another attribute; 207000: VA_FLAG on
 * a part other than A2 and A3 (MEM-43, MEM-44, MEM-46). */
ACL_FUNC_VISIBILITY aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size,
                                                    aclrtMallocConfig *cfg);

/* Pinned host memory aligned to 64; needs a current context. 100000: size 0; 207001: no memory
 * left (MEM-40 to MEM-42). Release it with aclrtFreeHost. */
ACL_FUNC_VISIBILITY aclError aclrtMallocHost(void **hostPtr, size_t size);

/* Frees device or managed memory, in any thread, without a context, and at once: no queued task
 * may need it. 107000: not the start of an allocation, or freed already (MEM-23 to MEM-26). */
ACL_FUNC_VISIBILITY aclError aclrtFree(void *devPtr);

/* Frees pinned host memory at once. 107000: not the start of such an allocation (MEM-47 to
 * MEM-49). */
ACL_FUNC_VISIBILITY aclError aclrtFreeHost(void *hostPtr);

/* As aclrtFree, after all work of the current device. The code of that wait if it fails; then
 * nothing is freed (MEM-27). */
ACL_FUNC_VISIBILITY aclError aclrtFreeWithDevSync(void *devPtr);

/* As aclrtFreeHost, after all work of the current device. The code of that wait if it fails; then
 * nothing is freed (MEM-49). */
ACL_FUNC_VISIBILITY aclError aclrtFreeHostWithDevSync(void *hostPtr);

/* Free and total bytes of one kind of memory of the current device. 107016: no such kind; 207000:
 * pages of 1 GiB on a part without them (MEM-28 to MEM-32, MEM-39). */
ACL_FUNC_VISIBILITY aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total);

/* Writes at most inputNum owners of the device's memory, the largest now first, and their number;
 * bytes. 107000: inputNum is 0; 107001: no such device (MEM-33, MEM-34). */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo,
                                                  size_t inputNum, size_t *outputNum);

/* Where the memory at an address is, and the size of its pages; without a context too. Memory of
 * the program is UNREGISTERED. 107000: memory that was freed, or a device's address of registered
 * memory (UVA-01 to UVA-06). */
ACL_FUNC_VISIBILITY aclError aclrtPointerGetAttributes(const void *ptr,
                                                       aclrtPtrAttributes *attributes);

/* Base and size of the allocation or mapping that has the address; one of pbase and psize may be
 * NULL. 107000: both are, or nothing is allocated there (VMM-22). */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize);

/* Writes 1 if each of the size addresses is memory of a kind in memType (ACL_RT_MEM_TYPE_..., as
 * bits), else 0. 107000: a NULL, size 0, another bit, or reserve is not 0; checkResult is 0 then
 * (MEM-35, MEM-36). */
ACL_FUNC_VISIBILITY aclError aclrtCheckMemType(void **addrList, uint32_t size, uint32_t memType,
                                               uint32_t *checkResult, uint32_t reserve);

/* ---- Memory: register host memory ------------------------------------------------------------ */

#define ACL_HOST_REG_MAPPED   0x2UL
#define ACL_HOST_REG_IOMEMORY 0x4UL
#define ACL_HOST_REG_READONLY 0x8UL
#define ACL_HOST_REG_PINNED   0x10000000UL

typedef enum {
    ACL_HOST_REGISTER_MAPPED   = 0,
    ACL_HOST_REGISTER_IOMEMORY = 4,
    ACL_HOST_REGISTER_READONLY = 8,
} aclrtHostRegisterType;

typedef void (*aclrtHostFunc)(void *args);

typedef enum {
    ACL_RT_HAC_TYPE_STARS   = 0,
    ACL_RT_HAC_TYPE_AICPU   = 1,
    ACL_RT_HAC_TYPE_AIC     = 2,
    ACL_RT_HAC_TYPE_AIV     = 3,
    ACL_RT_HAC_TYPE_PCIEDMA = 4,
    ACL_RT_HAC_TYPE_RDMA    = 5,
    ACL_RT_HAC_TYPE_SDMA    = 6,
    ACL_RT_HAC_TYPE_DVPP    = 7,
    ACL_RT_HAC_TYPE_UDMA    = 8,
    ACL_RT_HAC_TYPE_CCU     = 9,
} aclrtHacType;

typedef enum {
    ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED = 0,
    ACL_RT_HOST_MEM_MAP_SUPPORTED     = 1,
} aclrtHostMemMapCapability;

/* Maps host memory for the current device: *devPtr is where its kernels and value tasks reach the
 * pages; copies take ptr. The pages stay the program's, and must be there until
 * aclrtHostUnregister. 107000: not memory of the host, or not a multiple of 4096; 207000: IOMEMORY
 * or another type; 507910: overlaps what is registered with this device (MEM-50 to MEM-52, MEM-62
 * to MEM-64, MEM-67). */
ACL_FUNC_VISIBILITY aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type,
                                               void **devPtr);

/* As aclrtHostRegister, with one or more flags ACL_HOST_REG_...: MAPPED gives an address, which
 * aclrtHostGetDevicePointer returns; PINNED alone only makes copies asynchronous, at any address.
 * 107000: no flag or another bit, or PINNED of memory of aclrtMallocHost; 207000: IOMEMORY;
 * 507910: overlaps what is registered with this device (MEM-53 to MEM-56, MEM-62, MEM-67). */
ACL_FUNC_VISIBILITY aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag);

/* Where the current device reaches a byte of a range that is mapped for it; flag must be 0 (else
 * 100000). 107000: it is registered without MAPPED, with another device, or not at all (MEM-57 to
 * MEM-59, MEM-67). */
ACL_FUNC_VISIBILITY aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag);

/* Ends the registration of the current device that begins at ptr, at once: tasks that still use it
 * fail. 507911: this device has none that begins there (MEM-60, MEM-67). */
ACL_FUNC_VISIBILITY aclError aclrtHostUnregister(void *ptr);

/* Whether an engine of the device reaches mapped host memory. 107000: no such engine; 107001: no
 * such device (MEM-61). */
ACL_FUNC_VISIBILITY aclError aclrtHostMemMapCapabilities(uint32_t deviceId, aclrtHacType hacType,
                                                         aclrtHostMemMapCapability *capabilities);

/* ---- Memory: copy and set -------------------------------------------------------------------- */

/* The direction of a copy follows from the addresses; kind is checked all the same. Ranges that
 * overlap give no defined result. */

typedef enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST           = 0,
    ACL_MEMCPY_HOST_TO_DEVICE         = 1,
    ACL_MEMCPY_DEVICE_TO_HOST         = 2,
    ACL_MEMCPY_DEVICE_TO_DEVICE       = 3,
    ACL_MEMCPY_DEFAULT                = 4, /* by the addresses */
    ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE  = 5, /* the source is read during the call */
    ACL_MEMCPY_INNER_DEVICE_TO_DEVICE = 6, /* within one device */
    ACL_MEMCPY_INTER_DEVICE_TO_DEVICE = 7, /* between devices */
} aclrtMemcpyKind;

typedef enum {
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM   = 10,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX   = 11,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN   = 12,
    ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL = 13,
} aclrtReduceKind;

typedef struct {
    aclrtMemLocation dstLoc;
    aclrtMemLocation srcLoc;
    uint8_t rsv[16];
} aclrtMemcpyBatchAttr;

/* Copies count bytes and blocks until they are there; waits for no stream. count 0: success.
 * 100000: kind is not 0 to 5; 107000: count above destMax, or a range that leaves its allocation;
 * 107022: an abort of the device runs; 107030: a capture forbids it (MEM-70 to MEM-81). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count,
                                         aclrtMemcpyKind kind);

/* Queues the copy; the memory must stay until it is done. With pageable host memory it waits for
 * the stream, returns the code of its failure, and copies at once. count 0: success. 100000: kind
 * is not 0 to 5; 107000: count above destMax, or kind does not fit pageable memory; 207000: from
 * host to host (MEM-90 to MEM-110). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src,
                                              size_t count, aclrtMemcpyKind kind,
                                              aclrtStream stream);

/* Sets count bytes to the low 8 bits of value, at once. count 0: success. 107000: count above
 * maxCount; 107022: an abort of the device runs; 107030: a capture forbids it (MEM-150 to
 * MEM-153). */
ACL_FUNC_VISIBILITY aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value,
                                         size_t count);

/* Queues the same; host memory is filled by the call, without waiting for the stream (MEM-131b,
 * MEM-150 to MEM-155). */
ACL_FUNC_VISIBILITY aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value,
                                              size_t count, aclrtStream stream);

/* Sets N words of 32 bits, at once; memSize is bytes. N 0: success. 100000: ptr is not a multiple
 * of 4, not memory of aclrtMalloc or aclrtMallocHost, or the words do not fit (MEM-156 to
 * MEM-160). */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N);

/* Queues the same; host memory is filled by the call (MEM-159). */
ACL_FUNC_VISIBILITY aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value,
                                                 size_t N, aclrtStream stream);

/* Copies height rows of width bytes, dpitch and spitch bytes apart, at once; 0 of either:
 * success. 100000: width above a pitch, or kind is not 1 to 4; 107000: more than 5242880 rows or
 * 5000000 bytes, or not between host and device; 207000: within a device (MEM-120 to MEM-126). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch,
                                           size_t width, size_t height, aclrtMemcpyKind kind);

/* Queues the same, also within a device; with pageable host memory as aclrtMemcpyAsync
 * (MEM-127). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src,
                                                size_t spitch, size_t width, size_t height,
                                                aclrtMemcpyKind kind, aclrtStream stream);

/* Copies numBatches ranges between host and device, and blocks until they are there; sizes 0 are
 * skipped. attrs[i] says where items from attrsIndexes[i] on are; the indexes begin with 0 and
 * rise. All is checked first: *failIndex is the item that is wrong, or SIZE_MAX. 100000: an item
 * does not fit, or reserved bytes; 107000: more than 4096 items, bad indexes, or an item that is
 * elsewhere or on one side (MEM-130 to MEM-138). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatch(void **dsts, size_t *destMaxs, void **srcs,
                                              size_t *sizes, size_t numBatches,
                                              aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                              size_t numAttrs, size_t *failIndex);

/* As aclrtMemcpyBatch, without failIndex. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchV2(void **dsts, size_t *destMaxs, void **srcs,
                                                size_t *sizes, size_t numBatches,
                                                aclrtMemcpyBatchAttr *attrs, size_t *attrsIndexes,
                                                size_t numAttrs);

/* Queues a batch of any number of items, which keep their order with the stream's other tasks. As
 * aclrtMemcpyBatch, but an item of size 0 ends it with 107000 when those before it are queued,
 * unless all are 0 (MEM-131, MEM-132b, MEM-137). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsync(void **dsts, size_t *destMaxs, void **srcs,
                                                   size_t *sizes, size_t numBatches,
                                                   aclrtMemcpyBatchAttr *attrs,
                                                   size_t *attrsIndexes, size_t numAttrs,
                                                   size_t *failIndex, aclrtStream stream);

/* As aclrtMemcpyBatchAsync, without failIndex. */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyBatchAsyncV2(void **dsts, size_t *destMaxs, void **srcs,
                                                     size_t *sizes, size_t numBatches,
                                                     aclrtMemcpyBatchAttr *attrs,
                                                     size_t *attrsIndexes, size_t numAttrs,
                                                     aclrtStream stream);

/* The same as aclrtMemcpyAsync (MEM-109). */
ACL_DEPRECATED_MESSAGE("use aclrtMemcpyAsync")
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax,
                                                           const void *src, size_t count,
                                                           aclrtMemcpyKind kind,
                                                           aclrtStream stream);

/* Queues a copy within a device; dst and src are words of device memory with the base
 * addresses, which are read when the task runs; offsets are bytes. count 0: success. 107000:
 * kind is not INNER_DEVICE_TO_DEVICE, the bytes do not fit, or an offset above 2^48 - 1
 * (MEM-145 to MEM-148). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithOffset(void **dst, size_t destMax,
                                                        size_t dstDataOffset, const void **src,
                                                        size_t count, size_t srcDataOffset,
                                                        aclrtMemcpyKind kind, aclrtStream stream);

/* Queues the copy of a descriptor, which is read when the task runs. A stream of NULL is refused
 * with 100000. 207000: kind is not INNER_DEVICE_TO_DEVICE (MEM-143, MEM-144). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyAsyncWithDesc(void *desc, aclrtMemcpyKind kind,
                                                      aclrtStream stream);

/* Bytes of a copy descriptor. 100000: no such kind; 207000: not INNER_DEVICE_TO_DEVICE
 * (MEM-140). */
ACL_FUNC_VISIBILITY aclError aclrtGetMemcpyDescSize(aclrtMemcpyKind kind, size_t *descSize);

/* Writes a descriptor into device memory, at once. 100000: count 0, a config or no such kind;
 * 107000: desc is not device memory or not a multiple of 64, the addresses are of two devices, or
 * 4 GiB and more; 107022: an abort of the device runs; 207000: not INNER_DEVICE_TO_DEVICE
 * (MEM-141, MEM-142). */
ACL_FUNC_VISIBILITY aclError aclrtSetMemcpyDesc(void *desc, aclrtMemcpyKind kind, void *srcAddr,
                                                void *dstAddr, size_t count, void *config);

/* Queues dst = dst op src, element by element; count is bytes. 100000: a type without reductions,
 * or reserve is not NULL; 107000: count 0, no such kind, or a sum of more than 4 GiB; 107008: not
 * aligned to the elements; 207000: EQUAL, int4, or what the part's engine does not do (RED-01 to
 * RED-05). */
ACL_FUNC_VISIBILITY aclError aclrtReduceAsync(void *dst, const void *src, uint64_t count,
                                              aclrtReduceKind kind, aclDataType type,
                                              aclrtStream stream, void *reserve);

/* Copies count bytes at offset out of a device variable, at once. count 0: success. 100000: kind
 * is not DEVICE_TO_HOST or DEFAULT, or the bytes fit neither the variable nor dst; 107043: not a
 * device variable (SYM-03, SYM-05). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyFromSymbol(void *dst, size_t dstMax, const void *symbol,
                                                   size_t count, size_t offset,
                                                   aclrtMemcpyKind kind);

/* Queues the same, with the rules of aclrtMemcpyAsync (SYM-06). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyFromSymbolAsync(void *dst, size_t dstMax,
                                                        const void *symbol, size_t count,
                                                        size_t offset, aclrtMemcpyKind kind,
                                                        aclrtStream stream);

/* Copies count bytes into a device variable at offset, at once. Codes as of aclrtMemcpyFromSymbol,
 * with HOST_TO_DEVICE (SYM-04, SYM-05). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                                 size_t offset, aclrtMemcpyKind kind);

/* Queues the same, with the rules of aclrtMemcpyAsync (SYM-06). */
ACL_FUNC_VISIBILITY aclError aclrtMemcpyToSymbolAsync(const void *symbol, const void *src,
                                                      size_t count, size_t offset,
                                                      aclrtMemcpyKind kind, aclrtStream stream);

/* The address of a device variable on the current device, which gets its image if needed. 107043:
 * not a device variable (SYM-01, SYM-02). */
ACL_FUNC_VISIBILITY aclError aclrtGetSymbolAddress(const void *symbol, void **devPtr);

/* Bytes of a device variable. 107043: not a device variable (SYM-01). */
ACL_FUNC_VISIBILITY aclError aclrtGetSymbolSize(const void *symbol, size_t *size);

/* ---- Memory: caches -------------------------------------------------------------------------- */

#define ACL_RT_CMO_MAX_BARRIER_NUM 6U

typedef enum aclrtCmoType {
    ACL_RT_CMO_TYPE_PREFETCH  = 0,
    ACL_RT_CMO_TYPE_WRITEBACK = 1,
    ACL_RT_CMO_TYPE_INVALID   = 2,
    ACL_RT_CMO_TYPE_FLUSH     = 3,
} aclrtCmoType;

typedef struct {
    aclrtCmoType cmoType;
    uint32_t barrierId;
} aclrtBarrierCmoInfo;

typedef struct {
    size_t barrierNum;
    aclrtBarrierCmoInfo cmoInfo[ACL_RT_CMO_MAX_BARRIER_NUM];
} aclrtBarrierTaskInfo;

/* Writes back what the host's caches have of the range, at once; on the model it changes nothing.
 * 100000: size 0; 107000: memory of the program, or outside of an allocation (MEM-37, MEM-38). */
ACL_FUNC_VISIBILITY aclError aclrtMemFlush(void *devPtr, size_t size);

/* As aclrtMemFlush: drops it. */
ACL_FUNC_VISIBILITY aclError aclrtMemInvalidate(void *devPtr, size_t size);

/* Queues cache maintenance of a range of device memory; no type changes its bytes. 100000: size
 * 0; 107000: not device memory, or of a device that the stream's does not reach; 207000: no such
 * type (CMO-01 to CMO-04). */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType,
                                           aclrtStream stream);

/* As aclrtCmoAsync; with ACL_RT_CMO_TYPE_INVALID the task has a number above 0 for
 * aclrtCmoWaitBarrier. 107000: another type with a number, or this one without. On 310B, on the
 * model; other parts and boards answer 207000 (CMO-08). */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsyncWithBarrier(void *src, size_t size, aclrtCmoType cmoType,
                                                      uint32_t barrierId, aclrtStream stream);

/* The stream waits for the newest task of each number on its device. 100000: taskInfo is NULL;
 * 107000: no numbers or more than 6, another type, a number without a task, flag not 0. On 310B,
 * on the model; other parts and boards answer 207000 (CMO-08). */
ACL_FUNC_VISIBILITY aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo *taskInfo, aclrtStream stream,
                                                 uint32_t flag);

/* Bytes of a descriptor of cache maintenance. 107000: size is NULL (CMO-05). */
ACL_FUNC_VISIBILITY aclError aclrtCmoGetDescSize(size_t *size);

/* Writes a descriptor into device memory, at once. 107000: a NULL, size 0, 4 GiB and more, the
 * range is not device memory, or cmoDesc is not or is no multiple of 64; 107022: an abort of the
 * device runs (CMO-05, CMO-06). */
ACL_FUNC_VISIBILITY aclError aclrtCmoSetDesc(void *cmoDesc, void *src, size_t size);

/* Queues the maintenance of a descriptor, which is read when the task runs. 107000: cmoDesc is
 * NULL, reserve is not, or no such type (CMO-07). */
ACL_FUNC_VISIBILITY aclError aclrtCmoAsyncWithDesc(void *cmoDesc, aclrtCmoType cmoType,
                                                   aclrtStream stream, const void *reserve);

/* ---- Memory: managed ------------------------------------------------------------------------- */

#define ACL_RT_MEM_ATTACH_GLOBAL 0x01U

typedef enum aclrtMemManagedAdviseType {
    ACL_MEM_ADVISE_SET_READ_MOSTLY          = 0,
    ACL_MEM_ADVISE_UNSET_READ_MOSTLY        = 1,
    ACL_MEM_ADVISE_SET_PREFERRED_LOCATION   = 2,
    ACL_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 3,
    ACL_MEM_ADVISE_SET_ACCESSED_BY          = 4,
    ACL_MEM_ADVISE_UNSET_ACCESSED_BY        = 5,
} aclrtMemManagedAdviseType;

typedef enum aclrtMemManagedLocationType {
    ACL_MEM_LOCATIONTYPE_INVALID           = 0,
    ACL_MEM_LOCATIONTYPE_DEVICE            = 1,
    ACL_MEM_LOCATIONTYPE_HOST              = 2,
    ACL_MEM_LOCATIONTYPE_HOST_NUMA         = 3,
    ACL_MEM_LOCATIONTYPE_HOST_NUMA_CURRENT = 4,
} aclrtMemManagedLocationType;

typedef struct aclrtMemManagedLocation {
    aclrtMemManagedLocationType type;
    int32_t id;
} aclrtMemManagedLocation;

typedef enum aclrtMemManagedRangeAttribute {
    ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY                 = 1,
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION          = 2,
    ACL_MEM_RANGE_ATTRIBUTE_ACCESSED_BY                 = 3,
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE     = 4,
    ACL_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID       = 5,
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION      = 6,
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
    ACL_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID   = 8,
} aclrtMemManagedRangeAttribute;

/* One attribute of a range of managed memory, for all of its pages; dataSize is 4, of ACCESSED_BY
 * a multiple of 4. 100000: size 0; 107000: no such attribute, another dataSize, or not one
 * allocation (UVA-14 to UVA-16, UVA-21). */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute,
                                                    const void *ptr, size_t size, void *data,
                                                    size_t dataSize);

/* The same of several attributes; data[i] gets the value of attributes[i]. */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute *attributes,
                                                     size_t numAttributes, const void *ptr,
                                                     size_t size, void **data, size_t *dataSizes);

/* Says how a range will be used: whole pages of 2 MiB of one allocation. 100000: size 0; 107000:
 * no such advice or place, or not such pages (UVA-13, UVA-21). */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedAdvise(const void *const ptr, uint64_t size,
                                                   aclrtMemManagedAdviseType advise,
                                                   aclrtMemManagedLocation location);

/* Queues the move of whole pages to a place, as a host function. 100000: size 0 or flags; 107000:
 * no such place, or not whole pages of one allocation (UVA-17, UVA-21). */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchAsync(const void *ptr, size_t size,
                                                          aclrtMemManagedLocation location,
                                                          uint32_t flags, aclrtStream stream);

/* The same of count ranges; prefetchLocs[i] is the place of ranges from prefetchLocIdxs[i] on,
 * which begin with 0 and rise. 100000: a count of 0, more places than ranges, or flags; 107000:
 * bad indexes or ranges (UVA-18). */
ACL_FUNC_VISIBILITY aclError aclrtMemManagedPrefetchBatchAsync(
    const void **ptrs, size_t *sizes, size_t count, aclrtMemManagedLocation *prefetchLocs,
    size_t *prefetchLocIdxs, size_t numPrefetchLocs, uint64_t flags, aclrtStream stream);

/* Memory with one address for the host and all devices, in pages of 2 MiB that move to the one
 * that uses them. flag is ACL_RT_MEM_ATTACH_GLOBAL, else 100000. Release it with aclrtFree.
 * 107000: size 0; 207001: no memory left (UVA-10 to UVA-12, UVA-22). */
ACL_FUNC_VISIBILITY aclError aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag);

/* ---- Memory: virtual addresses and physical pages -------------------------------------------- */

#define ACL_RT_VMM_EXPORT_FLAG_DEFAULT                0x0UL
#define ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

#define ACL_RT_MEM_LINK_IDX_0 0U
#define ACL_RT_MEM_LINK_IDX_1 1U

typedef enum aclrtMemAllocationType {
    ACL_MEM_ALLOCATION_TYPE_PINNED = 0,
} aclrtMemAllocationType;

typedef enum aclrtMemHandleType {
    ACL_MEM_HANDLE_TYPE_NONE  = 0,
    ACL_MEM_HANDLE_TYPE_POSIX = 2,
} aclrtMemHandleType;

typedef enum aclrtMemSharedHandleType {
    ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT = 1,
    ACL_MEM_SHARE_HANDLE_TYPE_FABRIC  = 2,
} aclrtMemSharedHandleType;

typedef struct aclrtMemFabricHandle {
    uint8_t data[128];
} aclrtMemFabricHandle;

typedef struct aclrtPhysicalMemProp {
    aclrtMemHandleType handleType;
    aclrtMemAllocationType allocationType;
    aclrtMemAttr memAttr;
    aclrtMemLocation location;
    uint64_t reserve;
} aclrtPhysicalMemProp;

typedef enum aclrtMemGranularityOptions {
    ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM     = 0,
    ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
    ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF       = 0xFFFF,
} aclrtMemGranularityOptions;

typedef void *aclrtDrvMemHandle;

typedef enum {
    ACL_RT_MEM_ACCESS_FLAGS_NONE      = 0,
    ACL_RT_MEM_ACCESS_FLAGS_READ      = 1,
    ACL_RT_MEM_ACCESS_FLAGS_READWRITE = 3,
} aclrtMemAccessFlags;

typedef struct {
    aclrtMemAccessFlags flags;
    aclrtMemLocation location;
    uint8_t rsv[12];
} aclrtMemAccessDesc;

typedef enum {
    ACL_RT_MEM_ACCESS_LINK_SIO           = 0,
    ACL_RT_MEM_ACCESS_LINK_HCCS          = 1,
    ACL_RT_MEM_ACCESS_UB_ONE_PORT_PATH   = 2,
    ACL_RT_MEM_ACCESS_UB_MULTI_PORT_PATH = 3,
} aclrtMemLinkType;

/* Reserves addresses at which nothing is; no memory is used. expectPtr NULL: anywhere; else there
 * or not at all, at a multiple of the size rounded up to a power of two, of 1 GiB at most. flags 0;
 * 1 is the same. 100000: size 0 or flags above 1; 107000: alignment is not 0, or the place is not
 * free (VMM-01 to VMM-04). Release them with aclrtReleaseMemAddress. */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment,
                                                    void *expectPtr, uint64_t flags);

/* Ends a reservation. 107000: virPtr does not begin one, or something is mapped in it (VMM-05). */
ACL_FUNC_VISIBILITY aclError aclrtReleaseMemAddress(void *virPtr);

/* Not supported: 207000 (VMM-23). */
ACL_FUNC_VISIBILITY aclError aclrtReserveMemAddressNoUCMemory(void **virPtr, size_t size,
                                                              size_t alignment, void *expectPtr,
                                                              uint64_t flags);

/* Physical memory of a device or the host, a multiple of the granularity; its handle is not an
 * address. 100000: size 0, flags, or a property that such memory does not have; 107001: no such
 * device; 107002: it is not set; 207000: pages of 1 GiB where there are none; 207001: no memory
 * left (VMM-06 to VMM-09). Release it with aclrtFreePhysical. */
ACL_FUNC_VISIBILITY aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size,
                                                 const aclrtPhysicalMemProp *prop, uint64_t flags);

/* Gives up one use of the handle; the memory lives until nothing is mapped to it. 107017: the
 * handle is dead (VMM-17). */
ACL_FUNC_VISIBILITY aclError aclrtFreePhysical(aclrtDrvMemHandle handle);

/* Maps all of the physical memory at reserved addresses, a multiple of the granularity; its device
 * may use it. 100000: size 0 or flags; 107000: offset is not 0, another size, not reserved,
 * something is mapped there, or the reservation has memory of another device or origin; 107017
 * (VMM-11 to VMM-14). */
ACL_FUNC_VISIBILITY aclError aclrtMapMem(void *virPtr, size_t size, size_t offset,
                                         aclrtDrvMemHandle handle, uint64_t flags);

/* Ends the mapping that begins at virPtr; the physical memory keeps its bytes. Tasks that still
 * use the addresses fail. 107000: none begins there (VMM-16). */
ACL_FUNC_VISIBILITY aclError aclrtUnmapMem(void *virPtr);

/* As aclrtMapMem, but no device may use the mapping before aclrtMemSetAccess (VMM-15). */
ACL_FUNC_VISIBILITY aclError aclrtMemMapNoAccess(void *virPtr, size_t size, size_t offset,
                                                 aclrtDrvMemHandle handle, uint64_t flags);

/* Maps physical memory a second time, to be reached over another link: all mappings in the size
 * bytes from virPtrSrc on, which are whole ones, also at virPtrDst, where size bytes are reserved.
 * Either all of them, or none. linkIdx: the link over which other devices reach the new mappings,
 * ACL_RT_MEM_LINK_IDX_0 SIO, _1 HCCS; that of the old ones stays. aclrtUnmapMem ends each new one.
 * Of Atlas A3; 207000 on others. 100000: a NULL, size 0 or linkIdx above 1; 107000: other ranges,
 * or something is mapped at virPtrDst; 207021: the devices have no such link between them, see
 * aclrtGetDevicesTopo (VMM-23 to VMM-25). */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSelectedLink(void *virPtrDst, size_t size, void *virPtrSrc,
                                                     uint32_t linkIdx);

/* Sets the link over which other devices reach the memory through mappings that are made from now
 * on. Of Atlas A3 (SIO, HCCS) and 950 (UB); 207000 on others. 100000: NULL; 107000: adviceLink is
 * none of aclrtMemLinkType; 107017: the handle is dead; 207021: the devices have no such link
 * between them, see aclrtGetDevicesTopo (VMM-26). */
ACL_FUNC_VISIBILITY aclError aclrtMemMapSetLink(aclrtDrvMemHandle handle,
                                                aclrtMemLinkType adviceLink);

/* Lets the host, or devices, read and write a mapping: virPtr and size are those of the map call.
 * 107000: a NULL, count 0, flags other than READWRITE, another place, or another range; 107001:
 * no such device (VMM-18). */
ACL_FUNC_VISIBILITY aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc,
                                               size_t count);

/* Whether the host or a device may use the mapping at virPtr: *flag is 3 or 0. 107000: nothing is
 * mapped there, or another place; 107001: no such device (VMM-19). */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAccess(void *virPtr, aclrtMemLocation *location,
                                               uint64_t *flag);

/* What sizes and addresses of such memory are multiples of: 2 MiB, or 1 GiB; both options give
 * the same. 100000: a memAttr that physical memory does not have; 107000: no such option; 107001:
 * no such device; 207000: pages of 1 GiB where there are none (VMM-10). */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop,
                                                              aclrtMemGranularityOptions option,
                                                              size_t *granularity);

/* What physical memory was made with; memAttr as the canonical one of several with the same
 * meaning. 107017 (VMM-21). */
ACL_FUNC_VISIBILITY aclError aclrtMemGetAllocationPropertiesFromHandle(aclrtDrvMemHandle handle,
                                                                       aclrtPhysicalMemProp *prop);

/* The handle of what is mapped at the address, with one use more: an aclrtFreePhysical for each.
 * 107000: nothing is mapped there (VMM-20). */
ACL_FUNC_VISIBILITY aclError aclrtMemRetainAllocationHandle(void *virPtr,
                                                            aclrtDrvMemHandle *handle);

/* A number by which other processes import the physical memory, once for each handle. flags 1: any
 * process may; 0: those of aclrtMemSetPidToShareableHandle. 100000: handleType is not NONE;
 * 107000: other flags, or shared already; 107017 (VMM-30, VMM-31). */
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle,
                                                             aclrtMemHandleType handleType,
                                                             uint64_t flags,
                                                             uint64_t *shareableHandle);

/* The same into a uint64_t (DEFAULT) or an aclrtMemFabricHandle (FABRIC). 107000: no such
 * shareType; 207000: FABRIC on a part other than A3 and 950 (VMM-36). */
ACL_FUNC_VISIBILITY aclError aclrtMemExportToShareableHandleV2(aclrtDrvMemHandle handle,
                                                               uint64_t flags,
                                                               aclrtMemSharedHandleType shareType,
                                                               void *shareableHandle);

/* Physical memory of another process, for use on the device: a handle, which aclrtFreePhysical
 * ends; again on that device the same one. 107000: no such memory, made by this process, or not
 * allowed; 107001: no such device; 107002: it is not set (VMM-32 to VMM-34, VMM-38). */
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle,
                                                               int32_t deviceId,
                                                               aclrtDrvMemHandle *handle);

/* The same on the current device, as aclrtMemExportToShareableHandleV2 wrote it. 100000: flags
 * (VMM-36, VMM-37). */
ACL_FUNC_VISIBILITY aclError aclrtMemImportFromShareableHandleV2(void *shareableHandle,
                                                                 aclrtMemSharedHandleType shareType,
                                                                 uint64_t flags,
                                                                 aclrtDrvMemHandle *handle);

/* Lets pidNum processes import it. 100000: pidNum 0; 107000: not a pid, or not shared by this
 * process (VMM-35). */
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t *pid,
                                                             size_t pidNum);

/* The same of a handle of the second form (VMM-35, VMM-36). */
ACL_FUNC_VISIBILITY aclError aclrtMemSetPidToShareableHandleV2(void *shareableHandle,
                                                               aclrtMemSharedHandleType shareType,
                                                               int32_t *pid, size_t pidNum);

/* Prepares a range of device memory for a device that is about to use it. 100000: size 0 or flags;
 * 107000: not inside an allocation of a device, or out of that device's reach: enable peer access
 * first; 107001: no such device (UVA-20). */
ACL_FUNC_VISIBILITY aclError aclrtMemP2PMap(void *devPtr, size_t size, int32_t dstDevId,
                                            uint64_t flags);

/* ---- Memory: sharing between processes ------------------------------------------------------- */

#define ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT                0x0UL
#define ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION 0x1UL

#define ACL_RT_IPC_MEM_IMPORT_FLAG_DEFAULT            0x0UL
#define ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS 0x1UL

#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO                0
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_HCCS               1
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_ONE_PORT_PATH   2
#define ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_UB_MULTI_PORT_PATH 3

typedef enum {
    ACL_RT_IPC_MEM_ATTR_ACCESS_LINK = 0,
} aclrtIpcMemAttrType;

/* A key of 64 characters and their end by which other processes import the range; len is 65 at
 * least. flags 1: any process may; 0: those of aclrtIpcMemSetImportPid. 107000: size 0, a smaller
 * len, other flags, not device memory, or not whole pages from the start of a page (IPC-01 to
 * IPC-03). */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemGetExportKey(void *devPtr, size_t size, char *key,
                                                     size_t len, uint64_t flags);

/* Ends the import under the key, or else the export of this process: importers first. 107000: no
 * such key (IPC-09). */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemClose(const char *key);

/* The exported range, for the current device; aclrtIpcMemClose ends it. flags 1: also enables
 * access to the device that owns it. 107000: other flags, no such key, or not allowed (IPC-04,
 * IPC-05, IPC-07, IPC-08). */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags);

/* Lets num processes import the key. 107000: num 0, not a pid, or no such key (IPC-06). */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num);

/* Sets the link over which later imports of the key reach its memory: attr is
 * ACL_RT_IPC_MEM_ATTR_ACCESS_LINK_SIO or _HCCS. Of Atlas A3; 207000 on others. 107000: NULL, type
 * is not ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, attr above 3, or no such key; 107002: no context; 207021:
 * the devices have no such link between them (IPC-11). */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemSetAttr(const char *key, aclrtIpcMemAttrType type,
                                                uint64_t attr);

/* Not supported: 207000, after the check of its arguments (IPC-10). */
ACL_FUNC_VISIBILITY aclError aclrtIpcMemImportPidInterServer(const char *key,
                                                             aclrtServerPid *serverPids,
                                                             size_t num);

/* ---- Message buffers ------------------------------------------------------------------------- */

/* Not supported, none of them: 207000. */
ACL_FUNC_VISIBILITY aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index,
                                                  aclrtMbuf *buf);
ACL_FUNC_VISIBILITY aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t *num);
ACL_FUNC_VISIBILITY aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf);
ACL_FUNC_VISIBILITY aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf *newBuf);
ACL_FUNC_VISIBILITY aclError aclrtGetBufUserData(const aclrtMbuf buf, void *dataPtr, size_t size,
                                                 size_t offset);
ACL_FUNC_VISIBILITY aclError aclrtSetBufUserData(aclrtMbuf buf, const void *dataPtr, size_t size,
                                                 size_t offset);
ACL_FUNC_VISIBILITY aclError aclrtGetBufData(const aclrtMbuf buf, void **dataPtr, size_t *size);
ACL_FUNC_VISIBILITY aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t *len);
ACL_FUNC_VISIBILITY aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len);
ACL_FUNC_VISIBILITY aclError aclrtFreeBuf(aclrtMbuf buf);
ACL_FUNC_VISIBILITY aclError aclrtAllocBuf(aclrtMbuf *buf, size_t size);

/* ---- Host callbacks -------------------------------------------------------------------------- */

typedef enum aclrtCallbackBlockType {
    ACL_CALLBACK_NO_BLOCK = 0,
    ACL_CALLBACK_BLOCK    = 1,
} aclrtCallbackBlockType;

typedef void (*aclrtCallback)(void *userData);

/* The thread, a pthread_self(), runs callbacks of the stream. 107011: the stream has a thread;
 * 107012: the thread has streams of another device; 507000: 1024 threads have some (CBK-01 to
 * CBK-04, EXC-06, EXC-07). */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream);

/* Ends that. 107011: the stream has no thread; 107012: it has another one (CBK-14, CBK-15). */
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream);

/* Absent here, as from the vendor's library for hosts: the names link, and dlsym gives NULL. */
ACL_FUNC_VISIBILITY aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId,
                                                    aclrtStream exeStream);
ACL_FUNC_VISIBILITY aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId,
                                                      aclrtStream exeStream);

/* Queues fn: it runs in a thread that processes reports; with ACL_CALLBACK_BLOCK later tasks
 * wait for it. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchCallback(aclrtCallback fn, void *userData,
                                                 aclrtCallbackBlockType blockType,
                                                 aclrtStream stream);

/* Runs the callbacks that are due on this thread. timeout: milliseconds, -1: without limit;
 * else 100000. 107012: the thread has no stream; 507012: none was due in that time (CBK-10 to
 * CBK-13). */
ACL_FUNC_VISIBILITY aclError aclrtProcessReport(int32_t timeout);
/* Absent here, as from the vendor's library for hosts: the name links, and dlsym gives NULL. */
ACL_FUNC_VISIBILITY aclError aclrtProcessHostFunc(int32_t timeout);

/* Queues fn: it runs in a thread of the runtime, and later tasks wait for it. */
ACL_FUNC_VISIBILITY aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args);

/* ---- Kernels: images and functions ----------------------------------------------------------- */

#define ACL_RT_BINARY_MAGIC_ELF_AICORE      0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE   0x41494343U

typedef void *aclrtBinary;
typedef void *aclrtBinHandle;
typedef void *aclrtFuncHandle;

typedef enum aclrtBinaryLoadOptionType {
    ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD       = 1,
    ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC      = 2, /* the same under an older name */
    ACL_RT_BINARY_LOAD_OPT_MAGIC           = 2,
    ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3,
} aclrtBinaryLoadOptionType;

typedef union aclrtBinaryLoadOptionValue {
    uint32_t isLazyLoad;
    uint32_t magic;
    int32_t cpuKernelMode;
    uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;

typedef struct {
    aclrtBinaryLoadOptionType type;
    aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;

typedef struct aclrtBinaryLoadOptions {
    aclrtBinaryLoadOption *options;
    size_t numOpt;
} aclrtBinaryLoadOptions;

typedef enum {
    ACL_FUNC_ATTR_KERNEL_TYPE       = 1,
    ACL_FUNC_ATTR_KERNEL_RATIO      = 2,
    ACL_FUNC_ATTR_KERNEL_SCHED_MODE = 3,
} aclrtFuncAttribute;

typedef enum {
    ACL_KERNEL_TYPE_AICORE = 0,
    ACL_KERNEL_TYPE_CUBE   = 1,
    ACL_KERNEL_TYPE_VECTOR = 2,
    ACL_KERNEL_TYPE_MIX    = 3,
    ACL_KERNEL_TYPE_AICPU  = 100,
} aclrtKernelType;

/* A description of an image in memory, which it does not copy; NULL: data is NULL, or no host
 * memory (KRN-12). aclrtDestroyBinary ends it. */
ACL_FUNC_VISIBILITY aclrtBinary aclrtCreateBinary(const void *data, size_t dataLen);

/* The data may go then; what was loaded stays (KRN-12). */
ACL_FUNC_VISIBILITY aclError aclrtDestroyBinary(aclrtBinary binary);

/* As aclrtBinaryLoadFromData, without options, of a description (KRN-13). */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle *binHandle);

/* Frees the image on all devices; handles of its functions are dead then (KRN-14, KRN-15). */
ACL_FUNC_VISIBILITY aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle);

/* The function of that name; the image is on the current device then. 107000: no such function,
 * *funcHandle is NULL then, or no context (KRN-20 to KRN-22, KRN-95). */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
                                                    const char *kernelName,
                                                    aclrtFuncHandle *funcHandle);

/* Loads an image; options may be NULL. Its copy to a device comes with the first look-up or
 * launch there. 107000: not a readable ELF image with functions, damaged metadata, or bad
 * options: magic numbers are of data alone (KRN-01 to KRN-03, KRN-06 to KRN-10, KRN-16 to KRN-18,
 * KRN-96). aclrtBinaryUnLoad ends it. */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromFile(const char *binPath,
                                                     aclrtBinaryLoadOptions *options,
                                                     aclrtBinHandle *binHandle);

/* Where the image is on the current device, NULL: not yet, and its bytes (KRN-10, KRN-11). */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetDevAddress(const aclrtBinHandle binHandle,
                                                      void **binAddr, size_t *binSize);

/* The same by the entry of its metadata, or the digits at the end of its name. 107000: none, or
 * an image of CPU kernels (KRN-23). */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetFunctionByEntry(aclrtBinHandle binHandle,
                                                           uint64_t funcEntry,
                                                           aclrtFuncHandle *funcHandle);

/* Address and size of a variable of the image on the current device; one of dptr and size may be
 * NULL. 107000: an image of CPU kernels; 107042: no such variable (KRN-24 to KRN-27). */
ACL_FUNC_VISIBILITY aclError aclrtBinaryGetGlobal(aclrtBinHandle binHandle, const char *name,
                                                  void **dptr, size_t *size);

/* The same of an image in memory, which it copies. 107000: also of length 0 (KRN-04 to KRN-10,
 * KRN-16 to KRN-18, KRN-96). */
ACL_FUNC_VISIBILITY aclError aclrtBinaryLoadFromData(const void *data, size_t length,
                                                     const aclrtBinaryLoadOptions *options,
                                                     aclrtBinHandle *binHandle);

/* Where its cube and its vector part are on the current device; NULL: it has none. 107000: a CPU
 * kernel (KRN-29, KRN-30). */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr,
                                                  void **aivAddr);

/* Bytes of these parts; 0: it has none. 107000: a NULL (KRN-31). */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize,
                                                  size_t *aivSize);

/* Its name with the end. 107000: maxLen is less (KRN-32). */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionName(aclrtFuncHandle funcHandle, uint32_t maxLen,
                                                  char *name);

/* Kind of kernel, shares of vector and cube cores (two uint16_t, in the low 4 bytes), or
 * whether it is a batch. 107000: another attribute, or shares of a CPU kernel (KRN-33 to
 * KRN-36, KRN-97). */
ACL_FUNC_VISIBILITY aclError aclrtGetFunctionAttribute(aclrtFuncHandle funcHandle,
                                                       aclrtFuncAttribute attrType,
                                                       int64_t *attrValue);

/* The image that it is from. 107000: a NULL (KRN-37). */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetBinary(const aclrtFuncHandle funcHandle,
                                                    aclrtBinHandle *binHandle);

/* The number of its parameters. 107000: its metadata does not have them; 207000: a CPU kernel
 * (KRN-38, KRN-39). */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetParamCount(const void *func, size_t *paramCount);

/* Offset and size of a parameter, in bytes; one of both may be NULL. 107000: no such parameter;
 * else as above (KRN-39, KRN-40). */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetParamInfo(const void *func, size_t paramIndex,
                                                       size_t *paramOffset, size_t *paramSize);

/* Bytes of UB that a block can get; 0 of a kernel that is not SIMT. flags is 0, else 100000
 * (KRN-41). */
ACL_FUNC_VISIBILITY aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags,
                                                                  size_t *dynamicUbufSize);

/* The function of a symbol of the host. 107044: it is not registered (KRN-28). */
ACL_FUNC_VISIBILITY aclError aclrtGetFuncBySymbol(const void *symbol, aclrtFuncHandle *funcHandle);

/* A function of an image of CPU kernels by its two names. 107000: another image (KRN-43). */
ACL_FUNC_VISIBILITY aclError aclrtRegisterCpuFunc(const aclrtBinHandle handle, const char *funcName,
                                                  const char *kernelName,
                                                  aclrtFuncHandle *funcHandle);

/* ---- Kernels: arguments and launch ----------------------------------------------------------- */

typedef void *aclrtArgsHandle;
typedef void *aclrtParamHandle;

typedef enum {
    ACL_RT_ENGINE_TYPE_AIC = 0,
    ACL_RT_ENGINE_TYPE_AIV = 1,
} aclrtEngineType;

#ifndef __BISHENG_CCEC__
typedef struct dim3 {
    uint32_t x;
    uint32_t y;
    uint32_t z;
#ifdef __cplusplus
    constexpr dim3(uint32_t nx = 1U, uint32_t ny = 1U, uint32_t nz = 1U) : x(nx), y(ny), z(nz) {}
#endif
} dim3;
#endif

typedef enum aclrtLaunchKernelAttrId {
    ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE = 1,
    ACL_RT_LAUNCH_KERNEL_ATTR_LOCAL_MEMORY_SIZE ACL_DEPRECATED =
        2, /* use ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE */
    ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE       = 2,
    ACL_RT_LAUNCH_KERNEL_ATTR_ENGINE_TYPE         = 3,
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET     = 4,
    ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH = 5,
    ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP           = 6,
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT             = 7,
    ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US          = 8,
    ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING    = 9,
} aclrtLaunchKernelAttrId;

typedef struct {
    uint32_t timeoutLow;
    uint32_t timeoutHigh;
} aclrtTimeoutUs;

typedef union aclrtLaunchKernelAttrValue {
    uint8_t schemMode;
    uint32_t localMemorySize;
    uint32_t dynUBufSize;
    aclrtEngineType engineType;
    uint32_t blockDimOffset;
    uint8_t isBlockTaskPrefetch;
    uint8_t isDataDump;
    uint16_t timeout;
    aclrtTimeoutUs timeoutUs;
    uint8_t enableProfiling;
    uint32_t rsv[4];
} aclrtLaunchKernelAttrValue;

typedef struct aclrtLaunchKernelAttr {
    aclrtLaunchKernelAttrId id;
    aclrtLaunchKernelAttrValue value;
} aclrtLaunchKernelAttr;

typedef struct aclrtLaunchKernelCfg {
    aclrtLaunchKernelAttr *attrs;
    size_t numAttrs;
} aclrtLaunchKernelCfg;

typedef struct {
    uint32_t addrOffset;
    uint32_t dataOffset;
} aclrtPlaceHolderInfo;

/* Bytes of a list of arguments in memory of the program (KRN-60). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetHandleMemSize(aclrtFuncHandle funcHandle,
                                                             size_t *memSize);

/* Bytes for the values of a list whose parameters have userArgsSize (KRN-59). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetMemSize(aclrtFuncHandle funcHandle,
                                                       size_t userArgsSize, size_t *actualArgsSize);

/* Begins a list of arguments of a function, in memory of the runtime: 128 parameters, 64 KiB. One
 * list of a thread at a time; aclrtKernelArgsFinalize ends its building (KRN-50 to KRN-54). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInit(aclrtFuncHandle funcHandle,
                                                 aclrtArgsHandle *argsHandle);

/* The same in memory of the program, which stays until the last launch. 100000: a size of 0;
 * 107000: argsHandle is not aligned, or no room for hidden arguments (KRN-50, KRN-59, KRN-60). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsInitByUserMem(aclrtFuncHandle funcHandle,
                                                          aclrtArgsHandle argsHandle,
                                                          void *userHostMem, size_t actualArgsSize);

/* Adds a value, which it copies: at a multiple of 8 of a kernel for AI cores. 100000: paramSize
 * 0; 107000: more than 128 parameters, or no room; 207000: after Finalize or a buffer of a
 * placeholder (KRN-50 to KRN-54, KRN-94). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppend(aclrtArgsHandle argsHandle, void *param,
                                                   size_t paramSize, aclrtParamHandle *paramHandle);

/* Adds the address of bytes that go to the device with each launch. Codes as of Append (KRN-53,
 * KRN-54). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsAppendPlaceHolder(aclrtArgsHandle argsHandle,
                                                              aclrtParamHandle *paramHandle);

/* Room for these bytes, on the host. 100000: dataSize 0; 107000: not a placeholder, or no room;
 * 207000: after Finalize (KRN-55, KRN-56). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsGetPlaceHolderBuffer(aclrtArgsHandle argsHandle,
                                                                 aclrtParamHandle paramHandle,
                                                                 size_t dataSize,
                                                                 void **bufferAddr);

/* Changes a value; launches from now on use it. 107000: a placeholder, or another size (KRN-57,
 * KRN-61). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsParaUpdate(aclrtArgsHandle argsHandle,
                                                       aclrtParamHandle paramHandle, void *param,
                                                       size_t paramSize);

/* The list is complete: it can be launched, also often and on several streams. 107000: a
 * placeholder has no buffer (KRN-58, KRN-61). */
ACL_FUNC_VISIBILITY aclError aclrtKernelArgsFinalize(aclrtArgsHandle argsHandle);

/* Queues a kernel with numBlocks blocks; argsData is device memory, which stays until it ran.
 * 107000: argsSize or numBlocks is 0 (KRN-70 to KRN-75, KRN-89 to KRN-93b). */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                               const void *argsData, size_t argsSize,
                                               aclrtStream stream);

/* The same with a list of arguments. 100000: reserve is not NULL, or numBlocks is 0; 107000: the
 * list is not finalized, or a bad cfg (KRN-58, KRN-61, KRN-79, KRN-83 to KRN-88). */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle,
                                                         uint32_t numBlocks, aclrtStream stream,
                                                         aclrtLaunchKernelCfg *cfg,
                                                         aclrtArgsHandle argsHandle, void *reserve);

/* As aclrtLaunchKernel, with cfg, which may be NULL. 107000: also of a cfg without attributes, or
 * with bad ones (KRN-74, KRN-75, KRN-83 to KRN-88). */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks,
                                                 const void *argsData, size_t argsSize,
                                                 aclrtLaunchKernelCfg *cfg, aclrtStream stream);

/* The same with arguments on the host, which it copies; for each placeholder the 8 bytes at
 * addrOffset become the device's address of dataOffset. 107000: an offset outside of argsSize, no
 * array, or as of V2 (KRN-76 to KRN-78). */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithHostArgs(
    aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
    void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum);

/* The same with the address of each argument, which it copies by the sizes of the metadata.
 * 100000: numBlocks is 0; 107000: there is no metadata, or args is NULL; 207000: a CPU kernel
 * (KRN-80, KRN-81). */
ACL_FUNC_VISIBILITY aclError aclrtLaunchKernelWithArgsArray(void *func, uint32_t numBlocks,
                                                            aclrtStream stream,
                                                            aclrtLaunchKernelCfg *cfg, void **args);

/* Not supported: 207000 (KRN-82). */
ACL_FUNC_VISIBILITY aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim,
                                                                dim3 blockDim, size_t dynUbufSize,
                                                                aclrtStream stream,
                                                                aclrtLaunchKernelCfg *cfg,
                                                                void **args);

/* Not supported: 207000 (KRN-82). */
ACL_FUNC_VISIBILITY aclError aclrtLaunchSIMTKernelWithHostArgs(
    void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize, aclrtStream stream,
    aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
    aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum);

/* ---- Kernels: random numbers and task update ------------------------------------------------- */

typedef struct {
    uint8_t isAddr;
    uint8_t valueOrAddr[8];
    uint8_t size;
    uint8_t rsv[6];
} aclrtRandomParaInfo;

typedef struct {
    aclrtRandomParaInfo dropoutRation;
} aclrtDropoutBitmaskInfo;

typedef struct {
    aclrtRandomParaInfo min;
    aclrtRandomParaInfo max;
} aclrtUniformDisInfo;

typedef struct {
    aclrtRandomParaInfo mean;
    aclrtRandomParaInfo stddev;
} aclrtNormalDisInfo;

typedef enum {
    ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK      = 0,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS          = 1,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS           = 2,
    ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS = 3,
} aclrtRandomNumFuncType;

typedef struct {
    aclrtRandomNumFuncType funcType;
    union {
        aclrtDropoutBitmaskInfo dropoutBitmaskInfo;
        aclrtUniformDisInfo uniformDisInfo;
        aclrtNormalDisInfo normalDisInfo;
    } paramInfo;
} aclrtRandomNumFuncParaInfo;

typedef struct {
    aclDataType dataType;
    aclrtRandomNumFuncParaInfo randomNumFuncParaInfo;
    void *randomParaAddr;
    void *randomResultAddr;
    void *randomCounterAddr;
    aclrtRandomParaInfo randomSeed;
    aclrtRandomParaInfo randomNum;
    uint8_t rsv[8];
} aclrtRandomNumTaskInfo;

typedef enum {
    ACL_RT_UPDATE_RANDOM_TASK  = 1,
    ACL_RT_UPDATE_AIC_AIV_TASK = 2,
} aclrtUpdateTaskAttrId;

typedef struct {
    void *srcAddr;
    size_t size;
    uint32_t rsv[4];
} aclrtRandomTaskUpdateAttr;

typedef struct {
    void *binHandle;
    void *funcEntryAddr;
    void *blockDimAddr;
    uint32_t rsv[4];
} aclrtAicAivTaskUpdateAttr;

typedef union {
    aclrtRandomTaskUpdateAttr randomTaskAttr;
    aclrtAicAivTaskUpdateAttr aicAivTaskAttr;
} aclrtUpdateTaskAttrVal;

typedef struct {
    aclrtUpdateTaskAttrId id;
    aclrtUpdateTaskAttrVal val;
} aclrtTaskUpdateInfo;

/* Queues random numbers into device memory: the same seed and counter give the same ones. The
 * addresses in taskInfo are read when the task runs. 100000: a dataType without random numbers;
 * 107000: reserve is not NULL, no numbers, or not device memory (RED-06). */
ACL_FUNC_VISIBILITY aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo,
                                                 const aclrtStream stream, void *reserve);

/* Not supported: 207000. */

/* Would queue a task that changes a task of a model instance by what device memory holds then. The
 * model has no CPU that does it, so after the checks the answer is 207000; task groups and
 * aclmdlRITaskSetParams change tasks. 100000: info is NULL; 107000: what info says, or execStream
 * is bound to a model instance; 107002, 107003, 107017; 107027: a stream is in capture (EXC-28). */
ACL_FUNC_VISIBILITY aclError aclrtTaskUpdateAsync(aclrtStream taskStream, uint32_t taskId,
                                                  aclrtTaskUpdateInfo *info,
                                                  aclrtStream execStream);

/* ---- Graphs: capture and build --------------------------------------------------------------- */

typedef void *aclmdlRI;

typedef enum {
    ACL_MODEL_RI_CAPTURE_MODE_GLOBAL       = 0,
    ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL = 1,
    ACL_MODEL_RI_CAPTURE_MODE_RELAXED      = 2,
} aclmdlRICaptureMode;

typedef enum {
    ACL_MODEL_RI_CAPTURE_STATUS_NONE        = 0,
    ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE      = 1,
    ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED = 2,
} aclmdlRICaptureStatus;

/* Captures the work of the stream from here on, which is not executed but becomes tasks of a model
 * instance; other streams join over events. mode: which synchronous copies and fills are forbidden
 * meanwhile. Any thread. 100000: NULL; 107000: no such mode; 107003, 107005: the stream is of
 * another context, or bound; 107027: it is in capture; 207000: a default stream; 507000: made with
 * flags that a capture does not take (GRF-01 to GRF-06, GRF-20). */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode);

/* Whether the stream is in capture, and the instance that the end of the capture will give, or
 * NULL. One output may be NULL. Any thread. 100000: NULL, or both outputs; 107017: the handle is
 * dead (GRF-17, GRF-18). */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureGetInfo(aclrtStream stream,
                                                    aclmdlRICaptureStatus *status,
                                                    aclmdlRI *modelRI);

/* Ends the capture that was begun on the stream, and gives its instance, which aclmdlRIDestroy
 * releases. In a mode other than RELAXED the thread is that of the begin. 107000: modelRI is NULL,
 * and the capture goes on; 107029: the stream is not in capture; 107036: it joined another one's,
 * and the capture goes on. These end it without an instance: 107024, 107025, 107033, 107038:
 * another thread began it, 107045, and 507903 after an error that has made it invalid (GRF-08 to
 * GRF-16). */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI);

/* Sets the mode of this thread, GLOBAL at first, and writes the one before: with RELAXED captures
 * forbid it nothing. 100000: NULL; 107000: no such mode; 107002: no context (GRF-35 to GRF-37). */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode);

/* The kernels that are launched on the stream in capture until the end form a group, which can be
 * updated. The instance owns the handle. Another task meanwhile makes the capture invalid: 507009
 * on this stream, 107034 on others. 100000: NULL; 107029: not in capture; 107033: begin and end do
 * not match; 507903: the capture is invalid (GRF-70 to GRF-74). */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream);
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp *handle);

/* Kernels that are launched on the stream until the end are not executed: each replaces one of the
 * group, in its order, in a task of this stream. Let executions wait for it by an event. 100000:
 * NULL; 107005: the stream is bound; 107017: the group is dead; 107027: in capture; 107033: begin
 * and end do not match, or another stream updates the group; 507000: more kernels than the group
 * has, or, of the end, fewer: the update has ended, and the rest of the group stays as it was
 * (GRF-75 to GRF-79). */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream,
                                                            aclrtTaskGrp handle);
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream);

/* As aclmdlRICaptureBegin, into a graph that aclmdlRIAddCondTask has made; modelRI of
 * aclmdlRICaptureEnd may be NULL then. A graph is captured once, on any stream of the context; if
 * that fails, the capture of the whole instance cannot succeed. Any thread. 100000: a NULL; 107000:
 * not such a graph, or an unknown mode; 107026: captured before, or in capture; 107027: the stream
 * is in capture (GRF-91). */
ACL_FUNC_VISIBILITY aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,
                                                           aclmdlRICaptureMode mode);

/* A new model instance in the current context, without streams; aclmdlRIDestroy releases it.
 * 100000: NULL; 107000: flag is not 0; 107002: no context (GRF-80). */
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildBegin(aclmdlRI *modelRI, uint32_t flag);

/* Binds a stream with ACL_STREAM_PERSISTENT: the tasks that are queued on it are kept, and run with
 * the instance. flag 0: the stream begins with it; 0x7fffffff: aclrtActiveStream or a switch leads
 * to it. 100000: modelRI is NULL; 107000: another flag or stream, or the instance was captured;
 * 107005: bound already; 207000: a stream for fast launch, or its context stops on failure (GRF-81,
 * GRF-82, ABT-08). */
ACL_FUNC_VISIBILITY aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream,
                                                uint32_t flag);

/* Queues the end of the instance on a bound stream; there is one. 107000: the instance was
 * captured; 507000: the stream is not bound to it, or there is an end already (GRF-82). */
ACL_FUNC_VISIBILITY aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream);

/* Completes the instance: its streams take no tasks any more. 100000: NULL, or reserve is not;
 * 107000: it was captured; 107005: no stream, no head, or tasks that name streams of others;
 * 507011: no end (GRF-83). */
ACL_FUNC_VISIBILITY aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void *reserve);

/* Takes the stream, and its tasks, out of the instance. Waits for runs, 10 s at most. 107000: the
 * instance was captured; 107005: not bound to it; 107027: in capture; 107037: a run does not end
 * (GRF-84). */
ACL_FUNC_VISIBILITY aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream);

/* ---- Graphs: conditions ---------------------------------------------------------------------- */

typedef void *aclmdlRICondHandle;

typedef enum {
    ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT = 1,
} aclmdlRICondHandleFlag;

typedef enum {
    ACL_MODEL_RI_COND_TYPE_IF     = 0,
    ACL_MODEL_RI_COND_TYPE_WHILE  = 1,
    ACL_MODEL_RI_COND_TYPE_SWITCH = 2,
} aclmdlRICondTaskType;

typedef struct tagAclmdlRICondTaskParams {
    aclmdlRICondHandle handle;
    aclmdlRICondTaskType type;
    uint32_t size;
    aclmdlRI *modelRIArray;
} aclmdlRICondTaskParams;

/* Creates a condition for one conditional task. modelRI: what is in capture on the stream to which
 * the task will be added, the instance or a graph of a conditional task. The instance that is
 * executed owns it: it ends with that. flag 0: its word is 0 at first and keeps what tasks and the
 * host write; ASSIGN_DEFAULT: each execution begins with defaultLaunchValue. Any thread.
 * 100000: a NULL; 107000: flag above 1, or modelRI is not in capture; 207000: not captured
 * (GRF-86, GRF-87). */
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,
                                                      aclmdlRICondHandleFlag flag,
                                                      aclmdlRICondHandle *handle);

/* *ptr: the word, 8 bytes of device memory, which the device reads when the conditional task
 * begins, and after each iteration. Tasks and the host may write it as long as the instance lives.
 * Any thread. 100000: a NULL (GRF-87). */
ACL_FUNC_VISIBILITY aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle,
                                                          uint64_t **ptr);

/* Adds a conditional task to the stream's capture, and writes params.size new graphs to
 * modelRIArray, which are to be captured before aclmdlRICaptureEnd of the stream (else 107045).
 * IF, 1 or 2 graphs: the first if the word is not 0, else the second. WHILE, 1: again and again as
 * long as the word is not 0. SWITCH, 1 or more: the one with the number in the word; none if there
 * is no such. Tasks after it begin after the graph. Graphs end with the instance, and are not
 * executed or destroyed by themselves (207000). Any thread. 100000: stream is NULL; 107000: another
 * NULL, type, flags or size; the handle has a task or is of another instance; 107029: the stream is
 * not in capture; 207008: no stream of the device is left (GRF-88 to GRF-90). */
ACL_FUNC_VISIBILITY aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream,
                                                 uint32_t flags);

/* ---- Graphs: tasks --------------------------------------------------------------------------- */

typedef enum aclmdlRITaskType {
    ACL_MODEL_RI_TASK_DEFAULT      = 0,
    ACL_MODEL_RI_TASK_KERNEL       = 1,
    ACL_MODEL_RI_TASK_EVENT_RECORD = 2,
    ACL_MODEL_RI_TASK_EVENT_WAIT   = 3,
    ACL_MODEL_RI_TASK_EVENT_RESET  = 4,
    ACL_MODEL_RI_TASK_VALUE_WRITE  = 5,
    ACL_MODEL_RI_TASK_VALUE_WAIT   = 6,
} aclmdlRITaskType;

typedef struct aclmdlRIKernelTaskParams {
    aclrtFuncHandle funcHandle;
    aclrtLaunchKernelCfg *cfg;
    void *args;
    uint32_t isHostArgs;
    size_t argsSize;
    uint32_t numBlocks;
    uint32_t rsv[10];
} aclmdlRIKernelTaskParams;

typedef struct aclmdlRIEventRecordTaskParams {
    aclrtEvent event;
    uint32_t eventFlag;
    uint32_t recordFlag;
} aclmdlRIEventRecordTaskParams;

typedef struct aclmdlRIEventWaitTaskParams {
    aclrtEvent event;
    uint32_t eventFlag;
    uint32_t waitFlag;
} aclmdlRIEventWaitTaskParams;

typedef struct aclmdlRIEventResetTaskParams {
    aclrtEvent event;
    uint32_t eventFlag;
    uint32_t resetFlag;
} aclmdlRIEventResetTaskParams;

typedef struct aclmdlRIValueWriteTaskParams {
    void *devAddr;
    uint64_t value;
} aclmdlRIValueWriteTaskParams;

typedef struct aclmdlRIValueWaitTaskParams {
    void *devAddr;
    uint64_t value;
    uint32_t flag;
} aclmdlRIValueWaitTaskParams;

typedef struct aclmdlRITaskParams {
    aclmdlRITaskType type;
    uint32_t rsv0[3];
    aclrtTaskGrp taskGrp;
    void *opInfoPtr;
    size_t opInfoSize;
    uint8_t rsv1[32];
    union {
        uint8_t rsv2[128];
        struct aclmdlRIKernelTaskParams kernelTaskParams;
        struct aclmdlRIEventRecordTaskParams eventRecordTaskParams;
        struct aclmdlRIEventWaitTaskParams eventWaitTaskParams;
        struct aclmdlRIEventResetTaskParams eventResetTaskParams;
        struct aclmdlRIValueWriteTaskParams valueWriteTaskParams;
        struct aclmdlRIValueWaitTaskParams valueWaitTaskParams;
    };
} aclmdlRITaskParams;

/* What a task is: a kernel, or a record, reset or wait of an event, or a task for a value. taskGrp:
 * the task group of a kernel. Arguments of a kernel are the task's own, in memory of the host if
 * isHostArgs is 1, until the task changes or the instance ends; cfg is NULL, see
 * aclmdlRIKernelTaskGetAttribute. Any thread. 107000: a
 * NULL, or a task of type DEFAULT; 107017: the task is gone; 207000: a kernel of an instance that
 * was not captured, or a task of a graph of a conditional task (GRF-63, GRF-64). */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams *params);
/* Notes that a kernel of a captured instance becomes another one, or that a task for events, values
 * or a kernel becomes one that writes a value or waits for one; aclmdlRIUpdate brings it about.
 * taskGrp must be NULL. Arguments on the host (isHostArgs 1) are copied during the call. cfg NULL:
 * default attributes, not those of the kernel before. One thread
 * at a time per instance. A refusal but for a NULL, 107004, 107017 and 107040 makes the instance
 * faulty. 107000: what the task is or becomes; 107004: of another context; 107017; 107040: the
 * instance runs, is in capture or faulty; 207000: not captured, or a kernel of a task group becomes
 * another task; and what a launch answers (GRF-65, GRF-66). */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams *params);
/* Notes that a task of a captured instance is left out for good; aclmdlRIUpdate brings it about,
 * and the handle is dead then. Thread and codes as aclmdlRITaskSetParams; 107000: a task of type
 * DEFAULT (GRF-66, GRF-67). */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskDisable(aclmdlRITask task);
/* Any thread. 107000: a NULL; 107017: the task is gone (GRF-63). */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType *type);
/* The place of a task among all of its captured instance, in the order of submission, from 0, also
 * after tasks were left out. Any thread. 107000: a NULL; 107017; 207000: not of a captured
 * instance (GRF-63). */
ACL_FUNC_VISIBILITY aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t *id);
/* How a kernel was launched: SCHEM_MODE, DYN_UBUF_SIZE, DATA_DUMP, TIMEOUT (seconds; 0: none) or
 * TIMEOUT_US. Any thread. 100000: a NULL; 107000: no kernel, or another attribute; 107017; 207000
 * (GRF-63). */
ACL_FUNC_VISIBILITY aclError aclmdlRIKernelTaskGetAttribute(aclmdlRITask task,
                                                            aclrtLaunchKernelAttrId attrId,
                                                            aclrtLaunchKernelAttrValue *attrValue);

/* The streams of the instance, of a captured one that of the stream on which the capture began,
 * then others in the order in which they came to it. *numStreams is the room in streams, and then
 * their number; with streams NULL only that is written. Places that are left stay as they are.
 * 107000: NULL; 107039: more room is needed; 207000: a graph of a conditional task (GRF-60,
 * GRF-61, GRF-88b). */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream *streams,
                                                uint32_t *numStreams);
/* The tasks of a stream of an instance, in its order. *numTasks is the room in tasks, and then
 * their number; places behind them become NULL; with tasks NULL only the number is given. The
 * handles are dead when the instance ends or the stream's tasks are dropped. Any thread. 107000: a
 * NULL, or a stream of no instance; 107017; 107039: there are more; 207000: of a graph of a
 * conditional task (GRF-62). */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask *tasks,
                                                      uint32_t *numTasks);
/* Makes what aclmdlRITaskSetParams and aclmdlRITaskDisable have noted the tasks of a captured
 * instance. Without changes it does nothing. 107000: NULL; 107004: of another context; 107017;
 * 107040: the instance runs, is in capture or faulty, or a task group of it is being updated;
 * 207000: not captured, or a graph of a conditional task (GRF-67). */
ACL_FUNC_VISIBILITY aclError aclmdlRIUpdate(aclmdlRI modelRI);

/* ---- Graphs: run, name, print, destroy ------------------------------------------------------- */

#define ACL_MDLRI_DEBUG_JSON_PRINT_SUMMARY 0x0UL
#define ACL_MDLRI_DEBUG_JSON_PRINT_VERBOSE 0x1UL

/* Writes a line to the log for each task of an instance. Any thread. 100000: NULL; 107004: of
 * another context; 107017 (GRF-55). */
ACL_DEPRECATED_MESSAGE("use aclmdlRIDebugJsonPrint")
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugPrint(aclmdlRI modelRI);
/* Writes the tasks of an instance to a file for viewers of traces, VERBOSE with the arguments of
 * kernels. Times are places in the order of submission. The file is the user's alone. Any thread.
 * 100000: a NULL; 107000: flags above 1, or the file cannot be written; 107004; 107017 (GRF-56). */
ACL_FUNC_VISIBILITY aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path,
                                                    uint32_t flags);

/* Queues one run of the instance on the stream, of its context, NULL for the default one: behind
 * earlier work, and behind earlier runs of the instance. 100000: NULL; 107000: a stream that is
 * bound; 107003, 107004: of another context; 107017: dead; 107026, 107027: the instance or the
 * stream is in capture; 207000: a graph of a conditional task; 507011: not complete (GRF-40 to
 * GRF-45). */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream);

/* Runs an instance of aclmdlRIBuildBegin once, and waits for it: timeout ms, -1 without a limit.
 * 100000: NULL; 107000: it was captured, or timeout is 0 or below -1; 507011: not complete; 507046:
 * not in time (GRF-46, GRF-47, GRF-85). */
ACL_FUNC_VISIBILITY aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout);

/* Ends the instance, its graphs and groups; the handle is dead then. Waits for runs that are
 * queued, 10 s at most, and calls what was registered. 100000: NULL; 107026: in capture; 107037: a
 * run does not end, and the instance stays; 207000: a graph of a conditional task (GRF-48 to
 * GRF-50). */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroy(aclmdlRI modelRI);

/* A name for reports; the last one counts. 100000: NULL (GRF-52). */
ACL_FUNC_VISIBILITY aclError aclmdlRISetName(aclmdlRI modelRI, const char *name);

/* The name, or "" without one; maxLen is the room in name, with the end. 100000: NULL; 107000:
 * maxLen is 0; 507000: it does not fit (GRF-52). */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char *name);

/* A number that no other live instance has. 100000: NULL (GRF-53). */
ACL_FUNC_VISIBILITY aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t *modelRIId);

/* func is called once with userData when the instance is destroyed, in the thread that does it.
 * Unregister ends that. 107000: NULL, registered already, or not registered; 207000: a graph of a
 * conditional task (GRF-51). */
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func,
                                                             void *userData);
ACL_FUNC_VISIBILITY aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI,
                                                               aclrtCallback func);

/* Ends the runs of an instance of aclmdlRIBuildBegin where they are; the streams that run it answer
 * 507023. 107000: NULL; 207000: it was captured, use aclrtStreamAbort (GRF-54). */
ACL_FUNC_VISIBILITY aclError aclmdlRIAbort(aclmdlRI modelRI);

/* ---- Failures: exceptions and their details -------------------------------------------------- */

#define ACL_RT_MAX_RECORD_PA_NUM_PER_DEV 20U

#define MAX_MEM_UCE_INFO_ARRAY_SIZE 128

#define UCE_INFO_RESERVED_SIZE 14

#define ACL_RT_MEM_UCE_INFO_MAX_NUM 20

typedef struct rtExceptionInfo aclrtExceptionInfo;
typedef void (*aclrtExceptionInfoCallback)(aclrtExceptionInfo *exceptionInfo);
typedef void (*aclrtOpExceptionCallback)(aclrtExceptionInfo *exceptionInfo, void *userData);

typedef struct aclrtMemUceInfo {
    void *addr;
    size_t len;
    size_t reserved[UCE_INFO_RESERVED_SIZE];
} aclrtMemUceInfo;

typedef enum {
    ACL_RT_NO_ERROR      = 0,
    ACL_RT_ERROR_MEMORY  = 1,
    ACL_RT_ERROR_L2      = 2,
    ACL_RT_ERROR_AICORE  = 3,
    ACL_RT_ERROR_LINK    = 4,
    ACL_RT_ERROR_L3_PORT = 5,
    ACL_RT_ERROR_OTHERS  = 0xFFFF,
} aclrtErrorType;

typedef enum aclrtAicoreErrorType {
    ACL_RT_AICORE_ERROR_UNKNOWN  = 0,
    ACL_RT_AICORE_ERROR_SW       = 1,
    ACL_RT_AICORE_ERROR_HW_LOCAL = 2,
} aclrtAicoreErrorType;

typedef struct {
    size_t arraySize;
    aclrtMemUceInfo memUceInfoArray[ACL_RT_MEM_UCE_INFO_MAX_NUM];
} aclrtMemUceInfoArray;

typedef union aclrtErrorInfoDetail {
    aclrtMemUceInfoArray uceInfo;
    aclrtAicoreErrorType aicoreErrType;
} aclrtErrorInfoDetail;

typedef struct aclrtErrorInfo {
    uint8_t tryRepair;
    uint8_t hasDetail;
    uint8_t reserved[2];
    aclrtErrorType errorType;
    aclrtErrorInfoDetail detail;
} aclrtErrorInfo;

typedef enum {
    ACL_RT_DEVICE_TASK_ABORT_PRE  = 0,
    ACL_RT_DEVICE_TASK_ABORT_POST = 1,
} aclrtDeviceTaskAbortStage;

typedef int32_t (*aclrtDeviceTaskAbortCallback)(int32_t deviceId, aclrtDeviceTaskAbortStage stage,
                                                uint32_t timeout, void *args);

/* callback is called for each failed task, in the thread that synchronizes, before that call
 * returns. Several may be registered; one that is registered again counts once. It may ask about
 * info until it returns. 107000: NULL (ERR-40, ERR-41). */
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback);

/* Ends that, also if it was not registered. 107000: NULL (ERR-42). */
ACL_FUNC_VISIBILITY aclError
aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback);

/* One more function, the last one counts; NULL: none (ERR-43). */
ACL_DEPRECATED_MESSAGE("use aclrtExceptionInfoCallbackRegister")
ACL_FUNC_VISIBILITY aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback);

/* What failed: the numbers of the task, its stream and device, the system's number of the thread
 * that queued it, and the code. 0xFFFFFFFF: info is NULL or its callback has returned, or it is not
 * known (ERR-45, ERR-46). */
ACL_FUNC_VISIBILITY uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info);
ACL_FUNC_VISIBILITY uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info);

/* Address in device memory and bytes of the arguments of a failed kernel; valid until the callback
 * returns. 100000: an output is NULL; (aclError)0xFFFFFFFF: info as above, or not a kernel
 * (ERR-47). */
ACL_FUNC_VISIBILITY aclError aclrtGetArgsFromExceptionInfo(const aclrtExceptionInfo *info,
                                                           void **devArgsPtr, uint32_t *devArgsLen);

/* The function of a failed kernel, as aclrtBinaryGetFunction gave it. 100000: func is NULL; 107000:
 * not a kernel; 107017: its binary was unloaded; (aclError)0xFFFFFFFF: info as above (ERR-48). */
ACL_FUNC_VISIBILITY aclError aclrtGetFuncHandleFromExceptionInfo(const aclrtExceptionInfo *info,
                                                                 aclrtFuncHandle *func);

/* callback is called with userData for failed kernels of the binary, after all others; the last one
 * counts. 100000: NULL; 107017: the binary was unloaded (ERR-49). */
ACL_FUNC_VISIBILITY aclError aclrtBinarySetExceptionCallback(aclrtBinHandle binHandle,
                                                             aclrtOpExceptionCallback callback,
                                                             void *userData);

/* Puts other memory in the place of failed ranges, with undefined content. 100000: more than 128
 * ranges, or reserved fields that are not 0; 107001: no such device (ABT-26). */
ACL_FUNC_VISIBILITY aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray,
                                               size_t arraySize);

/* The state of the device: errorType is MEMORY, with the newest 20 failed ranges and tryRepair 1,
 * OTHERS for a failed link or device, or NO_ERROR. 100000: NULL; 107001: no such device (ABT-20 to
 * ABT-22). */
ACL_FUNC_VISIBILITY aclError aclrtGetErrorVerbose(int32_t deviceId, aclrtErrorInfo *errorInfo);

/* Repairs ranges as aclrtMemUceRepair, those in detail or all; with NO_ERROR it clears the failed
 * state of the device and its links. 100000: NULL; 107000: tryRepair is 0, another errorType, or
 * nothing to repair; 107001: no such device; 507033: it is not set (ABT-23, ABT-24). */
ACL_FUNC_VISIBILITY aclError aclrtRepairError(int32_t deviceId, const aclrtErrorInfo *errorInfo);

/* Ranges of the device's memory that have failed. 100000: the array is smaller than their number;
 * 107001: no such device (ABT-25). */
ACL_FUNC_VISIBILITY aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray,
                                                size_t arraySize, size_t *retSize);

/* Drops all work of the device, and ends waits for it with 107022. timeout ms for all of it, the
 * callbacks too; 0: no limit. Streams go on afterwards. Blocks. 107000: timeout is too large;
 * 107001: no such device; 107002: it is not set; 107019: not in time; 107022: another thread does
 * it; or what a callback answered (ABT-10 to ABT-14, ABT-17). */
ACL_FUNC_VISIBILITY aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout);

/* Calls callback before and after an abort of a device, with the ms that are left, 0 for no limit;
 * an answer other than 0 ends the abort. callback NULL: ends it. 100000: regName is NULL; 107000:
 * the name is taken (ABT-15 to ABT-17). */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceTaskAbortCallback(const char *regName,
                                                             aclrtDeviceTaskAbortCallback callback,
                                                             void *args);

/* ---- Failures: floating point overflow ------------------------------------------------------- */

typedef enum aclrtFloatOverflowMode {
    ACL_RT_OVERFLOW_MODE_SATURATION = 0,
    ACL_RT_OVERFLOW_MODE_INFNAN     = 1,
    ACL_RT_OVERFLOW_MODE_UNDEF      = 2,
} aclrtFloatOverflowMode;

/* Whether later tasks of the stream, NULL for the default one, report overflows: flag 0, as at
 * first, or 1. 100000: another flag; 107003: of another context; 107027: in capture (OVF-03,
 * STR-43). */
ACL_FUNC_VISIBILITY aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag);

/* What was set. 100000: NULL (OVF-04). */
ACL_FUNC_VISIBILITY aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag);

/* What kernels of streams that are created later do on overflow: 0 saturate, 1 give infinity and
 * NaN. Of the process; needs no context. 107000: another mode (OVF-01, DEV-46). */
ACL_FUNC_VISIBILITY aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode);

/* The mode; before it is set that of the part. 100000: NULL (OVF-02, OVF-09). */
ACL_FUNC_VISIBILITY aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode);

/* Queues a copy of the status, 64 bytes, to device memory; all 0: nothing overflowed. The status is
 * of the device, not of the stream. 100000: NULL; 107000: another size, or no room there; 107027:
 * the stream is in capture (OVF-05, OVF-06). */
ACL_FUNC_VISIBILITY aclError aclrtGetOverflowStatus(void *outputAddr, size_t outputSize,
                                                    aclrtStream stream);

/* Queues its clearing. 107027: the stream is in capture (OVF-06, OVF-07). */
ACL_FUNC_VISIBILITY aclError aclrtResetOverflowStatus(aclrtStream stream);

/* Where the current device keeps it, in device memory that the runtime owns. 107000: NULL; 107002:
 * no context (CTX-21). */
ACL_FUNC_VISIBILITY aclError aclrtCtxGetFloatOverflowAddr(void **overflowAddr);

/* As aclrtGetOverflowStatus; NULL is 107000. */
ACL_FUNC_VISIBILITY aclError aclrtGetFloatOverflowStatus(void *outputAddr, uint64_t outputSize,
                                                         aclrtStream stream);

/* As aclrtResetOverflowStatus. */
ACL_FUNC_VISIBILITY aclError aclrtResetFloatOverflowStatus(aclrtStream stream);

/* As above, to the address in the first 8 bytes at outputAddr, device memory that is read now.
 * checkMode has no effect. Blocks. 107000: NULL or another size (OVF-08). */
ACL_FUNC_VISIBILITY aclError aclrtNpuGetFloatOverFlowStatus(void *outputAddr, uint64_t outputSize,
                                                            uint32_t checkMode, aclrtStream stream);

/* As aclrtResetOverflowStatus; checkMode has no effect (OVF-07). */
ACL_FUNC_VISIBILITY aclError aclrtNpuClearFloatOverFlowStatus(uint32_t checkMode,
                                                              aclrtStream stream);

/* ---- Saving and restoring a process ---------------------------------------------------------- */

typedef enum {
    ACL_RT_SNAPSHOT_LOCK_PRE     = 0,
    ACL_RT_SNAPSHOT_BACKUP_PRE   = 1,
    ACL_RT_SNAPSHOT_BACKUP_POST  = 2,
    ACL_RT_SNAPSHOT_RESTORE_PRE  = 3,
    ACL_RT_SNAPSHOT_RESTORE_POST = 4,
    ACL_RT_SNAPSHOT_UNLOCK_POST  = 5,
} aclrtSnapShotStage;

typedef uint32_t (*aclrtSnapShotCallBack)(int32_t deviceId, void *args);

typedef struct aclrtSnapShotBackupArgs {
    uint32_t backupFlags;
    char reserved[60];
} aclrtSnapShotBackupArgs;

typedef struct aclrtSnapShotRestoreArgs {
    uint32_t restoreFlags;
    char reserved[60];
} aclrtSnapShotRestoreArgs;

typedef enum aclrtProcessState {
    ACL_RT_PROCESS_STATE_RUNNING = 0,
    ACL_RT_PROCESS_STATE_LOCKED  = 1,
} aclrtProcessState;

/* Other threads' calls that change something block from now on, until Unlock. pid is this process,
 * reserve NULL, else 100000. 507906: not in the state RUNNING; 507912: a callback refused (SNP-01,
 * SNP-02, SNP-05). */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessLock(int pid, void *reserve);

/* Lets them go on. 100000 as above; 507907: not locked; 507912 (SNP-03). */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessUnlock(int pid, void *reserve);

/* Waits for the work of all streams, then keeps the bytes of the devices' memory in host memory.
 * args is NULL. 107002: no device is open; 207000: there is managed or imported memory; 507908:
 * not locked, or backed up already; 507912; or the code of the wait (SNP-04, SNP-09, SNP-10). */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs *args);

/* Puts the bytes of the last backup back into memory that is still allocated. args is NULL.
 * 507909: there is no backup; else as Backup (SNP-04, SNP-09, SNP-10). */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs *args);

/* Calls callback at that stage for each open device, in the order of registration; an answer
 * other than 0 ends the operation. 107000: NULL or no such stage; 507913: it is registered for
 * the stage (SNP-06, SNP-08). */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,
                                                           aclrtSnapShotCallBack callback,
                                                           void *args);

/* Ends that. 107000: NULL, no such stage, or not registered for it (SNP-07). */
ACL_FUNC_VISIBILITY aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,
                                                             aclrtSnapShotCallBack callback);

/* ---- Profiling and dump ---------------------------------------------------------------------- */

/* Not supported, none of the three: 207000. acl_dump.h has the others. */
ACL_FUNC_VISIBILITY aclError aclmdlInitDump(void);
ACL_FUNC_VISIBILITY aclError aclmdlSetDump(const char *dumpCfgPath);
ACL_FUNC_VISIBILITY aclError aclmdlFinalizeDump(void);

/* Not supported: 207000. */
ACL_FUNC_VISIBILITY aclError aclrtProfTrace(void *userdata, int32_t length, aclrtStream stream);

/* 100000: NULL or infoSize 0; 107000: infoSize is above 65536; 107002: no context; else 507000: the
 * thread's last task does not keep information of operators (EXC-29). */
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskOpInfo(const void *const infoPtr,
                                                      const size_t infoSize);

/* Not supported: 207000. */
ACL_FUNC_VISIBILITY aclError aclrtCacheLastTaskExtendInfo(const char *const extendInfoPtr,
                                                          const size_t infoSize);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* INC_EXTERNAL_ACL_ACL_RT_H_ */
