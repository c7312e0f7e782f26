// SPDX-License-Identifier: Apache-2.0
/// The C interface. No exception and no text of SystemC's leaves here.
#include "twinsim.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <systemc>
#include <type_traits>

#include "capi/rtl_library.h"
#include "core/system.h"
#include "core/profile/params.h"
#include "systemc/system_module.h"

#define TWINSIM_API extern "C" __attribute__((visibility("default")))

// SystemC's library requires the entry of its own main(), which never runs: the host program has
// one.
extern "C" __attribute__((visibility("default"))) int sc_main(int, char **)
{
    return 1;
}

struct twinsim_profile {
    tsim::Profile profile;
};

struct twinsim {
    std::unique_ptr<tsim::RtlPortFactory> rtl_ports;
    tsim::System system;
    std::unique_ptr<tsim::SystemModule> module;
};

namespace
{

bool made = false; // SystemC elaborates once per process

void say(char *error, size_t bytes, const char *text)
{
    if (error && bytes > 0)
        std::snprintf(error, bytes, "%s", text);
}

// Turns whatever the model throws into a status.
template <typename Body>
int guard(char *error, size_t bytes, Body &&body) noexcept
{
    try {
        return body();
    } catch (const tsim::FileError &e) {
        say(error, bytes, e.what());
        return TWINSIM_E_FILE;
    } catch (const tsim::ProfileError &e) {
        say(error, bytes, e.what());
        return TWINSIM_E_PROFILE;
    } catch (const std::bad_alloc &) {
        say(error, bytes, "the host has no memory left");
        return TWINSIM_E_MEMORY;
    } catch (const std::exception &e) {
        say(error, bytes, e.what());
        return TWINSIM_E_INTERNAL;
    } catch (...) {
        say(error, bytes, "unknown exception inside the model");
        return TWINSIM_E_INTERNAL;
    }
}

// The same without a text. A body without a value is good when it ends.
template <typename Body>
int guard(Body &&body) noexcept
{
    return guard(nullptr, 0, [&]() -> int {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return TWINSIM_OK;
        } else {
            return body();
        }
    });
}

// SystemC reports go nowhere, but errors are thrown.
void on_report(const sc_core::sc_report &report, const sc_core::sc_actions &)
{
    if (report.get_severity() >= sc_core::SC_ERROR)
        throw report;
}

// Whether the program itself uses SystemC, whose one kernel per process serves one of us only.
bool kernel_is_taken()
{
    return sc_core::sc_get_curr_simcontext()->elaboration_done() ||
           sc_core::sc_get_status() != sc_core::SC_ELABORATION ||
           !sc_core::sc_get_top_level_objects().empty();
}

// Fails when a time was made before: its unit is fixed then.
bool set_resolution()
{
    try {
        sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
    } catch (const sc_core::sc_report &) {
        return false;
    }
    return sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_NS);
}

bool has_device(const twinsim *sim, uint32_t device)
{
    return sim && device < sim->system.device_count();
}

tsim::TaskScheduler &scheduler(twinsim *sim, uint32_t device)
{
    return sim->system.device(device).scheduler();
}

const tsim::TaskScheduler &scheduler(const twinsim *sim, uint32_t device)
{
    return sim->system.device(device).scheduler();
}

bool has_queue(const twinsim *sim, uint32_t device, uint32_t sq)
{
    return has_device(sim, device) && sq < scheduler(sim, device).queue_count();
}

bool is_open(const twinsim *sim, uint32_t device, uint32_t sq)
{
    return has_queue(sim, device, sq) && scheduler(sim, device).front(sq).is_open();
}

bool depth_is_good(uint32_t depth)
{
    return depth >= 8 && depth <= 65536 && (depth & (depth - 1)) == 0;
}

} // namespace

// ---- profiles ----------------------------------------------------------------------------------

TWINSIM_API int twinsim_profile_read(const char *path, const char *folder, twinsim_profile **out,
                                     char *error, size_t error_bytes)
{
    return guard(error, error_bytes, [&]() -> int {
        if (!path || !out) {
            say(error, error_bytes, "twinsim_profile_read: path and out must not be NULL");
            return TWINSIM_E_ARGUMENT;
        }
        *out = new twinsim_profile{tsim::Profile::from_file(path, folder ? folder : "")};
        return TWINSIM_OK;
    });
}

TWINSIM_API void twinsim_profile_free(twinsim_profile *profile)
{
    delete profile;
}

TWINSIM_API const struct twinsim_parameter *twinsim_profile_find(const twinsim_profile *profile,
                                                                 const char *name)
{
    return profile && name ? profile->profile.find(name) : nullptr;
}

TWINSIM_API size_t twinsim_profile_count(const twinsim_profile *profile)
{
    return profile ? profile->profile.list().size() : 0;
}

TWINSIM_API const struct twinsim_parameter *twinsim_profile_at(const twinsim_profile *profile,
                                                               size_t index)
{
    return index < twinsim_profile_count(profile) ? &profile->profile.list()[index] : nullptr;
}

// ---- the system ---------------------------------------------------------------------------------

TWINSIM_API int twinsim_create(const struct twinsim_config *config, twinsim **out, char *error,
                               size_t error_bytes)
{
    return guard(error, error_bytes, [&]() -> int {
        if (!config || !out || !config->profile || !config->bus.translate || config->devices < 1 ||
            config->devices > tsim::kMaxDevices) {
            say(error, error_bytes, "twinsim_create: needs a profile, a bus and 1 to 64 devices");
            return TWINSIM_E_ARGUMENT;
        }
        if (made) {
            say(error, error_bytes,
                "twinsim_create: this process has a system already; reset its devices instead");
            return TWINSIM_E_STATE;
        }
        // All that is large, without SystemC: when it fails for lack of memory, a later call may
        // succeed.
        auto rtl_ports = tsim::load_rtl_ports(*config, config->profile->profile.params());
        tsim::RtlPortFactory *const factory = rtl_ports.get();
        std::unique_ptr<twinsim> sim(new twinsim{
            std::move(rtl_ports), {config->profile->profile.params(), *config, factory}, {}});
        if (kernel_is_taken() || !set_resolution()) {
            say(error, error_bytes,
                "the program runs SystemC itself, and there is one SystemC kernel per process; run "
                "one of both in a separate process");
            return TWINSIM_E_STATE;
        }
        made = true;
        sc_core::sc_report_handler::set_handler(on_report);
        sim->module =
            std::make_unique<tsim::SystemModule>("system", sim->system, config->quantum_ns);
        sc_core::sc_start(sc_core::SC_ZERO_TIME); // elaborates
        *out = sim.release();
        return TWINSIM_OK;
    });
}

TWINSIM_API uint64_t twinsim_now(const twinsim *sim)
{
    return sim ? sim->system.now_ns() : 0;
}

TWINSIM_API int twinsim_reset(twinsim *sim, uint32_t device)
{
    if (!has_device(sim, device))
        return TWINSIM_E_ARGUMENT;
    return guard([&] { sim->system.device(device).reset(); });
}

// ---- queues ------------------------------------------------------------------------------------

TWINSIM_API int twinsim_queue_open(twinsim *sim, uint32_t device, uint32_t sq,
                                   const struct twinsim_queue *queue)
{
    if (!has_queue(sim, device, sq) || !queue || !depth_is_good(queue->depth) ||
        !depth_is_good(queue->cq_depth) || queue->priority >= tsim::kPriorities ||
        queue->group > 63)
        return TWINSIM_E_ARGUMENT;
    if (is_open(sim, device, sq))
        return TWINSIM_E_STATE;
    return guard([&]() -> int {
        const twinsim_bus &bus = sim->system.bus();
        twinsim_target target = TWINSIM_TARGET_NONE;
        uint32_t owner = 0;
        const void *ring = bus.translate(bus.context, device, queue->ring_address,
                                         uint64_t{queue->depth} * sizeof(stars_sqe), TWINSIM_READ,
                                         &target, &owner);
        void *cq = bus.translate(bus.context, device, queue->cq_address,
                                 uint64_t{queue->cq_depth} * sizeof(stars_cqe), TWINSIM_WRITE,
                                 &target, &owner);
        if (!ring || !cq)
            return TWINSIM_E_ARGUMENT;
        scheduler(sim, device).open(sq, *queue, ring, cq);
        return TWINSIM_OK;
    });
}

TWINSIM_API int twinsim_queue_close(twinsim *sim, uint32_t device, uint32_t sq)
{
    if (!has_queue(sim, device, sq))
        return TWINSIM_E_ARGUMENT;
    if (!is_open(sim, device, sq))
        return TWINSIM_E_STATE;
    return guard([&] { scheduler(sim, device).close(sq); });
}

TWINSIM_API void twinsim_doorbell(twinsim *sim, uint32_t device, uint32_t sq, uint32_t tail,
                                  uint64_t at_ns)
{
    if (has_queue(sim, device, sq))
        sim->system.device(device).doorbell(sq, tail, at_ns);
}

TWINSIM_API void twinsim_look_apart(twinsim *sim)
{
    sim->system.take_in_apart();
}

TWINSIM_API void twinsim_look(twinsim *sim,
                              void (*seen)(void *context, const struct twinsim_seen *what),
                              void *context)
{
    guard([&] { sim->system.take_in(seen, context); });
}

TWINSIM_API int twinsim_look_again(twinsim *sim, const struct twinsim_seen *seen)
{
    if (!seen || !has_queue(sim, seen->device, seen->sq))
        return TWINSIM_E_ARGUMENT;
    return guard([&]() -> int {
        return sim->system.device(seen->device).take_in(seen->sq, seen->newest) ? TWINSIM_OK
                                                                                : TWINSIM_E_STATE;
    });
}

TWINSIM_API uint64_t twinsim_events_now(const twinsim *sim)
{
    return sim->system.events_now();
}

TWINSIM_API uint64_t twinsim_step(const twinsim *sim, uint64_t *out_number)
{
    return sim->system.step(*out_number);
}

TWINSIM_API void twinsim_queue_expect(const twinsim *sim, uint32_t device, uint32_t sq)
{
    if (has_queue(sim, device, sq))
        scheduler(sim, device).front(sq).expect_doorbell();
}

TWINSIM_API uint64_t twinsim_queue_retired(const twinsim *sim, uint32_t device, uint32_t sq)
{
    return has_queue(sim, device, sq) ? scheduler(sim, device).front(sq).retired() : 0;
}

TWINSIM_API uint64_t twinsim_queue_retired_at(const twinsim *sim, uint32_t device, uint32_t sq,
                                              uint64_t retired)
{
    if (!is_open(sim, device, sq))
        return TWINSIM_NEVER;
    const tsim::TaskQueue &front = scheduler(sim, device).front(sq);
    if (retired == 0 || retired > front.retired() || front.retired() - retired >= front.depth())
        return TWINSIM_NEVER;
    return sim->system.params().to_ns(front.retired_at(retired));
}

TWINSIM_API bool twinsim_queue_watch(twinsim *sim, uint32_t device, uint32_t sq, uint64_t retired)
{
    return is_open(sim, device, sq) && scheduler(sim, device).watch(sq, retired);
}

TWINSIM_API void twinsim_queue_cq_head(twinsim *sim, uint32_t device, uint32_t sq, uint32_t head)
{
    if (!is_open(sim, device, sq))
        return;
    guard([&]() -> int {
        return scheduler(sim, device).set_cq_head(sq, head) ? TWINSIM_OK : TWINSIM_E_ARGUMENT;
    });
}

TWINSIM_API void
twinsim_report_tasks(twinsim *sim, void (*take)(void *context, const struct twinsim_task_end *task),
                     void *context)
{
    sim->system.report_tasks(take, context);
}

TWINSIM_API bool twinsim_interrupt(twinsim *sim, uint32_t *out_device, uint32_t *out_sq)
{
    for (uint32_t d = 0; sim && d < sim->system.device_count(); ++d) {
        const uint32_t sq = scheduler(sim, d).take_interrupt();
        if (sq == tsim::kNone)
            continue;
        *out_device = d;
        *out_sq = sq;
        return true;
    }
    return false;
}

TWINSIM_API int twinsim_queue_inspect(const twinsim *sim, uint32_t device, uint32_t sq,
                                      struct twinsim_queue_info *out)
{
    if (!has_queue(sim, device, sq) || !out)
        return TWINSIM_E_ARGUMENT;
    scheduler(sim, device).inspect(sq, *out);
    return TWINSIM_OK;
}

// ---- registers, DMA, time, trace ---------------------------------------------------------------

TWINSIM_API int twinsim_read(twinsim *sim, uint32_t device, uint64_t offset, uint32_t *out_value)
{
    if (!out_value)
        return TWINSIM_E_ARGUMENT;
    *out_value = 0;
    return has_device(sim, device) ? sim->system.device(device).read(offset, *out_value)
                                   : TWINSIM_E_ARGUMENT;
}

TWINSIM_API int twinsim_write(twinsim *sim, uint32_t device, uint64_t offset, uint32_t value)
{
    if (!has_device(sim, device))
        return TWINSIM_E_ARGUMENT;
    return guard([&] { return sim->system.device(device).write(offset, value); });
}

TWINSIM_API int twinsim_event_forward(twinsim *sim, uint32_t device, uint32_t event, uint32_t peer,
                                      uint32_t entry)
{
    if (!has_device(sim, device))
        return TWINSIM_E_ARGUMENT;
    return guard([&]() -> int { return scheduler(sim, device).forward(event, peer, entry); });
}

TWINSIM_API bool twinsim_message_take(twinsim *sim, uint32_t *out_device,
                                      struct twinsim_message *out)
{
    for (uint32_t d = 0; sim && d < sim->system.device_count(); ++d) {
        if (!scheduler(sim, d).take_message(*out))
            continue;
        *out_device = d;
        return true;
    }
    return false;
}

TWINSIM_API int twinsim_message_answer(twinsim *sim, uint32_t device, uint32_t sq, uint64_t number,
                                       uint64_t at_ns)
{
    if (!is_open(sim, device, sq))
        return TWINSIM_E_ARGUMENT;
    return guard(
        [&] { scheduler(sim, device).answer(sq, number, sim->system.params().to_cycles(at_ns)); });
}

TWINSIM_API bool twinsim_kernel_next(const twinsim *sim, struct twinsim_kernel_wanted *out)
{
    return sim && out && sim->system.wanted(*out);
}

TWINSIM_API int twinsim_kernel_give(twinsim *sim, uint32_t device, uint32_t sq, uint64_t number,
                                    const struct twinsim_kernel *kernel)
{
    if (!is_open(sim, device, sq) || !kernel)
        return TWINSIM_E_ARGUMENT;
    return guard([&]() -> int {
        return scheduler(sim, device).give_kernel(sq, number, *kernel) ? TWINSIM_OK
                                                                       : TWINSIM_E_STATE;
    });
}

TWINSIM_API int twinsim_transfer_post(twinsim *sim, uint32_t device,
                                      struct twinsim_transfer *transfer)
{
    if (!has_device(sim, device) || !transfer || transfer->bytes == 0)
        return TWINSIM_E_ARGUMENT;
    return guard([&] { sim->system.device(device).host_dma().post(transfer); });
}

TWINSIM_API enum twinsim_stop twinsim_run(twinsim *sim, uint64_t until_ns, uint32_t max_events)
{
    twinsim_stop stop = TWINSIM_STOP_IDLE;
    guard([&] { stop = sim->module->run(until_ns, max_events); });
    return stop;
}

TWINSIM_API enum twinsim_stop twinsim_run_held(twinsim *sim, uint64_t until_ns, uint32_t max_events)
{
    twinsim_stop stop = TWINSIM_STOP_IDLE;
    guard([&] { stop = sim->module->run(until_ns, max_events, true); });
    return stop;
}

TWINSIM_API uint64_t twinsim_next(const twinsim *sim)
{
    const tsim::Cycle next = sim->system.next_time();
    return next == tsim::kNever ? TWINSIM_NEVER : sim->system.params().to_ns(next);
}

// ---- injected faults ----------------------------------------------------------------------------

TWINSIM_API int twinsim_fault_check(const struct twinsim_fault *fault, char *error,
                                    size_t error_bytes)
{
    const char *wrong = fault ? tsim::FaultPlan::check(*fault) : "nothing may be NULL";
    if (wrong)
        say(error, error_bytes, wrong);
    return wrong ? TWINSIM_E_ARGUMENT : TWINSIM_OK;
}

TWINSIM_API int twinsim_fault_inject(twinsim *sim, const struct twinsim_fault *fault,
                                     uint32_t *out_number, char *error, size_t error_bytes)
{
    return guard(error, error_bytes, [&]() -> int {
        if (!sim || !fault || !out_number) {
            say(error, error_bytes, "twinsim_fault_inject: nothing may be NULL");
            return TWINSIM_E_ARGUMENT;
        }
        const char *wrong = tsim::FaultPlan::check(*fault);
        if (wrong) {
            say(error, error_bytes, wrong);
            return TWINSIM_E_ARGUMENT;
        }
        *out_number = sim->system.faults().inject(*fault);
        return TWINSIM_OK;
    });
}

TWINSIM_API int twinsim_fault_remove(twinsim *sim, uint32_t number)
{
    return sim && sim->system.faults().remove(number) ? TWINSIM_OK : TWINSIM_E_ARGUMENT;
}

TWINSIM_API int twinsim_fault_triggered(const twinsim *sim, uint32_t number, uint64_t *out_times)
{
    return sim && out_times && sim->system.faults().triggered(number, *out_times)
               ? TWINSIM_OK
               : TWINSIM_E_ARGUMENT;
}

TWINSIM_API bool twinsim_record_lost(const twinsim *sim, uint32_t device, uint32_t sq,
                                     uint64_t number)
{
    return has_queue(sim, device, sq) && scheduler(sim, device).lost_record(sq, number);
}

TWINSIM_API size_t twinsim_memory_errors(const twinsim *sim, uint32_t device,
                                         struct twinsim_memory_error *out, size_t room)
{
    return sim ? sim->system.faults().errors(device, out, out ? room : 0) : 0;
}

TWINSIM_API bool twinsim_memory_watched(const twinsim *sim)
{
    return sim && sim->system.faults().watches_memory();
}

TWINSIM_API uint16_t twinsim_memory_touch(twinsim *sim, uint32_t device, uint64_t address,
                                          uint64_t bytes, twinsim_access access)
{
    return sim ? sim->system.faults().touch(device, address, bytes, access) : uint16_t{0};
}

TWINSIM_API int twinsim_memory_repair(twinsim *sim, uint32_t device, uint64_t address,
                                      uint64_t bytes)
{
    return sim && sim->system.faults().repair(device, address, bytes) ? TWINSIM_OK
                                                                      : TWINSIM_E_ARGUMENT;
}

TWINSIM_API size_t twinsim_trace_count(const twinsim *sim)
{
    if (!sim)
        return 0;
    size_t count = SIZE_MAX;
    guard([&] { count = sim->system.trace().count(); });
    return count;
}

TWINSIM_API const struct twinsim_trace_entry *twinsim_trace(const twinsim *sim, size_t *out_count)
{
    const struct twinsim_trace_entry *entries = nullptr;
    if (out_count)
        *out_count = twinsim_trace_count(sim);
    if (sim)
        guard([&] { entries = sim->system.trace().entries(); });
    return entries;
}

// ---- links -------------------------------------------------------------------------------------

TWINSIM_API size_t twinsim_link_count(const twinsim *sim)
{
    return sim ? sim->system.links().link_count() : 0;
}

TWINSIM_API int twinsim_link_at(const twinsim *sim, size_t index, struct twinsim_link *out)
{
    if (!out || index >= twinsim_link_count(sim))
        return TWINSIM_E_ARGUMENT;
    sim->system.links().describe_link(static_cast<uint32_t>(index), *out);
    return TWINSIM_OK;
}

TWINSIM_API int twinsim_route_at(const twinsim *sim, uint32_t route, struct twinsim_route *out)
{
    if (!sim || !out || route >= sim->system.links().route_count())
        return TWINSIM_E_ARGUMENT;
    sim->system.links().describe_route(route, *out);
    return TWINSIM_OK;
}

TWINSIM_API uint64_t twinsim_route_alone_ns(const twinsim *sim, uint32_t route, uint64_t bytes)
{
    if (!sim || route >= sim->system.links().route_count())
        return 0;
    return sim->system.params().to_ns(sim->system.links().alone(route, bytes));
}

// ---- counters ----------------------------------------------------------------------------------

namespace
{

// Counters up to now, for `body`; the same status for all questions that cannot be answered.
template <typename Body>
int ask_stats(twinsim *sim, uint32_t device, const void *out, Body &&body) noexcept
{
    return guard([&]() -> int {
        if (!has_device(sim, device) || !out)
            return TWINSIM_E_ARGUMENT;
        const tsim::Stats *stats = sim->system.stats();
        if (!stats)
            return TWINSIM_E_STATE;
        return body(*stats) ? TWINSIM_OK : TWINSIM_E_ARGUMENT;
    });
}

} // namespace

TWINSIM_API int twinsim_stats_device(twinsim *sim, uint32_t device,
                                     struct twinsim_device_counts *out)
{
    return ask_stats(sim, device, out, [&](const tsim::Stats &stats) {
        stats.device(device, *out);
        return true;
    });
}

TWINSIM_API int twinsim_stats_wait(twinsim *sim, uint32_t device, enum twinsim_cause cause,
                                   struct twinsim_wait_counts *out)
{
    return ask_stats(sim, device, out, [&](const tsim::Stats &stats) {
        if (static_cast<unsigned>(cause) >= TWINSIM_CAUSE_COUNT)
            return false;
        stats.wait(device, cause, *out);
        return true;
    });
}

TWINSIM_API int twinsim_stats_use(twinsim *sim, uint32_t device, enum twinsim_resource resource,
                                  uint32_t index, struct twinsim_use_counts *out)
{
    return ask_stats(sim, device, out, [&](const tsim::Stats &stats) {
        return static_cast<unsigned>(resource) < TWINSIM_RESOURCE_COUNT &&
               stats.use(device, resource, index, *out);
    });
}

TWINSIM_API int twinsim_stats_queue(twinsim *sim, size_t index, struct twinsim_queue_counts *out)
{
    return ask_stats(sim, 0, out, [&](const tsim::Stats &stats) {
        if (index >= stats.queue_count())
            return false;
        *out = stats.queue(index);
        return true;
    });
}
