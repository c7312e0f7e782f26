// SPDX-License-Identifier: Apache-2.0
/// A system without SystemC, its memory, and a small driver: what block tests need to speak in
/// SQEs.
#ifndef TWINRT_TESTS_SIM_RIG_H
#define TWINRT_TESTS_SIM_RIG_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/system.h"
#include "sqe.h"
#include "support/cunit_main.h"

/// Compares two whole numbers and prints both when they differ.
#define EXPECT_EQ(actual, expected)                                                                \
    expect_equal(static_cast<uint64_t>(actual), static_cast<uint64_t>(expected), #actual,          \
                 __FILE__, __LINE__)
bool expect_equal(uint64_t actual, uint64_t expected, const char *what, const char *file, int line);

/// The shipped profile, read once.
const tsim::Profile &shipped_profile();

/// RTL ports as TWINRT_MODEL requires them; null for the plain model.
std::unique_ptr<tsim::RtlPortFactory> rtl_ports_of_environment();

class Rig
{
  public:
    static constexpr uint64_t kHost = 0x10000000;
    static constexpr uint64_t kHbm =
        0x1000000000; // of device 0; the next ones follow at this distance
    static constexpr uint64_t kPieces = 0x800000000; // where map_pieces() maps
    static constexpr uint64_t kPiece = 1 << 20;
    static constexpr uint64_t kMemory = 256 << 20; // bytes of each

    /// The source of kernel descriptions; see kernels.h for one.
    class KernelDriver
    {
      public:
        virtual ~KernelDriver() = default;
        virtual twinsim_kernel_answer describe(const twinsim_kernel_task &task,
                                               twinsim_kernel &out) = 0;
        virtual twinsim_kernel_fault effect(uint32_t device, uint32_t sq, uint64_t number,
                                            uint32_t of) = 0;
        virtual void end(uint32_t device, uint32_t sq, uint64_t number, uint32_t of) = 0;
    };

    struct Options {
        uint32_t devices = 1;
        uint64_t seed = 0;
        bool trace = true;
        bool bursts = false;
        bool stats = false;
        tsim::RtlPortFactory *rtl_ports = nullptr;
        KernelDriver *kernels = nullptr;
    };

    using Tweak = std::function<void(tsim::Params &)>;

    Rig() : Rig(Options{}, nullptr) {}
    explicit Rig(const Tweak &tweak) : Rig(Options{}, tweak) {}
    Rig(const Options &options, const Tweak &tweak);

    tsim::System &system() { return *system_; }
    const tsim::System &system() const { return *system_; }
    tsim::Device &device(uint32_t index = 0) { return system_->device(index); }
    const tsim::Params &params() const { return params_; }

    // Queues of device 0.
    void open(uint32_t sq, uint8_t priority = 0, uint32_t depth = 64, uint32_t cq_depth = 64);
    void open_disabled(uint32_t sq);
    /// Writes the SQE into the ring without a doorbell; task ids count from 1 per queue.
    void write(uint32_t sq, stars_sqe sqe);
    /// Rings for everything written so far.
    void ring(uint32_t sq, uint64_t at_ns);
    /// The entries of the ring.
    stars_sqe *entries(uint32_t sq) { return driver_.at(sq).ring.data(); }
    /// Both.
    void put(uint32_t sq, const stars_sqe &sqe, uint64_t at_ns);
    uint64_t sent(uint32_t sq) { return driver_.at(sq).sent; }
    uint64_t retired(uint32_t sq) { return device().scheduler().front(sq).retired(); }
    uint64_t retired_at(uint32_t sq, uint64_t number)
    {
        return device().scheduler().front(sq).retired_at(number);
    }
    const stars_cqe &cqe(uint32_t sq, uint32_t index) { return driver_.at(sq).cq.at(index); }
    twinsim_queue_state state(uint32_t sq);

    /// Runs until nothing is left to happen; CQ stops are passed over.
    void run();
    twinsim_stop run_until(uint64_t until_ns);
    twinsim_stop run_held(uint64_t until_ns);
    uint64_t now() const { return system_->now_ns(); }

    // Memory: offsets into one side.
    uint8_t *host(uint64_t offset = 0) { return host_.get() + offset; }
    uint8_t *hbm(uint64_t offset = 0, uint32_t device = 0) { return hbm_[device].get() + offset; }
    /// From now on nothing answers at this bus address's page of 1 MiB.
    void unmap(uint64_t address) { holes_.insert(address >> 20); }
    /// A second view of the HBM: piece i of 1 MiB is piece `order[i]` there. Empty: there is none.
    void map_pieces(std::vector<uint32_t> order) { pieces_ = std::move(order); }
    /// The host memory may go away from here on: pages from `missing` on are not there.
    void lose_pages(uint64_t missing) { missing_ = missing; }

    // Trace of one phase, of one queue, oldest first.
    std::vector<twinsim_trace_entry> phases(twinsim_phase phase, uint32_t sq);
    std::vector<twinsim_trace_entry> phases(twinsim_phase phase);

  private:
    void open_as(uint32_t sq, const twinsim_queue &how);
    struct Driver {
        std::vector<stars_sqe> ring;
        std::vector<stars_cqe> cq;
        uint64_t sent = 0;
    };
    struct Unmap {
        void operator()(uint8_t *memory) const;
    };
    using Memory = std::unique_ptr<uint8_t, Unmap>;

    static Memory make_memory();
    static void *translate(void *context, uint32_t device, uint64_t address, uint64_t bytes,
                           twinsim_access access, twinsim_target *target, uint32_t *owner);

    tsim::Params params_;
    KernelDriver *kernels_ = nullptr;
    Memory host_;
    std::vector<Memory> hbm_;
    std::set<uint64_t> holes_;
    std::vector<uint32_t> pieces_;
    uint64_t missing_ = UINT64_MAX; // address of the host; UINT64_MAX: pages stay
    std::map<uint32_t, Driver> driver_;
    std::unique_ptr<tsim::RtlPortFactory> rtl_ports_; // TWINRT_MODEL, where the options name none
    std::unique_ptr<tsim::System> system_;
};

#endif
