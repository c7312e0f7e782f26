/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged files: profiles of the model, and configurations of aclInit. Whatever they hold, a
 * process that is given one ends by itself, with a documented code and a message that says what is
 * wrong, or works.
 *
 * Every variant has a process of its own, for a process keeps its first profile and configuration.
 * Usage: random_files [--seed=N] [--calls=VARIANTS] PROFILE */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "random_support.h"

#define FILE_BYTES_MOST (256u << 10)
#define CUT_STEP        50
#define CHILD_S         60
#define WATCHDOG_S      600

static random_options options = {.seed = 1, .calls = 500, .threads = 1};
static random_state dice;
static char path[] = "/tmp/twinrt-damaged-XXXXXX";
static char whole[FILE_BYTES_MOST];
static size_t whole_bytes;
static char damaged[2 * FILE_BYTES_MOST];

/* What became of a variant: statuses of the child. */
enum { WORKED, REFUSED, NO_MESSAGE, BAD_CODE, NOT_WHOLE };

static const char config[] = "{\n"
                             "  \"err_msg_mode\": \"1\",\n"
                             "  \"defaultDevice\": {\"default_device\": \"0\"},\n"
                             "  \"acl_graph\": {\"event_mode\": \"1\"},\n"
                             "  \"StackSize\": {\"aicore_stack_size\": 65536},\n"
                             "  \"simd_printf_fifo_size_per_core\": \"1048576\",\n"
                             "  \"dump\": {\"dump_list\": [{\"model_name\": \"\\u00e9\\\"\", "
                             "\"layer\": [1, -2.5e3, true, null]}]}\n"
                             "}\n";

static bool put_file(const char *text, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    bool done = file && fwrite(text, 1, bytes, file) == bytes;
    if (file && fclose(file) != 0)
        done = false;
    if (!done)
        random_failure("%s cannot be written: %s", path, strerror(errno));
    return done;
}

/* Says what was answered; `allowed` ends with 0. */
static int judge(aclError code, const aclError *allowed)
{
    const char *message = aclGetRecentErrMsg();
    for (; *allowed != 0; allowed++)
        if (*allowed == code)
            return message && strlen(message) > 20 ? REFUSED : NO_MESSAGE;
    fprintf(stderr, "code %d: %s\n", code, message ? message : "no message");
    return BAD_CODE;
}

/* A profile that is accepted must carry a copy through. */
static int use_profile(void)
{
    static const aclError refusals[] = {ACL_ERROR_RT_DEV_SETUP_ERROR, 0};
    setenv("TWINRT_PROFILE", path, 1);
    aclError code = aclrtSetDevice(0);
    if (code != ACL_SUCCESS)
        return judge(code, refusals);
    /* Small memory or few streams may be what the file says. */
    static const aclError limits[] = {ACL_ERROR_RT_MEMORY_ALLOCATION,
                                      ACL_ERROR_RT_NO_STREAM_RESOURCE,
                                      ACL_ERROR_RT_NO_EVENT_RESOURCE, 0};
    void *memory = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    unsigned char there[1000], back[1000] = {0};
    memset(there, 7, sizeof(there));
    code = aclrtMalloc(&memory, sizeof(there), ACL_MEM_MALLOC_HUGE_FIRST);
    if (code == ACL_SUCCESS)
        code = aclrtCreateStream(&stream);
    if (code == ACL_SUCCESS)
        code = aclrtCreateEvent(&event);
    if (code != ACL_SUCCESS)
        return judge(code, limits);
    code = aclrtMemcpy(memory, sizeof(there), there, sizeof(there), ACL_MEMCPY_HOST_TO_DEVICE);
    if (code == ACL_SUCCESS)
        code = aclrtMemsetAsync(memory, 500, 9, 500, stream);
    if (code == ACL_SUCCESS)
        code = aclrtRecordEvent(event, stream);
    if (code == ACL_SUCCESS)
        code = aclrtStreamWaitEvent(NULL, event);
    if (code == ACL_SUCCESS)
        code = aclrtMemcpyAsync(back, sizeof(back), memory, sizeof(back), ACL_MEMCPY_DEVICE_TO_HOST,
                                NULL);
    if (code == ACL_SUCCESS)
        code = aclrtSynchronizeDevice();
    if (code != ACL_SUCCESS)
        return judge(code, limits);
    if (back[0] != 9 || back[499] != 9 || back[500] != 7 || back[999] != 7)
        return NOT_WHOLE;
    return aclrtResetDeviceForce(0) == ACL_SUCCESS ? WORKED : NOT_WHOLE;
}

static int use_config(void)
{
    static const aclError refusals[] = {ACL_ERROR_INVALID_PARAM, ACL_ERROR_PARSE_FILE,
                                        ACL_ERROR_FAILURE, ACL_ERROR_RT_INVALID_DEVICEID, 0};
    aclError code = aclInit(path);
    if (code != ACL_SUCCESS) {
        int status = judge(code, refusals);
        /* Nothing is left half done. */
        return status == REFUSED && aclInit(NULL) != ACL_SUCCESS ? BAD_CODE : status;
    }
    return aclFinalize() == ACL_SUCCESS ? WORKED : BAD_CODE;
}

static uint32_t outcomes[2];

/* The process that is given the file; its status is the outcome. */
static void try(int (*use)(void), const char *what, size_t bytes)
{
    if (!put_file(damaged, bytes))
        return;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(CHILD_S);
        exit(use());
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        random_failure("no child: %s", strerror(errno));
        return;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) <= REFUSED) {
        outcomes[WEXITSTATUS(status)]++;
        return;
    }
    char kept[64];
    snprintf(kept, sizeof(kept), "damaged-%llu-%u.json", (unsigned long long)options.seed,
             random_failures());
    if (rename(path, kept) != 0)
        snprintf(kept, sizeof(kept), "nowhere");
    if (WIFSIGNALED(status))
        random_failure("%s: ended by signal %d; the file is kept as %s", what, WTERMSIG(status),
                       kept);
    else
        random_failure("%s: %s; the file is kept as %s", what,
                       WEXITSTATUS(status) == NO_MESSAGE  ? "refused without a message"
                       : WEXITSTATUS(status) == BAD_CODE  ? "answered with an undocumented code"
                       : WEXITSTATUS(status) == NOT_WHOLE ? "accepted, and data were wrong"
                                                          : "a sanitizer complained",
                       kept);
}

/* Other bytes at 1 to 8 places: changed, taken out, doubled, or replaced by what JSON readers trip
 * over. */
static size_t damage(const char *text, size_t bytes)
{
    static const char *const tokens[] = {
        "-1",
        "0",
        "1e308",
        "1e999",
        "99999999999999999999",
        "null",
        "true",
        "\"\"",
        "[",
        "{",
        "]",
        "}",
        "\"",
        "\\",
        ",",
        ":",
        "-0.5",
        "1e-30",
        "\\u0000",
        "\xff\xfe",
        "[[[[[[[[[[[[",
        "{\"a\":{\"a\":{\"a\":{\"a\":",
        "4294967296",
        "18446744073709551615",
        "0.0",
    };
    memcpy(damaged, text, bytes);
    uint32_t count = 1 + random_below(&dice, 8);
    for (uint32_t i = 0; i < count && bytes > 4; i++) {
        size_t at = random_below(&dice, (uint32_t)bytes);
        size_t length = 1 + random_below(&dice, 12);
        length = length < bytes - at ? length : bytes - at;
        const char *token = tokens[random_below(&dice, sizeof(tokens) / sizeof(tokens[0]))];
        switch (random_below(&dice, 5)) {
        case 0:
            damaged[at] = (char)random_next(&dice);
            break;
        case 1:
            memmove(damaged + at, damaged + at + length, bytes - at - length);
            bytes -= length;
            break;
        case 2:
            memmove(damaged + at + length, damaged + at, bytes - at);
            bytes += length;
            break;
        default:
            /* In place of a number, if one is near. */
            for (uint32_t near = 0; near < 200 && at + near < bytes; near++)
                if (damaged[at + near] >= '0' && damaged[at + near] <= '9') {
                    at += near;
                    break;
                }
            length = 0;
            while (at + length < bytes && strchr("0123456789.eE+-", damaged[at + length]) &&
                   damaged[at + length] != '\0')
                length++;
            memmove(damaged + at + strlen(token), damaged + at + length, bytes - at - length);
            memcpy(damaged + at, token, strlen(token));
            bytes += strlen(token) - length;
            break;
        }
    }
    return bytes;
}

static void sweep(const char *what, int (*use)(void), const char *text, size_t bytes, size_t step)
{
    char name[80];
    outcomes[WORKED] = outcomes[REFUSED] = 0;
    for (size_t cut = 0; cut < bytes; cut += step) {
        memcpy(damaged, text, cut);
        snprintf(name, sizeof(name), "%s cut off after %zu bytes", what, cut);
        try(use, name, cut);
    }
    for (uint64_t i = 0; i < options.calls; i++) {
        snprintf(name, sizeof(name), "%s, damage number %llu", what, (unsigned long long)i);
        try(use, name, damage(text, bytes));
    }
    uint32_t broken = outcomes[REFUSED];
    memcpy(damaged, text, bytes);
    uint32_t before = outcomes[WORKED];
    try(use, what, bytes);
    if (outcomes[WORKED] == before || broken < options.calls / 4)
        random_failure("%s: the sound file does not work, or most damage is not seen", what);
    printf("%s: %u variants refused, %u worked\n", what, broken, before);
}

int main(int argc, char **argv)
{
    const char *profile = argc > 1 ? argv[argc - 1] : "";
    if (!random_options_parse(&options, argc - 1, argv))
        return 2;
    /* The children say what is wrong in their messages; their log says it once more. */
    setenv("TWINRT_LOG", "error", 1);
    FILE *file = fopen(profile, "rb");
    whole_bytes = file ? fread(whole, 1, sizeof(whole), file) : 0;
    if (file)
        fclose(file);
    int made = mkstemp(path);
    if (whole_bytes == 0 || whole_bytes == sizeof(whole) || made < 0) {
        fprintf(stderr, "%s cannot be read\n", profile);
        return 2;
    }
    close(made);
    alarm(WATCHDOG_S); /* no watchdog thread: a child forked beside one may find locks taken */
    random_seed(&dice, options.seed, 0);
    /* A short run takes fewer cuts as well. */
    size_t step = options.calls >= 500 ? CUT_STEP : whole_bytes / (options.calls + 1) + 1;
    sweep("a configuration", use_config, config, sizeof(config) - 1, options.calls >= 500 ? 1 : 16);
    sweep("a profile", use_profile, whole, whole_bytes, step);
    unlink(path);
    return random_failures() == 0 ? 0 : 1;
}
