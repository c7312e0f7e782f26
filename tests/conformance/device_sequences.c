/* SPDX-License-Identifier: Apache-2.0 */
#include "device_tests.h"

#include <pthread.h>
#include <stdio.h>

#include "suite.h"

/* One call: its thread, its kind (S set, R reset, F force), and its answer. */
typedef struct reset_step {
    unsigned thread;
    char call;
    aclError answer;
} reset_step;

#define OK   ACL_SUCCESS
#define GONE ACL_ERROR_RT_CONTEXT_RELEASE_ERROR
#define MOST 6

typedef struct reset_sequence {
    const char *row;
    reset_step steps[MOST]; /* ends with call 0 */
} reset_sequence;

static const reset_sequence sequences[] = {
    {"DEV-20", {{0, 'S', OK}, {0, 'F', OK}, {0, 'S', OK}, {0, 'F', OK}}},
    {"DEV-21", {{0, 'S', OK}, {0, 'S', OK}, {0, 'F', OK}}},
    {"DEV-22", {{0, 'F', GONE}}},
    {"DEV-22", {{0, 'S', OK}, {0, 'F', OK}, {0, 'F', GONE}}},
    {"DEV-23", {{0, 'S', OK}, {0, 'R', OK}, {0, 'S', OK}, {0, 'F', OK}}},
    {"DEV-24", {{0, 'S', OK}, {0, 'S', OK}, {0, 'R', OK}, {0, 'F', OK}}},
    {"DEV-25", {{0, 'S', OK}, {0, 'S', OK}, {0, 'R', OK}, {0, 'R', OK}, {0, 'F', GONE}}},
    {"DEV-26", {{0, 'S', OK}, {0, 'S', OK}, {0, 'R', OK}, {0, 'F', OK}, {0, 'F', GONE}}},
    {"DEV-27", {{0, 'S', OK}, {0, 'S', OK}, {0, 'F', OK}, {0, 'R', GONE}}},
};

static const reset_sequence timelines[] = {
    {"DEV-28", {{0, 'S', OK}, {1, 'S', OK}, {0, 'F', OK}, {1, 'F', GONE}}},
    {"DEV-28", {{0, 'S', OK}, {1, 'S', OK}, {1, 'F', OK}, {0, 'F', GONE}}},
    {"DEV-28", {{0, 'S', OK}, {1, 'S', OK}, {1, 'F', OK}, {0, 'R', GONE}}},
    {"DEV-29", {{0, 'S', OK}, {1, 'S', OK}, {1, 'F', OK}}},
    {"DEV-29", {{0, 'S', OK}, {1, 'S', OK}, {0, 'F', OK}}},
    {"DEV-29", {{0, 'S', OK}, {1, 'S', OK}, {0, 'R', OK}, {1, 'R', OK}}},
};

static void make_call(const char *row, unsigned number, const reset_step *step)
{
    aclError code = ACL_SUCCESS;
    switch (step->call) {
    case 'S':
        code = aclrtSetDevice(0);
        break;
    case 'R':
        code = aclrtResetDevice(0);
        break;
    default:
        code = aclrtResetDeviceForce(0);
        break;
    }
    char text[160];
    snprintf(text, sizeof(text), "%s, call %u (%c by thread %u) answered %s, not %s", row,
             number + 1, step->call, step->thread, twin_code_name(code),
             twin_code_name(step->answer));
    twin_check_true(code == step->answer, text, __FILE__, __LINE__);
}

/* Every sequence ends with the device released. */
static void check_released(void)
{
    int32_t active = -1;
    CHECK_OK(aclrtGetPrimaryCtxState(0, NULL, &active));
    CHECK_EQUAL(active, 0);
    if (active == 1)
        aclrtResetDeviceForce(0);
}

void test_reset_sequences(void)
{
    for (size_t i = 0; i < TWIN_COUNT(sequences); i++) {
        const reset_sequence *sequence = &sequences[i];
        for (unsigned k = 0; k < MOST && sequence->steps[k].call; k++)
            make_call(sequence->row, k, &sequence->steps[k]);
        check_released();
    }
}

/* Threads take their steps in turn. */
typedef struct turn_order {
    const reset_sequence *sequence;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned next; /* guarded by lock */
} turn_order;

static void take_turns(void *argument, unsigned thread)
{
    turn_order *turns = argument;
    for (unsigned k = 0; k < MOST && turns->sequence->steps[k].call; k++) {
        const reset_step *step = &turns->sequence->steps[k];
        if (step->thread != thread)
            continue;
        pthread_mutex_lock(&turns->lock);
        while (turns->next != k)
            pthread_cond_wait(&turns->changed, &turns->lock);
        pthread_mutex_unlock(&turns->lock);
        make_call(turns->sequence->row, k, step);
        pthread_mutex_lock(&turns->lock);
        turns->next = k + 1;
        pthread_cond_broadcast(&turns->changed);
        pthread_mutex_unlock(&turns->lock);
    }
}

void test_reset_timelines(void)
{
    for (size_t i = 0; i < TWIN_COUNT(timelines); i++) {
        turn_order turns = {.sequence = &timelines[i]};
        pthread_mutex_init(&turns.lock, NULL);
        pthread_cond_init(&turns.changed, NULL);
        twin_threads_run(2, take_turns, &turns);
        pthread_cond_destroy(&turns.changed);
        pthread_mutex_destroy(&turns.lock);
        check_released();
    }
}
