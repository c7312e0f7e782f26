/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `twinrt run --explain` for streams of one device and of several, of a timeline made
 * up here. */
#include "support/cunit_main.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

/* Stream 1 of device 0 records an event at 2 us that stream 1 of the other device waits for; a
 * thread waits for that one. `%d`: the other device, four times; then its track. */
static const char timeline[] =
    "{\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"task\",\"name\":\"record event\",\"ts\":1.000,\"dur\":1.000,\"pid\":1,"
    "\"tid\":1,\"args\":{\"device\":0,\"stream\":1,\"track\":0,\"number\":1,\"recorded\":2.000}},"
    "{\"ph\":\"X\",\"cat\":\"task\",\"name\":\"wait event\",\"ts\":0.500,\"dur\":2.500,\"pid\":2,"
    "\"tid\":2,\"args\":{\"device\":%d,\"stream\":1,\"track\":1,\"number\":1,\"recorded\":3.000}},"
    "{\"ph\":\"X\",\"cat\":\"wait\",\"name\":\"park\",\"ts\":0.500,\"dur\":1.500,\"pid\":2,\"tid\":"
    "2,"
    "\"args\":{\"device\":%d,\"stream\":1,\"track\":1,\"number\":1,\"waker_device\":0,"
    "\"waker_track\":0,\"waker_stream\":1,\"waker_number\":1}},"
    "{\"ph\":\"X\",\"cat\":\"phase\",\"name\":\"retire\",\"ts\":2.000,\"dur\":1.000,\"pid\":2,"
    "\"tid\":2,\"args\":{\"device\":%d,\"stream\":1,\"track\":1,\"number\":1}},"
    "{\"ph\":\"X\",\"cat\":\"call\",\"name\":\"aclrtSynchronizeStream\",\"ts\":0.000,\"dur\":3.000,"
    "\"pid\":9,\"tid\":1,\"args\":{}},"
    "{\"ph\":\"X\",\"cat\":\"host wait\",\"name\":\"stream\",\"ts\":0.100,\"dur\":2.900,\"pid\":9,"
    "\"tid\":1,\"args\":{\"cause\":\"work\",\"done\":3.000,\"device\":%d,\"stream\":1,\"track\":1,"
    "\"number\":1}}]}";

static char printed[8192];

/* Calls the command on the timeline with that other device; its output is in `printed`. */
static void explain(int device)
{
    char path[] = "/tmp/explain_XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    FILE *out = tmpfile();
    CU_ASSERT_FATAL(file != NULL && out != NULL);
    (void)fprintf(file, timeline, device, device, device, device);
    (void)fclose(file);
    (void)fflush(stdout);
    int before = dup(STDOUT_FILENO);
    (void)dup2(fileno(out), STDOUT_FILENO);
    int result = twin_tool_explain(path, 3);
    (void)fflush(stdout);
    (void)dup2(before, STDOUT_FILENO);
    (void)close(before);
    (void)unlink(path);
    rewind(out);
    printed[fread(printed, 1, sizeof(printed) - 1, out)] = '\0';
    (void)fclose(out);
    CU_ASSERT_EQUAL(result, 0);
    for (const char *line = printed; *line; line += strcspn(line, "\n") + 1)
        CU_ASSERT(strcspn(line, "\n") <= 80);
}

static bool prints(const char *text)
{
    return strstr(printed, text) != NULL;
}

static void test_several(void)
{
    explain(1);
    CU_ASSERT(prints("record event, task 1 of device 0, stream 1\n"));
    CU_ASSERT(prints("wait event, task 1 of device 1, stream 1\n"));
    CU_ASSERT(prints(" from: task 1 of device 0, stream 1 (record event)"));
    CU_ASSERT(prints(" over: task 1 of device 1, stream 1 (wait event)"));
    CU_ASSERT(prints(" to:   task 1 of device 1, stream 1 (wait event)"));
    CU_ASSERT(prints(" d1 s1 t1\n"));
    CU_ASSERT(!prints("of stream 1"));
}

static void test_one(void)
{
    explain(0);
    CU_ASSERT(prints("record event, task 1 of stream 1\n"));
    CU_ASSERT(prints(" over: task 1 of stream 1 (wait event)"));
    CU_ASSERT(prints(" s1 t1\n") && !prints(" d0 s1 t1\n"));
    CU_ASSERT(prints(" aclrtSynchronizeStream of thread 1, from "));
}

/* A number that is given again is that of another stream. */
static void test_again(void)
{
    explain(0);
    CU_ASSERT(prints(" device 0, stream 1\n"));
    CU_ASSERT(prints(" device 0, stream 1 (2)\n"));
    explain(1);
    CU_ASSERT(!prints("(2)"));
}

static const twin_test tests[] = {
    {"the device is named before the stream in a run of several", test_several},
    {"a run of one device does without", test_one},
    {"a stream number that is used again has a count", test_again},
};

int main(int argc, char **argv)
{
    return twin_run_suite("explain", tests, TWIN_COUNT(tests), argc, argv);
}
