// SPDX-License-Identifier: Apache-2.0
/// Injected faults on the model: what each kind does, when, and what ends it.
#include "rig.h"

namespace
{

using tsim::FaultPlan;

constexpr uint64_t kBytes = 1 << 20;

twinsim_fault fault_of(twinsim_fault_kind kind)
{
    twinsim_fault fault{};
    fault.kind = kind;
    fault.device = fault.stream = fault.task = fault.id = TWINSIM_ANY;
    fault.first = fault.times = 1;
    fault.access = TWINSIM_FAULT_READ;
    return fault;
}

/// With what its kind cannot do without.
twinsim_fault usable(twinsim_fault_kind kind)
{
    twinsim_fault fault = fault_of(kind);
    if (kind == TWINSIM_FAULT_MEMORY)
        fault.bytes = 1;
    if (kind == TWINSIM_FAULT_ENGINE_TIMEOUT)
        fault.duration_ns = 1;
    if (kind == TWINSIM_FAULT_ENGINE_SLOW)
        fault.factor_permille = 2000;
    return fault;
}

uint32_t inject(Rig &rig, const twinsim_fault &fault)
{
    const char *wrong = FaultPlan::check(fault);
    CU_ASSERT_PTR_NULL(wrong);
    return wrong ? 0 : rig.system().faults().inject(fault);
}

uint64_t times(Rig &rig, uint32_t number)
{
    uint64_t out = 0;
    CU_ASSERT(rig.system().faults().triggered(number, out));
    return out;
}

stars_sqe copy()
{
    return sqe_sdma(Rig::kHbm + kBytes, Rig::kHbm, kBytes);
}

void pulse(Rig &rig, uint32_t sq, uint32_t bits)
{
    EXPECT_EQ(rig.device().write(uint64_t{sq} * STARS_SQ_PAGE + STARS_SQ_CONTROL, bits),
              TWINSIM_OK);
}

void expect_error(Rig &rig, uint32_t sq, uint32_t index, uint32_t error, uint32_t status)
{
    const stars_cqe &cqe = rig.cqe(sq, index);
    CU_ASSERT((cqe.flags & STARS_CQE_ERROR) != 0);
    EXPECT_EQ(cqe.u.error.code, error);
    EXPECT_EQ(cqe.u.error.status, status);
}

/// Begin and end of what the queue did in that phase last.
twinsim_trace_entry last(Rig &rig, twinsim_phase phase, uint32_t sq)
{
    return rig.phases(phase, sq).back();
}

uint64_t copy_cycles(const Rig &rig)
{
    const uint64_t mb_s = rig.params().hbm_mb_s() / 2;
    return (kBytes * 1000 + mb_s - 1) / mb_s;
}

} // namespace

// T-FLT-1.
static void test_refusals()
{
    struct Case {
        void (*spoil)(twinsim_fault &);
        twinsim_fault_kind kind;
    };
    const Case cases[] = {
        {[](twinsim_fault &f) { f.kind = TWINSIM_FAULT_KINDS; }, TWINSIM_FAULT_BAD_SQE},
        {[](twinsim_fault &f) { f.first = 0; }, TWINSIM_FAULT_BAD_SQE},
        {[](twinsim_fault &f) { f.task = 65; }, TWINSIM_FAULT_BAD_SQE},
        {[](twinsim_fault &f) { f.error = 256; }, TWINSIM_FAULT_ENGINE_ERROR},
        {[](twinsim_fault &f) { f.status = 65536; }, TWINSIM_FAULT_ENGINE_ERROR},
        {[](twinsim_fault &f) { f.task = TWINSIM_FAULT_HOST_DMA; }, TWINSIM_FAULT_ENGINE_HANG},
        {[](twinsim_fault &f) { f.task = STARS_SQE_EVENT_RECORD; }, TWINSIM_FAULT_ENGINE_ERROR},
        {[](twinsim_fault &f) { f.bytes = 0; }, TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) {
             f.address = ~uint64_t{0};
             f.bytes = 2;
         },
         TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) {
             f.bytes = 1;
             f.access = 0;
         },
         TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) {
             f.bytes = 1;
             f.access = 4;
         },
         TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) {
             f.bytes = 1;
             f.stream = 0;
         },
         TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) { f.factor_permille = 1000; }, TWINSIM_FAULT_ENGINE_SLOW},
        {[](twinsim_fault &f) { f.factor_permille = 1000001; }, TWINSIM_FAULT_ENGINE_SLOW},
        {[](twinsim_fault &) {}, TWINSIM_FAULT_ENGINE_TIMEOUT},
        {[](twinsim_fault &f) { f.task = STARS_SQE_SDMA; }, TWINSIM_FAULT_RECORD_LOST},
        {[](twinsim_fault &f) { f.task = STARS_SQE_SDMA; }, TWINSIM_FAULT_DOORBELL_LOST},
        {[](twinsim_fault &f) { f.id = 3; }, TWINSIM_FAULT_BAD_SQE},
        {[](twinsim_fault &f) {
             f.task = TWINSIM_FAULT_HOST_DMA;
             f.stream = 0;
         },
         TWINSIM_FAULT_ENGINE_ERROR},
    };
    for (const Case &c : cases) {
        twinsim_fault fault = fault_of(c.kind);
        c.spoil(fault);
        CU_ASSERT_PTR_NOT_NULL(FaultPlan::check(fault));
    }
    // What a kind has no use for.
    struct Member {
        void (*set)(twinsim_fault &);
        uint32_t kinds; // that have one
    };
    constexpr uint32_t kEnds =
        1u << TWINSIM_FAULT_ENGINE_ERROR | 1u << TWINSIM_FAULT_ENGINE_TIMEOUT;
    const Member members[] = {
        {[](twinsim_fault &f) { f.duration_ns = 5; }, 1u << TWINSIM_FAULT_ENGINE_TIMEOUT |
                                                          1u << TWINSIM_FAULT_COMPLETION_LOST |
                                                          1u << TWINSIM_FAULT_CQ_FULL},
        {[](twinsim_fault &f) { f.factor_permille = 2000; }, 1u << TWINSIM_FAULT_ENGINE_SLOW},
        {[](twinsim_fault &f) { f.address = 64; }, 1u << TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) { f.bytes = 64; }, 1u << TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) { f.access = TWINSIM_FAULT_WRITE; }, 1u << TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) { f.status = STARS_STATUS_LINK; },
         kEnds | 1u << TWINSIM_FAULT_MEMORY},
        {[](twinsim_fault &f) { f.error = STARS_ERROR_TRAP; }, kEnds},
        {[](twinsim_fault &f) { f.id = 3; }, 1u << TWINSIM_FAULT_RECORD_LOST},
    };
    for (const Member &member : members) {
        for (uint32_t kind = 0; kind < TWINSIM_FAULT_KINDS; ++kind) {
            twinsim_fault fault = usable(static_cast<twinsim_fault_kind>(kind));
            CU_ASSERT_PTR_NULL(FaultPlan::check(fault));
            member.set(fault);
            EXPECT_EQ(FaultPlan::check(fault) == nullptr, (member.kinds >> kind & 1) != 0);
        }
    }
    Rig rig;
    const uint32_t number = inject(rig, fault_of(TWINSIM_FAULT_BAD_SQE));
    CU_ASSERT(number != 0);
    CU_ASSERT(!rig.system().faults().remove(number + 1));
    CU_ASSERT(rig.system().faults().remove(number));
    CU_ASSERT(!rig.system().faults().remove(number));
    CU_ASSERT(rig.system().faults().remove(0));
}

// T-FLT-2, T-FLT-5, T-SQE-11: the second and third placeholder of stream 1, after a reset of the
// device too.
static void test_which_tasks()
{
    Rig rig;
    twinsim_fault fault = fault_of(TWINSIM_FAULT_BAD_SQE);
    fault.stream = 1;
    fault.task = STARS_SQE_PLACEHOLDER;
    fault.first = fault.times = 2;
    fault.device = 0;
    const uint32_t number = inject(rig, fault);
    rig.device().reset();
    rig.open(0);
    rig.open(1);
    for (int i = 0; i < 5; ++i) {
        rig.put(0, sqe_placeholder(), 0);
        rig.put(1, sqe_placeholder(), 0);
        rig.put(1, sqe_event_record(1), 0);
    }
    for (uint64_t failed = 2; failed < 6; failed += 2) {
        rig.run();
        EXPECT_EQ(rig.retired(0), 5);
        EXPECT_EQ(rig.retired(1), failed);
        EXPECT_EQ(rig.state(1), TWINSIM_QUEUE_EXCEPTION);
        expect_error(rig, 1, static_cast<uint32_t>(failed / 2 - 1), STARS_ERROR_BAD_SQE,
                     STARS_STATUS_BAD_SQE);
        EXPECT_EQ(rig.cqe(1, static_cast<uint32_t>(failed / 2 - 1)).u.error.type >>
                      STARS_CQE_TYPE_SHIFT,
                  STARS_SQE_INVALID);
        pulse(rig, 1, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    }
    rig.run();
    EXPECT_EQ(rig.retired(1), 10);
    EXPECT_EQ(times(rig, number), 2);
}

// T-FLT-3: what was hit stays so when the fault is gone; another device is not hit.
static void test_removed_and_elsewhere()
{
    Rig rig;
    rig.open(0);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_ERROR);
    fault.times = 0;
    const uint32_t number = inject(rig, fault);
    fault.device = 1;
    fault.status = STARS_STATUS_COPY_ERROR;
    const uint32_t elsewhere = inject(rig, fault);
    fault.device = 0; // injected later: it does not say how
    const uint32_t later = inject(rig, fault);
    rig.put(0, copy(), 0);
    rig.run_until(rig.params().to_ns(copy_cycles(rig) / 2));
    EXPECT_EQ(times(rig, number), 1);
    EXPECT_EQ(times(rig, later), 1);
    EXPECT_EQ(times(rig, elsewhere), 0);
    CU_ASSERT(rig.system().faults().remove(0));
    rig.put(0, copy(), rig.now());
    rig.run();
    expect_error(rig, 0, 0, STARS_ERROR_EXCEPTION, STARS_STATUS_DMA_ERROR);
    pulse(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_IDLE);
}

// T-FLT-4: reads fail and writes do not, with poison or what was asked for; each range is noted
// once; repair ends it.
static void test_memory()
{
    Rig rig;
    rig.open(0);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_MEMORY);
    fault.address = Rig::kHbm + 100;
    fault.bytes = 8;
    fault.times = 0;
    const uint32_t number = inject(rig, fault);
    *rig.hbm(kBytes) = 7;
    rig.put(0, sqe_sdma_fill(Rig::kHbm, 1, 1024), 0);                // writes the range
    rig.put(0, sqe_sdma(Rig::kHbm + kBytes, Rig::kHbm, 100), 0);     // ends before it
    rig.put(0, sqe_sdma(Rig::kHbm + kBytes, Rig::kHbm + 108, 8), 0); // begins after it
    rig.put(0, sqe_sdma(Rig::kHbm + kBytes, Rig::kHbm, 101), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 3);
    expect_error(rig, 0, 0, STARS_ERROR_EXCEPTION, STARS_STATUS_POISON);
    EXPECT_EQ(*rig.hbm(kBytes + 100), 0); // nothing of it moved
    twinsim_memory_error errors[2] = {};
    EXPECT_EQ(rig.system().faults().errors(0, errors, 2), 1);
    EXPECT_EQ(errors[0].address, Rig::kHbm + 100);
    EXPECT_EQ(errors[0].bytes, 8);
    EXPECT_EQ(errors[0].status, STARS_STATUS_POISON);
    pulse(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    rig.put(0, sqe_sdma(Rig::kHbm + kBytes, Rig::kHbm + 107, 1), rig.now());
    rig.run();
    EXPECT_EQ(times(rig, number), 2);
    EXPECT_EQ(rig.system().faults().errors(0, nullptr, 0), 1);

    CU_ASSERT(!rig.system().faults().repair(0, Rig::kHbm + 101, 100));
    CU_ASSERT(!rig.system().faults().repair(0, Rig::kHbm, 107));
    CU_ASSERT(!rig.system().faults().repair(1, Rig::kHbm, 1024));
    CU_ASSERT(rig.system().faults().repair(0, Rig::kHbm + 100, 8));
    EXPECT_EQ(rig.system().faults().errors(0, nullptr, 0), 0);
    pulse(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    rig.put(0, sqe_sdma(Rig::kHbm + kBytes, Rig::kHbm, 108), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 6);
    EXPECT_EQ(*rig.hbm(kBytes + 104), 1);
}

// T-FLT-4: a write with an injected failure, a link, an address that leads nowhere meanwhile, and a
// store of 8 bytes.
static void test_memory_writes_and_links()
{
    Rig rig;
    rig.open(0);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_MEMORY);
    fault.address = Rig::kHbm;
    fault.bytes = kBytes;
    fault.access = TWINSIM_FAULT_WRITE;
    fault.status = STARS_STATUS_LINK;
    fault.times = 2;
    inject(rig, fault);
    rig.unmap(Rig::kHbm + 3 * kBytes);
    rig.put(0, sqe_write_value(Rig::kHbm + 8, 3, 5), 0);
    rig.put(0, sqe_write_value(Rig::kHbm + 3 * kBytes, 3, 5), 0);
    rig.put(0, sqe_sdma_fill(Rig::kHbm, 1, 16), 0);
    rig.put(0, sqe_write_value(Rig::kHbm + 8, 3, 6), 0); // the third time: it has healed
    const uint32_t status[] = {STARS_STATUS_LINK, STARS_STATUS_BUS_FAULT, STARS_STATUS_LINK};
    for (uint32_t i = 0; i < 3; ++i) {
        rig.run();
        expect_error(rig, 0, i, STARS_ERROR_EXCEPTION, status[i]);
        EXPECT_EQ(*rig.hbm(8), 0);
        pulse(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    }
    rig.run();
    EXPECT_EQ(rig.retired(0), 4);
    EXPECT_EQ(*rig.hbm(8), 6);
}

// T-FLT-6: the error comes when completion would have come; memory and the channel are as after any
// failure.
static void test_engine_error()
{
    Rig plain;
    plain.open(0);
    plain.put(0, copy(), 0);
    plain.run();
    Rig rig;
    rig.open(0);
    *rig.hbm() = 9;
    twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_ERROR);
    fault.error = STARS_ERROR_TRAP;
    fault.status = STARS_STATUS_COPY_ERROR;
    inject(rig, fault);
    rig.put(0, copy(), 0);
    rig.put(0, copy(), 0);
    rig.run();
    expect_error(rig, 0, 0, STARS_ERROR_TRAP, STARS_STATUS_COPY_ERROR);
    EXPECT_EQ(*rig.hbm(kBytes), 0);
    EXPECT_EQ(last(rig, TWINSIM_PHASE_TRANSFER, 0).end_ns,
              last(plain, TWINSIM_PHASE_TRANSFER, 0).end_ns);
    pulse(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
    EXPECT_EQ(*rig.hbm(kBytes), 9);
}

// T-FLT-7: after its own time, or the task's, whichever is shorter.
static void test_engine_timeout()
{
    for (const bool credit_first : {false, true}) {
        Rig rig;
        rig.open(0);
        const uint64_t unit = rig.params().credit_unit.value;
        twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_TIMEOUT);
        fault.task = STARS_SQE_PCIE_DMA;
        fault.duration_ns = rig.params().to_ns(credit_first ? 3 * unit : unit);
        inject(rig, fault);
        rig.put(0, sqe_with_credit(sqe_pcie_dma(Rig::kHbm, Rig::kHost, kBytes), 2), 0);
        rig.run();
        expect_error(rig, 0, 0, STARS_ERROR_TIMEOUT,
                     credit_first ? STARS_STATUS_TASK_TIMEOUT : STARS_STATUS_DMA_TIMEOUT);
        const auto bytes = last(rig, TWINSIM_PHASE_TRANSFER, 0);
        EXPECT_EQ(bytes.end_ns - bytes.begin_ns,
                  rig.params().to_ns(credit_first ? 2 * unit : unit));
        EXPECT_EQ(bytes.begin_ns, last(rig, TWINSIM_PHASE_SETUP, 0).end_ns);
    }
}

// T-FLT-8: set-up and bytes by the factor; a credit that passes before ends it; the links are free
// for others.
static void test_slow_engine()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_SLOW);
    fault.factor_permille = 2500;
    fault.stream = 0;
    fault.times = 2;
    inject(rig, fault);
    const uint64_t setup = rig.params().sdma_setup.value;
    const uint64_t bytes = copy_cycles(rig);
    rig.put(0, copy(), 0);
    rig.run();
    const auto slow_setup = last(rig, TWINSIM_PHASE_SETUP, 0);
    const auto slow_bytes = last(rig, TWINSIM_PHASE_TRANSFER, 0);
    EXPECT_EQ(slow_setup.end_ns - slow_setup.begin_ns, rig.params().to_ns((setup * 5 + 1) / 2));
    EXPECT_EQ(slow_bytes.end_ns - slow_bytes.begin_ns, rig.params().to_ns((bytes * 5 + 1) / 2));
    EXPECT_EQ(rig.retired(0), 1);

    // The second one: its bytes have moved when another copy begins, which has the link to itself.
    const uint64_t start = rig.now();
    rig.put(0, copy(), start);
    rig.put(1, copy(), start + 3 * bytes);
    rig.run();
    const auto other = last(rig, TWINSIM_PHASE_TRANSFER, 1);
    const auto hit = last(rig, TWINSIM_PHASE_TRANSFER, 0);
    EXPECT_EQ(other.end_ns - other.begin_ns, rig.params().to_ns(bytes));
    CU_ASSERT(other.begin_ns < hit.end_ns);
    EXPECT_EQ(rig.retired(0), 2);

    Rig limited([](tsim::Params &p) { p.credit_unit.value = 100000; });
    limited.open(0);
    fault.factor_permille = 1000000;
    inject(limited, fault);
    limited.put(0, sqe_with_credit(copy(), 1), 0);
    limited.run();
    expect_error(limited, 0, 0, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT);
    const auto cut = last(limited, TWINSIM_PHASE_TRANSFER, 0);
    EXPECT_EQ(cut.end_ns - cut.begin_ns, limited.params().to_ns(100000));
}

// T-FLT-9, T-SCH-14: it holds its channel; credit, or a kill, ends it.
static void test_hanging_engine()
{
    Rig rig;
    rig.open(0);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_HANG);
    fault.times = 2;
    inject(rig, fault);
    rig.put(0, copy(), 0);
    rig.run(); // nothing is left to happen
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_RUNNING);
    EXPECT_EQ(rig.retired(0), 0);
    twinsim_queue_info info{};
    rig.device().scheduler().inspect(0, info);
    CU_ASSERT(info.faulted);
    pulse(rig, 0, STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_RESUME);
    EXPECT_EQ(rig.retired(0), 1);
    rig.put(0, sqe_with_credit(copy(), 1), rig.now());
    rig.run();
    expect_error(rig, 0, 0, STARS_ERROR_TIMEOUT, STARS_STATUS_TASK_TIMEOUT);
    pulse(rig, 0, STARS_SQ_CONTROL_EXCEPTION_HANDLED);
    rig.put(0, copy(), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(0), 3);
    rig.device().scheduler().inspect(0, info);
    CU_ASSERT(!info.faulted);
}

// T-FLT-10: held after the effect, until the time, a resume or a kill.
static void test_lost_completion()
{
    Rig rig;
    rig.open(0);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_COMPLETION_LOST);
    fault.task = STARS_SQE_WRITE_VALUE;
    inject(rig, fault);
    fault.duration_ns = 5000;
    fault.first = 2;
    inject(rig, fault);
    rig.put(0, sqe_write_value(Rig::kHbm, 3, 1), 0);
    rig.put(0, sqe_write_value(Rig::kHbm, 3, 2), 0);
    rig.put(0, sqe_placeholder(), 0);
    rig.run();
    EXPECT_EQ(*rig.hbm(), 1);
    EXPECT_EQ(rig.retired(0), 0);
    EXPECT_EQ(rig.state(0), TWINSIM_QUEUE_HELD);
    pulse(rig, 0, STARS_SQ_CONTROL_TASK_RESUME);
    EXPECT_EQ(rig.retired(0), 1);
    const uint64_t resumed = rig.now();
    rig.run();
    EXPECT_EQ(rig.retired(0), 3);
    const tsim::Params &p = rig.params();
    EXPECT_EQ(rig.retired_at(0, 2) - resumed,
              p.decode.value + p.write_value.value + p.retire.value + p.to_cycles(5000));
    const auto hold = last(rig, TWINSIM_PHASE_HOLD, 0);
    EXPECT_EQ(hold.id, TWINSIM_HOLD_LOST);
    EXPECT_EQ(hold.end_ns - hold.begin_ns, 5000);

    Rig killed;
    killed.open(0);
    fault.duration_ns = 0;
    fault.first = 1;
    inject(killed, fault);
    killed.put(0, sqe_write_value(Rig::kHbm, 3, 1), 0);
    killed.put(0, sqe_placeholder(), 0);
    killed.run();
    pulse(killed, 0, STARS_SQ_CONTROL_TASK_KILL | STARS_SQ_CONTROL_TASK_TERMINATE);
    killed.put(0, sqe_placeholder(), killed.now());
    killed.run();
    EXPECT_EQ(killed.retired(0), 3);
}

// T-FLT-12: the tables keep what they had; one entry, or all.
static void test_lost_record()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_RECORD_LOST);
    fault.id = 5;
    fault.times = 0;
    const uint32_t number = inject(rig, fault);
    rig.put(1, sqe_event_wait(5, 0), 0);
    rig.put(0, sqe_event_record(4), 100);
    rig.put(0, sqe_event_record(5), 100);
    rig.put(0, sqe_notify_record(5), 100);
    rig.put(0, sqe_event_write(5, 1), 100);
    rig.run();
    EXPECT_EQ(rig.retired(0), 4);
    EXPECT_EQ(rig.state(1), TWINSIM_QUEUE_PARKED);
    uint32_t value = 0;
    EXPECT_EQ(rig.device().read(STARS_EVENT_ENTRY(4), value), TWINSIM_OK);
    EXPECT_EQ(value & 1u, 1);
    EXPECT_EQ(rig.device().read(STARS_NOTIFY_ENTRY(5), value), TWINSIM_OK);
    EXPECT_EQ(value & 1u, 0);
    EXPECT_EQ(times(rig, number), 3);
    CU_ASSERT(rig.system().faults().remove(number));
    const tsim::TaskScheduler &scheduler = rig.device().scheduler();
    const auto accesses = rig.phases(TWINSIM_PHASE_TABLE, 0);
    CU_ASSERT_EQUAL_FATAL(accesses.size(), 4);
    EXPECT_EQ(accesses[0].waker_number, 0);
    EXPECT_EQ(accesses[1].waker_number, TWINSIM_TABLE_VAIN);
    EXPECT_EQ(accesses[2].waker_number, TWINSIM_TABLE_VAIN);
    EXPECT_EQ(accesses[3].waker_number, TWINSIM_TABLE_VAIN | TWINSIM_TABLE_SETS);
    CU_ASSERT(!scheduler.lost_record(0, 1));
    CU_ASSERT(scheduler.lost_record(0, 2));
    CU_ASSERT(scheduler.lost_record(0, 3));
    CU_ASSERT(!scheduler.lost_record(1, 2));
    rig.put(0, sqe_event_record(5), rig.now());
    rig.run();
    EXPECT_EQ(rig.retired(1), 1);
    CU_ASSERT(!scheduler.lost_record(0, 5));
    rig.device().scheduler().close(0);
    CU_ASSERT(!scheduler.lost_record(0, 2));
}

// T-FLT-12: the next doorbell brings both; the lost one's time counts for nothing.
static void test_lost_doorbell()
{
    Rig rig;
    rig.open(0);
    rig.open(1);
    twinsim_fault fault = fault_of(TWINSIM_FAULT_DOORBELL_LOST);
    fault.stream = 0;
    inject(rig, fault);
    rig.put(0, sqe_placeholder(), 0);
    rig.put(1, sqe_placeholder(), 0);
    rig.run();
    EXPECT_EQ(rig.retired(0), 0);
    EXPECT_EQ(rig.retired(1), 1);
    rig.put(0, sqe_placeholder(), 20000);
    rig.run();
    EXPECT_EQ(rig.retired(0), 2);
    Rig plain;
    plain.open(0);
    plain.put(0, sqe_placeholder(), 20000);
    plain.put(0, sqe_placeholder(), 20000);
    plain.run();
    EXPECT_EQ(rig.retired_at(0, 1), plain.retired_at(0, 1));
}

// T-FLT-14.
static void test_host_dma()
{
    Rig rig;
    twinsim_fault fault = fault_of(TWINSIM_FAULT_ENGINE_ERROR);
    fault.task = TWINSIM_FAULT_HOST_DMA;
    inject(rig, fault);
    fault = fault_of(TWINSIM_FAULT_MEMORY);
    fault.address = Rig::kHbm;
    fault.bytes = 64;
    fault.times = 1;
    inject(rig, fault);
    const uint16_t expected[] = {STARS_STATUS_DMA_ERROR, STARS_STATUS_POISON, STARS_STATUS_NONE};
    *rig.hbm() = 8;
    for (const uint16_t status : expected) {
        twinsim_transfer transfer{};
        transfer.dst = Rig::kHost;
        transfer.src = Rig::kHbm;
        transfer.bytes = 64;
        rig.device().host_dma().post(&transfer);
        rig.run();
        CU_ASSERT(transfer.done);
        EXPECT_EQ(transfer.status, status);
        EXPECT_EQ(transfer.failed, status != STARS_STATUS_NONE);
        EXPECT_EQ(*rig.host(), status == STARS_STATUS_NONE ? 8 : 0);
    }
}

// T-FLT-1: faults that hit no task change no time.
static void test_idle_plan()
{
    Rig plain;
    Rig rig;
    for (uint32_t kind = 0; kind < TWINSIM_FAULT_KINDS; ++kind) {
        twinsim_fault fault = usable(static_cast<twinsim_fault_kind>(kind));
        fault.first = 1000;
        inject(rig, fault);
    }
    for (Rig *each : {&plain, &rig}) {
        each->open(0);
        each->put(0, copy(), 0);
        each->put(0, sqe_with_cqe(sqe_event_record(1)), 0);
        each->run();
    }
    EXPECT_EQ(rig.retired_at(0, 1), plain.retired_at(0, 1));
    EXPECT_EQ(rig.retired_at(0, 2), plain.retired_at(0, 2));
    EXPECT_EQ(rig.now(), plain.now());
}

static const twin_test tests[] = {
    {"a fault that could hit nothing is refused", test_refusals},
    {"a fault hits the tasks that it names, as often as it says", test_which_tasks},
    {"a fault that is removed stays in the tasks that it has hit", test_removed_and_elsewhere},
    {"faulty memory fails reads until it is repaired", test_memory},
    {"faulty memory may fail writes, and be a link", test_memory_writes_and_links},
    {"an engine ends with an error in place of completion", test_engine_error},
    {"an engine times out after its time or the task's", test_engine_timeout},
    {"a slow engine takes longer and loads no link for it", test_slow_engine},
    {"a hanging engine waits for a credit or a kill", test_hanging_engine},
    {"a lost completion is ended by time, resume or kill", test_lost_completion},
    {"a lost record leaves the table as it was", test_lost_record},
    {"a lost doorbell comes with the next", test_lost_doorbell},
    {"the driver's own copies fail too", test_host_dma},
    {"a plan that hits no task changes no time", test_idle_plan},
};

int main(int argc, char **argv)
{
    return twin_run_suite("fault", tests, TWIN_COUNT(tests), argc, argv);
}
