/* SPDX-License-Identifier: Apache-2.0 */
/* Several threads make random calls with random arguments, on objects that they share, while
 * devices are reset below them. Nothing may crash, hang, leak, race, or answer what is not
 * documented.
 *
 * A wait that nothing can end answers as a deadlock once every other thread waits or has ended; the
 * main thread waits for them in a way that the runtime knows of. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "random_arguments.h"
#include "random_calls.h"
#include "support/host_latch.h"
#include "twinrt/fault.h"

#define WATCHDOG_S 900

static random_options options = {.seed = 1, .calls = 100000, .threads = 8};
static random_worker workers[RANDOM_THREADS_MOST];
static host_latch all_done;

static void *work(void *argument)
{
    random_worker *worker = argument;
    uint64_t share = options.calls / options.threads;
    while (worker->number < share)
        random_call(worker);
    random_worker_end(worker);
    host_latch_count_down(&all_done);
    return NULL;
}

/* Everything is released, and the runtime still works. */
static void clean_up(void)
{
    (void)twinrt_fault_remove(0);
    for (int32_t device = 0; device < 2; device++) {
        aclError code = aclrtSetDevice(device);
        if (code == ACL_SUCCESS)
            code = aclrtResetDeviceForce(device);
        /* Work that nothing can end any more is dropped, and reported. */
        if (code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
            code = ACL_SUCCESS;
        if (code != ACL_SUCCESS)
            random_failure("device %d cannot be set and reset at the end: %d", device, code);
        code = aclrtResetDevice(device);
        if (code != ACL_ERROR_RT_CONTEXT_RELEASE_ERROR)
            random_failure("device %d is still set at the end: %d", device, code);
    }
    (void)aclFinalize();
}

static void print_counts(void)
{
    uint64_t all = 0, good = 0;
    for (uint32_t call = 0; call < random_call_count(); call++) {
        uint64_t sums[2] = {0, 0};
        for (uint32_t i = 0; i < options.threads; i++)
            for (uint32_t failed = 0; failed < 2; failed++)
                sums[failed] += workers[i].counts[2 * call + failed];
        all += sums[0] + sums[1];
        good += sums[0];
        if (options.calls >= 500000)
            printf("%9llu done %9llu refused  %s\n", (unsigned long long)sums[0],
                   (unsigned long long)sums[1], random_call_name(call));
        if (options.calls >= 50000 && sums[0] + sums[1] == 0)
            random_failure("%s was never called", random_call_name(call));
    }
    printf("seed %llu, %u threads: %llu calls, %llu of them succeeded\n",
           (unsigned long long)options.seed, options.threads, (unsigned long long)all,
           (unsigned long long)good);
}

int main(int argc, char **argv)
{
    if (!random_options_parse(&options, argc, argv))
        return 2;
    random_watchdog(WATCHDOG_S);
    random_fault_begin(options.seed);
    pthread_t threads[RANDOM_THREADS_MOST];
    host_latch_init(&all_done, options.threads);
    for (uint32_t i = 0; i < options.threads; i++) {
        workers[i].index = i;
        workers[i].pageable = calloc(1, RANDOM_HOST_BYTES);
        workers[i].counts = calloc(2 * random_call_count(), sizeof(uint64_t));
        random_seed(&workers[i].random, options.seed, i);
        if (!workers[i].pageable || !workers[i].counts ||
            pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 2;
    }
    host_latch_wait(&all_done);
    for (uint32_t i = 0; i < options.threads; i++)
        pthread_join(threads[i], NULL);
    clean_up();
    print_counts();
    for (uint32_t i = 0; i < options.threads; i++) {
        free(workers[i].pageable);
        free(workers[i].counts);
    }
    return random_failures() == 0 ? 0 : 1;
}
