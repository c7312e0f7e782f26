/* SPDX-License-Identifier: Apache-2.0 */
/* Order by seeds: each seed is a program of several streams on two devices and a machine that takes
 * its choices by it. A program runs in a process of its own, since the seed is that of a process.
 * `--calls` counts seeds, from `--seed` on. */
#include "random_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random_support.h"

#define SEED_SECONDS 120

static int run_seed(const random_options *options, uint64_t seed)
{
    char text[24];
    snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SEED_SECONDS);
        setenv("TWINRT_SEED", text, 1);
        exit(order_run_program(seed, options->trace)
                 ? 0
                 : 1); /* not _exit: a timeline is written at the end */
    }
    int status = -1;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    return status;
}

int main(int argc, char **argv)
{
    random_options options = {.seed = 1, .calls = 100, .threads = 1};
    if (!random_options_parse(&options, argc, argv))
        return 2;
    for (uint64_t i = 0; i < options.calls; i++) {
        uint64_t seed = options.seed + i;
        int status = run_seed(&options, seed);
        if (status != 0)
            random_failure("seed %llu: its process ends with status 0x%x", (unsigned long long)seed,
                           (unsigned)status);
    }
    printf("%llu seeds from %llu, %u failures\n", (unsigned long long)options.calls,
           (unsigned long long)options.seed, random_failures());
    return random_failures() == 0 ? 0 : 1;
}
