/* SPDX-License-Identifier: Apache-2.0 */
/* Order among host threads in a recording: every edge that adds order is there, and no other. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_device.h"
#include "recording/reader.h"
#include "seam/wrapper.h"
#include "support/cunit_main.h"

const struct twin_backend *twin_wrapper_entry(const struct twin_backend *below);

enum { ACTORS = 5, SLOTS = 4, STEPS = 3000 };

static char path[64];
static const struct twin_backend *table;

/* ---- every lock of a thread reports an edge, as an interposed one does ----------------------- */

static _Thread_local const twin_host_moment *on_lock; /* NULL: none does */

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*_Atomic real)(pthread_mutex_t *);
    int (*lock)(pthread_mutex_t *) = real;
    if (!lock) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_mutex_lock");
        memcpy(&lock, &symbol, sizeof(lock));
        real = lock;
    }
    int error = lock(mutex);
    if (on_lock)
        table->host.follow(on_lock);
    return error;
}

/* ---- threads that do what the test says, one at a time --------------------------------------- */

enum command { CALL, SLEEP, RELEASE, FOLLOW, END };

static struct actor {
    pthread_t id;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool busy; /* this and the next two: guarded by lock */
    enum command command;
    twin_host_moment *slot;
    uint64_t clock_ns;
} actors[ACTORS];

static bool act(struct actor *self)
{
    static const twin_call call = {"aclrtSomething", TWIN_COST_LOCAL};
    switch (self->command) {
    case CALL:
        table->host.enter(&call);
        table->host.leave(&call, 0);
        return true;
    case SLEEP:
        table->host.advance(100);
        return true;
    case RELEASE:
        *self->slot = *table->host.self();
        return true;
    case FOLLOW:
        table->host.follow(self->slot);
        return true;
    case END:
        break;
    }
    return false;
}

static void *actor_main(void *argument)
{
    struct actor *self = argument;
    bool more = true;
    pthread_mutex_lock(&self->lock);
    while (more) {
        while (!self->busy)
            pthread_cond_wait(&self->changed, &self->lock);
        more = act(self);
        self->clock_ns = table->host.now();
        self->busy = false;
        pthread_cond_signal(&self->changed);
    }
    pthread_mutex_unlock(&self->lock);
    return NULL;
}

/* Makes an actor execute a command, and waits until it is done. */
static void perform(unsigned number, enum command command, twin_host_moment *slot)
{
    struct actor *actor = &actors[number];
    pthread_mutex_lock(&actor->lock);
    actor->command = command;
    actor->slot = slot;
    actor->busy = true;
    pthread_cond_signal(&actor->changed);
    while (actor->busy)
        pthread_cond_wait(&actor->changed, &actor->lock);
    pthread_mutex_unlock(&actor->lock);
}

static void start(void)
{
    (void)snprintf(path, sizeof(path), "record_order.%ld.rec", (long)getpid());
    (void)unlink(path); /* else the file that is there goes on */
    table = twin_wrapper_entry(&fake_backend);
    fake_set("TWINRT_RECORD", path);
    fake_status = TWIN_OK;
    CU_ASSERT_EQUAL_FATAL(table->process.start(&fake_services), TWIN_OK);
    for (unsigned i = 0; i < ACTORS; i++) {
        memset(&actors[i], 0, sizeof(actors[i]));
        pthread_mutex_init(&actors[i].lock, NULL);
        pthread_cond_init(&actors[i].changed, NULL);
        CU_ASSERT_EQUAL_FATAL(pthread_create(&actors[i].id, NULL, actor_main, &actors[i]), 0);
    }
}

static twin_recording *stop(void)
{
    char error[256] = "";
    twin_recording *recording = NULL;
    for (unsigned i = 0; i < ACTORS; i++) {
        perform(i, END, NULL);
        pthread_join(actors[i].id, NULL);
    }
    table->process.stop();
    CU_ASSERT_EQUAL_FATAL(twin_recording_read(path, &recording, error, sizeof(error)),
                          TWIN_RECORDING_OK);
    CU_ASSERT_EQUAL(twin_recording_damage_count(recording), 0);
    (void)unlink(path);
    return recording;
}

static size_t count_follows(const twin_recording *recording)
{
    size_t count = 0;
    for (size_t i = 0; i < twin_recording_count(recording); i++)
        count += twin_recording_at(recording, i)->kind == TWIN_RECORD_HOST_FOLLOW;
    return count;
}

/* The edge with that place among the edges, from 0. */
static const struct twin_record_entry *follow_at(const twin_recording *recording, size_t place,
                                                 struct twin_record_HOST_FOLLOW *out)
{
    for (size_t i = 0; i < twin_recording_count(recording); i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        if (TWIN_RECORDING_GET(entry, HOST_FOLLOW, out) && place-- == 0)
            return entry;
    }
    CU_FAIL_FATAL("there is no such edge");
    abort();
}

/* ---- one edge after the other ---------------------------------------------------------------- */

static void test_an_edge_is_written_once(void)
{
    twin_host_moment first;
    twin_host_moment second;
    struct twin_record_HOST_FOLLOW edge;
    start();
    perform(0, CALL, NULL);
    perform(0, RELEASE, &first);
    perform(1, FOLLOW, &first);
    perform(1, FOLLOW, &first);
    perform(0, RELEASE, &second); /* nothing has happened since */
    perform(1, FOLLOW, &second);
    perform(0, FOLLOW, &second); /* its own */
    perform(0, CALL, NULL);
    perform(0, RELEASE, &second);
    perform(1, FOLLOW, &second);
    perform(1, FOLLOW, &first); /* older than what it follows */
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(count_follows(recording), 2);
    const struct twin_record_entry *entry = follow_at(recording, 0, &edge);
    CU_ASSERT_EQUAL(edge.releaser, first.recorded);
    CU_ASSERT_EQUAL(edge.of_seq, first.entry);
    CU_ASSERT_EQUAL(edge.released_ns, first.at_ns);
    CU_ASSERT_EQUAL(entry->end_ns, first.at_ns);
    (void)follow_at(recording, 1, &edge);
    CU_ASSERT_EQUAL(edge.of_seq, second.entry);
    twin_recording_free(recording);
}

static void test_order_goes_on_through_threads_that_never_call(void)
{
    twin_host_moment slot;
    struct twin_record_HOST_FOLLOW first;
    struct twin_record_HOST_FOLLOW second;
    start();
    perform(0, CALL, NULL);
    perform(0, RELEASE, &slot);
    perform(1, FOLLOW, &slot);
    perform(1, RELEASE, &slot);
    perform(2, FOLLOW, &slot);
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(count_follows(recording), 2);
    const struct twin_record_entry *entry = follow_at(recording, 0, &first);
    (void)follow_at(recording, 1, &second);
    CU_ASSERT_EQUAL(second.releaser, entry->thread);
    CU_ASSERT_EQUAL(second.of_seq, entry->end_seq);
    CU_ASSERT_NOT_EQUAL(first.releaser, second.releaser);
    twin_recording_free(recording);
}

static void test_a_thread_that_has_done_nothing_adds_nothing(void)
{
    twin_host_moment slot;
    start();
    perform(0, RELEASE, &slot);
    perform(1, FOLLOW, &slot);
    perform(2, SLEEP, NULL);
    perform(2, RELEASE, &slot);
    perform(1, FOLLOW, &slot); /* its clock moves up */
    CU_ASSERT_EQUAL(actors[1].clock_ns, actors[2].clock_ns);
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(count_follows(recording), 1);
    twin_recording_free(recording);
}

/* A lock that goes round, without calls: each thread learns of each other thread once. */
static void test_a_lock_that_goes_round_adds_little(void)
{
    twin_host_moment lock;
    start();
    for (unsigned i = 0; i < ACTORS; i++)
        perform(i, CALL, NULL);
    perform(0, RELEASE, &lock);
    for (unsigned i = 1; i < 100 * ACTORS; i++) {
        perform(i % ACTORS, FOLLOW, &lock);
        perform(i % ACTORS, RELEASE, &lock);
    }
    twin_recording *recording = stop();
    CU_ASSERT(count_follows(recording) <= (size_t)2 * ACTORS);
    CU_ASSERT(count_follows(recording) >= (size_t)2 * (ACTORS - 1));
    twin_recording_free(recording);
}

static void *end_with_a_full_chunk(void *argument)
{
    static const twin_call call = {"aclrtSomething", TWIN_COST_LOCAL};
    static twin_host_moment newest;
    const unsigned *number = argument;
    for (unsigned i = 0; i < *number; i++) {
        table->host.enter(&call);
        table->host.leave(&call, 0);
    }
    newest.entry = UINT64_MAX; /* of no thread, but later than this one */
    newest.at_ns = UINT64_MAX / 4;
    on_lock = &newest;
    return NULL;
}

/* The writer takes its own lock when a thread ends. */
static void test_the_writers_lock_orders_nothing(void)
{
    enum {
        ENTRY = sizeof(struct twin_record_entry) + offsetof(struct twin_record_HOST_CALL, cost)
    };
    const unsigned most = TWIN_RECORD_CHUNK_BYTES / ENTRY;
    start();
    perform(0, CALL, NULL);
    for (unsigned number = most - 10; number <= most; number++) {
        pthread_t thread;
        CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, end_with_a_full_chunk, &number), 0);
        pthread_join(thread, NULL);
    }
    twin_recording *recording = stop();
    CU_ASSERT_EQUAL(count_follows(recording), 0);
    twin_recording_free(recording);
}

/* ---- any order ------------------------------------------------------------------------------- */

struct knowledge {
    unsigned calls[ACTORS];
};

static void join(struct knowledge *own, const struct knowledge *other)
{
    for (unsigned i = 0; i < ACTORS; i++)
        if (own->calls[i] < other->calls[i])
            own->calls[i] = other->calls[i];
}

static bool is_within(const struct knowledge *part, const struct knowledge *whole)
{
    for (unsigned i = 0; i < ACTORS; i++)
        if (part->calls[i] > whole->calls[i])
            return false;
    return true;
}

/* What each call of a run came after. */
static struct {
    unsigned actor;
    struct knowledge after;
} calls[STEPS];
static size_t call_count;
static size_t edges; /* that added something */

static void run_at_random(uint64_t seed, unsigned callers)
{
    struct knowledge known[ACTORS] = {0};
    struct knowledge passed[SLOTS] = {0};
    twin_host_moment slots[SLOTS] = {0};
    call_count = edges = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned actor = (unsigned)(seed >> 33) % ACTORS;
        unsigned slot = (unsigned)(seed >> 40) % SLOTS;
        unsigned what = (unsigned)(seed >> 45) % 8;
        if (what == 0 && actor < callers) {
            known[actor].calls[actor]++;
            calls[call_count].actor = actor;
            calls[call_count++].after = known[actor];
            perform(actor, CALL, NULL);
        } else if (what < 4) {
            passed[slot] = known[actor];
            perform(actor, RELEASE, &slots[slot]);
        } else {
            edges += !is_within(&passed[slot], &known[actor]);
            join(&known[actor], &passed[slot]);
            perform(actor, FOLLOW, &slots[slot]);
        }
    }
}

/* What a thread had come after when one of its entries came back. */
struct point {
    uint32_t thread;
    uint64_t end_seq;
    struct knowledge after;
};

static const struct knowledge *after_at(const struct point *points, size_t count, uint32_t thread,
                                        uint64_t seq)
{
    static const struct knowledge nothing;
    while (count-- > 0)
        if (points[count].thread == thread && points[count].end_seq <= seq)
            return &points[count].after;
    return &nothing;
}

static void compare(const twin_recording *recording)
{
    size_t count = twin_recording_count(recording);
    struct point *points = calloc(count, sizeof(*points));
    size_t made = 0;
    size_t call = 0;
    if (!points)
        abort();
    for (size_t i = 0; i < count; i++) {
        const struct twin_record_entry *entry = twin_recording_at(recording, i);
        struct twin_record_HOST_FOLLOW edge;
        bool follows = TWIN_RECORDING_GET(entry, HOST_FOLLOW, &edge);
        if (!follows && entry->kind != TWIN_RECORD_HOST_CALL)
            continue;
        struct point point = {.thread = entry->thread, .end_seq = entry->end_seq};
        point.after = *after_at(points, made, entry->thread, entry->begin_seq);
        if (follows) {
            CU_ASSERT(edge.of_seq < entry->begin_seq);
            join(&point.after, after_at(points, made, edge.releaser, edge.of_seq));
        } else {
            point.after.calls[calls[call].actor]++;
            CU_ASSERT_EQUAL(memcmp(&point.after, &calls[call].after, sizeof(struct knowledge)), 0);
            call++;
        }
        points[made++] = point;
    }
    CU_ASSERT_EQUAL(call, call_count);
    free(points);
}

static void test_calls_come_after_what_they_came_after(void)
{
    for (unsigned round = 0; round < 10; round++) {
        start();
        run_at_random(round + 1, round % 2 ? ACTORS : 2);
        twin_recording *recording = stop();
        CU_ASSERT(call_count > 50);
        compare(recording);
        /* some that add nothing but cannot be distinguished from those that do, and those that move
         * clocks up */
        CU_ASSERT(count_follows(recording) >= edges);
        CU_ASSERT(count_follows(recording) < 2 * edges);
        twin_recording_free(recording);
    }
}

static const twin_test tests[] = {
    {"an edge is written once", test_an_edge_is_written_once},
    {"order goes on through threads that never call",
     test_order_goes_on_through_threads_that_never_call},
    {"a thread that has done nothing adds no order",
     test_a_thread_that_has_done_nothing_adds_nothing},
    {"a lock that goes round adds little", test_a_lock_that_goes_round_adds_little},
    {"the writer's own lock orders nothing", test_the_writers_lock_orders_nothing},
    {"calls keep their order after earlier calls", test_calls_come_after_what_they_came_after},
};

int main(int argc, char **argv)
{
    return twin_run_suite("record_order", tests, TWIN_COUNT(tests), argc, argv);
}
