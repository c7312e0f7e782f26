/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the backend `ascend` on a vendor made by hand: the owner of an address, when page-locked
 * memory goes back, and the end of labels. */
#include <stdlib.h>

#include "backends/ascend/process.h"
#include "support/cunit_main.h"

/* ---- the vendor, and the rest of the backend ------------------------------------------------- */

struct ascend_vendor vendor;
struct ascend_process ascend;
static struct {
    bool idle;           /* streams have no work */
    bool recorded;       /* records are complete */
    aclrtStream refuses; /* this one takes no records */
    unsigned freed;      /* page-locked blocks released */
    unsigned events;
    unsigned labels; /* labels and lists of them */
    aclrtContext used;
} world;

static void log_line(int level, const char *text)
{
    (void)level;
    (void)text;
}
static const twin_services services = {.log = log_line};

twin_status ascend_use(const twin_hw_device *device, aclrtContext context)
{
    (void)device;
    world.used = context;
    return TWIN_OK;
}
twin_status ascend_retain_any(twin_hw_device **out_device)
{
    *out_device = NULL;
    return TWIN_OK;
}
twin_status ascend_retain_device(uint32_t index, twin_hw_device **out_device)
{
    (void)index;
    (void)out_device;
    return TWIN_E_INVALID;
}
void ascend_release_device(twin_hw_device *device)
{
    (void)device;
}
twin_status ascend_status(int32_t code)
{
    return code == 0 ? TWIN_OK : TWIN_E_VENDOR;
}

static aclError malloc_host(void **pointer, size_t bytes)
{
    *pointer = malloc(bytes);
    return ACL_SUCCESS;
}
static aclError free_host(void *pointer)
{
    free(pointer);
    world.freed++;
    return ACL_SUCCESS;
}
static aclError query_stream(aclrtStream stream, aclrtStreamStatus *status)
{
    (void)stream;
    *status = world.idle ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
}
static aclError create_event_flag(aclrtEvent *event, uint32_t flag)
{
    (void)flag;
    *event = &world;
    world.events++;
    return ACL_SUCCESS;
}
static aclError record_event(aclrtEvent event, aclrtStream stream)
{
    (void)event;
    return world.refuses && stream == world.refuses ? ACL_ERROR_RT_STREAM_TASK_FULL : ACL_SUCCESS;
}
static aclError no_event_ex(aclrtEvent *event, uint32_t flag)
{
    (void)event;
    (void)flag;
    return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}
static aclError query_event(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    (void)event;
    *status =
        world.recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
}
static aclError destroy_event(aclrtEvent event)
{
    (void)event;
    world.events--;
    return ACL_SUCCESS;
}

static aclError create_label(aclrtLabel *label)
{
    *label = &world;
    world.labels++;
    return ACL_SUCCESS;
}
static aclError destroy_label(aclrtLabel label)
{
    (void)label;
    world.labels--;
    return ACL_SUCCESS;
}
static aclError create_labels(aclrtLabel *labels, size_t count, aclrtLabelList *list)
{
    (void)labels;
    (void)count;
    *list = &world;
    world.labels++;
    return ACL_SUCCESS;
}
static aclError destroy_labels(aclrtLabelList list)
{
    (void)list;
    world.labels--;
    return ACL_SUCCESS;
}
static aclError set_label(aclrtLabel label, aclrtStream stream)
{
    (void)label;
    (void)stream;
    return ACL_SUCCESS;
}
static aclError switch_label(void *index, uint32_t count, aclrtLabelList list, aclrtStream stream)
{
    (void)index;
    (void)count;
    (void)list;
    (void)stream;
    return ACL_SUCCESS;
}

static void fresh(void)
{
    ascend.services = &services;
    vendor = (struct ascend_vendor){.malloc_host = malloc_host,
                                    .free_host = free_host,
                                    .query_stream = query_stream,
                                    .create_event_flag = create_event_flag,
                                    .record_event = record_event,
                                    .query_event = query_event,
                                    .destroy_event = destroy_event,
                                    .create_label = create_label,
                                    .create_labels = create_labels,
                                    .destroy_label = destroy_label,
                                    .destroy_labels = destroy_labels,
                                    .set_label = set_label,
                                    .switch_label = switch_label};
    world.idle = world.recorded = false;
    world.freed = world.events = world.labels = 0;
    world.used = world.refuses = NULL;
    ascend_pinned_clear();
    ascend_ranges_clear();
}

/* ---- addresses ------------------------------------------------------------------------------- */

static void add(uint64_t base, uint64_t bytes, twin_memory_kind kind, uint32_t device)
{
    const twin_memory_info info = {
        .kind = kind, .device = device, .base = base, .size_bytes = bytes};
    CU_ASSERT(ascend_range_add(&info));
}

static twin_memory_info at(uint64_t address)
{
    twin_memory_info info = {.kind = TWIN_MEMORY_UNKNOWN};
    ascend_range_find(address, &info);
    return info;
}

static void test_addresses(void)
{
    twin_memory_info info;
    fresh();
    CU_ASSERT(at(0x1000).kind == TWIN_MEMORY_UNKNOWN);
    add(0x4000, 0x1000, TWIN_MEMORY_DEVICE, 3);
    add(0x1000, 0x1000, TWIN_MEMORY_HOST_PINNED, 0);
    info = at(0x4fff);
    CU_ASSERT(info.kind == TWIN_MEMORY_DEVICE && info.device == 3 && info.base == 0x4000 &&
              info.size_bytes == 0x1000);
    CU_ASSERT(at(0x5000).kind == TWIN_MEMORY_UNKNOWN);
    CU_ASSERT(at(0x3fff).kind == TWIN_MEMORY_UNKNOWN);
    CU_ASSERT(at(0x1000).kind == TWIN_MEMORY_HOST_PINNED);
    CU_ASSERT(!ascend_range_remove(0x4001, TWIN_MEMORY_DEVICE, &info));
    CU_ASSERT(!ascend_range_remove(0x4000, TWIN_MEMORY_HOST_PINNED, &info));
    CU_ASSERT(ascend_range_remove(0x4000, TWIN_MEMORY_DEVICE, &info) && info.device == 3);
    CU_ASSERT(ascend_range_remove(0x1000, TWIN_MEMORY_HOST_PINNED, &info));
    /* Device memory is gone; freed host memory may have any owner. */
    CU_ASSERT(at(0x4800).kind == TWIN_MEMORY_GONE && at(0x4800).base == 0);
    CU_ASSERT(at(0x1000).kind == TWIN_MEMORY_UNKNOWN);
    /* Another block overlaps a part of it. */
    add(0x4400, 0x400, TWIN_MEMORY_DEVICE, 1);
    CU_ASSERT(at(0x4000).kind == TWIN_MEMORY_GONE && at(0x4800).kind == TWIN_MEMORY_GONE);
    CU_ASSERT(at(0x4400).kind == TWIN_MEMORY_DEVICE && at(0x4400).device == 1);
}

static void test_device_goes(void)
{
    enum { MANY = 3000 }; /* more than the table holds at first */
    uint64_t bytes = 0;
    fresh();
    for (uint64_t i = 0; i < MANY; i++)
        add(0x100000 + i * 0x1000, 0x800 + (i % 2) * 0x800, TWIN_MEMORY_DEVICE, (uint32_t)(i % 3));
    CU_ASSERT(ascend_ranges_forget(1, &bytes) == MANY / 3);
    for (uint64_t i = 0; i < MANY; i++) {
        twin_memory_info info = at(0x100000 + i * 0x1000);
        CU_ASSERT(info.kind == (i % 3 == 1 ? TWIN_MEMORY_GONE : TWIN_MEMORY_DEVICE));
        CU_ASSERT(i % 3 == 1 || (info.device == i % 3 && info.base == 0x100000 + i * 0x1000));
    }
    CU_ASSERT(bytes == UINT64_C(0x800) * (MANY / 3) + UINT64_C(0x800) * (MANY / 6));
    CU_ASSERT(ascend_ranges_forget(0, &bytes) + ascend_ranges_forget(2, &bytes) == 2 * (MANY / 3));
}

/* ---- page-locked memory ---------------------------------------------------------------------- */

static void test_pinned_stays_under_copies(void)
{
    struct ascend_group group = {0};
    twin_queue queue = {.group = &group};
    void *used = NULL, *unused = NULL;
    fresh();
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &used) == TWIN_OK);
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &unused) == TWIN_OK);
    ascend_pinned_use((uint64_t)(uintptr_t)used + 100, &queue);
    CU_ASSERT(ascend_memory_host_free(unused) == TWIN_OK);
    CU_ASSERT(world.freed == 1);
    CU_ASSERT(ascend_memory_host_free(used) == TWIN_OK);
    CU_ASSERT(world.freed == 1 && world.events == 1);
    CU_ASSERT(at((uint64_t)(uintptr_t)used).kind ==
              TWIN_MEMORY_UNKNOWN); /* not the program's any more */
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &unused) == TWIN_OK);
    CU_ASSERT(world.freed == 1);
    world.recorded = true;
    CU_ASSERT(ascend_memory_host_free(unused) == TWIN_OK);
    CU_ASSERT(world.freed == 3 && world.events == 0);
}

static void test_pinned_goes_after_copies(void)
{
    struct ascend_group group = {0};
    twin_queue queue = {.group = &group};
    void *used = NULL;
    fresh();
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &used) == TWIN_OK);
    ascend_pinned_use((uint64_t)(uintptr_t)used, &queue);
    world.idle = true;
    CU_ASSERT(ascend_memory_host_free(used) == TWIN_OK);
    CU_ASSERT(world.freed == 1 && world.events == 0);
    world.idle = false;
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &used) == TWIN_OK);
    ascend_pinned_use((uint64_t)(uintptr_t)used, &queue);
    ascend_pinned_forget_queue(&queue); /* it has ended */
    CU_ASSERT(ascend_memory_host_free(used) == TWIN_OK);
    CU_ASSERT(world.freed == 2);
}

/* Also when the device has only events of the older kind. */
static void test_pinned_goes_after_many_streams(void)
{
    enum { MANY = 8 };
    struct ascend_group group = {0};
    twin_queue queues[MANY];
    void *used = NULL;
    fresh();
    vendor.create_event_ex = no_event_ex;
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &used) == TWIN_OK);
    for (int i = 0; i < MANY; i++) {
        queues[i] = (twin_queue){.group = &group};
        ascend_pinned_use((uint64_t)(uintptr_t)used, &queues[i]);
    }
    CU_ASSERT(ascend_memory_host_free(used) == TWIN_OK);
    CU_ASSERT(world.freed == 0 && world.events == MANY);
    world.recorded = true;
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &used) == TWIN_OK);
    CU_ASSERT(world.freed == 1 && world.events == 0);
    CU_ASSERT(ascend_memory_host_free(used) == TWIN_OK);
}

/* It is unknown when that queue has finished with it: the state of the other one does not count. */
static void test_pinned_stays_when_one_queue_takes_no_event(void)
{
    struct ascend_group group = {0};
    twin_queue first = {.group = &group}, second = {.group = &group, .stream = &group};
    void *used = NULL, *other = NULL;
    fresh();
    world.refuses = &group;
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &used) == TWIN_OK);
    ascend_pinned_use((uint64_t)(uintptr_t)used, &first);
    ascend_pinned_use((uint64_t)(uintptr_t)used, &second);
    CU_ASSERT(ascend_memory_host_free(used) == TWIN_OK);
    world.recorded = true;
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &other) == TWIN_OK);
    CU_ASSERT(world.freed == 0 && world.events == 0);
    CU_ASSERT(ascend_memory_host_free(other) == TWIN_OK);
    if (world.freed == 1)
        free(used);
}

/* The vendor destroys a device's events with the device: those left are released before. */
static void test_pinned_goes_with_the_device(void)
{
    struct ascend_group group = {0};
    struct twin_hw_device one = {.index = 0}, other = {.index = 1};
    twin_queue queue = {.group = &group, .device = &one};
    twin_queue second = {.group = &group, .device = &other};
    void *used = NULL, *both = NULL;
    fresh();
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &used) == TWIN_OK);
    CU_ASSERT(ascend_memory_host_alloc(&(twin_allocation){.bytes = 4096}, &both) == TWIN_OK);
    ascend_pinned_use((uint64_t)(uintptr_t)used, &queue);
    ascend_pinned_use((uint64_t)(uintptr_t)both, &queue);
    ascend_pinned_use((uint64_t)(uintptr_t)both, &second);
    CU_ASSERT(ascend_memory_host_free(used) == TWIN_OK);
    CU_ASSERT(ascend_memory_host_free(both) == TWIN_OK);
    CU_ASSERT(world.freed == 0 && world.events == 3);
    ascend_pinned_close_device(&one);
    CU_ASSERT(world.freed == 1 && world.events == 1); /* the other device still copies */
    ascend_pinned_close_device(&other);
    CU_ASSERT(world.freed == 2 && world.events == 0);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The table's memory is freed when the context that its labels are of is gone: the vendor must not
 * be asked about it. */
static void test_labels_go_with_their_context(void)
{
    int one, other;
    struct ascend_group group = {.context = &one}, second = {.context = &other};
    twin_queue queue = {.group = &group}, next = {.group = &second};
    fresh();
    add(0x7000, 16, TWIN_MEMORY_DEVICE, 0); /* two labels */
    add(0x9000, 8, TWIN_MEMORY_DEVICE, 0);
    CU_ASSERT(ascend_work_label(&queue, 0x7000, 1) == TWIN_OK);
    CU_ASSERT(ascend_work_label(&queue, 0x7000, 2) == TWIN_E_INVALID);
    CU_ASSERT(ascend_work_label(&next, 0x9000, 0) == TWIN_OK);
    CU_ASSERT(world.labels == 3 + 2);
    ascend_labels_forget_context(&one);
    CU_ASSERT(world.labels == 2 && world.used == &one);
    world.used = NULL;
    ascend_labels_forget(0x7000);
    CU_ASSERT(world.labels == 2 && world.used == NULL);
    ascend_labels_forget(0x9000);
    CU_ASSERT(world.labels == 0 && world.used == &other);
}

static const twin_test tests[] = {
    {"an address has the block that is there, or the one that was freed there", test_addresses},
    {"memory of a device goes with it", test_device_goes},
    {"page-locked memory stays while queued copies use it", test_pinned_stays_under_copies},
    {"page-locked memory that no copy uses goes back at once", test_pinned_goes_after_copies},
    {"page-locked memory goes back after copies of many streams",
     test_pinned_goes_after_many_streams},
    {"page-locked memory stays when a stream takes no event after its copies",
     test_pinned_stays_when_one_queue_takes_no_event},
    {"nothing of a device that goes is kept for page-locked memory",
     test_pinned_goes_with_the_device},
    {"labels go with the context they are of", test_labels_go_with_their_context},
};

int main(int argc, char **argv)
{
    return twin_run_suite("ascend_memory", tests, TWIN_COUNT(tests), argc, argv);
}
