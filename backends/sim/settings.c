/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and profile: read at start, checked once, with a text for everything that is wrong. */
#include "process/process.h"

#include "observe/observe.h"
#include "wait/leader.h"
#include "wait/real_time.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sim_process sim_process;

static void __attribute__((format(printf, 4, 0)))
say(bool log, int level, bool explain, const char *format, va_list arguments)
{
    char most[1024];
    char *longer = NULL; /* reports */
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(most, sizeof(most), format, arguments);
    if (length >= (int)sizeof(most) && (longer = malloc((size_t)length + 1)) != NULL)
        vsnprintf(longer, (size_t)length + 1, format, again);
    va_end(again);
    const char *text = longer ? longer : most;
    const twin_services *services = sim_process.services;
    if (services && log)
        services->log(level, text);
    if (services && explain)
        services->explain(text);
    free(longer);
}

void sim_log(int level, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(true, level, false, format, arguments);
    va_end(arguments);
}

void sim_explain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(false, 0, true, format, arguments);
    va_end(arguments);
}

void sim_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(true, 3, true, format, arguments);
    va_end(arguments);
}

/* Empty leaves *out as it is. `besides`: what else the setting may be, " or off", or "". */
static bool read_whole(const char *name, const char *text, uint64_t least, uint64_t most,
                       const char *besides, uint64_t *out)
{
    char *end = NULL;
    if (text[0] == '\0')
        return true;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10); /* as the core, which checks it first */
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || value < least ||
        value > most) {
        sim_fail("%s is \"%s\"; expected a whole number from %llu to %llu%s", name, text,
                 (unsigned long long)least, (unsigned long long)most, besides);
        return false;
    }
    *out = value;
    return true;
}

/* Milliseconds, or off. */
static bool read_progress(const char *text, uint64_t *out_ns)
{
    uint64_t ms = 2000;
    if (strcmp(text, "off") == 0)
        ms = 0;
    else if (!read_whole("TWINRT_PROGRESS", text, 1, 86400000, " or off", &ms))
        return false;
    *out_ns = ms * 1000000u;
    return true;
}

/* Reads a setting that is one of two words; empty means the first. */
static bool read_choice(const char *name, const char *text, const char *first, const char *second,
                        bool *out_second)
{
    bool is_second = strcmp(text, second) == 0;
    if (!is_second && text[0] != '\0' && strcmp(text, first) != 0) {
        sim_fail("%s is \"%s\"; expected %s or %s", name, text, first, second);
        return false;
    }
    *out_second = is_second;
    return true;
}

static bool read_model(const char *text, enum twinsim_model *out)
{
    static const char *const names[] = {"cpp", "rtl", "lockstep"};
    *out = TWINSIM_MODEL_CPP;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (enum twinsim_model)i;
            return true;
        }
    if (text[0] == '\0')
        return true;
    sim_fail("TWINRT_MODEL is \"%s\"; expected cpp, rtl or lockstep", text);
    return false;
}

bool sim_profile_number(const twinsim_profile *profile, const char *name, uint64_t least,
                        uint64_t *out)
{
    const struct twinsim_parameter *parameter = twinsim_profile_find(profile, name);
    if (!parameter) {
        sim_fail("profile %s has no %s", sim_process.profile_path, name);
        return false;
    }
    if (parameter->number < least) {
        sim_fail("profile %s: %s is %s; expected at least %llu", sim_process.profile_path, name,
                 parameter->text, (unsigned long long)least);
        return false;
    }
    *out = parameter->number;
    return true;
}

bool sim_profile_numbers(const twinsim_profile *profile, const struct sim_profile_number *list,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!sim_profile_number(profile, list[i].name, list[i].least, list[i].out))
            return false;
    return true;
}

static bool power_of_two(const char *name, uint64_t value)
{
    if (value != 0 && (value & (value - 1)) == 0)
        return true;
    sim_fail("profile %s: %s is %llu; expected a power of two", sim_process.profile_path, name,
             (unsigned long long)value);
    return false;
}

/* Reads all parameters of the profile that the driver needs, so that none is looked up by name
 * later. */
static twin_status read_profile(const twinsim_profile *profile)
{
    struct sim_limits limits = {0};
    uint64_t streams, queues, sq_depth, reserve, cq_depth, events, notifies, count_notifies,
        prefetch, counter, list_descriptors, memory_mib, contexts;
    const struct sim_profile_number wanted[] = {
        {"aicore.clock_mhz", 1, &limits.core_mhz},
        {"counter_mhz", 1, &counter},
        {"dma.pcie.list.descriptors", 1, &list_descriptors},
        {"ffts.contexts", 0, &contexts},
        {"host.copy_ns", 0, &limits.cost_ns[TWIN_COST_COPY]},
        {"host.create_ns", 0, &limits.cost_ns[TWIN_COST_CREATE]},
        {"host.device_ns", 0, &limits.cost_ns[TWIN_COST_DEVICE]},
        {"host.doorbell_ns", 0, &limits.doorbell_ns},
        {"host.launch_ns", 0, &limits.cost_ns[TWIN_COST_LAUNCH]},
        {"host.local_ns", 0, &limits.cost_ns[TWIN_COST_LOCAL]},
        {"host.memory_ns", 0, &limits.cost_ns[TWIN_COST_MEMORY]},
        /* a poll without a cost would never advance the clock of a polling loop */
        {"host.poll_ns", 1, &limits.cost_ns[TWIN_COST_POLL]},
        {"host.submit_ns", 0, &limits.cost_ns[TWIN_COST_SUBMIT]},
        {"host.transfer_ns", 0, &limits.cost_ns[TWIN_COST_TRANSFER]},
        {"host.wait_ns", 0, &limits.cost_ns[TWIN_COST_WAIT]},
        {"host.wake.call_ns", 0, &limits.wake_ns[SIM_WAKE_CALL]},
        {"host.wake.copy_ns", 0, &limits.wake_ns[SIM_WAKE_COPY]},
        {"host.wake.event_ns", 0, &limits.wake_ns[SIM_WAKE_EVENT]},
        {"host.wake.poll_ns", 0, &limits.wake_ns[SIM_WAKE_POLL]},
        {"host.wake.stream_ns", 0, &limits.wake_ns[SIM_WAKE_STREAM]},
        {"fetch.window", 1, &prefetch},
        {"limit.count_notifies", 0, &count_notifies},
        {"limit.cq_depth", 8, &cq_depth},
        {"limit.events", 1, &events},
        {"limit.memory_mib", 1, &memory_mib},
        {"limit.notifies", 1, &notifies},
        {"limit.queues", 1, &queues},
        {"limit.sq_depth", 8, &sq_depth},
        {"limit.sq_reserve", 0, &reserve},
        {"limit.streams", 1, &streams},
        {"link.pcie.to_device_mb_s", 1, &limits.to_device_mb_s},
        {"link.pcie.to_host_mb_s", 1, &limits.to_host_mb_s},
        {"managed.fault_ns", 0, &limits.fault_ns},
    };
    if (!sim_profile_numbers(profile, wanted, sizeof(wanted) / sizeof(wanted[0])) ||
        !power_of_two("limit.sq_depth", sq_depth) || !power_of_two("limit.cq_depth", cq_depth))
        return TWIN_E_INVALID;
    if (reserve + 4 > sq_depth) {
        sim_fail("profile %s: limit.sq_reserve %llu leaves no room in a ring of %llu",
                 sim_process.profile_path, (unsigned long long)reserve,
                 (unsigned long long)sq_depth);
        return TWIN_E_INVALID;
    }
    limits.streams = (uint32_t)(streams < queues ? streams : queues);
    limits.sq_depth = (uint32_t)sq_depth;
    limits.cq_depth = (uint32_t)cq_depth;
    limits.in_flight = (uint32_t)(reserve > 0 ? sq_depth - reserve : sq_depth - 1);
    limits.prefetch =
        (uint32_t)prefetch < limits.in_flight ? (uint32_t)prefetch : limits.in_flight - 1;
    limits.list_descriptors = (uint32_t)list_descriptors;
    limits.contexts = contexts != 0;
    limits.events = (uint32_t)events;
    limits.notifies = (uint32_t)notifies;
    limits.count_notifies = (uint32_t)count_notifies;
    limits.counter_mhz = (uint32_t)counter;
    limits.memory_bytes = memory_mib << 20;
    sim_process.limits = limits;
    return sim_device_properties_read(profile);
}

bool sim_path_fits(const char *name, size_t length, size_t room)
{
    if (length >= room)
        sim_fail("%s names a path that is too long", name);
    return length < room;
}

static bool profile_path(char *path, size_t room)
{
    const char *setting = sim_process.services->setting("TWINRT_PROFILE");
    int length;
    size_t bytes = strlen(setting);
    if (!strchr(setting, '/') && bytes > 5 && strcmp(setting + bytes - 5, ".json") == 0) {
        sim_fail("TWINRT_PROFILE is %s: give a profile that comes with the model without .json "
                 "(%.*s), and your own file with its folder (./%s)",
                 setting, (int)(bytes - 5), setting, setting);
        return false;
    }
    if (strchr(setting, '/'))
        length = snprintf(path, room, "%s", setting);
    else
        length = snprintf(path, room, "%s/profiles/%s.json", sim_process.services->plugin_folder,
                          setting[0] != '\0' ? setting : "910b3");
    return sim_path_fits("TWINRT_PROFILE", (size_t)length, room);
}

/* Where the RTL's waveforms go must be a folder that takes them: they are made much later. */
static bool check_rtl_trace(const char *beginning, bool used)
{
    char folder[sizeof(sim_process.rtl_trace)];
    if (!sim_path_fits("TWINRT_RTL_TRACE", strlen(beginning), sizeof(folder)))
        return false;
    memcpy(folder, beginning, strlen(beginning) + 1);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    if (!used || beginning[0] == '\0' || access(slash ? folder : ".", W_OK | X_OK) == 0)
        return true;
    sim_fail("TWINRT_RTL_TRACE: %s cannot be written: %s", beginning, strerror(errno));
    return false;
}

/* Calls and wake-ups cost the time that they really take; a replay of such a run has it from the
 * recording. */
static void begin_wall_time(void)
{
    memset(sim_process.limits.cost_ns, 0, sizeof(sim_process.limits.cost_ns));
    memset(sim_process.limits.wake_ns, 0, sizeof(sim_process.limits.wake_ns));
    if (!sim_drive_conducted())
        sim_process.wall_began_ns = sim_real_now();
}

twin_status sim_settings_read(const twin_services *services)
{
    sim_process.services = services;
    sim_process.nd = services->nd;
    sim_process.touched = services->touched;
    const char *trace = services->setting("TWINRT_TRACE");
    const char *rtl_trace = services->setting("TWINRT_RTL_TRACE");
    enum twinsim_model model;
    uint64_t devices = 1;
    uint64_t seed = 0;
    bool poison_off;
    bool queues_off;
    bool open_memory;
    bool bursts;
    bool wall;
    char path[sizeof(sim_process.profile_path)];
    if (!read_whole("TWINRT_DEVICES", services->setting("TWINRT_DEVICES"), 1, SIM_DEVICES_MOST, "",
                    &devices) ||
        !read_whole("TWINRT_SEED", services->setting("TWINRT_SEED"), 0, UINT64_MAX, "", &seed) ||
        !read_choice("TWINRT_POISON", services->setting("TWINRT_POISON"), "on", "off",
                     &poison_off) ||
        !read_choice("TWINRT_SOFTWARE_QUEUES", services->setting("TWINRT_SOFTWARE_QUEUES"), "on",
                     "off", &queues_off) ||
        !read_choice("TWINRT_DEVMEM", services->setting("TWINRT_DEVMEM"), "guarded", "open",
                     &open_memory) ||
        !read_choice("TWINRT_DMA", services->setting("TWINRT_DMA"), "flow", "burst", &bursts) ||
        !read_choice("TWINRT_CLOCK", services->setting("TWINRT_CLOCK"), "virtual", "wall", &wall) ||
        !read_progress(services->setting("TWINRT_PROGRESS"), &sim_process.progress_ns) ||
        !read_model(services->setting("TWINRT_MODEL"), &model) ||
        !profile_path(path, sizeof(path)) ||
        !sim_observe_settings(services, sim_process.sim != NULL))
        return TWIN_E_INVALID;
    if (wall && !sim_drive_conducted() &&
        strcmp(services->setting("TWINRT_DETERMINISTIC"), "on") == 0) {
        sim_fail("TWINRT_CLOCK is wall and TWINRT_DETERMINISTIC is on: real time differs from run "
                 "to run; unset one of them");
        return TWIN_E_INVALID;
    }
    if (!sim_path_fits("TWINRT_TRACE", strlen(trace), sizeof(sim_process.trace_path)) ||
        !check_rtl_trace(rtl_trace, model != TWINSIM_MODEL_CPP))
        return TWIN_E_INVALID;
    if (rtl_trace[0] != '\0' && model == TWINSIM_MODEL_CPP && !sim_process.sim)
        sim_log(2, "TWINRT_RTL_TRACE has no effect: TWINRT_MODEL is cpp, which has no RTL");
    if (sim_process.sim) {
        if (strcmp(path, sim_process.profile_path) != 0 || devices != sim_process.device_count ||
            seed != sim_process.seed || bursts != sim_process.bursts || wall != sim_process.wall ||
            queues_off == sim_process.software_queues || model != sim_process.model ||
            strcmp(rtl_trace, sim_process.rtl_trace) != 0 ||
            (trace[0] != '\0') != (sim_process.trace_path[0] != '\0')) {
            sim_fail("TWINRT_PROFILE, TWINRT_CLOCK, TWINRT_DEVICES, TWINRT_SEED, TWINRT_DMA, "
                     "TWINRT_MODEL, TWINRT_SOFTWARE_QUEUES, TWINRT_RTL_TRACE and TWINRT_TRACE are "
                     "fixed for the life of a process: the model is built once");
            return TWIN_E_INVALID;
        }
    } else {
        sim_process.software_queues = !queues_off;
        memcpy(sim_process.profile_path, path, sizeof(path));
        char error[1024] = "";
        char folder[sizeof(sim_process.profile_path)];
        (void)snprintf(folder, sizeof(folder), "%s/profiles", services->plugin_folder);
        if (twinsim_profile_read(path, folder, &sim_process.profile, error, sizeof(error)) !=
            TWINSIM_OK) {
            sim_fail("%s", error);
            return TWIN_E_INVALID;
        }
        twin_status status = read_profile(sim_process.profile);
        if (status != TWIN_OK) {
            sim_settings_drop();
            return status;
        }
        if (wall)
            begin_wall_time();
    }
    memcpy(sim_process.trace_path, trace, strlen(trace) + 1);
    sim_process.device_count = (uint32_t)devices;
    sim_process.seed = seed;
    sim_process.wall = wall;
    sim_process.poison = !poison_off;
    sim_process.open_memory = open_memory;
    sim_process.bursts = bursts;
    sim_process.model = model;
    memcpy(sim_process.rtl_trace, rtl_trace, strlen(rtl_trace) + 1);
    return TWIN_OK;
}

void sim_settings_drop(void)
{
    if (sim_process.sim)
        return;
    twinsim_profile_free(sim_process.profile);
    sim_process.profile = NULL;
}
