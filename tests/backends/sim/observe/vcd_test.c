/* SPDX-License-Identifier: Apache-2.0 */
/* Events, notifies and counting notifies in the file of signals: each has its own signal, which
 * does not change when an injected fault keeps a write from its table. */
#include "seam.h"

#include <stdlib.h>
#include <string.h>

#define FILE_NAME "signals.vcd"

static uint32_t ids[2]; /* of the events */
static char text[1 << 16];

static uint32_t id_of(twin_signal *signal)
{
    twin_signal_state state = {0};
    SEAM_OK(seam->signal.query(signal, &state));
    CU_ASSERT(state.has_hardware_id);
    return state.hardware_id;
}

/* Records two events, of which one is lost, a notify and a counting notify; both of these have id
 * 0. */
static void run(void)
{
    twin_hw_device *device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    twin_signal *events[2] = {seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 1),
                              seam_signal(device, TWIN_SIGNAL_EVENT_LEVEL, 2)};
    twin_signal *notify = seam_signal(device, TWIN_SIGNAL_NOTIFY, 1);
    twin_signal *count = seam_signal(device, TWIN_SIGNAL_COUNT, 1);
    for (unsigned i = 0; i < 2; i++)
        ids[i] = id_of(events[i]);
    const twin_fault fault = {.kind = TWIN_FAULT_RECORD_LOST,
                              .device = TWIN_FAULT_ANY,
                              .stream = TWIN_FAULT_ANY,
                              .task = TWIN_FAULT_TASK_EVENT_RECORD,
                              .id = ids[1],
                              .first = 1};
    const twin_count_change change = {.mode = TWIN_COUNT_ADD, .value = 1};
    uint32_t number = 0;
    CU_ASSERT_EQUAL(id_of(notify), id_of(count));
    SEAM_OK(seam->fault.inject(&fault, &number));
    for (unsigned i = 0; i < 2; i++)
        SEAM_OK(seam->work.record(queue, events[i]));
    SEAM_OK(seam->work.record(queue, notify));
    SEAM_OK(seam->work.count(queue, count, &change));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    SEAM_OK(seam->fault.remove(number));
    for (unsigned i = 0; i < 2; i++)
        seam->signal.destroy(events[i]);
    seam->signal.destroy(notify);
    seam->signal.destroy(count);
    seam->queue.destroy(queue);
    seam_down(device);
    FILE *file = fopen(FILE_NAME, "rbe");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    (void)fclose(file);
}

/* How often the signal becomes 1; -1: there is no such signal, or more than one. */
static int rises(const char *name, uint32_t id)
{
    char title[64];
    char line[16];
    char code[8] = "";
    (void)snprintf(title, sizeof(title), " %s_%u $end\n", name, id);
    const char *found = strstr(text, title);
    if (!found || strstr(found + 1, title))
        return -1;
    const char *begin = found;
    while (begin[-1] != ' ')
        begin--;
    (void)snprintf(code, sizeof(code), "%.*s", (int)(found - begin), begin);
    (void)snprintf(line, sizeof(line), "\n1%s\n", code);
    int count = 0;
    const char *at = strstr(text, "$enddefinitions");
    while (at && (at = strstr(at + 1, line)))
        count++;
    return count;
}

static void test_signals(void)
{
    run();
    CU_ASSERT_EQUAL(rises("event", ids[0]), 1);
    CU_ASSERT(rises("event", ids[1]) <= 0); /* it may not be there at all */
    CU_ASSERT_EQUAL(rises("notify", 0), 1);
    CU_ASSERT_EQUAL(rises("count", 0), 1);
}

static const twin_test tests[] = {
    {"tables have their own signals, and a lost record changes none", test_signals},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    seam_set("TWINRT_PROFILE", "950");
    seam_set("TWINRT_VCD", FILE_NAME);
    return twin_run_suite("backend.sim_vcd", tests, TWIN_COUNT(tests), argc, argv);
}
