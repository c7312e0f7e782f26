/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: allocations, copies and fills outside all queues, and when pinned memory may go back. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "process.h"

#define HUGE_FROM      ((uint64_t)1 << 20)
#define PAGE_NORMAL    4096u
#define PAGE_HUGE      ((uint32_t)2 << 20)
#define PAGE_GIGA      ((uint32_t)1 << 30)
#define PIN_QUEUES     32
#define PIN_BUCKETS    256u
#define ERRORS_AT_ONCE 20u

/* ---- pinned memory in use -------------------------------------------------------------------- */

/* The vendor's runtime frees pinned memory at once, even while a queued copy uses it. So memory
 * that copies use is noted, and freed when these queues have passed the point at which the program
 * freed it. */
typedef struct pin {
    struct pin *next;
    uint64_t base;
    uint32_t queue_count; /* more than PIN_QUEUES: some are not listed */
    twin_queue *queues[PIN_QUEUES];
} pin;

/* Freed by the program, and not by the vendor yet. */
typedef struct grave {
    struct grave *next;
    void *pointer;
    uint32_t event_count;
    aclrtEvent events[PIN_QUEUES];
    const twin_hw_device *devices[PIN_QUEUES]; /* of each event */
} grave;

static pthread_mutex_t pins_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t fences_set = PTHREAD_COND_INITIALIZER; /* some queue has no more to come */
/* Guarded by pins_lock. */
static pin *pins[PIN_BUCKETS];
static grave *graves;
/* Held while a thread walks the graves; taken before pins_lock. */
static pthread_mutex_t dig_lock = PTHREAD_MUTEX_INITIALIZER;

static pin **bucket_of(uint64_t base)
{
    return &pins[base / PAGE_NORMAL % PIN_BUCKETS];
}

void ascend_pinned_use(uint64_t address, twin_queue *queue)
{
    twin_memory_info info;
    ascend_range_find(address, &info);
    if (info.kind != TWIN_MEMORY_HOST_PINNED)
        return;
    pthread_mutex_lock(&pins_lock);
    pin **bucket = bucket_of(info.base);
    pin *one;
    LL_SEARCH_SCALAR(*bucket, one, base, info.base);
    if (!one && (one = calloc(1, sizeof(*one))) != NULL) {
        one->base = info.base;
        LL_PREPEND(*bucket, one);
    }
    bool listed = !one;
    for (uint32_t i = 0; !listed && i < one->queue_count && i < PIN_QUEUES; i++)
        listed = one->queues[i] == queue;
    if (!listed) {
        if (one->queue_count < PIN_QUEUES)
            one->queues[one->queue_count] = queue;
        one->queue_count++;
    }
    pthread_mutex_unlock(&pins_lock);
}

/* Of a queue without work in flight. Waits for threads that are freeing memory and have seen the
 * queue. */
void ascend_pinned_forget_queue(twin_queue *queue)
{
    pthread_mutex_lock(&pins_lock);
    while (queue->fences > 0)
        pthread_cond_wait(&fences_set, &pins_lock);
    for (uint32_t b = 0; b < PIN_BUCKETS; b++)
        for (pin *one = pins[b]; one; one = one->next)
            for (uint32_t i = 0; i < one->queue_count && i < PIN_QUEUES; i++)
                if (one->queues[i] == queue) {
                    /* Of one with too many the rest is not known: it stays too many. */
                    uint32_t known = one->queue_count < PIN_QUEUES ? one->queue_count : PIN_QUEUES;
                    one->queues[i--] = one->queues[known - 1];
                    if (one->queue_count > PIN_QUEUES) {
                        one->queues[known - 1] = NULL;
                        break;
                    }
                    one->queue_count--;
                }
    pthread_mutex_unlock(&pins_lock);
}

/* What is noted of a block. Its queues stay until end_pin. */
static pin *take_pin(uint64_t base)
{
    pthread_mutex_lock(&pins_lock);
    pin **bucket = bucket_of(base);
    pin *found;
    LL_SEARCH_SCALAR(*bucket, found, base, base);
    if (found)
        LL_DELETE(*bucket, found);
    for (uint32_t i = 0; found && i < PIN_QUEUES && i < found->queue_count; i++)
        if (found->queues[i])
            found->queues[i]->fences++;
    pthread_mutex_unlock(&pins_lock);
    return found;
}

static void end_pin(pin *taken)
{
    pthread_mutex_lock(&pins_lock);
    for (uint32_t i = 0; i < PIN_QUEUES && i < taken->queue_count; i++)
        if (taken->queues[i] && --taken->queues[i]->fences == 0)
            pthread_cond_broadcast(&fences_set);
    pthread_mutex_unlock(&pins_lock);
    free(taken);
}

/* An event after all that the queue has now; NULL: it has nothing, or no event can be created
 * (*out_failed). */
static aclrtEvent fence(twin_queue *queue, bool *out_failed)
{
    aclrtStreamStatus state = ACL_STREAM_STATUS_NOT_READY;
    aclrtEvent event = NULL;
    *out_failed = false;
    if (ascend_use_queue(queue) != TWIN_OK ||
        (vendor.query_stream(queue->stream, &state) == 0 && state == ACL_STREAM_STATUS_COMPLETE))
        return NULL;
    int32_t code = ascend_create_event(ACL_EVENT_CAPTURE_STREAM_PROGRESS, &event);
    if (code == 0 && vendor.record_event(event, queue->stream) == 0)
        return event;
    if (code == 0)
        vendor.destroy_event(event);
    *out_failed = true;
    return NULL;
}

/* The device's events end with it: the vendor must not be asked about them afterwards. */
static void drop_events(grave *one, const twin_hw_device *device)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < one->event_count; i++) {
        if (one->devices[i] == device) {
            vendor.destroy_event(one->events[i]);
            continue;
        }
        one->events[kept] = one->events[i];
        one->devices[kept++] = one->devices[i];
    }
    one->event_count = kept;
}

/* Releases memory that no queue uses any more. `closing`: its queues were destroyed; NULL: no
 * device closes. */
static void dig(bool all, const twin_hw_device *closing)
{
    pthread_mutex_lock(&dig_lock);
    pthread_mutex_lock(&pins_lock);
    grave *list = graves;
    graves = NULL;
    pthread_mutex_unlock(&pins_lock);
    grave *one, *next;
    LL_FOREACH_SAFE(list, one, next) {
        bool over = true;
        if (closing)
            drop_events(one, closing);
        for (uint32_t i = 0; i < one->event_count && !all && over; i++) {
            aclrtEventRecordedStatus state = ACL_EVENT_RECORDED_STATUS_NOT_READY;
            over = vendor.query_event(one->events[i], &state) != 0 ||
                   state == ACL_EVENT_RECORDED_STATUS_COMPLETE;
        }
        if (!over) {
            pthread_mutex_lock(&pins_lock);
            LL_PREPEND(graves, one);
            pthread_mutex_unlock(&pins_lock);
            continue;
        }
        for (uint32_t i = 0; i < one->event_count; i++)
            vendor.destroy_event(one->events[i]);
        vendor.free_host(one->pointer);
        free(one);
    }
    pthread_mutex_unlock(&dig_lock);
}

void ascend_pinned_close_device(const twin_hw_device *device)
{
    dig(false, device);
}

void ascend_pinned_clear(void)
{
    for (uint32_t b = 0; b < PIN_BUCKETS; b++)
        for (pin *gone; (gone = pins[b]) != NULL; free(gone))
            LL_DELETE(pins[b], gone);
    dig(true, NULL);
}

/* ---- the ops --------------------------------------------------------------------------------- */

static uint32_t page_of(uint64_t bytes, twin_page_policy pages)
{
    switch (pages) {
    case TWIN_PAGES_HUGE_1G:
        return PAGE_GIGA;
    case TWIN_PAGES_HUGE_ONLY:
        return PAGE_HUGE;
    case TWIN_PAGES_NORMAL_ONLY:
        return PAGE_NORMAL;
    default:
        return bytes > HUGE_FROM ? PAGE_HUGE : PAGE_NORMAL;
    }
}

/* Of a call with attributes: also with its bits. */
static aclrtMemMallocPolicy policy_of(const twin_allocation *allocation)
{
    static const aclrtMemMallocPolicy policies[][2] = {
        [TWIN_PAGES_DEFAULT] = {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_FIRST_P2P},
        [TWIN_PAGES_HUGE_ONLY] = {ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_HUGE_ONLY_P2P},
        [TWIN_PAGES_NORMAL_ONLY] = {ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY_P2P},
        [TWIN_PAGES_HUGE_1G] = {ACL_MEM_MALLOC_HUGE1G_ONLY, ACL_MEM_MALLOC_HUGE1G_ONLY_P2P},
    };
    return policies[allocation->pages][(allocation->flags & TWIN_ALLOC_PEER) != 0];
}

static aclrtMemMallocPolicy policy_with_bits(const twin_allocation *allocation)
{
    uint32_t policy = policy_of(allocation);
    if ((allocation->flags & TWIN_ALLOC_LOW_BAND) != 0)
        policy |= ACL_MEM_TYPE_LOW_BAND_WIDTH;
    if ((allocation->flags & TWIN_ALLOC_HIGH_BAND) != 0)
        policy |= ACL_MEM_TYPE_HIGH_BAND_WIDTH;
    if ((allocation->flags & TWIN_ALLOC_READ_ONLY) != 0)
        policy |= ACL_MEM_ACCESS_USER_SPACE_READONLY;
    return (aclrtMemMallocPolicy)policy;
}

/* Where the vendor's library takes no attributes, memory has the plain ones, but for memory of the
 * task scheduler, which is of another kind. The size has its padding already, so no function is
 * called that adds it. */
static twin_status allocate_on(const twin_allocation *allocation, void **out_pointer)
{
    const bool scheduler = (allocation->flags & TWIN_ALLOC_SCHEDULER) != 0;
    aclrtMallocAttribute module = {.attr = ACL_RT_MEM_ATTR_MODULE_ID,
                                   .value.moduleId = (uint16_t)allocation->module};
    aclrtMallocConfig config = {.attrs = &module, .numAttrs = 1};
    if (scheduler && !vendor.malloc_scheduler)
        return TWIN_E_UNSUPPORTED;
    if (scheduler)
        return ascend_status(vendor.malloc_scheduler(out_pointer, allocation->bytes,
                                                     policy_with_bits(allocation), &config));
    const bool plain =
        allocation->module == TWIN_MODULE_APP && (allocation->flags & ~TWIN_ALLOC_PEER) == 0;
    if (plain || !vendor.malloc_with)
        return ascend_status(
            vendor.malloc_device(out_pointer, allocation->bytes, policy_of(allocation)));
    return ascend_status(
        vendor.malloc_with(out_pointer, allocation->bytes, policy_with_bits(allocation), &config));
}

twin_status ascend_memory_alloc(twin_hw_device *device, const twin_allocation *allocation,
                                uint64_t *out_address)
{
    void *pointer = NULL;
    twin_status status = ascend_use_device(device);
    if (status == TWIN_OK)
        status = allocate_on(allocation, &pointer);
    if (status != TWIN_OK)
        return status;
    const twin_memory_info info = {.kind = TWIN_MEMORY_DEVICE,
                                   .device = device->index,
                                   .base = (uint64_t)(uintptr_t)pointer,
                                   .size_bytes = allocation->bytes,
                                   .page_bytes = page_of(allocation->bytes, allocation->pages)};
    if (!ascend_range_add(&info)) {
        vendor.free_device(pointer);
        return TWIN_E_NOMEM;
    }
    *out_address = info.base;
    return TWIN_OK;
}

static twin_status free_on(uint64_t address)
{
    twin_memory_info info;
    ascend_labels_forget(address);
    ascend_pool_forget(address);
    /* Before the address can be another's. */
    if (!ascend_range_remove(address, TWIN_MEMORY_DEVICE, &info) &&
        !ascend_range_remove(address, TWIN_MEMORY_MANAGED, &info))
        return TWIN_E_INVALID;
    twin_status status = ascend_status(vendor.free_device(ascend_pointer(address)));
    if (status != TWIN_OK)
        (void)ascend_range_add(&info);
    return status;
}

twin_status ascend_memory_free(uint64_t address)
{
    twin_memory_info info;
    twin_hw_device *device = NULL;
    ascend_range_find(address, &info);
    if ((info.kind != TWIN_MEMORY_DEVICE && info.kind != TWIN_MEMORY_MANAGED) ||
        info.base != address)
        return TWIN_E_INVALID;
    twin_status status = ascend_retain_device(info.device, &device);
    if (status != TWIN_OK)
        return status;
    status = free_on(address);
    ascend_release_device(device);
    return status;
}

static twin_status free_now(void *pointer)
{
    twin_hw_device *device = NULL;
    twin_status status = ascend_retain_any(&device);
    if (status != TWIN_OK)
        return status;
    dig(false, NULL);
    status = ascend_status(vendor.free_host(pointer));
    ascend_release_device(device);
    return status;
}

static twin_status allocate_host(const twin_allocation *allocation, void **out_pointer)
{
    const bool unified = (allocation->flags & TWIN_ALLOC_UNIFIED) != 0;
    aclrtMallocAttribute list[] = {
        {.attr = ACL_RT_MEM_ATTR_MODULE_ID, .value.moduleId = (uint16_t)allocation->module},
        {.attr = ACL_RT_MEM_ATTR_VA_FLAG, .value.vaFlag = 1}};
    aclrtMallocConfig config = {.attrs = list, .numAttrs = unified ? 2 : 1};
    if (unified && !vendor.malloc_host_with)
        return TWIN_E_UNSUPPORTED;
    if (!vendor.malloc_host_with || (allocation->module == TWIN_MODULE_APP && !unified))
        return ascend_status(vendor.malloc_host(out_pointer, allocation->bytes));
    return ascend_status(vendor.malloc_host_with(out_pointer, allocation->bytes, &config));
}

twin_status ascend_memory_host_alloc(const twin_allocation *allocation, void **out_pointer)
{
    void *pointer = NULL;
    twin_hw_device *device = NULL;
    twin_status status = ascend_retain_any(&device);
    if (status != TWIN_OK)
        return status;
    dig(false, NULL);
    status = allocate_host(allocation, &pointer);
    ascend_release_device(device);
    if (status == TWIN_E_DEVICE_MEMORY)
        status = TWIN_E_NOMEM;
    if (status != TWIN_OK)
        return status;
    const twin_memory_info info = {.kind = TWIN_MEMORY_HOST_PINNED,
                                   .base = (uint64_t)(uintptr_t)pointer,
                                   .size_bytes = allocation->bytes,
                                   .page_bytes = PAGE_NORMAL};
    if (!ascend_range_add(&info)) {
        (void)free_now(pointer);
        return TWIN_E_NOMEM;
    }
    *out_pointer = pointer;
    return TWIN_OK;
}

/* Records an event in each queue of `used` that has work left. False: it failed for one, so it is
 * unknown when the block is free. */
static bool set_events(const pin *used, grave *to)
{
    bool known = used->queue_count <= PIN_QUEUES;
    for (uint32_t i = 0; known && i < used->queue_count; i++) {
        bool failed = false;
        aclrtEvent event = used->queues[i] ? fence(used->queues[i], &failed) : NULL;
        known = !failed;
        if (event) {
            to->devices[to->event_count] = used->queues[i]->device;
            to->events[to->event_count++] = event;
        }
    }
    return known;
}

/* Buries the block while queues that `used` notes still copy to or from it. False: none does. */
static bool bury(void *pointer, const pin *used)
{
    grave *later = calloc(1, sizeof(*later));
    if (!later || !set_events(used, later)) {
        ascend.services->log(1,
                             "page-locked memory is not freed before the end: it is unknown when "
                             "the streams that use it have finished");
        for (uint32_t i = 0; later && i < later->event_count; i++)
            vendor.destroy_event(later->events[i]);
        free(later);
        return true;
    }
    if (later->event_count == 0) {
        free(later);
        return false;
    }
    later->pointer = pointer;
    pthread_mutex_lock(&pins_lock);
    LL_PREPEND(graves, later);
    pthread_mutex_unlock(&pins_lock);
    return true;
}

twin_status ascend_memory_host_free(void *pointer)
{
    twin_memory_info info;
    twin_hw_device *device = NULL;
    twin_status status = ascend_retain_any(&device);
    if (status != TWIN_OK)
        return status;
    ascend_release_device(
        device); /* an event may have to wait for room, and no other thread must wait for that */
    if (!ascend_range_remove((uint64_t)(uintptr_t)pointer, TWIN_MEMORY_HOST_PINNED, &info))
        return TWIN_E_INVALID;
    pin *used = take_pin(info.base);
    bool kept = used && bury(pointer, used);
    if (used)
        end_pin(used);
    return kept ? TWIN_OK : free_now(pointer);
}

twin_status ascend_memory_map_peer(uint64_t address, uint64_t bytes, uint32_t device)
{
    twin_hw_device *any = NULL;
    if (!vendor.map_peer)
        return TWIN_E_UNSUPPORTED;
    twin_status status = ascend_retain_any(&any);
    if (status != TWIN_OK)
        return status;
    status = ascend_status(vendor.map_peer(ascend_pointer(address), bytes, (int32_t)device, 0));
    ascend_release_device(any);
    return status;
}

twin_status ascend_memory_info(uint64_t address, twin_memory_info *out_info)
{
    ascend_range_find(address, out_info);
    return TWIN_OK;
}

twin_status ascend_memory_space(twin_hw_device *device, uint32_t page_class, uint64_t *out_free,
                                uint64_t *out_total)
{
    static const aclrtMemAttr high[] = {ACL_HBM_MEM, ACL_HBM_MEM_HUGE, ACL_HBM_MEM_NORMAL};
    static const aclrtMemAttr low[] = {ACL_DDR_MEM, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL};
    const char *soc = vendor.soc_name();
    bool ddr = soc && strncmp(soc, "Ascend310", 9) == 0;
    size_t unused = 0, total = 0;
    twin_status status = ASCEND_CALL(
        ascend_use_device(device),
        vendor.memory_info((ddr ? low : high)[page_class < 3 ? page_class : 0], &unused, &total));
    if (status == TWIN_OK) {
        *out_free = unused;
        *out_total = total;
    }
    return status;
}

static bool on_device(uint64_t address, twin_side side)
{
    twin_memory_info info = {.kind = side.kind};
    if (side.kind == TWIN_MEMORY_UNKNOWN)
        ascend_range_find(address, &info);
    return info.kind == TWIN_MEMORY_DEVICE || info.kind == TWIN_MEMORY_MANAGED;
}

aclrtMemcpyKind ascend_copy_kind(uint64_t dst, uint64_t src, const twin_sides *sides)
{
    bool into = on_device(dst, sides->dst), out = on_device(src, sides->src);
    return into && out ? ACL_MEMCPY_DEVICE_TO_DEVICE
           : into      ? ACL_MEMCPY_HOST_TO_DEVICE
           : out       ? ACL_MEMCPY_DEVICE_TO_HOST
                       : ACL_MEMCPY_HOST_TO_HOST;
}

twin_status ascend_memory_copy(twin_hw_device *device, const twin_copy *copy)
{
    return ASCEND_CALL(ascend_use_device(device),
                       vendor.copy(ascend_pointer(copy->dst), copy->bytes,
                                   ascend_pointer(copy->src), copy->bytes,
                                   ascend_copy_kind(copy->dst, copy->src, &copy->sides)));
}

twin_status ascend_memory_fill(twin_hw_device *device, const twin_fill *fill)
{
    if (fill->words)
        return ASCEND_CALL(ascend_use_device_for(device, vendor.fill_words != NULL),
                           vendor.fill_words(ascend_pointer(fill->dst), fill->bytes, fill->value,
                                             fill->bytes / 4));
    return ASCEND_CALL(
        ascend_use_device(device),
        vendor.fill(ascend_pointer(fill->dst), fill->bytes, (int32_t)fill->value, fill->bytes));
}

twin_status ascend_memory_copy_rows(twin_hw_device *device, const twin_rows *rows)
{
    return ASCEND_CALL(ascend_use_device_for(device, vendor.copy_rows != NULL),
                       vendor.copy_rows(ascend_pointer(rows->dst), rows->dst_pitch,
                                        ascend_pointer(rows->src), rows->src_pitch, rows->width,
                                        rows->height,
                                        ascend_copy_kind(rows->dst, rows->src, &rows->sides)));
}

twin_status ascend_memory_describe(twin_hw_device *device, uint64_t at, const twin_copy *copy)
{
    if (copy->dst == 0)
        return ASCEND_CALL(
            ascend_use_device_for(device, vendor.describe_cache != NULL),
            vendor.describe_cache(ascend_pointer(at), ascend_pointer(copy->src), copy->bytes));
    return ASCEND_CALL(ascend_use_device_for(device, vendor.describe_copy != NULL),
                       vendor.describe_copy(ascend_pointer(at), ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
                                            ascend_pointer(copy->src), ascend_pointer(copy->dst),
                                            copy->bytes, NULL));
}

twin_status ascend_memory_maintain(twin_hw_device *device, uint64_t address, uint64_t bytes,
                                   bool invalidate)
{
    if (invalidate)
        return ASCEND_CALL(ascend_use_device_for(device, vendor.invalidate != NULL),
                           vendor.invalidate(ascend_pointer(address), bytes));
    return ASCEND_CALL(ascend_use_device_for(device, vendor.flush != NULL),
                       vendor.flush(ascend_pointer(address), bytes));
}

twin_status ascend_memory_errors(twin_hw_device *device, twin_memory_error *list, size_t room,
                                 size_t *out_count)
{
    aclrtMemUceInfo found[ERRORS_AT_ONCE];
    size_t count = 0;
    twin_status status =
        ASCEND_CALL(ascend_use_device_for(device, vendor.memory_errors != NULL),
                    vendor.memory_errors((int32_t)device->index, found, ERRORS_AT_ONCE, &count));
    if (status != TWIN_OK)
        return status;
    if (count > ERRORS_AT_ONCE)
        count = ERRORS_AT_ONCE;
    size_t first = count > room ? count - room : 0;
    for (size_t i = first; i < count; i++)
        list[i - first] = (twin_memory_error){.address = (uint64_t)(uintptr_t)found[i].addr,
                                              .bytes = found[i].len};
    *out_count = count;
    return TWIN_OK;
}

twin_status ascend_memory_repair(twin_hw_device *device, uint64_t address, uint64_t bytes)
{
    aclrtMemUceInfo where = {.addr = ascend_pointer(address), .len = bytes};
    return ASCEND_CALL(ascend_use_device_for(device, vendor.repair_memory != NULL),
                       vendor.repair_memory((int32_t)device->index, &where, 1));
}

twin_status ascend_memory_usage(twin_hw_device *device, twin_memory_use *list, size_t room,
                                size_t *out_count)
{
    aclrtMemUsageInfo *found = calloc(room, sizeof(*found));
    size_t count = 0;
    if (!found)
        return TWIN_E_NOMEM;
    twin_status status =
        ASCEND_CALL(ascend_use_device_for(device, vendor.memory_usage != NULL),
                    vendor.memory_usage((int32_t)device->index, found, room, &count));
    for (size_t i = 0; i < count && i < room && status == TWIN_OK; i++) {
        list[i] = (twin_memory_use){.bytes = found[i].curMemSize, .peak = found[i].memPeakSize};
        memcpy(list[i].name, found[i].name, sizeof(list[i].name));
        list[i].name[sizeof(list[i].name) - 1] = '\0';
    }
    if (status == TWIN_OK)
        *out_count = count < room ? count : room;
    free(found);
    return status;
}
