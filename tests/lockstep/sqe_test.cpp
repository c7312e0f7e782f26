// SPDX-License-Identifier: Apache-2.0
/// The RTL of SQEs in a whole scheduler: random SQEs, legal and not, with software that holds,
/// kills and closes queues, and with injected faults. In lock step nothing may differ; the RTL
/// alone must have the results of the plain model.
#include <cinttypes>
#include <cstring>
#include <string>
#include <vector>

#include "rig.h"
#include "rtl/factory.h"

namespace
{

using tsim::Cycle;

constexpr uint32_t kQueues = 6, kDepth = 16;

/// One system and its stimuli. Draws do not depend on the model: one seed gives the same stimuli.
class Run
{
  public:
    Run(twinsim_model model, uint64_t seed)
        : random_(seed),
          factory_(tsim::rtl::make_factory(model, "",
                                           [this](const tsim::rtl::Difference &d) {
                                               ++differences;
                                               std::fputs(tsim::rtl::to_text(d).c_str(), stdout);
                                           })),
          rig_(options(seed), tweak())
    {
        rig_.system().report_tasks(
            [](void *context, const twinsim_task_end *end) {
                char line[128];
                std::snprintf(line, sizeof(line), "%" PRIu64 ": queue %u, SQE %" PRIu64 ", %u %04x",
                              end->end_ns, unsigned{end->sq}, end->number, unsigned{end->error},
                              unsigned{end->status});
                static_cast<Run *>(context)->log.emplace_back(line);
            },
            this);
        if (seed % 3 == 0)
            inject();
        for (uint32_t sq = 0; sq < kQueues; ++sq)
            open(sq);
    }
    void steps(uint32_t count)
    {
        for (uint32_t i = 0; i < count && differences == 0; ++i)
            step(draw(kQueues));
        log.push_back("time " + std::to_string(rig_.now()));
        for (uint32_t sq = 0; sq < kQueues; ++sq)
            for (uint32_t i = 0; i < kCqDepth; ++i) {
                uint64_t words[2];
                std::memcpy(words, &rig_.cqe(sq, i), sizeof(words));
                log.push_back(std::to_string(words[0]) + " " + std::to_string(words[1]));
            }
    }

    uint32_t differences = 0;
    std::vector<std::string> log; ///< all that became of SQEs

  private:
    static constexpr uint32_t kCqDepth = 8;
    static constexpr uint32_t kEvents = 40, kNotifies = 514, kCounts = 20;

    uint32_t draw(uint64_t below) { return static_cast<uint32_t>(tsim::mix(random_) % below); }
    bool one_in(uint32_t n) { return draw(n) == 0; }

    Rig::Options options(uint64_t seed)
    {
        Rig::Options options;
        options.seed = seed % 4 == 1 ? seed : 0; // times vary, and effects come early
        options.rtl_ports = factory_.get();
        options.trace = seed % 2 == 0;
        return options;
    }
    Rig::Tweak tweak()
    {
        const uint32_t slots = 1 + draw(4), clock = draw(3) == 0 ? 4 : 1;
        const bool cached = draw(2) == 0;
        return [=](tsim::Params &p) {
            p.slots.value = slots;
            p.cycle_ns = clock;
            p.events.value = kEvents;
            p.notifies.value = kNotifies;
            p.count_notifies.value = kCounts;
            p.event_cached.value = cached ? 8 : 128;
            p.event_isolation.value = 0;
        };
    }
    void open(uint32_t sq) { rig_.open(sq, static_cast<uint8_t>(draw(8)), kDepth, kCqDepth); }
    void inject()
    {
        constexpr std::array<twinsim_fault_kind, 8> kKinds = {
            TWINSIM_FAULT_BAD_SQE,         TWINSIM_FAULT_ENGINE_ERROR, TWINSIM_FAULT_ENGINE_SLOW,
            TWINSIM_FAULT_COMPLETION_LOST, TWINSIM_FAULT_CQE_LOST,     TWINSIM_FAULT_CQ_FULL,
            TWINSIM_FAULT_RECORD_LOST,     TWINSIM_FAULT_DOORBELL_LOST};
        for (uint32_t i = 0; i < 4; ++i) {
            twinsim_fault fault{};
            fault.kind = kKinds[draw(kKinds.size())];
            fault.device = fault.stream = fault.task = fault.id = TWINSIM_ANY;
            fault.first = 1 + draw(20);
            fault.times = 1 + draw(5);
            if (fault.kind == TWINSIM_FAULT_ENGINE_SLOW)
                fault.factor_permille = 2000;
            if (fault.kind == TWINSIM_FAULT_COMPLETION_LOST || fault.kind == TWINSIM_FAULT_CQ_FULL)
                fault.duration_ns = 5000;
            CU_ASSERT_PTR_NULL(tsim::FaultPlan::check(fault));
            (void)rig_.system().faults().inject(fault);
        }
    }

    // An id that is mostly one of the table's.
    uint32_t id(uint32_t ids) { return one_in(12) ? ids + draw(2) : draw(one_in(2) ? 3 : ids); }
    uint32_t timeout() { return one_in(4) ? 1 : 0; }
    uint64_t address()
    {
        return one_in(15) ? draw(UINT32_MAX) : (one_in(2) ? Rig::kHost : Rig::kHbm) + draw(4096);
    }
    stars_sqe write_value()
    {
        stars_sqe sqe = sqe_write_value(address(), draw(one_in(8) ? 8 : 6), tsim::mix(random_));
        if (one_in(2)) {
            sqe.word[4] = (one_in(3)   ? 4 * draw(64)
                           : one_in(2) ? STARS_EVENT_ENTRY(draw(kEvents + 2))
                                       : STARS_NOTIFY_ENTRY(kNotifies - 4 + draw(6))) +
                          (one_in(10) ? 2 : 0);
            sqe.word[5] = draw(one_in(8) ? 8 : 6) << STARS_W5_SIZE_SHIFT |
                          (one_in(6) ? 0x1000u : 0u) | (one_in(8) ? STARS_W5_VIRTUAL : 0u);
        }
        if (one_in(4))
            sqe.word[7] = draw(6);
        return sqe;
    }
    stars_sqe random_sqe()
    {
        const uint32_t bytes = one_in(20) ? 0 : 1 + draw(8000);
        switch (draw(16)) {
        case 0:
            return sqe_placeholder();
        case 1:
        case 2:
            return sqe_event_record(id(kEvents));
        case 3:
            return sqe_event_wait(id(kEvents), timeout());
        case 4:
            return sqe_notify_record(id(kNotifies));
        case 5:
            return sqe_notify_wait(id(kNotifies), timeout());
        case 6:
            return sqe_count_record(id(kCounts), draw(one_in(6) ? 6 : 4), draw(4));
        case 7:
            return sqe_count_wait(id(kCounts), draw(one_in(6) ? 7 : 5), draw(3), one_in(2),
                                  timeout());
        case 8:
        case 9:
            return write_value();
        case 10:
        case 11:
            return sqe_sdma(address(), address(), bytes);
        case 12:
            return sqe_sdma_fill(address(), static_cast<uint8_t>(draw(256)), bytes);
        case 13:
            return sqe_pcie_dma(address(), address(), bytes);
        case 14:
            return sqe_callback(1, 2, 3, one_in(2));
        default:
            return sqe_kernel(draw(8), draw(50), 0); // has no description: bad
        }
    }
    stars_sqe task()
    {
        stars_sqe sqe = random_sqe();
        if (one_in(3))
            sqe = sqe_with_cqe(sqe);
        if (one_in(4))
            sqe = sqe_with_credit(sqe, one_in(4) ? 255 : 1 + draw(3));
        if (one_in(12))
            sqe.word[0] |= (1 + draw(3))
                           << (one_in(2) ? STARS_W0_PRE_P_SHIFT : STARS_W0_POST_P_SHIFT);
        if (one_in(10))
            sqe.word[0] |= draw(4) << STARS_W0_IE_SHIFT;
        if (one_in(25))
            sqe.word[0] = (sqe.word[0] & ~STARS_W0_TYPE_MASK) | draw(64);
        return sqe;
    }

    tsim::TaskQueue &front(uint32_t sq) { return rig_.device().scheduler().front(sq); }
    void put(uint32_t sq)
    {
        for (uint32_t i = 1 + draw(4); i > 0; --i)
            if (rig_.sent(sq) - front(sq).done() < kDepth - 1)
                rig_.write(sq, task());
            else
                (void)task();
        rig_.ring(sq, rig_.now() + (one_in(2) ? 0 : draw(500)));
    }
    void pulse(uint32_t sq)
    {
        constexpr std::array<uint32_t, 7> kPulses = {
            STARS_SQ_CONTROL_TASK_RESUME,       STARS_SQ_CONTROL_TASK_PAUSE,
            STARS_SQ_CONTROL_TASK_KILL,         STARS_SQ_CONTROL_TASK_TERMINATE,
            STARS_SQ_CONTROL_EXCEPTION_HANDLED, STARS_SQ_CONTROL_DEBUG_PAUSE,
            STARS_SQ_CONTROL_DEBUG_RESUME};
        const uint32_t pulse = one_in(2)   ? STARS_SQ_CONTROL_EXCEPTION_HANDLED
                               : one_in(2) ? STARS_SQ_CONTROL_TASK_RESUME
                                           : kPulses[draw(kPulses.size())];
        (void)rig_.device().scheduler().control(sq, pulse);
    }
    void answer(bool all)
    {
        twinsim_message message;
        while (rig_.device().scheduler().take_message(message))
            if (all || one_in(2))
                rig_.device().scheduler().answer(message.sq, message.number,
                                                 rig_.params().to_cycles(rig_.now() + draw(300)));
    }
    void run(uint64_t ns)
    {
        const uint64_t until = rig_.now() + ns;
        for (twinsim_stop why = TWINSIM_STOP_CQ;
             why != TWINSIM_STOP_IDLE && why != TWINSIM_STOP_LIMIT;) {
            why = rig_.run_until(until);
            answer(false);
        }
    }
    void step(uint32_t sq)
    {
        tsim::TaskScheduler &scheduler = rig_.device().scheduler();
        switch (draw(16)) {
        case 0:
        case 1:
        case 2:
        case 3:
            put(sq);
            break;
        case 4:
        case 5:
        case 6:
        case 7:
            run(draw(one_in(20) ? 3000000000u : 4000u));
            break;
        case 8:
        case 9:
            pulse(sq);
            break;
        case 10:
        case 11: {
            const uint32_t there = (front(sq).cq_tail() - front(sq).cq_head()) & (kCqDepth - 1);
            (void)scheduler.set_cq_head(sq,
                                        (front(sq).cq_head() + draw(there + 2)) & (kCqDepth - 1));
            break;
        }
        case 12:
            scheduler.write_event(draw(kEvents), !one_in(3));
            break;
        case 13:
            scheduler.write_notify(draw(kNotifies), !one_in(3));
            break;
        case 14:
            scheduler.set_enabled(sq, !one_in(4));
            break;
        default:
            if (one_in(4)) {
                scheduler.close(sq);
                open(sq);
            } else if (one_in(10)) {
                rig_.device().reset();
                for (uint32_t again = 0; again < kQueues; ++again)
                    open(again);
            }
            break;
        }
    }

    uint64_t random_;
    std::unique_ptr<tsim::RtlPortFactory> factory_;
    Rig rig_;
};

// The number of SQEs with that status in the line of a task's end; 0000: success.
size_t with(const std::vector<std::string> &log, const char *status)
{
    size_t count = 0;
    for (const std::string &line : log)
        count += line.size() > 4 && line.compare(line.size() - 4, 4, status) == 0 ? 1 : 0;
    return count;
}

} // namespace

// T-SQE-1 to T-SQE-13, T-CQ-3, T-DMA-2, T-EVT-8, T-FLT-5, T-SCH-8, T-CTN-1, T-CTN-2, T-CPU-7,
// T-DMA-8.
static void test_random()
{
    size_t good = 0, late = 0, bad = 0, faults = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        Run plain(TWINSIM_MODEL_CPP, seed), both(TWINSIM_MODEL_LOCKSTEP, seed),
            alone(TWINSIM_MODEL_RTL, seed);
        for (Run *const run : {&plain, &both, &alone})
            run->steps(2500);
        EXPECT_EQ(both.differences, 0);
        EXPECT_EQ(alone.differences, 0);
        CU_ASSERT(plain.log == both.log);
        CU_ASSERT(plain.log == alone.log);
        good += with(plain.log, "0000");
        late += with(plain.log, "0105");
        bad += with(plain.log, "0106");
        faults += with(plain.log, "020a");
    }
    CU_ASSERT(good > 0 && late > 0 && bad > 0 && faults > 0);
}

static const twin_test tests[] = {
    {"random SQEs go the same way in C++, in lock step and in RTL", test_random},
};

int main(int argc, char **argv)
{
    return twin_run_suite("lockstep_sqe", tests, TWIN_COUNT(tests), argc, argv);
}
