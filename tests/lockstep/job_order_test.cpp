// SPDX-License-Identifier: Apache-2.0
/// The steps of a job that are played through the public interface, and the results of the rules of
/// order for them.
#include "job_order.h"
#include "support/cunit_main.h"

using job::Job;
using job::Order;
using job::Plan;

namespace
{

Plan plan_of(const char *text)
{
    Job job;
    std::string error;
    CU_ASSERT_TRUE_FATAL(Job::parse(text, job, error));
    return Plan(job);
}

Order order_of(const std::string &text)
{
    return Order(plan_of(("queue 0 0 0 16 16 1\nqueue 1 0 0 16 16 1\nqueue 2 0 0 16 16 1\n" + text +
                          "ring 0 0\nring 1 0\nring 2 0\n")
                             .c_str()));
}

bool names(const std::vector<std::string> &lines, const char *line, const char *why)
{
    for (const std::string &one : lines)
        if (one == std::string(line) + ": " + why)
            return true;
    return false;
}

// Compares device memory from `at` on, where its bytes are certain, with initial bytes of `from`.
bool holds(const Order &order, uint64_t at, uint64_t bytes, uint64_t side, uint64_t from)
{
    for (uint64_t i = 0; i < bytes; ++i)
        if (!order.byte(1, at + i).certain ||
            order.byte(1, at + i).value != job::first_byte(side, from + i))
            return false;
    return true;
}

} // namespace

static void test_every_line_is_accounted_for()
{
    const char *const text = "machine events 4\n"
                             "queue 0 3 5 16 16 1\n"
                             "queue 0 3 5 16 16 1\n"
                             "queue 1 0 0 16 16 0\n"
                             "placeholder 1 0\n"
                             "placeholder 0 1\n"
                             "placeholder 0 0 pre=1\n"
                             "record 0 4\n"
                             "record 0 3 cqe\n"
                             "wait 0 3 1000001\n"
                             "wait 0 3 2\n"
                             "write_event 0 3 1\n"
                             "write_memory 0 0x1000000004 3 1\n"
                             "sdma 0 0x10000000 0x10000100 16\n"
                             "sdma 0 0x1000000000 0x10000100 4097\n"
                             "sdma 0 0x1000000000 0x100000000f 16\n"
                             "pcie 0 0x1000000000 0x10000100 16\n"
                             "fill 0 0x10000000 1 16\n"
                             "type 0 40\n"
                             "run 100\n"
                             "cq_take 0 1\n"
                             "enable 0 1\n"
                             "host_record 2\n"
                             "ring 0 5\n"
                             "placeholder 0 0\n";
    Job job;
    std::string error;
    CU_ASSERT_TRUE_FATAL(Job::parse(text, job, error));
    const Plan plan(job);
    CU_ASSERT_EQUAL(plan.steps.size() + plan.rings + plan.refused.size(), job.steps.size());
    CU_ASSERT_EQUAL(plan.refused.size(), 18);
    CU_ASSERT(names(plan.refused, "placeholder 1 0", "the queue is not open"));
    CU_ASSERT(names(plan.refused, "placeholder 0 0", "no doorbell follows"));
    CU_ASSERT(names(plan.refused, "wait 0 3 0xf4241", "the time limit is too long for a test"));
    CU_ASSERT(names(plan.refused, "record 0 4", "the device has no such event"));
    CU_ASSERT(names(plan.changed, "record 0 3 cqe", "the runtime says which tasks have a CQE"));
    CU_ASSERT(names(plan.changed, "ring 0 5", "the doorbell is seen when the runtime's is"));
    CU_ASSERT(names(plan.changed, "host_record 2", "by a separate stream"));
}

// SQEs that are written before a doorbell are submitted with it.
static void test_doorbells_make_the_order()
{
    const Plan plan = plan_of("queue 0 0 0 16 16 1\nqueue 1 0 0 16 16 1\nrecord 0 0\nrecord 1 1\n"
                              "ring 1 0\nrecord 1 2\nring 0 0\nring 1 0\n");
    CU_ASSERT_EQUAL_FATAL(plan.steps.size(), 5);
    CU_ASSERT_EQUAL(plan.steps[2].args[0], 1);
    CU_ASSERT_EQUAL(plan.steps[3].args[0], 0);
    CU_ASSERT_EQUAL(plan.steps[4].args[0], 2);
}

static void test_ends_with_events()
{
    const Order chain = order_of("wait 0 1 0\nrecord 0 2\nwait 1 2 0\nrecord 2 1\n");
    CU_ASSERT(chain.end_of(0) == Order::End::kSurely && chain.end_of(1) == Order::End::kSurely);
    const Order circle = order_of("wait 0 1 0\nrecord 0 2\nwait 1 2 0\nrecord 1 1\nrecord 2 3\n");
    CU_ASSERT(circle.end_of(0) == Order::End::kNever && circle.end_of(1) == Order::End::kNever);
    CU_ASSERT(circle.end_of(2) == Order::End::kSurely);
    const Order limited = order_of("wait 0 1 1\nrecord 0 2\nwait 1 2 0\n");
    CU_ASSERT(limited.end_of(0) == Order::End::kSurely && limited.end_of(1) == Order::End::kSurely);
}

static void test_resets_may_come_first()
{
    CU_ASSERT(order_of("record 0 1\nwait 1 1 0\nwrite_event 2 1 0\n").end_of(1) ==
              Order::End::kOpen);
    CU_ASSERT(order_of("record 0 1\nwait 1 1 0\nwrite_event 1 1 0\n").end_of(1) ==
              Order::End::kSurely);
    CU_ASSERT(order_of("record 0 1\nwait 1 1 0\nwrite_event 1 1 0\nwait 1 1 0\n").end_of(1) ==
              Order::End::kOpen);
}

// T-NTF-1, T-NTF-3.
static void test_ends_with_notifies()
{
    const Order two = order_of("notify_wait 0 1 0\nnotify_wait 1 1 0\nnotify_record 2 1\n");
    CU_ASSERT(two.end_of(0) == Order::End::kOpen && two.end_of(1) == Order::End::kOpen);
    // Two records may be one when there is no wait between.
    CU_ASSERT(
        order_of("notify_wait 0 1 0\nnotify_wait 0 1 0\nnotify_record 2 1\nnotify_record 2 1\n")
            .end_of(0) == Order::End::kOpen);
    CU_ASSERT(order_of("notify_wait 0 1 0\nrecord 0 3\nnotify_wait 0 1 0\nnotify_record 2 1\n"
                       "wait 2 3 0\nnotify_record 2 1\n")
                  .end_of(0) == Order::End::kSurely);
    CU_ASSERT(order_of("notify_wait 0 1 0\nnotify_wait 0 1 0\nnotify_record 2 1\n").end_of(0) ==
              Order::End::kNever);
    CU_ASSERT(order_of("notify_wait 0 1 0\nrecord 0 1\n").end_of(0) == Order::End::kNever);
}

// ORD-05, ORD-09: over two streams to a third.
static void test_memory_follows_order()
{
    const Order order = order_of("pcie 0 0x1000000000 0x10000000 64\nrecord 0 1\nwait 1 1 0\n"
                                 "sdma 1 0x1000000100 0x1000000000 64\nrecord 1 2\nwait 2 2 0\n"
                                 "fill 2 0x1000000000 9 64\nsdma 2 0x1000000200 0x1000000100 64\n");
    CU_ASSERT(holds(order, 0x100, 64, 0, 0) && holds(order, 0x200, 64, 0, 0));
    CU_ASSERT_EQUAL(order.byte(1, 0).value, 9);
    CU_ASSERT(order.byte(1, 0).certain);
    CU_ASSERT_EQUAL(order.written(), 192);
    CU_ASSERT_EQUAL(order.certain(), 192);
}

static void test_races_are_not_certain()
{
    // A write and a read; two writes.
    const Order order = order_of("fill 0 0x1000000000 9 64\nsdma 1 0x1000000100 0x1000000020 64\n"
                                 "fill 0 0x1000000200 7 64\nfill 1 0x1000000220 7 64\n");
    CU_ASSERT(order.byte(1, 0).certain);
    CU_ASSERT_FALSE(order.byte(1, 0x100).certain);
    CU_ASSERT(holds(order, 0x120, 32, 1, 0x40)); // no step writes there
    CU_ASSERT(order.byte(1, 0x200).certain);
    CU_ASSERT_FALSE(order.byte(1, 0x220).certain);
}

static void test_what_may_not_happen_is_not_certain()
{
    const Order order = order_of("notify_wait 0 1 0\nfill 0 0x1000000000 9 8\nnotify_wait 1 1 0\n"
                                 "notify_record 2 1\nwait 0 5 0\nfill 0 0x1000000100 9 8\n");
    CU_ASSERT_FALSE(order.byte(1, 0).certain);
    CU_ASSERT(holds(order, 0x100, 8, 1, 0x100)); // after a wait that never ends
    CU_ASSERT_EQUAL(order.written(), 8);
}

static const twin_test tests[] = {
    {"every line of a job is played, submits or is refused", test_every_line_is_accounted_for},
    {"tasks are submitted with their doorbells", test_doorbells_make_the_order},
    {"ORD-05 a wait ends when its record surely happens", test_ends_with_events},
    {"a reset that may come first leaves it open", test_resets_may_come_first},
    {"T-NTF-3 of two waits for one notify either may end", test_ends_with_notifies},
    {"ORD-09 memory follows the order over streams", test_memory_follows_order},
    {"bytes that are raced for are not certain", test_races_are_not_certain},
    {"nor are those of tasks that may not happen", test_what_may_not_happen_is_not_certain},
};

int main(int argc, char **argv)
{
    return twin_run_suite("job_order", tests, TWIN_COUNT(tests), argc, argv);
}
