/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about devices, and limits of the process. */
#include "facts_tests.h"
#include "suite.h"

static const twin_child children[] = {
    {"configured", child_configured},         {"last_size_wins", child_last_size_wins},
    {"limits_are_set", child_limits_are_set}, {"numbers_of_devices", child_numbers_of_devices},
    {"print_uuids", child_print_uuids},       {"saturation", child_saturation},
    {"timeout_coarse", child_timeout_coarse}, {"timeout_default", child_timeout_default},
    {"timeout_fine", child_timeout_fine},     {"visible_bus_ids", child_visible_bus_ids},
    {"cann_version", child_cann_version},     {"log_levels", child_log_levels},
    {"no_version", child_no_version},         {"version", child_version},
};

static const twin_test tests[] = {
    {"DEV-40: utilisation rates, -1 for memory", test_utilization},
    {"DEV-42: the parts of a device are counted", test_device_capability},
    {"DEV-43: each device has a stable identifier", test_uuids},
    {"DEV-43: the identifier goes with the device, not with its number", test_uuids_stay},
    {"a device is found by its bus", test_bus_ids},
    {"a device that is not visible is not found by its bus", test_visible_bus_ids},
    {"names on the bus refuse bad arguments", test_bus_id_refusals},
    {"logical and physical numbers are the user's and the machine's", test_numbers_of_devices},
    {"the process knows its number", test_bare_process},
    {"devices are linked", test_topology},
    {"features of a device", test_features},
    {"attributes and their list agree", test_cann_attributes},
    {"SoCs of one instruction set are compatible", test_arch},
    {"atomic operations across links", test_atomics},
    {"KRN-42: caches cannot be flushed, and cores have an address to meet at",
     test_cache_and_sync_address},
    {"INIT-17: aclInit rounds and bounds sizes of stacks and print buffers", test_configured_sizes},
    {"CFG-14: limits of stacks and buffers refuse bad arguments", test_limit_refusals},
    {"sizes of stacks and print buffers are set and read", test_limits_are_set},
    {"of aclInit and aclrtDeviceSetLimit the last one holds", test_last_size_wins},
    {"CFG-16, EXC-20, EXC-24, EXC-25: the time limit of operators, and its default",
     test_timeout_default},
    {"CFG-17, CFG-19, EXC-19, EXC-22, EXC-23: the time limit is rounded to units of the device",
     test_timeout_coarse},
    {"CFG-17, CFG-18, CFG-19, EXC-22, EXC-23: with a fine unit a limit of 0 means none",
     test_timeout_fine},
    {"CFG-18, EXC-19, EXC-21: time limits refuse NULL, and need a device", test_timeout_refusals},
    {"DEV-49: peer access refuses the device itself and reserved flags", test_peer_refusals},
    {"peer access is that of the current device", test_peer_needs_a_device},
    {"DEV-50: peer access has one direction", test_peer_direction},
    {"DEV-51: peer access status follows enable and disable", test_peer_status},
    {"peer access ends with the releasing reset", test_peer_ends_with_the_reset},
    {"a copy between devices needs access of the one that copies", test_peer_copy},
    {"a queued copy between devices needs access, and keeps its order", test_peer_copy_in_order},
    {"OVF-01, OVF-02: the mode of overflows is the process's", test_saturation},
    {"DEV-46, OVF-06: the status of overflows is read and cleared in stream order",
     test_overflow_in_order},
    {"the status of overflows is the device's", test_overflow_of_a_device},
    {"the status of overflows has one place for all threads", test_overflow_is_made_once},
    {"CTX-21, OVF-05, OVF-08: the status of overflows refuses bad arguments",
     test_overflow_refusals},
    {"overflows need a device", test_overflow_needs_a_device},
    {"GRP-01: groups of cores are not offered", test_groups},
    {"GRP-02: there is no information about groups to make or end", test_group_objects},
    {"GRP-03: details of groups refuse bad arguments", test_group_details},
    {"STR-13: configurations of streams are absent", test_stream_configuration},
    {"the version of the interface is that of the headers", test_interface_version},
    {"a package has the version of its file, and a number", test_package_version},
    {"the version of CANN comes in parts", test_cann_version},
    {"without a file there is no version", test_no_version},
    {"ENV-05: lines of programs appear from the level of ASCEND_GLOBAL_LOG_LEVEL upwards",
     test_log_levels},
    {"LOG-01: a line of a program needs its parts", test_log_refusals},
    {"LOG-01: a long line of a program is cut", test_log_is_cut},
};

static const twin_suite suite = {.name = "facts",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
