/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program that the runtime calls: at the start and the end of its use, and when
 * devices and streams come and go. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

/* What was called, a letter a call. */
static char calls[64];
static char got[256]; /* the configuration that the last start callback got */
static size_t got_bytes;
static aclError answer;     /* of callbacks whose letter is `failing` */
static const char *failing; /* letters */

static void forget(void)
{
    memset(calls, 0, sizeof(calls));
    memset(got, 0, sizeof(got));
    got_bytes = 0;
    answer = 0;
    failing = "";
}

static aclError note(const char *letter)
{
    size_t used = strlen(calls);
    if (CHECK(used + 1 < sizeof(calls)))
        calls[used] = letter[0];
    return strchr(failing, letter[0]) ? answer : ACL_SUCCESS;
}

static aclError at_init(const char *text, size_t bytes, void *letter)
{
    got_bytes = bytes;
    if (CHECK(text != NULL && bytes < sizeof(got)))
        memcpy(got, text, bytes);
    return note(letter);
}

static aclError at_init_too(const char *text, size_t bytes, void *letter)
{
    return at_init(text, bytes, letter);
}

static aclError at_finalize(void *letter)
{
    return note(letter);
}

static aclError at_finalize_too(void *letter)
{
    return note(letter);
}

static bool called(const char *want)
{
    if (strcmp(calls, want) == 0)
        return true;
    fprintf(stderr, "called \"%s\", expected \"%s\"\n", calls, want);
    return false;
}

/* ---- registration --------------------------------------------------------------------------- */

static void child_refusals(void)
{
    forget();
    CHECK_CODE(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL),
               ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL), ACL_ERROR_INVALID_PARAM);

    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, at_init, "d"));
    CHECK_CODE(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, at_init_too, "e"),
               ACL_ERROR_INTERNAL_ERROR);
    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_init, "o"));
    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_init_too, "p"));
    /* Start and end have separate lists. */
    CHECK_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_DVPP, at_finalize, "D"));
    CHECK_CODE(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_DVPP, at_finalize_too, "E"),
               ACL_ERROR_INTERNAL_ERROR);
    CHECK_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, at_finalize, "O"));
    CHECK_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, at_finalize_too, "P"));

    CHECK_CODE(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, at_init),
               ACL_ERROR_INTERNAL_ERROR);
    CHECK_CODE(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, at_init_too),
               ACL_ERROR_INTERNAL_ERROR);
    CHECK_CODE(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, at_finalize_too),
               ACL_ERROR_INTERNAL_ERROR);
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    CHECK(called("dopDOP"));

    /* What was taken off is called no more, and its place is free. */
    forget();
    CHECK_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, at_init));
    CHECK_CODE(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, at_init), ACL_ERROR_INTERNAL_ERROR);
    CHECK_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, at_init));
    CHECK_OK(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, at_finalize_too));
    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, at_init_too, "e"));
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclFinalize());
    CHECK(called("epDO"));
}

static void test_refusals(void)
{
    twin_run_child("refusals", NULL);
}

static void child_late(void)
{
    forget();
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, at_init, "m"));
    CHECK(called("m"));
    /* Also for the types that the start itself does not call; what it answers does not matter. */
    answer = 4711;
    failing = "t";
    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_TDT_QUEUE, at_init, "t"));
    CHECK(called("mt"));
    CHECK_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, at_finalize, "O"));
    CHECK(called("mt"));
    CHECK_OK(aclFinalize());
    CHECK(called("mtO"));
    forget();
    CHECK_OK(aclInit(NULL)); /* and it is registered from now on */
    CHECK(called("m"));
    CHECK_CODE(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK(called("m"));
    CHECK_OK(aclFinalizeReference(NULL));
    CHECK(called("m"));
    CHECK_OK(aclFinalizeReference(NULL));
    CHECK(called("mO"));
}

static void test_late(void)
{
    twin_run_child("late", NULL);
}

/* ---- start and end -------------------------------------------------------------------------- */

static void register_all(void)
{
    static const aclRegisterCallbackType types[] = {
        ACL_REG_TYPE_OTHER,           ACL_REG_TYPE_ACL_DVPP,        ACL_REG_TYPE_ACL_OP_COMPILER,
        ACL_REG_TYPE_ACL_OP_EXECUTOR, ACL_REG_TYPE_ACL_TDT_CHANNEL, ACL_REG_TYPE_ACL_MODEL};
    static char *const letters[] = {"o", "d", "c", "x", "t", "m"};
    static char *const ends[] = {"O", "D", "C", "X", "T", "M"};
    forget();
    for (size_t i = 0; i < TWIN_COUNT(types); i++) {
        CHECK_OK(aclInitCallbackRegister(types[i], at_init, letters[i]));
        CHECK_OK(aclFinalizeCallbackRegister(types[i], at_finalize, ends[i]));
    }
}

static void child_order_without_file(void)
{
    register_all();
    CHECK_OK(aclInit(NULL));
    CHECK(called("mdo"));
    CHECK_EQUAL(got_bytes, 0);
    CHECK_OK(aclFinalize());
    CHECK(called("mdoCMDO"));
}

static void child_order_with_file(void)
{
    static const char text[] = "{ \"err_msg_mode\" : \"0\" }\n";
    char path[] = "/tmp/twinrt-callback-XXXXXX";
    int file = mkstemp(path);
    if (!CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text)))
        return;
    close(file);
    register_all();
    CHECK_OK(aclInit(path));
    unlink(path);
    CHECK(called("mxdo"));
    CHECK_EQUAL(got_bytes, strlen(text));
    CHECK(strcmp(got, text) == 0);
    /* A late one gets the same. */
    memset(got, 0, sizeof(got));
    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, at_init_too, "l"));
    CHECK(strcmp(got, text) == 0);
    CHECK_OK(aclFinalize());
}

static void test_order(void)
{
    twin_run_child("order_without_file", NULL);
    twin_run_child("order_with_file", NULL);
}

static void child_failing(void)
{
    register_all();
    answer = 4711;
    failing = "d";
    CHECK_CODE(aclInit(NULL), 4711);
    CHECK(called("md"));
    CHECK_CODE(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    forget();
    CHECK_OK(aclInit(NULL));
    CHECK(called("mdo"));

    forget();
    answer = 4712;
    failing = "M";
    CHECK_CODE(aclFinalize(), 4712);
    CHECK(called("CM"));
    CHECK_CODE(aclFinalizeReference(NULL), 4712);
    CHECK_CODE(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE); /* it did not end */
    forget();
    CHECK_OK(aclFinalize());
    CHECK(called("CMDO"));
}

static void test_failing(void)
{
    twin_run_child("failing", NULL);
}

static aclError uses_runtime(const char *text, size_t bytes, void *unused)
{
    uint32_t count = 0;
    (void)text;
    (void)bytes;
    (void)unused;
    CHECK_FAILS(aclInit(NULL));
    CHECK_FAILS(aclFinalize());
    (void)aclrtGetDeviceCount(&count);
    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, at_init, "m"));
    CHECK_OK(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, uses_runtime));
    (void)note("u");
    return ACL_SUCCESS;
}

static void child_inside(void)
{
    forget();
    CHECK_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, uses_runtime, NULL));
    CHECK_OK(aclInit(NULL));
    CHECK(called("um")); /* one that a callback registers is called too */
    CHECK_OK(aclFinalize());
}

static void test_inside(void)
{
    twin_run_child("inside", NULL);
}

/* ---- devices and streams -------------------------------------------------------------------- */

typedef struct news {
    int32_t device; /* of device callbacks */
    aclrtStream stream;
    int state;
    void *user;
    pthread_t thread;
} news;

static news heard[32];
static size_t heard_count;

static news *add_news(int state, void *user)
{
    news *item = &heard[heard_count < TWIN_COUNT(heard) - 1 ? heard_count++ : heard_count];
    *item = (news){.device = -1, .state = state, .user = user, .thread = pthread_self()};
    return item;
}

static void on_device(int32_t device, aclrtDeviceState state, void *user)
{
    add_news((int)state, user)->device = device;
}

static void on_stream(aclrtStream stream, aclrtStreamState state, void *user)
{
    aclrtStreamAttrValue value = {0};
    add_news((int)state, user)->stream = stream;
    /* It is a stream at both times; there may be no context. */
    CHECK_OK(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
}

static void check_device_news(size_t index, int32_t device, int state, void *user)
{
    if (!CHECK(index < heard_count))
        return;
    CHECK_EQUAL(heard[index].device, device);
    CHECK_EQUAL(heard[index].state, state);
    CHECK(heard[index].user == user);
    CHECK(pthread_equal(heard[index].thread, pthread_self()));
}

static void check_stream_news(size_t index, aclrtStream stream, int state)
{
    if (!CHECK(index < heard_count))
        return;
    CHECK(heard[index].stream == stream);
    CHECK_EQUAL(heard[index].state, state);
    CHECK(pthread_equal(heard[index].thread, pthread_self()));
}

static void test_names(void)
{
    CHECK_CODE(aclrtRegDeviceStateCallback(NULL, on_device, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtRegDeviceStateCallback("unknown", NULL, NULL));
    CHECK_OK(aclrtRegDeviceStateCallback("one", on_device, NULL));
    CHECK_CODE(aclrtRegDeviceStateCallback("one", on_device, heard), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtRegDeviceStateCallback("one", NULL, NULL));
    CHECK_OK(aclrtRegDeviceStateCallback("one", on_device, NULL));
    CHECK_OK(aclrtRegDeviceStateCallback("one", NULL, NULL));

    CHECK_CODE(aclrtRegStreamStateCallback(NULL, on_stream, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclrtRegStreamStateCallback("unknown", NULL, NULL));
    CHECK_OK(aclrtRegStreamStateCallback("one", on_stream, NULL));
    CHECK_CODE(aclrtRegStreamStateCallback("one", on_stream, heard), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtRegStreamStateCallback("one", NULL, NULL));
    CHECK_OK(aclrtRegStreamStateCallback("one", on_stream, NULL));
    CHECK_OK(aclrtRegStreamStateCallback("one", NULL, NULL));
}

static void child_device_news(void)
{
    int first = 0, second = 0;
    CHECK_OK(aclrtRegDeviceStateCallback("b", on_device, &first));
    CHECK_OK(aclrtRegDeviceStateCallback("a", on_device, &second));
    CHECK_OK(aclrtSetDevice(0)); /* the machine's second device */
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(heard_count, 8);
    for (int state = ACL_RT_DEVICE_STATE_SET_PRE; state <= ACL_RT_DEVICE_STATE_RESET_POST;
         state++) {
        check_device_news((size_t)state * 2, 0, state, &first);
        check_device_news((size_t)state * 2 + 1, 0, state, &second);
    }
    CHECK_OK(aclrtRegDeviceStateCallback("a", NULL, NULL));
    CHECK_OK(aclrtRegDeviceStateCallback("b", NULL, NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(heard_count, 8);
}

static void test_device_news(void)
{
    static const char *const settings[] = {"TWINRT_DEVICES=2", "ASCEND_RT_VISIBLE_DEVICES=1", NULL};
    twin_run_child("device_news", settings);
}

static void test_stream_news(void)
{
    aclrtStream by_default, of_context, stream, forced;
    aclrtContext context;
    heard_count = 0;
    CHECK_OK(aclrtRegStreamStateCallback("news", on_stream, NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&by_default));
    CHECK_EQUAL(heard_count, 1);
    check_stream_news(0, by_default, ACL_RT_STREAM_STATE_CREATE_POST);
    CHECK_OK(aclrtCreateContext(&context, 0));
    CHECK_OK(aclrtCtxGetCurrentDefaultStream(&of_context));
    CHECK_EQUAL(heard_count, 2);
    check_stream_news(1, of_context, ACL_RT_STREAM_STATE_CREATE_POST);
    CHECK_OK(aclrtCreateStream(&stream));
    CHECK_OK(aclrtCreateStream(&forced));
    CHECK_EQUAL(heard_count, 4);
    check_stream_news(2, stream, ACL_RT_STREAM_STATE_CREATE_POST);
    check_stream_news(3, forced, ACL_RT_STREAM_STATE_CREATE_POST);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtDestroyStreamForce(forced));
    CHECK_EQUAL(heard_count, 6);
    check_stream_news(4, stream, ACL_RT_STREAM_STATE_DESTROY_PRE);
    check_stream_news(5, forced, ACL_RT_STREAM_STATE_DESTROY_PRE);
    CHECK_OK(aclrtDestroyContext(context));
    CHECK_EQUAL(heard_count, 7);
    check_stream_news(6, of_context, ACL_RT_STREAM_STATE_DESTROY_PRE);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(heard_count, 8);
    check_stream_news(7, by_default, ACL_RT_STREAM_STATE_DESTROY_PRE);
    CHECK_OK(aclrtRegStreamStateCallback("news", NULL, NULL));
}

static void sets_device(aclrtStream stream, aclrtStreamState state, void *user)
{
    (void)stream;
    (void)user;
    heard_count++;
    if (state == ACL_RT_STREAM_STATE_DESTROY_PRE) {
        CHECK_FAILS(aclrtSetDevice(0));
        CHECK_FAILS(aclrtResetDevice(0));
    } else {
        CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(aclrtResetDevice(0));
    }
}

static void test_device_in_news(void)
{
    heard_count = 0;
    CHECK_OK(aclrtRegStreamStateCallback("news", sets_device, NULL));
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    CHECK_EQUAL(heard_count, 2);
    CHECK_OK(aclrtRegStreamStateCallback("news", NULL, NULL));
}

static const twin_child children[] = {
    {"device_news", child_device_news},
    {"failing", child_failing},
    {"inside", child_inside},
    {"late", child_late},
    {"order_with_file", child_order_with_file},
    {"order_without_file", child_order_without_file},
    {"refusals", child_refusals},
};

static const twin_test tests[] = {
    {"INIT-26: no function, a second one and an unknown one are refused", test_refusals},
    {"INIT-27: a callback registered late runs at once", test_late},
    {"INIT-28: start callbacks run in a fixed order with the configuration", test_order},
    {"INIT-29: a callback that fails stops start or end", test_failing},
    {"DEV-56, STR-57: state callbacks are registered by name", test_names},
    {"DEV-57: device callbacks get the visible device id", test_device_news},
    {"STR-56: stream callbacks come after creation and before destruction", test_stream_news},
    {"STR-56: stream callbacks may set the device, except in its reset", test_device_in_news},
    {"callbacks of the start may call the runtime", test_inside},
};

static const twin_suite suite = {.name = "callback",
                                 .tests = tests,
                                 .test_count = TWIN_COUNT(tests),
                                 .children = children,
                                 .child_count = TWIN_COUNT(children)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}
