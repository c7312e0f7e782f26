/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder: writes the calls of the core to a backend, with times and results (README.md). */
#include <string.h>
#include <unistd.h>

#include "ops.h"
#include "seam/wrapper.h"

struct twin_backend record_below;
const twin_services *record_services;
bool record_stamps_wanted;
bool record_data_wanted;
bool record_stacks_wanted;
struct record_numbers record_numbers;

static uint64_t no_time(void)
{
    return 0;
}

static void forget_all(void)
{
    memset(&record_numbers, 0, sizeof(record_numbers));
    record_seen_forget();
    record_touch_forget();
    record_modules_forget();
    record_order_forget();
}

/* Begins the entry of a start. The backend has not started yet; its name is known. */
static void begin_session(struct record_call *call)
{
    const char *const texts[] = {record_below.name, TWINRT_VERSION};
    size_t bytes = record_texts_bytes(texts, 2);
    struct twin_record_PROCESS_START *f = RECORD_BEGIN(call, PROCESS_START, bytes);
    f->session = ++record_numbers.sessions;
    f->seam_version = TWIN_SEAM_VERSION;
    f->process = (uint32_t)getpid();
    f->tasks_stamped = record_stamps_wanted;
    f->data_kept = record_data_wanted;
    f->flags = record_below.flags;
    f->order_kept = record_services->host_time != NULL &&
                    strcmp(record_services->setting("TWINRT_HOST_TIME"), "sync") == 0;
    f->text_bytes = (uint32_t)bytes;
    if (record_kept(call))
        record_texts_put((char *)(f + 1), texts, 2);
    record_called(call);
}

/* The public code of the call that is about to return TWIN_E_VENDOR. */
static void vendor_code(int32_t code)
{
    struct record_call call;
    struct twin_record_VENDOR *f = RECORD_BEGIN_EVENT(&call, VENDOR, 0);
    f->code = code;
    record_event(&call);
    record_services->vendor_code(code);
}

/* ---- nondeterminism: a replay returns it to the ops, and a recording of the replay logs it too
 * ---- */

/* Real time or other threads have a part in it. */
static inline bool is_of_others(twin_nd what, uint64_t value)
{
    enum { OTHERS = 1 << TWIN_ND_CLOCK | 1 << TWIN_ND_WOKE | 1 << TWIN_ND_THREAD };
    return value != 0 && (OTHERS >> what & 1) != 0;
}

/* In a replay, by others, or when not only one thread has called. */
static __attribute__((noinline)) bool nondeterminism_late(twin_nd what, uint64_t which,
                                                          uint64_t *value)
{
    const bool repeats = record_services->nd != NULL;
    if ((repeats && !record_services->nd(what, which, value)) || record_self.inside == 0)
        return repeats && record_self.inside == 0;
    if (is_of_others(what, *value))
        record_keep_nd();
    /* most are 0: fields that an entry lacks are 0 */
    const bool is_short = (which | *value) == 0;
    record_nd(TWIN_RECORD_ND, RECORD_WORDS(what, record_self.inside, which, *value),
              (is_short ? offsetof(struct twin_record_ND, which) : sizeof(struct twin_record_ND)) /
                  8);
    return repeats;
}

/* The same where nothing is repeated: the quick way. */
static bool nondeterminism(twin_nd what, uint64_t which, uint64_t *value)
{
    if (__builtin_expect(is_of_others(what, *value), 0) ||
        __builtin_expect(!record_put_early(TWIN_RECORD_ND,
                                           RECORD_WORDS(what, record_self.inside, which, *value),
                                           4),
                         0))
        return nondeterminism_late(what, which, value);
    return false;
}

/* What the program does now comes at a point of the wait that real time says. */
static bool interrupted(void)
{
    record_keep_nd();
    return record_services->interrupted();
}

static void seen(twin_seen what, uint32_t device, uint32_t queue, uint64_t number)
{
    if (what > TWIN_SEEN_WATCH)
        RECORD_ND(SHARED, record_pair(what, queue), device, number);
    else if (what == TWIN_SEEN_WATCH)
        RECORD_ND(WATCHED, record_pair(device, queue), number);
    else
        RECORD_ND(SEEN, record_pair(device, queue), number);
}

static void moved(uint64_t at_ns, uint64_t events)
{
    RECORD_ND(MOVED, at_ns, events);
}

twin_status record_process_start(const twin_services *services)
{
    static twin_services inner;
    bool is_new = false;
    record_services = services;
    inner = *services;
    inner.vendor_code = vendor_code;
    inner.nd = services->nd ? nondeterminism_late : nondeterminism;
    inner.interrupted = interrupted;
    inner.seen = seen;
    inner.moved = moved;
    record_stamps_wanted = strcmp(services->setting("TWINRT_RECORD_TIMES"), "events") == 0;
    record_data_wanted = strcmp(services->setting("TWINRT_RECORD_DATA"), "on") == 0;
    if (record_data_wanted)
        inner.touched = record_touched;
    record_stacks_wanted = strcmp(services->setting("TWINRT_RECORD_STACKS"), "on") == 0;
    record_global.now = no_time;
    record_global.self = record_below.host.self;
    /* A model has a clock for what its device does; real time then only says where in a long run an
     * entry is. */
    record_global.wall_clock =
        record_below.flags & TWIN_BACKEND_CONDUCTED ? CLOCK_MONOTONIC_COARSE : CLOCK_MONOTONIC;
    record_global.brief = (record_below.flags & TWIN_BACKEND_CONDUCTED) != 0;
    (void)record_file_open(services, services->setting("TWINRT_RECORD"), &is_new);
    if (is_new)
        forget_all();
    record_described_forget();

    struct record_call call;
    begin_session(&call);
    twin_status status = record_below.process.start(&inner);
    /* What does not start has no part in what comes: another backend may follow. */
    if (status == TWIN_OK && ((record_below.flags & TWIN_BACKEND_CONDUCTED) == 0 ||
                              strcmp(services->setting("TWINRT_CLOCK"), "wall") == 0))
        record_keep_nd();
    record_returned(&call, status);
    if (status == TWIN_OK) {
        record_global.now = record_below.host.now;
        record_session_texts();
    } else {
        record_file_close();
    }
    return status;
}

void record_process_stop(void)
{
    struct record_call call;
    struct twin_record_PROCESS_STOP *f = RECORD_BEGIN(&call, PROCESS_STOP, 0);
    record_called(&call);
    record_below.process.stop();
    f->lost = record_file_lost();
    record_returned(&call, TWIN_OK);
    record_global.now = no_time;
    record_file_close();
}

bool record_process_write(twin_write_when when, unsigned waiting)
{
    if (!record_below.process.write(when, waiting))
        return false;
    if (when == TWIN_WRITE_ALONE) {
        record_file_end_alone();
        return true;
    }
    struct record_call call;
    struct twin_record_PROCESS_STOP *f = RECORD_BEGIN_EVENT(&call, PROCESS_STOP, 0);
    f->lost = record_file_lost();
    record_event(&call);
    record_file_close();
    return true;
}

bool record_process_forked(void)
{
    if (!record_below.process.forked())
        return false;
    record_file_forked();
    record_order_forked();
    return true;
}

/* Asked often, and what they answer follows from what is recorded: they go straight through. */
#define record_host_changed record_below.host.changed
#define record_host_move    record_below.host.move
#define record_host_now     record_below.host.now
#define record_host_pace    record_below.host.pace
#define record_host_reach   record_below.host.reach
#define record_host_see     record_below.host.see
#define record_host_self    record_below.host.self
#define record_memory_info  record_below.memory.info
#define record_vmm_mapping  record_below.vmm.mapping

#define record_vmm_get_access  record_below.vmm.get_access
#define record_vmm_granularity record_below.vmm.granularity

__attribute__((visibility("default"))) const struct twin_backend *
twin_wrapper_entry(const struct twin_backend *below);

const struct twin_backend *twin_wrapper_entry(const struct twin_backend *below)
{
    static struct twin_backend table;
    record_below = *below;
    table = *below;
#define OP(group, op, type, lacking, parameters, arguments) table.group.op = record_##group##_##op;
#include "seam/ops.def"
    return &table;
}
