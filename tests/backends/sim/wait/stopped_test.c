/* SPDX-License-Identifier: Apache-2.0 */
/* A process that is stopped while it waits: of two time limits that pass meanwhile, the earlier one
 * counts. */
#define _DEFAULT_SOURCE /* usleep, kill */
#include "seam.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_bool over;
static pthread_barrier_t attached;

/* Runs, so that time does not jump to limits. */
static void *be_busy(void *unused)
{
    (void)unused;
    seam->host.attach();
    pthread_barrier_wait(&attached);
    while (!atomic_load(&over))
        usleep(1000);
    seam->host.detach();
    return NULL;
}

/* Another process, which stops this one a while after the byte comes. */
static pid_t begin_stopper(int *out_go)
{
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    pid_t us = getpid();
    pid_t stopper = fork();
    if (stopper < 0)
        abort();
    if (stopper > 0) {
        close(ends[0]);
        *out_go = ends[1];
        return stopper;
    }
    char go;
    close(ends[1]);
    bool bad = read(ends[0], &go, 1) != 1;
    usleep(150 * 1000);
    bad = bad || kill(us, SIGSTOP) != 0;
    usleep(1200 * 1000);
    bad = kill(us, SIGCONT) != 0 || bad;
    _exit(bad ? 1 : 0);
}

static void test_the_earlier_limit_counts(void)
{
    int go = -1;
    int status = -1;
    pid_t stopper = begin_stopper(&go);
    twin_hw_device *device = seam_up();
    twin_queue *queue = seam_queue(device, 1);
    twin_signal *never = seam_signal(device, TWIN_SIGNAL_NOTIFY, 5);
    pthread_t busy;
    pthread_barrier_init(&attached, NULL, 2);
    if (pthread_create(&busy, NULL, be_busy, NULL) != 0)
        abort();
    pthread_barrier_wait(&attached);
    SEAM_OK(seam->work.wait(queue, never, SEAM_S));
    CU_ASSERT(write(go, "", 1) == 1);
    SEAM_STATUS(seam->queue.drain(queue, 2 * SEAM_S), TWIN_E_TASK_TIMEOUT);
    atomic_store(&over, true);
    pthread_join(busy, NULL);
    CU_ASSERT(waitpid(stopper, &status, 0) == stopper && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0);
    close(go);
    pthread_barrier_destroy(&attached);
    seam->signal.destroy(never);
    seam_drop_queue(queue);
    seam_down(device);
}

static const twin_test tests[] = {
    {"a task's limit that has passed comes before the wait's", test_the_earlier_limit_counts},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("backend.sim_stopped", tests, TWIN_COUNT(tests), argc, argv);
}
