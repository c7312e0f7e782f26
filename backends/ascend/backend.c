/* SPDX-License-Identifier: Apache-2.0 */
/* The hardware, through the vendor's runtime. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process.h"

#define NS_PER_S     UINT64_C(1000000000)
#define REASON_BYTES (2 * PATH_MAX + 1024)

struct ascend_process ascend;

static twin_status fail(twin_status status, const char *reason)
{
    ascend.services->because(reason);
    ascend.services = NULL;
    return status;
}

/* The toolkit's set_env.sh puts stubs for building where it finds no driver. */
static void add_stub(char *reason, size_t bytes)
{
    size_t used = strlen(reason);
    if (ascend_library_found.stub[0] != '\0')
        snprintf(reason + used, bytes - used,
                 "; %s is loaded in place of the driver's library: it is a stub for building",
                 ascend_library_found.stub);
}

/* Initializes the vendor's runtime and counts its devices. */
static twin_status begin(char *reason, size_t bytes)
{
    int32_t code = vendor.init(NULL);
    /* Other code of the program may have started the vendor's library before. */
    if (code != 0 && code != ACL_ERROR_REPEAT_INITIALIZE) {
        const char *text = vendor.recent_message ? vendor.recent_message() : NULL;
        snprintf(
            reason, bytes,
            "%s cannot be started: it returned %d%s%s; see whether the driver is installed and "
            "the user may use the device (npu-smi info)",
            ascend_library_found.path, (int)code, text ? ", " : "", text ? text : "");
        add_stub(reason, bytes);
        return TWIN_E_SETUP;
    }
    ascend.is_ours = code == 0;
    uint32_t count = 0;
    code = vendor.device_count(&count);
    if (code == 0 && count > 0)
        return TWIN_OK;
    if (ascend.is_ours)
        vendor.finalize();
    bool none = code == 0 || code == ACL_ERROR_RT_NO_DEVICE;
    const char *visible = ascend.services->setting("ASCEND_RT_VISIBLE_DEVICES");
    if (none)
        snprintf(reason, bytes,
                 "%s finds no device%s%s; see whether npu-smi info lists one and the user belongs "
                 "to the group of the driver",
                 ascend_library_found.path, *visible ? " with ASCEND_RT_VISIBLE_DEVICES=" : "",
                 visible);
    else
        snprintf(reason, bytes,
                 "%s cannot count devices: it returned %d; see whether the driver is installed and "
                 "fits the toolkit",
                 ascend_library_found.path, (int)code);
    add_stub(reason, bytes);
    return none ? TWIN_E_NO_DEVICE : TWIN_E_SETUP;
}

twin_status ascend_process_start(const twin_services *services)
{
    char reason[REASON_BYTES] = "";
    ascend.services = services;
    twin_status status = ascend_library_load(services, reason, sizeof(reason));
    if (status == TWIN_OK)
        status = begin(reason, sizeof(reason));
    if (status != TWIN_OK)
        return fail(status, reason);
    ascend_failures_listen(true);
    atomic_store(&ascend.over, false);
    ascend.process = getpid();
    ascend.started = true;
    char text[PATH_MAX + 128];
    snprintf(text, sizeof(text), "using the board through %s%s", ascend_library_found.path,
             ascend_library_found.inner ? ", a second copy of this runtime" : "");
    services->log(1, text);
    return TWIN_OK;
}

void ascend_process_stop(void)
{
    if (!ascend.started)
        return;
    ascend_end();
    ascend.started = false;
    ascend_ranges_clear();
    ascend_vmm_clear();
    ascend_device_properties_clear();
    ascend_unuse();
}

/* The vendor's process is backed up, not only locked. A callback of the program that fails after a
 * step has the core ask for the same step again, which the vendor refuses: one backup comes after
 * another when it was unlocked between them, and what is restored already stays. */
static bool is_backed_up;

static int32_t back_up(int pid)
{
    int32_t code = is_backed_up ? vendor.snapshot_unlock(pid, NULL) : 0;
    if (code == 0 && is_backed_up)
        code = vendor.snapshot_lock(pid, NULL);
    return code == 0 ? vendor.snapshot_backup(pid, NULL) : code;
}

twin_status ascend_process_snapshot(twin_snapshot_step step)
{
    if (!vendor.snapshot_lock || !vendor.snapshot_backup || !vendor.snapshot_restore ||
        !vendor.snapshot_unlock)
        return TWIN_E_UNSUPPORTED;
    const int pid = getpid();
    const int32_t code = step == TWIN_SNAPSHOT_LOCK     ? vendor.snapshot_lock(pid, NULL)
                         : step == TWIN_SNAPSHOT_UNLOCK ? vendor.snapshot_unlock(pid, NULL)
                         : step == TWIN_SNAPSHOT_BACKUP ? back_up(pid)
                         : is_backed_up                 ? vendor.snapshot_restore(pid, NULL)
                                                        : 0;
    if (code == 0)
        is_backed_up = step == TWIN_SNAPSHOT_BACKUP;
    return ascend_status(code);
}

uint64_t ascend_host_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint32_t ascend_host_last_task(void)
{
    uint32_t task = UINT32_MAX;
    return vendor.last_task && vendor.last_task(&task) == 0 ? task : UINT32_MAX;
}

/* What the vendor's runtime does not have, or does by itself: its calls wait for room when a stream
 * is full. The core answers. */
#define ascend_process_write    NULL
#define ascend_process_forked   NULL
#define ascend_host_attach      NULL
#define ascend_host_detach      NULL
#define ascend_host_enter       NULL
#define ascend_host_leave       NULL
#define ascend_host_traced      NULL
#define ascend_host_reach       NULL
#define ascend_host_pace        NULL
#define ascend_host_see         NULL
#define ascend_host_move        NULL
#define ascend_host_advance     NULL
#define ascend_host_self        NULL
#define ascend_host_follow      NULL
#define ascend_host_changed     NULL
#define ascend_queue_room       NULL
#define ascend_diag_tasks       NULL
#define ascend_diag_newest_task NULL
#define ascend_fault_inject     NULL
#define ascend_fault_remove     NULL
#define ascend_fault_triggered  NULL

static const struct twin_backend backend = {
    .size = sizeof(struct twin_backend),
    .version = TWIN_SEAM_VERSION,
    .name = TWIN_BACKEND_NAME,
    .flags = TWIN_BACKEND_FILTERS | TWIN_BACKEND_WAITS | TWIN_BACKEND_CODE,
#define OP(group, op, type, lacking, parameters, arguments) .group.op = ascend_##group##_##op,
#include "seam/ops.def"
};

__attribute__((visibility("default"))) const struct twin_backend *twin_backend_entry(void);

const struct twin_backend *twin_backend_entry(void)
{
    return &backend;
}
