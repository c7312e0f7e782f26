/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs: the threads that take the steps.
 *
 *   random_program STYLE [--seed=N] [--calls=N] [--threads=N] [--noise=N] [--trace] [--stop]
 *                  [--asked]
 *   random_program SEED          wide --seed=SEED, and nothing is printed
 *
 * --calls: steps of each thread; of `order` seeds, from --seed on; of `turns` turns.
 * --noise: threads spend real time, another one for each number; the program is the same.
 * --stop: half-way a task fails, and all streams of the context stop.
 * --asked: another thread makes a call first, so that a recording keeps what calls find. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESS_S = 120, WATCHDOG_S = 250, LONG_WATCHDOG_S = 3600, TURN_STEPS_MOST = 4, ROUND = 16 };

random_run run;

/* ---- turns ----------------------------------------------------------------------------------- */

/* One thread makes calls, all others wait for it on the host. So no two of them race to the device,
 * and whatever the system does with its threads, what happens on the device and when follows from
 * the seeds alone (T-TIM-11). Host functions run on their own threads beside. */
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_passed = PTHREAD_COND_INITIALIZER;
static uint32_t turn_of;
static uint64_t turns_left;

/* Gives the thread whose turn comes next. */
static uint32_t take_turn(program *p, uint32_t self)
{
    const uint32_t last = run.options.threads - 1;
    p->index = self;
    if (self == last && run.callbacks != 0)
        run_callbacks(p);
    if (p->graph->count > ORDER_TASKS_MOST - 64)
        settle(p);
    for (uint32_t left = 1 + below(p, TURN_STEPS_MOST); left > 0 && run.callbacks == 0; left--)
        take_step(p, SUBMIT | WAIT | CHANGE);
    return run.callbacks != 0 ? last : below(p, run.options.threads);
}

static void *take_turns(void *argument)
{
    const uint32_t self = (uint32_t)(uintptr_t)argument;
    noise_begin(self);
    pthread_mutex_lock(&turn_lock);
    while (turns_left != 0) {
        if (turn_of != self) {
            pthread_cond_wait(&turn_passed, &turn_lock);
            continue;
        }
        pthread_mutex_unlock(&turn_lock);
        dawdle();
        uint32_t next = take_turn(&run.programs[0], self);
        dawdle();
        pthread_mutex_lock(&turn_lock);
        turn_of = next;
        if (turns_left > 1 || run.callbacks == 0)
            turns_left--;
        if (random_failures() != 0)
            turns_left = 0;
        pthread_cond_broadcast(&turn_passed);
    }
    pthread_mutex_unlock(&turn_lock);
    return NULL;
}

/* ---- threads that run beside each other ------------------------------------------------------ */

void *child_main(void *argument)
{
    program *p = argument;
    go_to(p, 0);
    for (uint32_t left = 5; left > 0; left--)
        take_step(p, SUBMIT | WAIT | CHANGE | MEET);
    free(p);
    return NULL;
}

static void *take_steps(void *argument)
{
    program *p = argument;
    const struct style *style = p->style;
    const uint64_t calls = run.options.calls;
    locks_round();
    if (style->threads == SHARED)
        make_own(p);
    for (uint64_t i = 0; i < calls && random_failures() == 0; i++) {
        if (run.stop && i == calls / 2 && p->index % 2 == 0 && p->index < 3)
            OK(aclrtWaitAndResetNotify(p->places[0].notifies[0].notify, p->lanes[p->own].stream,
                                       1));
        take_step(p, SUBMIT | WAIT | CHANGE | MEET);
        if (p->graph && p->graph->count > ORDER_TASKS_MOST - 16)
            settle(p);
        if (style->meets && i % ROUND == ROUND - 1)
            locks_round();
    }
    if (p->own != NONE)
        OK(aclrtSynchronizeStream(p->lanes[p->own].stream));
    settle(p);
    return NULL;
}

static void run_order(program *p)
{
    uint32_t length = 40 + below(p, ORDER_TASKS_MOST - 60);
    while (p->graph->count < length && random_failures() == 0)
        take_step(p, SUBMIT | WAIT | CHANGE);
    settle(p);
}

static void *get_device_count(void *argument)
{
    uint32_t count = 0;
    (void)argument;
    OK(aclrtGetDeviceCount(&count));
    return NULL;
}

/* ---- a program ------------------------------------------------------------------------------- */

static void start(pthread_t *thread, void *(*function)(void *), void *argument)
{
    if (pthread_create(thread, NULL, function, argument) != 0)
        abort();
}

static void run_threads(const struct style *style)
{
    pthread_t threads[RANDOM_THREADS_MOST];
    const uint32_t count = run.options.threads;
    const bool turns = style->threads == STRICT;
    void *(*const function)(void *) = turns ? take_turns : take_steps;
    turns_left = run.options.calls;
    locks_begin(count);
    for (uint32_t i = 1; i < count; i++)
        start(&threads[i], function, turns ? (void *)(uintptr_t)i : &run.programs[i]);
    /* Before any callback is launched; the thread makes no call yet. */
    if (run.programs[0].subscribed != NONE)
        OK(aclrtSubscribeReport((uint64_t)threads[count - 1],
                                run.programs[0].lanes[run.programs[0].subscribed].stream));
    function(turns ? NULL : &run.programs[0]);
    for (uint32_t i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void run_program(const struct style *style)
{
    const uint32_t count =
        style->threads == OWN || style->threads == SHARED ? run.options.threads : 1;
    pthread_t asking;
    run.programs = calloc(count, sizeof(*run.programs));
    if (!run.programs)
        abort();
    make_shared(style);
    if (run.asks_too) {
        start(&asking, get_device_count, NULL);
        pthread_join(asking, NULL);
    }
    make_program(&run.programs[0], style, 0);
    for (uint32_t i = 1; i < count; i++)
        if (style->threads == OWN)
            make_program(&run.programs[i], style, i);
        else
            copy_program(&run.programs[i], i);
    if (run.stop)
        OK(aclrtSetStreamFailureMode(run.programs[0].lanes[1].stream, ACL_STOP_ON_FAILURE));
    if (style->processes)
        run_order(&run.programs[0]);
    else
        run_threads(style);
    if (style->threads == STRICT && random_failures() == 0)
        settle(&run.programs[0]);
    if (!style->judged)
        OK(aclrtSynchronizeDevice());
    if (style->meets)
        locks_print();
    if (run.calls != run.launched && !run.stop)
        random_failure("%u host functions of %u have run", run.calls, run.launched);
    for (uint32_t i = count; !style->stays && i-- > 0;)
        destroy_program(&run.programs[i]);
    destroy_shared(style);
}

/* The seed of a device is that of a process. */
static void run_seeds(const struct style *style)
{
    const random_options all = run.options;
    run.options.calls = 1;
    for (uint64_t i = 0; i < all.calls; i++) {
        char text[24];
        int status = -1;
        run.options.seed = all.seed + i;
        snprintf(text, sizeof(text), "%llu", (unsigned long long)run.options.seed);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            alarm(PROCESS_S);
            setenv("TWINRT_SEED", text, 1);
            random_failures_of(&run.options);
            run_program(style);
            exit(random_failures() == 0 ? 0 : 1); /* not _exit: a timeline is written at the end */
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            random_failure("seed %s: its process ends with status 0x%x", text, (unsigned)status);
    }
    run.options = all;
}

/* Takes the options that only this program has. */
static int parse_own(int argc, char **argv, bool *has_threads)
{
    int kept = 1;
    for (int i = 2; i < argc; i++)
        if (strncmp(argv[i], "--noise=", 8) == 0)
            run.noise = strtoull(argv[i] + 8, NULL, 0);
        else if (strcmp(argv[i], "--stop") == 0)
            run.stop = true;
        else if (strcmp(argv[i], "--asked") == 0)
            run.asks_too = true;
        else {
            *has_threads = *has_threads || strncmp(argv[i], "--threads=", 10) == 0;
            argv[kept++] = argv[i];
        }
    return kept;
}

int main(int argc, char **argv)
{
    const bool only_seed = argc == 2 && argv[1][0] >= '0' && argv[1][0] <= '9';
    const char *name = only_seed ? "wide" : argc > 1 ? argv[1] : "";
    const struct style *style = NULL;
    bool has_threads = false;
    for (size_t i = 0; i < STYLES; i++)
        if (strcmp(styles[i].name, name) == 0)
            style = &styles[i];
    if (!style) {
        fprintf(stderr, "usage: random_program order|turns|waits|wide|races|locks [OPTION...]\n");
        return 2;
    }
    run.options = (random_options){.seed = only_seed ? strtoull(argv[1], NULL, 10) : 1,
                                   .calls = style->default_calls,
                                   .threads = style->default_threads ? style->default_threads : 1};
    setenv("TWINRT_DEVICES", style->places > 1 ? "2" : "1", 0);
    if (!random_options_parse(&run.options, parse_own(argc, argv, &has_threads), argv))
        return 2;
    if (style->threads == ALONE && run.options.threads != 1) {
        fprintf(stderr, "--threads is %u; the style %s has one thread\n", run.options.threads,
                name);
        return 2;
    }
    if (style->threads == SHARED && !has_threads)
        run.options.threads = 2 + (uint32_t)(run.options.seed % 7);
    random_failures_of(&run.options);
    if (style->processes) {
        run_seeds(style);
    } else {
        if (style->threads == STRICT) {
            char text[24];
            snprintf(text, sizeof(text), "%llu", (unsigned long long)run.options.seed);
            setenv("TWINRT_SEED", text, 0);
        }
        if (style->judged)
            random_watchdog(style->threads == OWN && run.options.calls > style->default_calls
                                ? LONG_WATCHDOG_S
                                : WATCHDOG_S);
        run_program(style);
    }
    if (!only_seed)
        printf("%s, seed %llu: %llu calls, %u host functions, %u failures\n", name,
               (unsigned long long)run.options.seed, (unsigned long long)run.options.calls,
               run.calls, random_failures());
    return random_failures() == 0 ? 0 : 1;
}
