/* SPDX-License-Identifier: Apache-2.0 */
/* Time: the rules HOST-1 to HOST-7, and the ring that holds a sender. */
#include "suite.h"
#include "time_tests.h"

static const twin_child children[] = {
    {"timestamps", child_timestamps},
};

static const twin_test tests[] = {
    {"HOST-1: the time of a copy is the profile's arithmetic", test_copy_time_is_the_profiles},
    {"HOST-1: times lie on the grid of the profile's counter", test_times_are_on_the_grid},
    {"HOST-1: two runs, and one under load, give the same times", test_runs_repeat},
    {"HOST-1: two runs give the same timeline, byte for byte", test_timelines_repeat},
    {"HOST-2: calls of the host take the profile's time", test_host_calls_take_time},
    {"HOST-3: submitting moves nothing on the device", test_submitting_moves_nothing},
    {"HOST-3: polling loops end", test_polling_ends},
    {"HOST-3: a full ring holds the sender, loses and swaps nothing, stops no other stream",
     test_full_ring_holds_the_sender},
    {"HOST-3: a sender at a full ring gets it emptied by itself", test_ring_wraps},
    {"HOST-4: time runs backwards for no thread", test_time_never_runs_backwards},
    {"HOST-5: timeouts cost device time and no wall time", test_timeouts_cost_no_wall_time},
    {"HOST-6: waiting for a stream that nothing can release", test_deadlock_on_a_stream},
    {"HOST-6: waiting for an event that nothing can complete", test_deadlock_on_an_event},
    {"HOST-6: waiting for a device that nothing can release", test_deadlock_of_the_device},
    {"HOST-6: streams that wait for each other", test_deadlock_of_a_circle},
    {"HOST-6: several threads wait, each gets an error", test_deadlock_of_several_threads},
    {"HOST-6: destroying a parked stream fails and leaves it", test_destroying_a_parked_stream},
    {"HOST-6: no deadlock while another thread might still record",
     test_no_deadlock_while_a_thread_runs},
    {"HOST-6: a deadlock once the last other thread has ended",
     test_deadlock_once_the_last_thread_ends},
    {"a forced reset drops work that waits for a thread that idles",
     test_forced_reset_beside_an_idle_thread},
    {"HOST-6: a full ring that nothing can empty refuses the next task",
     test_full_ring_that_nothing_can_empty},
    {"HOST-7: a read without synchronisation sees the old bytes",
     test_unsynchronised_reads_are_old},
};

static const twin_suite suite = {.name = "time",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children),
                                 .initialise = true};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
