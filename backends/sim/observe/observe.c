/* SPDX-License-Identifier: Apache-2.0 */
#include "observe/observe.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "observe/atomic_file.h"
#include "observe/kernel_notes.h"
#include "observe/timeline.h"
#include "device/device.h"
#include "process/process.h"
#include "queue/queue.h"
#include "wait/clock.h"
#include "wait/observer.h"
#include "wait/wait.h"

enum {
    OUT_STATS,
    OUT_MSPROF,
    OUT_OP_SUMMARY,
    OUT_PIPE_UTILIZATION,
    OUT_KERNEL_COUNTS,
    OUT_VCD,
    OUT_COUNT
};

static const char *const names[OUT_COUNT] = {[OUT_STATS] = "TWINRT_STATS",
                                             [OUT_MSPROF] = "TWINRT_MSPROF",
                                             [OUT_OP_SUMMARY] = "TWINRT_OP_SUMMARY",
                                             [OUT_PIPE_UTILIZATION] = "TWINRT_PIPE_UTILIZATION",
                                             [OUT_KERNEL_COUNTS] = "TWINRT_KERNEL_COUNTS",
                                             [OUT_VCD] = "TWINRT_VCD"};

/* Set by init ops and read afterwards. */
static char paths[OUT_COUNT][4096];
static char signals[256];
static bool due;
atomic_bool sim_observe_waits;

static pthread_mutex_t waits_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_host_waits waits[SIM_HOST_CAUSES];
static uint64_t waits_lost;
static uint64_t kernels_lost; /* written by the model's thread */

bool sim_observe_settings(const twin_services *services, bool fixed)
{
    for (int i = 0; i < OUT_COUNT; i++) {
        const char *path = services->setting(names[i]);
        if (!sim_path_fits(names[i], strlen(path), sizeof(paths[i])))
            return false;
        if (fixed && (path[0] != '\0') != (paths[i][0] != '\0')) {
            sim_fail("%s cannot be set or unset after the first device was opened: the model is "
                     "built once",
                     names[i]);
            return false;
        }
        memcpy(paths[i], path, strlen(path) + 1);
    }
    const char *wanted = services->setting("TWINRT_VCD_SIGNALS");
    if (wanted[0] == '\0')
        wanted = "all";
    if (strlen(wanted) >= sizeof(signals) || !sim_vcd_knows(wanted)) {
        sim_fail("TWINRT_VCD_SIGNALS is \"%s\"; expected all, or some of queues, slots, events, "
                 "channels, links, cores with commas between",
                 wanted);
        return false;
    }
    memcpy(signals, wanted, strlen(wanted) + 1);
    atomic_store_explicit(&sim_observe_waits,
                          paths[OUT_STATS][0] != '\0' ||
                              services->setting("TWINRT_TRACE")[0] != '\0',
                          memory_order_relaxed);
    return true;
}

static bool wants_kernels(void)
{
    return paths[OUT_OP_SUMMARY][0] != '\0' || paths[OUT_PIPE_UTILIZATION][0] != '\0' ||
           paths[OUT_KERNEL_COUNTS][0] != '\0';
}

bool sim_observe_wants_trace(void)
{
    return paths[OUT_MSPROF][0] != '\0' || paths[OUT_VCD][0] != '\0' || wants_kernels();
}

void sim_observe_kernel(uint32_t device, uint32_t sq, uint64_t number, const twin_launch *kernel)
{
    if (wants_kernels() && !sim_kernel_note(device, sq, number, kernel))
        kernels_lost++;
}

bool sim_observe_wants_stats(void)
{
    return paths[OUT_STATS][0] != '\0';
}

static const enum sim_host_cause causes[] = {
    [SIM_WAIT_QUEUE_POINT] = SIM_HOST_QUEUE, [SIM_WAIT_EVENT_ID] = SIM_HOST_ID,
    [SIM_WAIT_TRANSFER] = SIM_HOST_COPY,     [SIM_WAIT_SHARED] = SIM_HOST_SHARED,
    [SIM_WAIT_CALL] = SIM_HOST_CALL,         [SIM_WAIT_TIME] = SIM_HOST_CAUSES,
};

void sim_observe_waited(const struct sim_wait *wait, uint64_t end_ns)
{
    const enum sim_host_cause cause =
        wait->for_room && wait->kind == SIM_WAIT_QUEUE_POINT ? SIM_HOST_RING : causes[wait->kind];
    if (cause == SIM_HOST_CAUSES || end_ns <= wait->begin_ns)
        return;
    if (sim_process.trace_path[0] != '\0') {
        bool copy = wait->kind == SIM_WAIT_TRANSFER;
        bool point = wait->kind == SIM_WAIT_QUEUE_POINT;
        sim_timeline_wait(sim_clock.number, &(struct timeline_wait){
                                                .begin_ns = wait->begin_ns,
                                                .end_ns = end_ns,
                                                .done_ns = wait->done_ns,
                                                .number = copy    ? wait->transfer.number
                                                          : point ? wait->point.number
                                                                  : 0,
                                                .track = point  ? wait->point.queue->track
                                                         : copy ? wait->device->index
                                                                : UINT32_MAX,
                                                .cause = (uint8_t)cause,
                                                .wake = (uint8_t)wait->wake,
                                                .failed = wait->status != TWIN_OK,
                                            });
    }
    if (!sim_observe_wants_stats())
        return;
    struct sim_host_waits *list = &waits[cause];
    pthread_mutex_lock(&waits_lock);
    if (sim_grow(&list->lengths, sizeof(*list->lengths), list->count, &list->room)) {
        list->lengths[list->count++] = end_ns - wait->begin_ns;
        list->total_ns += end_ns - wait->begin_ns;
    } else {
        waits_lost++;
    }
    pthread_mutex_unlock(&waits_lock);
}

static int draw(FILE *file, void *context)
{
    int error = -EIO;
    switch (*(const int *)context) {
    case OUT_STATS:
        pthread_mutex_lock(&waits_lock);
        error = sim_stats_draw(file, sim_process.sim, sim_process.profile, sim_process.device_count,
                               waits);
        pthread_mutex_unlock(&waits_lock);
        break;
    case OUT_MSPROF:
        error = sim_msprof_draw(file, sim_process.sim, sim_process.profile);
        break;
    case OUT_OP_SUMMARY:
        error = sim_op_summary_draw(file, sim_process.sim, sim_process.profile);
        break;
    case OUT_PIPE_UTILIZATION:
        error = sim_pipe_utilization_draw(file, sim_process.sim, sim_process.profile);
        break;
    case OUT_KERNEL_COUNTS:
        error = sim_kernel_counts_draw(file, sim_process.sim, sim_process.profile);
        break;
    case OUT_VCD:
        error = sim_vcd_draw(file, sim_process.sim, signals);
        break;
    default:
        break;
    }
    return error ? error : ferror(file) ? -EIO : 0;
}

static void report(const char *name, const char *path, int error)
{
    if (error != 0)
        sim_log(3, "%s: %s cannot be written: %s", name, path, sim_output_reason(error));
}

void sim_observe_begin(void)
{
    due = true;
}

void sim_observe_alone(void)
{
    pthread_mutex_init(&waits_lock, NULL);
}

void sim_observe_write(void)
{
    if (!due || !sim_process.sim)
        return;
    due = false;
    if (waits_lost > 0)
        sim_log(2, "TWINRT_STATS: %llu waits are not counted: out of memory",
                (unsigned long long)waits_lost);
    if (kernels_lost > 0)
        sim_log(2, "%llu kernels are missing in times of kernels: out of memory",
                (unsigned long long)kernels_lost);
    for (int i = 0; i < OUT_COUNT; i++)
        if (paths[i][0] != '\0')
            report(names[i], paths[i], sim_output_write(paths[i], draw, &i));
    if (sim_process.trace_path[0] != '\0')
        report("TWINRT_TRACE", sim_process.trace_path,
               sim_timeline_write(sim_process.trace_path, sim_process.sim, sim_process.profile));
}
