/* SPDX-License-Identifier: Apache-2.0 */
/* What one process shares: settings, the profile and what was read from it, the system, the
 * devices. */
#ifndef TWINRT_SIM_PROCESS_PROCESS_H
#define TWINRT_SIM_PROCESS_PROCESS_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "seam/backend.h"
#include "twinsim.h"

#define SIM_DEVICES_MOST 64u
#define SIM_LINE         64u /* of the host's caches */

/* What a wait costs its thread after the awaited instant. */
enum sim_wake {
    SIM_WAKE_STREAM,
    SIM_WAKE_EVENT,
    SIM_WAKE_POLL,
    SIM_WAKE_COPY,
    SIM_WAKE_CALL,
    SIM_WAKE_COUNT
};

struct sim_limits {
    uint32_t streams;  /* queues a process may hold */
    uint32_t sq_depth; /* ring entries, a power of two */
    uint32_t cq_depth;
    uint32_t in_flight;        /* SQEs a ring takes before its sender waits */
    uint32_t prefetch;         /* SQEs that the device has read ahead at most */
    uint32_t list_descriptors; /* that a PCIe DMA SQE may name */
    uint32_t events;
    uint32_t notifies;
    uint32_t count_notifies; /* 0: the part has none */
    uint32_t counter_mhz;
    bool contexts; /* mixed kernels are FFTS+ tasks */
    uint64_t memory_bytes;
    uint64_t doorbell_ns;
    uint64_t fault_ns; /* of a page of managed memory */
    uint64_t to_device_mb_s;
    uint64_t to_host_mb_s;
    uint64_t core_mhz;
    uint64_t cost_ns[TWIN_COST_COUNT];
    uint64_t wake_ns[SIM_WAKE_COUNT];
};

struct sim_process {
    /* Atomic: the progress thread outlives a stop, and the next start writes it beside that
     * thread. */
    _Atomic(const twin_services *) services;
    /* Those of `services` that are asked often; set with them. */
    bool (*_Atomic nd)(twin_nd what, uint64_t which, uint64_t *value);
    bool (*touched)(const twin_touch *touch);
    /* From process.start to process.stop; both outlive stop once a system uses them. */
    twinsim_profile *profile;
    char profile_path[4096];
    char trace_path[4096]; /* "" : no timeline */
    uint32_t device_count;
    uint64_t seed;
    bool poison;
    bool software_queues;
    bool open_memory;
    enum twinsim_model model;
    char rtl_trace[4096];   /* how names of the RTL's waveforms begin; "": none */
    bool bursts;            /* TWINRT_DMA=burst */
    uint64_t progress_ns;   /* TWINRT_PROGRESS; 0: off */
    bool wall;              /* TWINRT_CLOCK=wall, or a replay of such a run */
    uint64_t wall_began_ns; /* real time (monotonic) at device time 0; 0: virtual, or a replay */
    struct sim_limits limits;
    twin_device_properties properties[SIM_DEVICES_MOST];

    twinsim *sim; /* made by the first device.open, kept for the life of the process */
    _Atomic(twin_hw_device *)
        devices[SIM_DEVICES_MOST]; /* open ones; written under the model lock */
};
extern struct sim_process sim_process;

/* Whole ns of `ticks` of a counter; the product may exceed 64 bits, as from 11.7 years at 50
 * MHz. */
static inline uint64_t sim_ticks_ns(uint64_t ticks, uint64_t mhz)
{
    return ticks / mhz * 1000u + ticks % mhz * 1000u / mhz;
}

/* Makes room for one more element of `bytes` after the `count` of an array; `array` is the address
 * of the pointer to it, *room its capacity. False: out of host memory. */
static inline bool sim_grow(void *array, size_t bytes, size_t count, size_t *room)
{
    if (count < *room)
        return true;
    void *moved;
    memcpy(&moved, array, sizeof(moved));
    moved = realloc(moved, 2 * (*room + 4) * bytes);
    if (!moved)
        return false;
    memcpy(array, &moved, sizeof(moved));
    *room = 2 * (*room + 4);
    return true;
}

/* The operations of the seam, sim_<group>_<op>, with the contracts of seam/backend.h. */
#define OP(group, op, type, lacking, parameters, arguments) type sim_##group##_##op parameters;
#include "seam/ops.def"

/* Reads the settings and the profile into sim_process. Logs what is wrong. Thread: init. */
twin_status sim_settings_read(const twin_services *services);
/* The properties of the devices in the profile, into sim_process.properties. Logs what is wrong.
 * Thread: init. */
twin_status sim_device_properties_read(const twinsim_profile *profile);
/* Whether devices have a link to each other; without one they meet at the host (T-LNK-1). */
bool sim_devices_linked(void);
/* A whole number of the profile, at least `least`; logs when there is none. Thread: init. */
bool sim_profile_number(const twinsim_profile *profile, const char *name, uint64_t least,
                        uint64_t *out);
struct sim_profile_number {
    const char *name;
    uint64_t least;
    uint64_t *out;
};
/* The same for a list. */
bool sim_profile_numbers(const twinsim_profile *profile, const struct sim_profile_number *list,
                         size_t count);
/* Whether a path of that length fits; logs when it does not. Thread: init. */
bool sim_path_fits(const char *name, size_t length, size_t room);
/* Releases the profile if no system uses it. Thread: init. */
void sim_settings_drop(void);

/* One line to the log (levels of twin_services), or to the caller's recent error messages. Any
 * thread. */
/* Lines of one kind that are written; further ones are only counted. */
#define SIM_LINES_NAMED 20u
void sim_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_explain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Logs as an error and explains: for the function that first detects that a call fails. */
void sim_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
