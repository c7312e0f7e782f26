/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that ask whether they are to end. */
#include "seam.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static twin_hw_device *device;
static twin_queue *queue; /* held by `gate` */
static twin_queue *other;
static twin_signal *gate;
static twin_signal *mark;
static sem_t asked; /* posted when the main thread's wait has asked */
static unsigned questions;
static unsigned answer_at; /* the question that is answered with yes; 0: none */

static bool question(void)
{
    questions++;
    sem_post(&asked);
    return questions == answer_at;
}

/* Held until the gate is recorded; the wait's thread is the main one, and another one is attached
 * and runs. */
static void begin(unsigned answer)
{
    device = seam_up();
    queue = seam_queue(device, 0);
    other = seam_queue(device, 1);
    gate = seam_signal(device, TWIN_SIGNAL_NOTIFY, 0);
    mark = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 1);
    sem_init(&asked, 0, 0);
    questions = 0;
    answer_at = answer;
    seam_interrupted = question;
    SEAM_OK(seam->work.wait(queue, gate, TWIN_FOREVER));
    SEAM_OK(seam->work.record(queue, mark));
}

static void end(void)
{
    seam_interrupted = NULL;
    seam->signal.destroy(mark);
    seam_drop_queue(other);
    seam_drop_queue(queue);
    seam->signal.destroy(gate);
    sem_destroy(&asked);
    seam_down(device);
}

static void await_questions(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        while (sem_wait(&asked) != 0)
            continue;
}

static atomic_bool finish;
static sem_t there;

/* Attached and running until `finish` is set, so that others wait in real time; records the gate
 * after `data` questions. */
static void *opener(void *data)
{
    const unsigned *count = data;
    seam->host.attach();
    /* Ahead of all other threads: so its record has one time, in any order of the threads. */
    for (unsigned i = 0; i < 1000; i++)
        seam_call(TWIN_COST_DEVICE);
    sem_post(&there);
    await_questions(*count);
    while (!atomic_load(&finish))
        continue;
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.record(other, gate));
    seam->host.detach();
    return NULL;
}

static pthread_t open_after(unsigned *count, bool at_once)
{
    pthread_t thread;
    atomic_store(&finish, at_once);
    sem_init(&there, 0, 0);
    pthread_create(&thread, NULL, opener, count);
    while (sem_wait(&there) != 0)
        continue;
    return thread;
}

static void test_yes_ends_the_wait(void)
{
    begin(3);
    unsigned count = 3;
    pthread_t thread = open_after(&count, false);
    seam_call(TWIN_COST_WAIT);
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_INTERRUPTED);
    CU_ASSERT(questions == 3);
    CU_ASSERT(seam_explained("interrupted the wait"));
    atomic_store(&finish, true);
    pthread_join(thread, NULL);
    /* The work is as it was. */
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    end();
}

/* Device time from the start to the record after the gate. */
static uint64_t recorded_after(unsigned count, bool asking)
{
    begin(0);
    uint64_t start = seam->host.now();
    if (!asking)
        seam_interrupted = NULL;
    pthread_t thread = open_after(&count, true);
    seam_call(TWIN_COST_WAIT);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    pthread_join(thread, NULL);
    CU_ASSERT(questions >= count);
    uint64_t at = 0;
    SEAM_OK(seam->signal.timestamp(mark, &at));
    end();
    return at - start;
}

/* Each start has another place between two ticks of the counter that stamps records. */
static bool same_but_for_a_tick(uint64_t one, uint64_t other_one)
{
    uint64_t apart = one > other_one ? one - other_one : other_one - one;
    return apart <= 20;
}

static void test_no_changes_no_time(void)
{
    uint64_t plain = recorded_after(0, false);
    CU_ASSERT(plain > 0);
    CU_ASSERT(same_but_for_a_tick(recorded_after(0, true), plain));
    CU_ASSERT(same_but_for_a_tick(recorded_after(4, true), plain));
}

/* A question during which the thread uses the seam itself: a wait inside a wait. */
static bool busy_question(void)
{
    if (questions == 1)
        return question();
    seam_call(TWIN_COST_SUBMIT);
    twin_signal *own = seam_signal(device, TWIN_SIGNAL_EVENT_REBIND, 2);
    SEAM_OK(seam->work.record(other, own));
    seam_call(TWIN_COST_WAIT);
    SEAM_OK(seam->signal.wait(own, TWIN_FOREVER));
    seam->signal.destroy(own);
    return question();
}

static void test_a_wait_inside_the_question(void)
{
    begin(2);
    seam_interrupted = busy_question;
    unsigned count = 2;
    pthread_t thread = open_after(&count, false);
    seam_call(TWIN_COST_WAIT);
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_INTERRUPTED);
    atomic_store(&finish, true);
    pthread_join(thread, NULL);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    end();
}

static void *waits_too(void *status)
{
    seam->host.attach();
    seam_call(TWIN_COST_WAIT);
    sem_post(&there);
    *(twin_status *)status = seam->queue.drain(queue, TWIN_FOREVER);
    seam->host.detach();
    return NULL;
}

/* The thread that asks leads or follows: both must find their way back. */
static void test_others_wait_on(void)
{
    begin(4);
    unsigned count = 4;
    pthread_t thread = open_after(&count, false);
    twin_status status = TWIN_E_INTERNAL;
    pthread_t second;
    pthread_create(&second, NULL, waits_too, &status);
    while (sem_wait(&there) != 0)
        continue;
    seam_call(TWIN_COST_WAIT);
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_INTERRUPTED);
    atomic_store(&finish, true);
    pthread_join(thread, NULL);
    pthread_join(second, NULL);
    SEAM_OK(status);
    end();
}

static void test_a_limit_holds(void)
{
    /* 250 ms of device time pass in real time, since another thread runs; the questions do not put
     * them off. */
    begin(0);
    unsigned count = 2;
    pthread_t thread = open_after(&count, false);
    seam_call(TWIN_COST_WAIT);
    SEAM_STATUS(seam->queue.drain(queue, 250 * SEAM_MS), TWIN_E_TIMEOUT);
    CU_ASSERT(questions >= 1);
    CU_ASSERT(questions <= 3);
    for (unsigned i = questions; i < count; i++)
        sem_post(&asked);
    atomic_store(&finish, true);
    pthread_join(thread, NULL);
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    end();
}

static void test_a_deadlock_is_one_at_once(void)
{
    begin(0);
    seam_call(TWIN_COST_WAIT);
    SEAM_STATUS(seam->queue.drain(queue, TWIN_FOREVER), TWIN_E_DEADLOCK);
    CU_ASSERT(questions == 0);
    seam_call(TWIN_COST_SUBMIT);
    SEAM_OK(seam->work.record(other, gate));
    SEAM_OK(seam->queue.drain(queue, TWIN_FOREVER));
    end();
}

static const twin_test tests[] = {
    {"a wait ends when the answer is yes, and the work stays", test_yes_ends_the_wait},
    {"questions change no time of the model", test_no_changes_no_time},
    {"the question may wait itself", test_a_wait_inside_the_question},
    {"other threads wait on", test_others_wait_on},
    {"a time limit holds all the same", test_a_limit_holds},
    {"a deadlock is found without a question", test_a_deadlock_is_one_at_once},
};

int main(int argc, char **argv)
{
    seam_load("sim");
    return twin_run_suite("sim_interrupt", tests, TWIN_COUNT(tests), argc, argv);
}
