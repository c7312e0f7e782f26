/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a random program. What a judged program submits is noted in a graph, and what it
 * sees is compared with that in waits.c. Streams that are held back stay so until a stream that
 * never waits releases them, so that no program hangs. */
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "program.h"

void must(const char *what, aclError got, aclError wanted)
{
    if (got != wanted && !run.stop) /* from some moment on everything may be refused */
        random_failure("%s answers %d, not %d: %s", what, got, wanted, aclGetRecentErrMsg());
}

/* ---- real time ------------------------------------------------------------------------------- */

static _Thread_local random_state noise;

void noise_begin(uint64_t stream)
{
    random_seed(&noise, run.noise, stream);
}

void dawdle(void)
{
    if (run.noise == 0 || random_percent(&noise, 40))
        return;
    uint32_t dice = random_below(&noise, 10);
    if (dice < 5) {
        sched_yield();
    } else if (dice < 8) {
        struct timespec some = {.tv_nsec = 1000 + random_below(&noise, 400000)};
        nanosleep(&some, NULL);
    } else {
        for (volatile uint32_t left = random_below(&noise, 200000); left > 0; left--)
            continue;
    }
}

/* The only data race of a program: what another thread wrote decides how this one goes on. */
void meet(program *p, uint64_t what)
{
    if (!p->style->meets)
        return;
    volatile uint64_t *met = &run.met;
    *met = (*met ^ what) * UINT64_C(0x9e3779b97f4a7c15) + p->index;
    p->random.word ^= *met >> 40;
}

/* ---- the graph ------------------------------------------------------------------------------- */

/* Everything in `before` and before it is before what `task` begins with. */
static void after(program *p, uint32_t task, uint32_t before)
{
    if (task == NONE || before == NONE)
        return;
    order_task *self = &p->graph->tasks[task];
    const order_task *other = &p->graph->tasks[before];
    order_join(&self->before, &other->before);
    self->before.word[before / 64] |= UINT64_C(1) << (before % 64);
    self->holds |= other->holds;
}

/* Notes a task that is about to be submitted; NONE without a graph. */
uint32_t note(program *p, uint32_t number, order_kind kind, const char *name)
{
    if (!p->is_child)
        random_at(p->index, name, p->step);
    if (!p->graph)
        return NONE;
    struct lane *on = &p->lanes[number];
    uint32_t task = p->graph->count++;
    p->graph->tasks[task] =
        (order_task){.kind = kind, .name = name, .lane = number, .before = p->graph->known};
    p->to_host[task] = p->looked[task] = false;
    atomic_store(&p->turn[task], 0);
    after(p, task, on->last);
    on->last = task;
    if (run.options.trace)
        fprintf(stderr, "task %u: %s on place %u, stream %u\n", task, name, on->place,
                number % (p->style->streams + 1));
    return task;
}

bool held(const program *p, uint32_t task)
{
    return task != NONE && p->graph && (p->graph->tasks[task].holds & p->closed) != 0;
}

bool known(const program *p, uint32_t task)
{
    return task == NONE || !p->graph || order_has(&p->graph->known, task);
}

aclrtStream use(program *p, uint32_t number)
{
    go_to(p, p->lanes[number].place);
    return p->lanes[number].stream;
}

uint32_t any_lane(program *p)
{
    if (p->own != NONE && below(p, 3) == 0)
        return p->own;
    return below(p, p->style->places) * (p->style->streams + 1) + below(p, p->style->streams);
}

/* Another stream of the same place. */
uint32_t beside(program *p, uint32_t number)
{
    uint32_t streams = p->style->streams;
    uint32_t first = p->lanes[number].place * (streams + 1);
    return first + (number - first + 1 + below(p, streams - 1)) % streams;
}

static uint32_t other_place(const program *p, uint32_t place)
{
    return p->style->places == 1 ? 0 : place == 2 ? 0 : 1 - place;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

void do_write(program *p, uint32_t number)
{
    aclrtStream stream = use(p, number);
    uint32_t here = p->lanes[number].place, there = other_place(p, here);
    uint32_t way = below(p, 4);
    uint32_t to = way == 3 ? there : here;
    uint32_t cell = below(p, CELLS);
    uint32_t task = note(p, number, ORDER_WRITE, "write");
    uint64_t *at = p->places[to].cells + cell * CELL_WORDS;
    p->graph->tasks[task].cell = to * CELLS + cell;
    p->graph->tasks[task].pattern = p->source[task * CELL_WORDS];
    if (way == 0)
        OK(aclrtMemcpyAsync(at, CELL_BYTES, &p->source[task * CELL_WORDS], CELL_BYTES,
                            ACL_MEMCPY_HOST_TO_DEVICE, stream));
    else /* way 2: out of the other place's memory */
        OK(aclrtMemcpyAsync(at, CELL_BYTES,
                            &p->places[way == 2 ? there : here].sources[task * CELL_WORDS],
                            CELL_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

void do_read(program *p, uint32_t number)
{
    aclrtStream stream = use(p, number);
    uint32_t here = p->lanes[number].place;
    bool to_host = below(p, 2) == 0;
    uint32_t from = to_host || below(p, 10) < 7 ? here : other_place(p, here);
    uint32_t cell = below(p, CELLS);
    uint32_t task = note(p, number, ORDER_READ, "read");
    uint64_t *log = to_host ? p->log : p->places[here].logs;
    p->graph->tasks[task].cell = from * CELLS + cell;
    p->to_host[task] = to_host;
    OK(aclrtMemcpyAsync(&log[task * CELL_WORDS], CELL_BYTES,
                        p->places[from].cells + cell * CELL_WORDS, CELL_BYTES,
                        to_host ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

static void copy(program *p, uint32_t number, bool now)
{
    static const aclrtMemcpyKind kinds[] = {ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST,
                                            ACL_MEMCPY_DEVICE_TO_DEVICE};
    aclrtStream stream = use(p, number);
    uint8_t **device = p->places[p->lanes[number].place].bulk;
    uint32_t bits = p->style->bulk_bits;
    uint32_t kind = below(p, 3);
    size_t most = (size_t)1 << bits, bytes = 1 + below(p, 1u << (4 + below(p, bits - 3)));
    uint8_t *to = kind == 1 ? run.host[below(p, BULK)] : device[below(p, BULK / 2)];
    uint8_t *from = kind == 0 ? run.host[below(p, BULK)] : device[BULK / 2 + below(p, BULK / 2)];
    if (now && below(p, 2) == 0) {
        OK(aclrtMemset(device[below(p, BULK)], most, 7, bytes));
        return;
    }
    if (now) {
        OK(aclrtMemcpy(to, most, from, bytes, kinds[kind]));
        return;
    }
    (void)note(p, number, ORDER_OTHER, "copy");
    OK(aclrtMemcpyAsync(to, most, from, bytes, kinds[kind], stream));
}

void do_copy(program *p, uint32_t number)
{
    copy(p, number, false);
}

void copy_now(program *p, uint32_t number)
{
    if (!held(p, p->lanes[p->lanes[number].place * (p->style->streams + 1)].last))
        copy(p, number, true);
}

void do_fill(program *p, uint32_t number)
{
    aclrtStream stream = use(p, number);
    size_t most = (size_t)1 << p->style->bulk_bits;
    (void)note(p, number, ORDER_OTHER, "fill");
    OK(aclrtMemsetAsync(p->places[p->lanes[number].place].bulk[below(p, BULK)], most, 7,
                        1 + below(p, (uint32_t)most), stream));
}

static void host_function(void *argument)
{
    static _Atomic uint64_t stream;
    _Atomic uint32_t *turn = argument;
    if (run.noise != 0 && noise.word == 0)
        noise_begin(atomic_fetch_add(&stream, 1) + RANDOM_THREADS_MOST);
    dawdle();
    pthread_mutex_lock(&run.counting); /* which no call is made under */
    atomic_store(turn, ++run.calls);
    pthread_mutex_unlock(&run.counting);
}

void do_call(program *p, uint32_t number)
{
    static _Atomic uint32_t any;
    aclrtStream stream = use(p, number);
    uint32_t task = note(p, number, ORDER_CALL, "host function");
    atomic_fetch_add(&run.launched, 1);
    OK(aclrtLaunchHostFunc(stream, host_function, task == NONE ? &any : &p->turn[task]));
}

void record(program *p, uint32_t number, struct event *which)
{
    aclrtStream stream = use(p, number);
    which->recorded = note(p, number, ORDER_OTHER, "record");
    OK(aclrtRecordEvent(which->handle, stream));
}

/* ORD-05, ORD-08, ORD-09: of any device, any number of times. */
static void wait_for(program *p, uint32_t number, const struct event *which)
{
    if (p->graph && which->recorded == NONE)
        return;
    aclrtStream stream = use(p, number);
    if (which->is_old && /* for streams of its device alone */
        p->places[which->place].device != p->places[p->lanes[number].place].device)
        return;
    uint32_t task = note(p, number, ORDER_OTHER, "wait");
    if (!which->is_old) /* else an earlier record may have let it pass */
        after(p, task, which->recorded);
    OK(aclrtStreamWaitEvent(stream, which->handle));
}

struct event *event_beside(program *p, uint32_t number)
{
    uint32_t places = p->style->places;
    return &p->events[below(p, p->style->events / places) * places + p->lanes[number].place];
}

void do_record(program *p, uint32_t number)
{
    record(p, number, event_beside(p, number));
}

void do_wait(program *p, uint32_t number)
{
    wait_for(p, number, &p->events[below(p, p->style->events)]);
}

void do_chain(program *p, uint32_t number)
{
    struct event *which = event_beside(p, number);
    do_copy(p, number);
    record(p, number, which);
    wait_for(p, any_lane(p), which);
}

void do_notify(program *p, uint32_t number)
{
    struct place *here = &p->places[p->lanes[number].place];
    uint32_t which = below(p, NOTIFIES);
    /* A second record before the first was taken would be one with it. Without a graph one stream
     * keeps the order. */
    if (!known(p, here->notifies[which].wait))
        return;
    uint32_t from = p->graph ? number : p->own;
    uint32_t to = p->graph ? beside(p, number) : p->own;
    aclrtStream stream = use(p, from);
    uint32_t recorded = note(p, from, ORDER_OTHER, "notify");
    OK(aclrtRecordNotify(here->notifies[which].notify, stream));
    stream = use(p, to);
    uint32_t wait = note(p, to, ORDER_OTHER, "notify wait");
    after(p, wait, recorded);
    here->notifies[which].wait = wait;
    OK(aclrtWaitAndResetNotify(here->notifies[which].notify, stream, 0));
}

void do_value(program *p, uint32_t number)
{
    if (!p->has_values)
        return;
    aclrtStream stream = use(p, number);
    uint32_t write = note(p, number, ORDER_OTHER, "value");
    uint64_t *word = p->places[p->lanes[number].place].words + write;
    OK(aclrtValueWrite(word, 1 + write, 0, stream));
    uint32_t other = beside(p, number);
    stream = use(p, other);
    after(p, note(p, other, ORDER_OTHER, "value wait"), write);
    OK(aclrtValueWait(word, 1 + write, ACL_STREAM_WAIT_VALUE_EQ, stream));
}

/* ---- holds ----------------------------------------------------------------------------------- */

struct hold *hold(program *p, uint32_t number)
{
    struct hold *one = &p->places[p->lanes[number].place].holds[below(p, HOLDS)];
    if (p->closings == 32 || one->bit != 0 || !known(p, one->wait))
        return NULL;
    aclrtStream stream = use(p, number);
    one->wait = note(p, number, ORDER_OTHER, "hold");
    one->bit = 1u << p->closings++;
    p->closed |= one->bit;
    p->graph->tasks[one->wait].holds |= one->bit;
    OK(aclrtWaitAndResetNotify(one->notify, stream, 0));
    return one;
}

void release(program *p, uint32_t place, struct hold *one)
{
    if (one->bit == 0)
        return;
    uint32_t gate = place * (p->style->streams + 1) + p->style->streams;
    aclrtStream stream = use(p, gate);
    (void)note(p, gate, ORDER_OTHER, "release");
    OK(aclrtRecordNotify(one->notify, stream));
    p->closed &= ~one->bit;
    one->bit = 0;
}

void do_hold(program *p, uint32_t number)
{
    (void)hold(p, number);
}

void do_release(program *p, uint32_t number)
{
    uint32_t place = p->lanes[number].place;
    release(p, place, &p->places[place].holds[below(p, HOLDS)]);
}
