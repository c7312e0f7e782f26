/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of two processes that share device memory and order their work by notifies,
 * events and the host.
 *
 *   random_pairs [--kill] [--seed=N] [--calls=N]
 *
 * --calls: programs. A program is some rounds: one side writes cells of the shared memory and
 * signals, the other waits, reads them, compares each with what the seed says, and signals back; a
 * wait is in the stream, so the next tasks follow without the host. 50 programs share a pair of
 * processes. --kill: that many pairs; one side of each is killed somewhere, and the other one must
 * end with a documented error or by itself, in a minute at most. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "fault/random_support.h"

enum {
    PROGRAMS = 50, /* of a pair */
    CELLS = 32,
    CELL_BYTES = 512,
    ROUNDS_MOST = 8,
    KEY_BYTES = 65,
    SURVIVOR_SECONDS = 60,
    KILL_US_MOST = 60000
};
#define SHARED_BYTES ((size_t)2 << 20)

enum signal_kind { NOTIFY, EVENT, HOST, SIGNALS };

/* What each side tells the other at the start. */
struct hello {
    char notify[KEY_BYTES];
    char memory[KEY_BYTES]; /* of side 0 */
    aclrtIpcEventHandle event;
};

struct side {
    uint32_t number; /* 0: it has the memory; 1 */
    int peer;        /* socket */
    pid_t peer_pid;
    bool may_fail; /* the other one may be killed */
    uint64_t seed;
    random_state random; /* the same numbers on both sides */
    aclrtStream stream;
    aclrtNotify own_notify, peer_notify;
    aclrtEvent own_event, peer_event;
    unsigned char *shared, *out, *in;
};

/* ---- what both do ---------------------------------------------------------------------------- */

static void leave(const struct side *side, const char *what, int code)
{
    static const int documented[] = {ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                                     ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, ACL_ERROR_RT_STREAM_ABORT,
                                     ACL_ERROR_RT_PARAM_INVALID};
    for (size_t i = 0; side->may_fail && i < sizeof(documented) / sizeof(documented[0]); i++)
        if (code == documented[i])
            _exit(0);
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "side %u, seed %llu: %s answers %d: %s\n", side->number,
            (unsigned long long)side->seed, what, code, message ? message : "");
    _exit(1);
}
#define OK(side, call)                                                                             \
    do {                                                                                           \
        const aclError code_ = (call);                                                             \
        if (code_ != ACL_SUCCESS)                                                                  \
            leave(side, #call, code_);                                                             \
    } while (0)

static void transfer(const struct side *side, void *bytes, size_t count, bool sends)
{
    for (size_t done = 0; done < count;) {
        const ssize_t moved =
            sends ? send(side->peer, (char *)bytes + done, count - done, MSG_NOSIGNAL)
                  : recv(side->peer, (char *)bytes + done, count - done, 0);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0) { /* the other side has ended */
            if (side->may_fail)
                _exit(0);
            fprintf(stderr, "side %u, seed %llu: the other side has ended\n", side->number,
                    (unsigned long long)side->seed);
            _exit(1);
        }
        done += (size_t)moved;
    }
}

static void begin(struct side *side)
{
    struct hello own;
    struct hello peer;
    void *memory = NULL;
    int32_t pid = side->peer_pid;
    memset(&own, 0, sizeof(own));
    OK(side, aclInit(NULL));
    OK(side, aclrtSetDevice(0));
    OK(side, aclrtCreateStream(&side->stream));
    OK(side, aclrtMallocHost((void **)&side->out, (size_t)CELLS * CELL_BYTES));
    OK(side, aclrtMallocHost((void **)&side->in, (size_t)CELLS * CELL_BYTES));
    OK(side, aclrtCreateNotify(&side->own_notify, 0));
    OK(side, aclrtNotifyGetExportKey(side->own_notify, own.notify, KEY_BYTES, 0));
    OK(side, aclrtNotifySetImportPid(side->own_notify, &pid, 1));
    OK(side, aclrtCreateEventExWithFlag(&side->own_event, ACL_EVENT_IPC));
    OK(side, aclrtIpcGetEventHandle(side->own_event, &own.event));
    if (side->number == 0) {
        OK(side, aclrtMalloc(&memory, SHARED_BYTES, ACL_MEM_MALLOC_HUGE_ONLY));
        OK(side, aclrtIpcMemGetExportKey(memory, SHARED_BYTES, own.memory, KEY_BYTES,
                                         ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
        OK(side, aclrtIpcMemSetImportPid(own.memory, &pid, 1));
    }
    transfer(side, &own, sizeof(own), true);
    transfer(side, &peer, sizeof(peer), false);
    OK(side, aclrtNotifyImportByKey(&side->peer_notify, peer.notify, 0));
    OK(side, aclrtIpcOpenEventHandle(peer.event, &side->peer_event));
    if (side->number == 1)
        OK(side, aclrtIpcMemImportByKey(&memory, peer.memory, 0));
    side->shared = memory;
    transfer(side, &own, 1, true); /* both have all */
    transfer(side, &own, 1, false);
}

static void signal_peer(struct side *side, enum signal_kind kind)
{
    char byte = (char)kind;
    if (kind == NOTIFY) {
        OK(side, aclrtRecordNotify(side->peer_notify, side->stream));
        return;
    }
    if (kind == EVENT)
        OK(side, aclrtRecordEvent(side->own_event, side->stream));
    else
        OK(side, aclrtSynchronizeStream(side->stream));
    transfer(side, &byte, 1, true);
}

static void wait_for_peer(struct side *side, enum signal_kind kind)
{
    char byte = 0;
    if (kind == NOTIFY) {
        OK(side, aclrtWaitAndResetNotify(side->own_notify, side->stream, 0));
        return;
    }
    transfer(side, &byte, 1, false);
    if (kind == EVENT)
        OK(side, aclrtStreamWaitEvent(side->stream, side->peer_event));
}

/* A wait is for the newest record when it is queued: the reader records its event again only when
 * the writer has queued its wait for the last record. The writer's next record is behind a signal
 * of the reader. */
static void pass_wait(struct side *side, enum signal_kind kind, bool writes)
{
    char byte = 0;
    if (kind == EVENT)
        transfer(side, &byte, 1, writes);
}

/* ---- a program ------------------------------------------------------------------------------- */

static unsigned char value_of(const struct side *side, uint32_t round, uint32_t cell)
{
    return (unsigned char)(side->seed * 31 + round * 7 + cell * 3 + 1);
}

/* The cells of a round, as a first one and a count: a part of the memory at some distance. */
struct cells {
    uint32_t first, count;
    size_t place;
};

static void write_cells(struct side *side, uint32_t round, const struct cells *cells)
{
    for (uint32_t i = 0; i < cells->count; i++)
        memset(side->out + (size_t)i * CELL_BYTES, value_of(side, round, cells->first + i),
               CELL_BYTES);
    const size_t bytes = (size_t)cells->count * CELL_BYTES;
    OK(side, aclrtMemcpyAsync(side->shared + cells->place, bytes, side->out, bytes,
                              ACL_MEMCPY_HOST_TO_DEVICE, side->stream));
}

static void check_cells(const struct side *side, uint32_t round, const struct cells *cells)
{
    for (uint32_t i = 0; i < cells->count * CELL_BYTES; i++)
        if (side->in[i] != value_of(side, round, cells->first + i / CELL_BYTES)) {
            fprintf(stderr, "side %u, seed %llu, round %u: byte %u is %#x, not %#x\n", side->number,
                    (unsigned long long)side->seed, round, i, side->in[i],
                    value_of(side, round, cells->first + i / CELL_BYTES));
            _exit(1);
        }
}

static void run_program(struct side *side, uint64_t seed)
{
    side->seed = seed;
    random_seed(&side->random, seed, 0);
    /* One side writes in all rounds: two records of a notify without an answer between them could
     * become one. */
    const uint32_t writer = random_below(&side->random, 2);
    const uint32_t rounds = 1 + random_below(&side->random, ROUNDS_MOST);
    for (uint32_t round = 0; round < rounds; round++) {
        const enum signal_kind there = (enum signal_kind)random_below(&side->random, SIGNALS);
        const enum signal_kind back = (enum signal_kind)random_below(&side->random, SIGNALS);
        struct cells cells = {.first = random_below(&side->random, CELLS / 2)};
        cells.count = 1 + random_below(&side->random, CELLS / 2);
        cells.place = random_below(&side->random, (uint32_t)SHARED_BYTES - CELLS * CELL_BYTES);
        const size_t bytes = (size_t)cells.count * CELL_BYTES;
        if (writer == side->number) {
            OK(side, aclrtSynchronizeStream(side->stream)); /* `out` is free */
            write_cells(side, round, &cells);
            signal_peer(side, there);
            wait_for_peer(side, back);
            pass_wait(side, back, true);
        } else {
            wait_for_peer(side, there);
            OK(side, aclrtMemcpyAsync(side->in, bytes, side->shared + cells.place, bytes,
                                      ACL_MEMCPY_DEVICE_TO_HOST, side->stream));
            signal_peer(side, back);
            OK(side, aclrtSynchronizeStream(side->stream));
            pass_wait(side, back, false);
            check_cells(side, round, &cells);
        }
    }
    OK(side, aclrtSynchronizeStream(side->stream));
    char byte = 0;
    transfer(side, &byte, 1, true);
    transfer(side, &byte, 1, false);
}

static int run_side(struct side *side, uint64_t first, uint64_t programs)
{
    begin(side);
    for (uint64_t i = 0; i < programs; i++)
        run_program(side, first + i);
    OK(side, aclrtDestroyNotify(side->peer_notify));
    OK(side, aclrtDestroyEvent(side->peer_event));
    OK(side, aclrtDestroyNotify(side->own_notify));
    OK(side, aclrtDestroyEvent(side->own_event));
    OK(side, aclrtResetDevice(0));
    OK(side, aclFinalize());
    return 0;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static pid_t start_side(uint32_t number, const int sockets[2], const int starts[2], uint64_t first,
                        uint64_t programs, bool kill_one)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    struct side side = {
        .number = number, .peer = sockets[number], .seed = first, .may_fail = kill_one};
    close(sockets[1 - number]);
    close(starts[1]);
    pid_t pids[2];
    if (read(starts[0], pids, sizeof(pids)) != (ssize_t)sizeof(pids))
        _exit(1);
    side.peer_pid = pids[1 - number];
    _exit(run_side(&side, first, programs));
}

/* Whether it ended well; a minute is more than any program takes. */
static bool end_side(pid_t pid, bool killed)
{
    int status = 0;
    for (int i = 0; i < SURVIVOR_SECONDS * 100; i++) {
        const pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return killed || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
        usleep(10000);
    }
    fprintf(stderr, "process %d hangs\n", (int)pid);
    kill(pid, SIGABRT);
    waitpid(pid, &status, 0);
    return false;
}

static bool run_pair(uint64_t first, uint64_t programs, bool kill_one, random_state *random)
{
    int sockets[2];
    int starts[2][2];
    pid_t pids[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0 || pipe(starts[0]) != 0 ||
        pipe(starts[1]) != 0)
        abort();
    for (uint32_t i = 0; i < 2; i++)
        pids[i] = start_side(i, sockets, starts[i], first, programs, kill_one);
    for (uint32_t i = 0; i < 2; i++) {
        close(sockets[i]);
        close(starts[i][0]);
        if (pids[i] < 0 || write(starts[i][1], pids, sizeof(pids)) != (ssize_t)sizeof(pids))
            abort();
        close(starts[i][1]);
    }
    const uint32_t victim = random_below(random, 2);
    if (kill_one) {
        usleep(random_below(random, KILL_US_MOST));
        kill(pids[victim], SIGKILL);
    }
    const bool first_good = end_side(pids[0], kill_one && victim == 0);
    return end_side(pids[1], kill_one && victim == 1) && first_good;
}

static void *end_at_once(void *argument)
{
    return argument;
}

/* ThreadSanitizer starts a thread of its own in a forked process and, if its parent has never
 * created a thread, a second one when that process creates its first. The runtime knows of one, and
 * proves no deadlock beside another. */
static void create_first_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_at_once, NULL) != 0 || pthread_join(thread, NULL) != 0)
        abort();
}

int main(int argc, char **argv)
{
    random_options options = {.seed = random_new_seed(), .calls = 300, .threads = 1};
    create_first_thread();
    const bool kill_one = argc > 1 && strcmp(argv[1], "--kill") == 0;
    if (!random_options_parse(&options, argc - kill_one, argv + kill_one))
        return 2;
    /* A side that waits for the other one's message does not call; its records go out all the
     * same. */
    setenv("TWINRT_PROGRESS", "2", 0);
    random_state random;
    random_seed(&random, options.seed, 1);
    bool good = true;
    for (uint64_t done = 0; done < options.calls && good; done += kill_one ? 1 : PROGRAMS) {
        const uint64_t left = options.calls - done;
        const uint64_t programs = kill_one || left > PROGRAMS ? PROGRAMS : left;
        good = run_pair(options.seed * 1000000 + done, programs, kill_one, &random);
    }
    printf("random_pairs: seed %llu, %llu %s: %s\n", (unsigned long long)options.seed,
           (unsigned long long)options.calls,
           kill_one ? "pairs with one side killed" : "programs of two processes",
           good ? "all right" : "one FAILED");
    return good ? 0 : 1;
}
