/* SPDX-License-Identifier: Apache-2.0 */
#include "random_support.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

#define FAILURES_MOST 20

static random_options chosen;
static _Atomic uint32_t failures;

/* Relaxed everywhere: the tests must not order threads that the runtime does not order. */
static struct {
    _Atomic(const char *) name;
    _Atomic uint64_t number;
} places[RANDOM_THREADS_MOST];

/* splitmix64 */
uint64_t random_next(random_state *state)
{
    uint64_t z = state->word += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void random_seed(random_state *state, uint64_t seed, uint64_t stream)
{
    state->word = seed;
    uint64_t mixed = random_next(state) + stream;
    state->word = mixed * UINT64_C(0xD1342543DE82EF95) + 1;
}

uint32_t random_below(random_state *state, uint32_t limit)
{
    return (uint32_t)(((random_next(state) >> 32) * limit) >> 32);
}

bool random_percent(random_state *state, uint32_t percent)
{
    return random_below(state, 100) < percent;
}

uint64_t random_new_seed(void)
{
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        abort();
    return seed;
}

bool random_options_parse(random_options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        uint64_t value = equals ? strtoull(equals + 1, NULL, 0) : 0;
        if (strncmp(argv[i], "--seed=", 7) == 0)
            options->seed = value;
        else if (strncmp(argv[i], "--calls=", 8) == 0)
            options->calls = value;
        else if (strncmp(argv[i], "--threads=", 10) == 0)
            options->threads = (uint32_t)value;
        else if (strcmp(argv[i], "--trace") == 0)
            options->trace = true;
        else {
            fprintf(stderr, "%s is not an option of this test\n", argv[i]);
            return false;
        }
    }
    if (options->threads == 0 || options->threads > RANDOM_THREADS_MOST) {
        fprintf(stderr, "--threads must be 1 to %d\n", RANDOM_THREADS_MOST);
        return false;
    }
    chosen = *options;
    setenv("TWINRT_BACKEND", "sim", 0);
    setenv("TWINRT_DEVICES", "2", 0);
    setenv("TWINRT_LOG", "error", 0);
    setenv("TWINRT_OPAQUE_KERNELS", "timing", 0);
    return true;
}

void random_failure(const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "FAILED (--seed=%llu --calls=%llu --threads=%u): %s\n",
            (unsigned long long)chosen.seed, (unsigned long long)chosen.calls, chosen.threads,
            text);
    if (atomic_fetch_add(&failures, 1) + 1 >= FAILURES_MOST)
        _exit(1);
}

uint32_t random_failures(void)
{
    return atomic_load(&failures);
}

void random_failures_of(const random_options *options)
{
    chosen = *options;
    atomic_store(&failures, 0);
}

void random_at(uint32_t index, const char *name, uint64_t number)
{
    atomic_store_explicit(&places[index].name, name, memory_order_relaxed);
    atomic_store_explicit(&places[index].number, number, memory_order_relaxed);
    if (chosen.trace)
        fprintf(stderr, "%u/%llu %s\n", index, (unsigned long long)number, name);
}

/* A signal handler. The process ends here, whatever was interrupted.
 * NOLINTBEGIN(bugprone-signal-handler) */
static void report_hang(int number)
{
    (void)number;
    fprintf(stderr, "FAILED (--seed=%llu --calls=%llu --threads=%u): it hangs\n",
            (unsigned long long)chosen.seed, (unsigned long long)chosen.calls, chosen.threads);
    for (uint32_t i = 0; i < RANDOM_THREADS_MOST; i++) {
        const char *name = atomic_load_explicit(&places[i].name, memory_order_relaxed);
        if (name)
            fprintf(
                stderr, "  thread %u: call %llu, %s\n", i,
                (unsigned long long)atomic_load_explicit(&places[i].number, memory_order_relaxed),
                name);
    }
    abort();
}
/* NOLINTEND(bugprone-signal-handler) */

/* A separate process: a thread or a timer of this one might act, and no deadlock would be
 * proven. */
void random_watchdog(unsigned seconds)
{
    int ends[2];
    const pid_t watched = getpid();
    /* A user's signal: a handler of another one may act while threads wait on the host, so no
     * deadlock would be proven. */
    if (signal(SIGQUIT, report_hang) == SIG_ERR || pipe(ends) != 0)
        abort();
    const pid_t watcher = fork();
    if (watcher < 0) {
        fprintf(stderr, "no process for the watchdog\n");
        abort();
    }
    if (watcher != 0) {
        close(ends[0]); /* the other end is closed when this process ends */
        return;
    }
    close(ends[1]);
    struct pollfd end = {.fd = ends[0]};
    if (poll(&end, 1, (int)seconds * 1000) == 0)
        kill(watched, SIGQUIT);
    _exit(0);
}
