// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <new>
#include <string>

#include "profile_path.h"
#include "rtl/factory.h"

bool expect_equal(uint64_t actual, uint64_t expected, const char *what, const char *file, int line)
{
    char text[256];
    std::snprintf(text, sizeof(text), "%s is %llu, expected %llu", what,
                  static_cast<unsigned long long>(actual),
                  static_cast<unsigned long long>(expected));
    return CU_assertImplementation(actual == expected, static_cast<unsigned>(line), text, file, "",
                                   CU_FALSE);
}

const tsim::Profile &shipped_profile()
{
    static const tsim::Profile profile = tsim::Profile::from_file(shipped_profile_path());
    return profile;
}

std::unique_ptr<tsim::RtlPortFactory> rtl_ports_of_environment()
{
    const char *const model = std::getenv("TWINRT_MODEL");
    const char *const trace = std::getenv("TWINRT_RTL_TRACE");
    const std::string name = model ? model : "cpp";
    return tsim::rtl::make_factory(name == "rtl"        ? TWINSIM_MODEL_RTL
                                   : name == "lockstep" ? TWINSIM_MODEL_LOCKSTEP
                                                        : TWINSIM_MODEL_CPP,
                                   trace ? trace : "");
}

void Rig::Unmap::operator()(uint8_t *memory) const
{
    munmap(memory, kMemory);
}

Rig::Memory Rig::make_memory()
{
    void *at = mmap(nullptr, kMemory, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        throw std::bad_alloc();
    return Memory(static_cast<uint8_t *>(at));
}

Rig::Rig(const Options &options, const Tweak &tweak)
    : params_(shipped_profile().params()), host_(make_memory())
{
    if (tweak)
        tweak(params_);
    for (uint32_t d = 0; d < options.devices; ++d)
        hbm_.push_back(make_memory());
    twinsim_config config{};
    config.devices = options.devices;
    config.seed = options.seed;
    config.trace = options.trace;
    config.bursts = options.bursts;
    config.stats = options.stats;
    config.bus.context = this;
    config.bus.translate = translate;
    config.bus.piece = [](void *context, uint32_t, uint64_t address, uint64_t *place) {
        const Rig &rig = *static_cast<const Rig *>(context);
        *place = address;
        if (address - kPieces >= rig.pieces_.size() * kPiece)
            return UINT64_MAX - address;
        const uint64_t offset = (address - kPieces) % kPiece;
        *place = kHbm + rig.pieces_[(address - kPieces) / kPiece] * kPiece + offset;
        return kPiece - offset;
    };
    config.bus.host_move = [](void *context, void *to, const void *from, uint64_t bytes) {
        Rig &rig = *static_cast<Rig *>(context);
        const unsigned char *const end = rig.host(0) + (rig.missing_ - kHost);
        const auto is_lost = [&](const void *at) {
            const auto *const byte = static_cast<const unsigned char *>(at);
            return byte >= rig.host(0) && byte < rig.host(0) + kMemory && byte + bytes > end;
        };
        if (is_lost(to) || is_lost(from))
            return false;
        std::memmove(to, from, bytes);
        return true;
    };
    kernels_ = options.kernels;
    if (kernels_) {
        config.bus.kernel = [](void *context, const twinsim_kernel_task *task,
                               twinsim_kernel *out) {
            return static_cast<Rig *>(context)->kernels_->describe(*task, *out);
        };
        config.bus.kernel_effect = [](void *context, uint32_t device, uint32_t sq, uint64_t number,
                                      uint32_t of) {
            return static_cast<Rig *>(context)->kernels_->effect(device, sq, number, of);
        };
        config.bus.kernel_end = [](void *context, uint32_t device, uint32_t sq, uint64_t number,
                                   uint32_t of) {
            static_cast<Rig *>(context)->kernels_->end(device, sq, number, of);
        };
    }
    tsim::RtlPortFactory *rtl_ports = options.rtl_ports;
    if (!rtl_ports) {
        rtl_ports_ = rtl_ports_of_environment();
        rtl_ports = rtl_ports_.get();
    }
    system_ = std::make_unique<tsim::System>(params_, config, rtl_ports);
}

void *Rig::translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                     twinsim_access, twinsim_target *target, uint32_t *owner)
{
    Rig &rig = *static_cast<Rig *>(context);
    const auto hole = rig.holes_.lower_bound(address >> 20);
    if (hole != rig.holes_.end() && *hole <= (address + bytes - 1) >> 20)
        return nullptr;
    *owner = device;
    if (address - kPieces < rig.pieces_.size() * kPiece) {
        const uint64_t offset = (address - kPieces) % kPiece;
        *target = TWINSIM_TARGET_HBM;
        return bytes > kPiece - offset
                   ? nullptr
                   : rig.hbm(rig.pieces_[(address - kPieces) / kPiece] * kPiece + offset);
    }
    if (address >= kHost && address - kHost + bytes <= kMemory) {
        *target = rig.missing_ == UINT64_MAX ? TWINSIM_TARGET_HOST : TWINSIM_TARGET_HOST_PAGES;
        return rig.host(address - kHost);
    }
    for (uint32_t d = 0; d < rig.hbm_.size(); ++d) {
        const uint64_t base = kHbm * (d + 1);
        if (address >= base && address - base + bytes <= kMemory) {
            *target = TWINSIM_TARGET_HBM;
            *owner = d;
            return rig.hbm(address - base, d);
        }
    }
    return nullptr;
}

void Rig::open(uint32_t sq, uint8_t priority, uint32_t depth, uint32_t cq_depth)
{
    twinsim_queue config{};
    config.depth = depth;
    config.cq_depth = cq_depth;
    config.priority = priority;
    open_as(sq, config);
}

void Rig::open_disabled(uint32_t sq)
{
    twinsim_queue config{};
    config.depth = config.cq_depth = 64;
    config.disabled = true;
    open_as(sq, config);
}

void Rig::open_as(uint32_t sq, const twinsim_queue &how)
{
    Driver &driver = driver_[sq];
    driver.ring.assign(how.depth, {});
    driver.cq.assign(how.cq_depth, {});
    driver.sent = 0;
    twinsim_queue config = how;
    config.stream_id = static_cast<uint16_t>(sq);
    device().scheduler().open(sq, config, driver.ring.data(), driver.cq.data());
}

void Rig::write(uint32_t sq, stars_sqe sqe)
{
    Driver &driver = driver_.at(sq);
    sqe.word[1] = sq | static_cast<uint32_t>(driver.sent + 1) << STARS_W1_TASK_SHIFT;
    driver.ring[driver.sent++ % driver.ring.size()] = sqe;
}

void Rig::ring(uint32_t sq, uint64_t at_ns)
{
    const Driver &driver = driver_.at(sq);
    device().doorbell(sq, static_cast<uint32_t>(driver.sent % driver.ring.size()), at_ns);
}

void Rig::put(uint32_t sq, const stars_sqe &sqe, uint64_t at_ns)
{
    write(sq, sqe);
    ring(sq, at_ns);
}

twinsim_queue_state Rig::state(uint32_t sq)
{
    twinsim_queue_info info{};
    device().scheduler().inspect(sq, info);
    return info.state;
}

void Rig::run()
{
    while (system_->run(TWINSIM_NEVER, UINT32_MAX) != TWINSIM_STOP_IDLE) {
    }
}

twinsim_stop Rig::run_until(uint64_t until_ns)
{
    return system_->run(until_ns, UINT32_MAX);
}

twinsim_stop Rig::run_held(uint64_t until_ns)
{
    return system_->run(until_ns, UINT32_MAX, true);
}

std::vector<twinsim_trace_entry> Rig::phases(twinsim_phase phase)
{
    std::vector<twinsim_trace_entry> found;
    const tsim::Trace &trace = system_->trace();
    const size_t count = trace.count();
    const twinsim_trace_entry *entries = trace.entries();
    for (size_t i = 0; i < count; ++i) {
        if (entries[i].phase == phase)
            found.push_back(entries[i]);
    }
    return found;
}

std::vector<twinsim_trace_entry> Rig::phases(twinsim_phase phase, uint32_t sq)
{
    std::vector<twinsim_trace_entry> found;
    for (const twinsim_trace_entry &entry : phases(phase)) {
        if (entry.sq == sq)
            found.push_back(entry);
    }
    return found;
}
