/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to mix aclrtSetDevice, aclrtResetDevice and aclrtResetDeviceForce, the right ones and
 * the wrong ones. The process counts how often a device was set: a reset takes one away, a forced
 * reset takes all; the device is released when none is left, and a reset of a released device is an
 * error. */
#include "check.h"

#include <pthread.h>

#define DEVICE    0
#define RELEASED  ACL_ERROR_RT_CONTEXT_RELEASE_ERROR
#define MAX_STEPS 6

struct step {
    char thread; /* '1' or '2' */
    char call;   /* S set, R reset, F forced reset; 0 ends the list */
    aclError code;
};

struct sequence {
    const char *name;
    struct step steps[MAX_STEPS];
};

static const struct sequence sequences[] = {
    {"reset of a device that was never set", {{'1', 'R', RELEASED}}},
    {"forced reset of a device that was never set", {{'1', 'F', RELEASED}}},
    {"set and reset in pairs", {{'1', 'S', 0}, {'1', 'R', 0}, {'1', 'S', 0}, {'1', 'R', 0}}},
    {"as many resets as sets", {{'1', 'S', 0}, {'1', 'S', 0}, {'1', 'R', 0}, {'1', 'R', 0}}},
    {"one reset too many", {{'1', 'S', 0}, {'1', 'R', 0}, {'1', 'R', RELEASED}}},
    {"set and forced reset in pairs", {{'1', 'S', 0}, {'1', 'F', 0}, {'1', 'S', 0}, {'1', 'F', 0}}},
    {"one forced reset for two sets", {{'1', 'S', 0}, {'1', 'S', 0}, {'1', 'F', 0}}},
    {"first a pair with reset, then one with forced reset",
     {{'1', 'S', 0}, {'1', 'R', 0}, {'1', 'S', 0}, {'1', 'F', 0}}},
    {"two sets, a reset, then a forced reset",
     {{'1', 'S', 0}, {'1', 'S', 0}, {'1', 'R', 0}, {'1', 'F', 0}}},
    {"forced reset after the resets took all",
     {{'1', 'S', 0}, {'1', 'S', 0}, {'1', 'R', 0}, {'1', 'R', 0}, {'1', 'F', RELEASED}}},
    {"a second forced reset",
     {{'1', 'S', 0}, {'1', 'S', 0}, {'1', 'R', 0}, {'1', 'F', 0}, {'1', 'F', RELEASED}}},
    {"a reset after the forced reset",
     {{'1', 'S', 0}, {'1', 'S', 0}, {'1', 'F', 0}, {'1', 'R', RELEASED}}},
    {"two threads, each resets what it set",
     {{'1', 'S', 0}, {'2', 'S', 0}, {'1', 'R', 0}, {'2', 'R', 0}}},
    {"two threads, each with a forced reset: the first one's was for both",
     {{'1', 'S', 0}, {'2', 'S', 0}, {'1', 'F', 0}, {'2', 'F', RELEASED}}},
    {"two threads, one forced reset by the last", {{'1', 'S', 0}, {'2', 'S', 0}, {'2', 'F', 0}}},
};

/* The second thread does one step at a time, when the first says so. */
struct helper {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char wanted; /* call to make; 0: none, Q: end */
    aclError answer;
};

static aclError make_call(char call)
{
    if (call == 'S')
        return aclrtSetDevice(DEVICE);
    return call == 'R' ? aclrtResetDevice(DEVICE) : aclrtResetDeviceForce(DEVICE);
}

static const char *call_name(char call)
{
    return call == 'S' ? "set" : call == 'R' ? "reset" : "force";
}

static void *run_helper(void *argument)
{
    struct helper *helper = argument;
    pthread_mutex_lock(&helper->lock);
    for (;;) {
        while (helper->wanted == 0)
            pthread_cond_wait(&helper->changed, &helper->lock);
        if (helper->wanted == 'Q')
            break;
        helper->answer = make_call(helper->wanted);
        helper->wanted = 0;
        pthread_cond_broadcast(&helper->changed);
    }
    pthread_mutex_unlock(&helper->lock);
    return NULL;
}

static aclError ask_helper(struct helper *helper, char call)
{
    pthread_mutex_lock(&helper->lock);
    helper->wanted = call;
    pthread_cond_broadcast(&helper->changed);
    while (call != 'Q' && helper->wanted != 0)
        pthread_cond_wait(&helper->changed, &helper->lock);
    aclError answer = helper->answer;
    pthread_mutex_unlock(&helper->lock);
    return answer;
}

static int run_sequence(const struct sequence *sequence)
{
    struct helper helper = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    pthread_t thread;
    int helped = 0;
    int two_threads = 0;
    int differences = 0;

    for (size_t i = 0; i < MAX_STEPS; i++)
        two_threads |= sequence->steps[i].thread == '2';
    printf("%s:\n ", sequence->name);
    for (size_t i = 0; i < MAX_STEPS && sequence->steps[i].call; i++) {
        const struct step *step = &sequence->steps[i];
        if (step->thread == '2' && !helped) {
            REQUIRE(pthread_create(&thread, NULL, run_helper, &helper) == 0);
            helped = 1;
        }
        aclError code =
            step->thread == '2' ? ask_helper(&helper, step->call) : make_call(step->call);
        printf(" %s", call_name(step->call));
        if (two_threads)
            printf("(thread %c)", step->thread);
        printf("=%d", (int)code);
        if (code != step->code) {
            printf(" [expected %d]", (int)step->code);
            differences++;
        }
    }
    printf("\n");
    if (helped) {
        (void)ask_helper(&helper, 'Q');
        pthread_join(thread, NULL);
    }
    /* every sequence ends with the device released, so the next one starts from nothing */
    aclrtContext context = NULL;
    if (aclrtGetCurrentContext(&context) != ACL_ERROR_RT_CONTEXT_NULL) {
        printf("  a context is still current\n");
        differences++;
    }
    return differences;
}

int main(void)
{
    CHECK(aclInit(NULL));
    EXPECT(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT(aclrtResetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);

    int differences = 0;
    size_t count = sizeof(sequences) / sizeof(sequences[0]);
    for (size_t i = 0; i < count; i++)
        differences += run_sequence(&sequences[i]);
    CHECK(aclFinalize());
    if (differences > 0) {
        printf("reset_sequences: %d differences\n", differences);
        return 1;
    }
    printf("reset_sequences: ok, %zu sequences\n", count);
    return 0;
}
