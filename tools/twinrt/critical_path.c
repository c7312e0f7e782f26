/* SPDX-License-Identifier: Apache-2.0 */
#include "critical_path.h"

#include <stdlib.h>
#include <string.h>

#include "recording/containers.h"
#include "twinsim.h"

#define STILL_MOST 4096u /* jumps without time passing, before the chain counts as lost */

const char *critical_cause_name(enum critical_cause cause)
{
    static const char *const names[CRITICAL_CAUSES] = {
#define CRITICAL_CAUSE(cause, name) name,
        CRITICAL_CAUSE_LIST(CRITICAL_CAUSE)
#undef CRITICAL_CAUSE
    };
    return cause < CRITICAL_CAUSES ? names[cause] : "";
}

/* ---- parts, gathered from the end to the begin ----------------------------------------------- */

struct chain {
    const struct trace_file *file;
    LIST_OF(struct critical_part) parts; /* newest time first */
    bool failed;                         /* out of memory */
    uint64_t now_ns;
    unsigned still; /* jumps since time last moved */
    bool submitted;
    uint64_t submit_ns;
    uint32_t submit_thread;
};

/* What was from begin_ns until now; time goes back to begin_ns. */
static void part(struct chain *chain, uint64_t begin_ns, enum critical_cause cause,
                 const struct trace_slice *slice)
{
    if (begin_ns >= chain->now_ns || chain->failed)
        return;
    if (!LIST_ROOM(&chain->parts)) {
        chain->failed = true;
        return;
    }
    chain->parts.items[chain->parts.count++] = (struct critical_part){
        .begin_ns = begin_ns, .end_ns = chain->now_ns, .cause = cause, .slice = slice};
    chain->now_ns = begin_ns;
    chain->still = 0;
}

/* ---- one step ------------------------------------------------------------------------------- */

struct place {
    bool of_stream; /* else a transfer of the driver's */
    uint32_t track;
    uint32_t device;
    uint64_t number;
};

static struct place place_of(const struct trace_slice *slice)
{
    return (struct place){.of_stream = slice->of_stream,
                          .track = slice->track,
                          .device = slice->device,
                          .number = slice->number};
}

static enum critical_cause cause_of(const struct trace_slice *phase)
{
    static const enum critical_cause causes[TWINSIM_PHASE_COUNT + 1] = {
#define PHASE(phase, name, cause) [TWINSIM_PHASE_##phase] = CRITICAL_##cause,
#include "twinsim/phases.def"
#undef PHASE
        [TWINSIM_PHASE_COUNT] = CRITICAL_UNKNOWN,
    };
    if (phase->phase == TWINSIM_PHASE_ENGINE) {
        if (phase->resource == TWINSIM_RESOURCE_AIC || phase->resource == TWINSIM_RESOURCE_AIV)
            return CRITICAL_KERNEL; /* waits for cores */
        if (phase->resource == TWINSIM_RESOURCE_COUNT)
            return CRITICAL_LOOP; /* neither for cores nor for a channel */
    }
    return causes[phase->phase];
}

/* The holder of what the phase waited for, which then released it; NULL: unknown. */
static const struct trace_slice *holder(const struct chain *chain, const struct trace_slice *phase)
{
    const struct trace_file *file = chain->file;
    const struct trace_slice *found = NULL;
    switch (phase->resource) {
    case TWINSIM_RESOURCE_CLASS:
        found = trace_file_ended(file, TRACE_SHARE, phase->device, phase->share, chain->now_ns);
        break;
    case TWINSIM_RESOURCE_SLOT:
        found = trace_file_ended(file, TRACE_SLOT, phase->device, 0, chain->now_ns);
        break;
    case TWINSIM_RESOURCE_SDMA:
    case TWINSIM_RESOURCE_PCIE_DMA:
    case TWINSIM_RESOURCE_HOST_DMA:
        if (phase->unit != UINT32_MAX)
            found = trace_file_ended(file, TRACE_DMA, phase->device, phase->unit, chain->now_ns);
        break;
    default:
        break;
    }
    return found && found->end_ns > phase->begin_ns ? found : NULL;
}

/* When the record that ended the phase was made: one of another device takes time to come. */
static uint64_t record_time(const struct trace_file *file, const struct trace_slice *phase)
{
    size_t count;
    const struct trace_slice *const *phases =
        trace_file_phases(file, phase->waker_track, phase->waker_number, &count);
    const struct trace_slice *last = NULL;
    for (size_t i = 0; i < count; i++)
        if (phases[i]->phase == TWINSIM_PHASE_TABLE && phases[i]->end_ns <= phase->end_ns &&
            (!last || phases[i]->end_ns > last->end_ns))
            last = phases[i];
    return last ? last->end_ns : phase->end_ns;
}

/* Follows the phase back: to what ended it, or over its time. */
static void follow_phase(struct chain *chain, struct place *place, const struct trace_slice *phase)
{
    const struct trace_slice *before = holder(chain, phase);
    if (phase->woken && chain->now_ns == phase->end_ns) {
        part(chain, record_time(chain->file, phase), CRITICAL_TABLE, phase);
        *place = (struct place){.of_stream = true,
                                .track = phase->waker_track,
                                .device = phase->waker_device,
                                .number = phase->waker_number};
    } else if (before) {
        part(chain, before->end_ns, CRITICAL_SWAP, phase); /* others came first */
        *place = place_of(before);
    } else if (phase->phase == TWINSIM_PHASE_TRANSFER && phase->alone_ns > 0) {
        uint64_t alone = phase->end_ns - phase->begin_ns > phase->alone_ns
                             ? phase->end_ns - phase->alone_ns
                             : phase->begin_ns;
        part(chain, alone, CRITICAL_MOVE, phase);
        part(chain, phase->begin_ns, CRITICAL_SHARED, phase);
    } else {
        part(chain, phase->begin_ns, cause_of(phase), phase);
    }
}

/* What the SQE or transfer did just before now; NULL: it had not begun. */
static const struct trace_slice *phase_before(const struct chain *chain, const struct place *place)
{
    const struct trace_slice *best = NULL;
    const struct trace_file *file = chain->file;
    if (place->of_stream) {
        size_t count;
        const struct trace_slice *const *phases =
            trace_file_phases(file, place->track, place->number, &count);
        for (size_t i = 0; i < count && phases[i]->begin_ns < chain->now_ns; i++)
            if (!best || phases[i]->end_ns >= best->end_ns || phases[i]->end_ns >= chain->now_ns)
                best = phases[i];
        return best;
    }
    for (size_t i = 0; i < file->other_count; i++) {
        const struct trace_slice *slice = &file->others[i];
        if (slice->kind == TRACE_TRANSFER && slice->device == place->device &&
            slice->number == place->number && slice->begin_ns < chain->now_ns &&
            (!best || slice->end_ns > best->end_ns))
            best = slice;
    }
    return best;
}

/* The SQE begins now: because the one before it ended, or because it became visible. False: the
 * chain ends. */
static bool before_first(struct chain *chain, struct place *place)
{
    if (!place->of_stream) {
        chain->submitted = true; /* handed over by the thread that waits */
        chain->submit_ns = chain->now_ns;
        return false;
    }
    const struct trace_slice *doorbell =
        trace_file_doorbell(chain->file, place->track, place->number);
    const struct trace_slice *previous =
        place->number > 1 ? trace_file_task(chain->file, place->track, place->number - 1) : NULL;
    if (previous && previous->end_ns <= chain->now_ns &&
        (!doorbell || previous->end_ns >= doorbell->begin_ns)) {
        part(chain, previous->end_ns, CRITICAL_HELD, NULL); /* disabled, or paused */
        place->number--;
        return true;
    }
    if (!doorbell || doorbell->begin_ns > chain->now_ns)
        return false;
    part(chain, doorbell->begin_ns, CRITICAL_HELD, NULL);
    if (!doorbell->rung || doorbell->rung_ns > chain->now_ns)
        return false;
    part(chain, doorbell->rung_ns, CRITICAL_DOORBELL, doorbell);
    chain->submitted = true;
    chain->submit_ns = doorbell->rung_ns;
    chain->submit_thread = doorbell->thread;
    return false;
}

/* Back from now, at which that SQE or transfer was done, to a submission or to the last that the
 * timeline has. */
static void follow(struct chain *chain, struct place place)
{
    chain->still = 0;
    while (!chain->failed && chain->now_ns > 0 && chain->still < STILL_MOST) {
        chain->still++;
        const struct trace_slice *phase = phase_before(chain, &place);
        if (!phase) {
            if (!before_first(chain, &place))
                return;
            continue;
        }
        if (phase->end_ns < chain->now_ns)
            part(chain, phase->end_ns, CRITICAL_UNKNOWN, NULL);
        follow_phase(chain, &place, phase);
    }
}

/* ---- one call ------------------------------------------------------------------------------- */

/* Removes from the chain what is before `floor_ns`; a part across it is cut in two. */
static int split_before(struct chain *chain, uint64_t floor_ns, struct critical_path *out)
{
    size_t first = chain->parts.count;
    while (first > 0 && chain->parts.items[first - 1].begin_ns < floor_ns)
        first--;
    if (first == chain->parts.count)
        return 0;
    out->before = calloc(chain->parts.count - first, sizeof(*out->before));
    if (!out->before)
        return -1;
    for (size_t i = chain->parts.count; i-- > first;) {
        struct critical_part *from = &chain->parts.items[i];
        struct critical_part cut = *from;
        if (cut.end_ns > floor_ns)
            cut.end_ns = floor_ns;
        if (cut.end_ns > cut.begin_ns)
            out->before[out->before_count++] = cut;
    }
    if (chain->parts.items[first].end_ns > floor_ns)
        chain->parts.items[first++].begin_ns = floor_ns;
    chain->parts.count = first;
    return 0;
}

static int follow_wait(struct chain *chain, const struct trace_slice *wait, bool last,
                       struct critical_path *out)
{
    struct place place = place_of(wait);
    bool copy = strcmp(wait->cause, "copy") == 0;
    if (wait->done_ns >= wait->begin_ns && wait->done_ns < wait->end_ns)
        part(chain, wait->done_ns, CRITICAL_WAKE, wait);
    if (wait->failed || (!copy && !wait->of_stream)) {
        part(chain, wait->begin_ns, CRITICAL_OUTSIDE, NULL);
        return 0;
    }
    place.of_stream = !copy;
    follow(chain, place);
    if (chain->submitted && chain->now_ns > wait->begin_ns) {
        part(chain, wait->begin_ns, CRITICAL_UNSENT, NULL);
    } else if (chain->now_ns > wait->begin_ns) {
        part(chain, wait->begin_ns, CRITICAL_UNKNOWN, NULL);
    }
    if (last && chain->submitted) {
        out->submitted = true;
        out->submit_ns = chain->submit_ns;
        out->submit_thread = copy ? wait->unit - 1 : chain->submit_thread;
    }
    struct critical_path scratch = {0};
    int error = split_before(chain, wait->begin_ns, last ? out : &scratch);
    free(scratch.before);
    chain->now_ns = wait->begin_ns;
    chain->submitted = false;
    return error;
}

static bool is_within(const struct trace_slice *wait, const struct trace_slice *call)
{
    return wait->kind == TRACE_HOST_WAIT && wait->unit == call->unit &&
           wait->begin_ns >= call->begin_ns && wait->end_ns <= call->end_ns;
}

int critical_follow(const struct trace_file *file, const struct trace_slice *call,
                    struct critical_path *out)
{
    struct chain chain = {.file = file, .now_ns = call->end_ns};
    int error = 0;
    memset(out, 0, sizeof(*out));
    out->call = call;
    for (size_t i = file->other_count; i-- > 0 && !error;) {
        const struct trace_slice *wait = &file->others[i];
        if (!is_within(wait, call) || wait->end_ns > chain.now_ns)
            continue;
        bool last = chain.now_ns == call->end_ns && chain.parts.count == 0;
        part(&chain, wait->end_ns, CRITICAL_CALL, call);
        error = follow_wait(&chain, wait, last, out);
    }
    part(&chain, call->begin_ns, CRITICAL_CALL, call);
    if (error || chain.failed) {
        free(chain.parts.items);
        free(out->before);
        memset(out, 0, sizeof(*out));
        return -1;
    }
    for (size_t i = 0; i < chain.parts.count / 2; i++) {
        struct critical_part swap = chain.parts.items[i];
        chain.parts.items[i] = chain.parts.items[chain.parts.count - 1 - i];
        chain.parts.items[chain.parts.count - 1 - i] = swap;
    }
    out->parts = chain.parts.items;
    out->part_count = chain.parts.count;
    return 0;
}

void critical_free(struct critical_path *path)
{
    free(path->parts);
    free(path->before);
    memset(path, 0, sizeof(*path));
}

static bool longer(const struct trace_slice *a, const struct trace_slice *b)
{
    uint64_t length_a = a->end_ns - a->begin_ns;
    uint64_t length_b = b->end_ns - b->begin_ns;
    return length_a != length_b ? length_a > length_b : a->begin_ns < b->begin_ns;
}

/* Whether it comes before the waits of the call. */
static bool is_before(const struct trace_slice *slice, const struct trace_slice *call)
{
    return slice->kind < TRACE_HOST_WAIT || slice->unit < call->unit ||
           (slice->unit == call->unit && slice->begin_ns < call->begin_ns);
}

size_t critical_waits(const struct trace_file *file, const struct trace_slice **calls, size_t room)
{
    size_t count = 0;
    size_t filled = 0;
    for (size_t i = 0; i < file->other_count; i++) {
        const struct trace_slice *call = &file->others[i];
        if (call->kind != TRACE_CALL || strcmp(call->name, "aclrtProcessReport") == 0)
            continue;
        /* waits follow all calls, by thread and begin */
        const size_t low = i + PARTITION_POINT(file->other_count - i, step,
                                               is_before(&file->others[i + step], call));
        if (low == file->other_count || !is_within(&file->others[low], call))
            continue;
        count++;
        size_t at = filled < room ? filled++ : room;
        if (at == room && (room == 0 || !longer(call, calls[room - 1])))
            continue;
        at = at == room ? room - 1 : at;
        for (; at > 0 && longer(call, calls[at - 1]); at--)
            calls[at] = calls[at - 1];
        calls[at] = call;
    }
    return count;
}
