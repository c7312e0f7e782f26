/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about devices, and limits of the process. */
#include "facts_tests.h"
#include "suite.h"

static const twin_child children[] = {
    {"numbers_of_devices", child_numbers_of_devices},
    {"print_uuids", child_print_uuids},
    {"visible_bus_ids", child_visible_bus_ids},
};

static const twin_test tests[] = {
    {"DEV-40: utilisation rates, -1 for memory", test_utilization},
    {"DEV-42: the parts of a device are counted", test_device_capability},
    {"DEV-43: a device has a stable identifier of its own", test_uuids},
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
    {"caches and synchronisation addresses are checked for, then refused",
     test_cache_and_sync_address},
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
