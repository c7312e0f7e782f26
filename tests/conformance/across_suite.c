/* SPDX-License-Identifier: Apache-2.0 */
/* What devices of one process do with each other. */
#include "across_tests.h"
#include "suite.h"

static const twin_test tests[] = {
    {"MEM-127: rows between devices", test_rows_between_devices},
    {"RED-03: reductions between devices are done, or refused where there is no link",
     test_reductions_between_devices},
    {"NTF-15: a notify that another device records takes the time of the way",
     test_shared_notify_takes_its_way},
    {"EVT-70: a shared event takes the time of the way to another device",
     test_shared_event_takes_its_way},
    {"NTF-16: a notify stays while another device has it open",
     test_shared_notify_outlives_its_creator},
    {"NTF-16: records for a device that was reset reach no other notify",
     test_shared_notify_and_a_reset_there},
    {"EVT-70: a wait ends with the newest record, by whichever handle", test_shared_event_of_three},
    {"EVT-70: a record that was dropped on another device is nothing to wait for",
     test_shared_event_dropped},
    {"EVT-70: a deadlock of two devices is found at once", test_shared_deadlock},
    {"UVA-20: memory that another device is about to use", test_mapped_for_a_peer},
};

int main(int argc, char **argv)
{
    const twin_suite suite = {
        .name = "across",
        .tests = tests,
        .test_count = TWIN_COUNT(tests),
        .initialise = true,
    };
    return twin_suite_main(&suite, argc, argv);
}
