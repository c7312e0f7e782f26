/* SPDX-License-Identifier: Apache-2.0 */
/* Files of faults: their members, and every error in them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/backend/fault_file.h"
#include "support/cunit_main.h"

static const char good[] =
    "{\"comment\": \"all there is\", \"faults\": [\n"
    "  {\"kind\": \"engine_slow\", \"task\": \"sdma\", \"factor\": 2.5, \"first\": 3, \"times\": "
    "0},\n"
    "  {\"kind\": \"memory\", \"address\": \"0x124000000000\", \"bytes\": 64, \"access\": "
    "\"both\",\n"
    "   \"device\": 1, \"status\": \"0x222\"},\n"
    "  {\"comment\": [1, {}], \"kind\": \"record_lost\", \"stream\": 7, \"id\": 9},\n"
    "  {\"kind\": \"completion_lost\", \"duration_ns\": 1000000}\n"
    "]}\n";

static twin_fault list[TWIN_FAULT_FILE_MOST];
static char message[512];

static twin_fault_file_result parse(const char *text, size_t *out_count)
{
    message[0] = '\0';
    return twin_fault_file_parse(text, strlen(text), list, out_count, message, sizeof(message));
}

static bool same(const twin_fault *got, const twin_fault *want)
{
    return got->kind == want->kind && got->task == want->task && got->device == want->device &&
           got->stream == want->stream && got->id == want->id && got->first == want->first &&
           got->times == want->times && got->duration_ns == want->duration_ns &&
           got->factor_permille == want->factor_permille && got->access == want->access &&
           got->address == want->address && got->bytes == want->bytes &&
           got->status == want->status;
}

static void test_good_file(void)
{
    twin_fault want[4];
    size_t count = 0;
    twin_fault_defaults(&want[0], TWIN_FAULT_ENGINE_SLOW);
    want[0].task = TWIN_FAULT_TASK_SDMA;
    want[0].factor_permille = 2500;
    want[0].first = 3;
    want[0].times = 0;
    twin_fault_defaults(&want[1], TWIN_FAULT_MEMORY);
    want[1].address = 0x124000000000u;
    want[1].bytes = 64;
    want[1].access = TWIN_FAULT_READ | TWIN_FAULT_WRITE;
    want[1].device = 1;
    want[1].status = 0x222;
    twin_fault_defaults(&want[2], TWIN_FAULT_RECORD_LOST);
    want[2].stream = 7;
    want[2].id = 9;
    twin_fault_defaults(&want[3], TWIN_FAULT_COMPLETION_LOST);
    want[3].duration_ns = 1000000;
    CU_ASSERT(parse(good, &count) == TWIN_FAULT_FILE_GOOD);
    CU_ASSERT(count == 4);
    for (size_t i = 0; i < 4; i++)
        CU_ASSERT(same(&list[i], &want[i]));
    CU_ASSERT(parse("{\"faults\": []}", &count) == TWIN_FAULT_FILE_GOOD && count == 0);
}

static void test_every_word(void)
{
    static const char *const kinds[] = {
#define KIND_WORD(name, word) word,
        TWIN_FAULT_LIST(KIND_WORD)};
    static const char *const tasks[] = {
#define TASK_WORD(name, word) word,
        TWIN_FAULT_TASK_LIST(TASK_WORD)};
    char text[128];
    size_t count = 0;
    for (unsigned i = 0; i < TWIN_COUNT(kinds); i++) {
        (void)snprintf(text, sizeof(text), "{\"faults\": [{\"kind\": \"%s\"}]}", kinds[i]);
        CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_GOOD && list[0].kind == i);
    }
    for (unsigned i = 0; i < TWIN_COUNT(tasks); i++) {
        (void)snprintf(text, sizeof(text),
                       "{\"faults\": [{\"kind\": \"bad_task\", \"task\": \"%s\"}]}", tasks[i]);
        CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_GOOD && list[0].task == i);
    }
}

/* A file without any one of its last bytes is not a file, and says so. */
static void test_truncated(void)
{
    char text[sizeof(good)];
    size_t count = 0;
    for (size_t bytes = 0; bytes < strlen(good) - 1; bytes++) {
        memcpy(text, good, bytes);
        text[bytes] = '\0';
        CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_BAD);
        CU_ASSERT(strncmp(message, "line ", 5) == 0);
    }
}

typedef struct bad_case {
    const char *text;
    const char *says;
} bad_case;

static void test_broken(void)
{
    static const bad_case cases[] = {
        {"", "line 1"},
        {"[]", "{\"faults\": [...]}"},
        {"null", "{\"faults\": [...]}"},
        {"{}", "must be a list"},
        {"{\"faults\": {}}", "must be a list"},
        {"{\"faults\": [], \"fault\": []}", "\"fault\" is not known"},
        {"{\"faults\": [1]}", "faults[0] must be an object"},
        {"{\"faults\": [{}]}", "faults[0] has no kind"},
        {"{\"faults\": [{\"kind\": \"bad_task\"}, {\"kind\": \"slow\"}]}", "faults[1].kind"},
        {"{\"faults\": [{\"kind\": \"bad_task\", \"task\": \"\"}]}", "faults[0].task"},
        {"{\"faults\": [{\"kind\": \"memory\", \"access\": \"\"}]}", "read, write, both"},
        {"{\"faults\": [{\"kind\": \"bad_task\", \"kind\": \"memory\"}]}", "twice"},
        {"{\"faults\": [{\"kind\": \"bad_task\", \"nth\": 3}]}", "faults[0].nth is not known"},
        {"{\"faults\": [\n{\"kind\": \"bad_task\"},\n\n]}", "line 4"},
        {"{\"faults\": []} x", "line 1"},
        {"{\"faults\": [[[[[[[[[[[[]]]]]]]]]]]]}", "too deeply"},
    };
    size_t count = 0;
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        CU_ASSERT(parse(cases[i].text, &count) == TWIN_FAULT_FILE_BAD);
        if (!strstr(message, cases[i].says))
            printf("%s: %s\n", cases[i].text, message);
        CU_ASSERT(strstr(message, cases[i].says) != NULL);
    }
    CU_ASSERT(twin_fault_file_parse("{\"faults\": []}\0", 15, list, &count, message,
                                    sizeof(message)) == TWIN_FAULT_FILE_BAD);
    CU_ASSERT(strstr(message, "zero byte") != NULL);
}

/* Members that a kind has no use for, with values that are good elsewhere. */
static void test_members_without_effect(void)
{
#define OF(name) (1u << TWIN_FAULT_##name)
    static const struct {
        const char *member, *value;
        uint32_t kinds; /* that have a use for it */
    } members[] = {
        {"access", "\"read\"", OF(MEMORY)},
        {"address", "64", OF(MEMORY)},
        {"bytes", "64", OF(MEMORY)},
        {"duration_ns", "0", OF(ENGINE_TIMEOUT) | OF(COMPLETION_LOST) | OF(REPORTS_FULL)},
        {"factor", "2", OF(ENGINE_SLOW)},
        {"id", "3", OF(RECORD_LOST)},
        {"status", "0", OF(MEMORY) | OF(ENGINE_ERROR) | OF(ENGINE_TIMEOUT)},
        {"device", "0", UINT32_MAX},
        {"task", "\"any\"", UINT32_MAX},
        {"stream", "0", UINT32_MAX},
        {"first", "1", UINT32_MAX},
        {"times", "1", UINT32_MAX},
        {"comment", "1", UINT32_MAX},
    };
#undef OF
    static const char *const kinds[] = {
#define KIND_WORD(name, word) word,
        TWIN_FAULT_LIST(KIND_WORD)};
    char text[256];
    char says[128];
    size_t count = 0;
    for (unsigned i = 0; i < TWIN_COUNT(members); i++) {
        for (unsigned kind = 0; kind < TWIN_COUNT(kinds); kind++) {
            /* The kind may come after the member. */
            (void)snprintf(text, sizeof(text), "{\"faults\": [{\"%s\": %s, \"kind\": \"%s\"}]}",
                           members[i].member, members[i].value, kinds[kind]);
            bool used = (members[i].kinds >> kind & 1) != 0;
            CU_ASSERT((parse(text, &count) == TWIN_FAULT_FILE_GOOD) == used);
            (void)snprintf(says, sizeof(says), "faults[0].%s has no effect on %s",
                           members[i].member, kinds[kind]);
            CU_ASSERT(used || strstr(message, says) != NULL);
        }
    }
    (void)parse("{\"faults\": [{\"kind\": \"engine_hang\", \"duration_ns\": 5}]}", &count);
    CU_ASSERT(strstr(message, "it is for engine_timeout, completion_lost, reports_full") != NULL);
}

/* Each member with values of other types and out of its range. */
static void test_wrong_values(void)
{
    static const char *const numbers[][2] = {
        {"memory", "device"},  {"memory", "stream"}, {"record_lost", "id"},
        {"memory", "first"},   {"memory", "times"},  {"completion_lost", "duration_ns"},
        {"memory", "address"}, {"memory", "bytes"},  {"memory", "status"}};
    static const char *const wrong[] = {"null",
                                        "true",
                                        "[]",
                                        "{}",
                                        "-1",
                                        "1.5",
                                        "1e300",
                                        "\"\"",
                                        "\"x\"",
                                        "\"0x\"",
                                        "\"0xg\"",
                                        "\"-1\"",
                                        "\"1 \"",
                                        "\" 1\"",
                                        "\"18446744073709551616\"",
                                        "\"0x10000000000000000\"",
                                        "9007199254740994",
                                        "\"1.0\""};
    char text[256];
    size_t count = 0;
    for (size_t i = 0; i < TWIN_COUNT(numbers); i++) {
        for (size_t k = 0; k < TWIN_COUNT(wrong); k++) {
            (void)snprintf(text, sizeof(text), "{\"faults\": [{\"kind\": \"%s\", \"%s\": %s}]}",
                           numbers[i][0], numbers[i][1], wrong[k]);
            CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_BAD);
            CU_ASSERT(strstr(message, numbers[i][1]) != NULL);
            CU_ASSERT(strstr(message, "must be a whole number") != NULL);
        }
    }
    static const char *const factors[] = {"1",    "0",    "-3",      "1001", "\"2\"",
                                          "null", "1e99", "1.00001", "[]",   "true"};
    for (size_t i = 0; i < TWIN_COUNT(factors); i++) {
        (void)snprintf(text, sizeof(text),
                       "{\"faults\": [{\"kind\": \"engine_slow\", \"factor\": %s}]}", factors[i]);
        CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_BAD);
        CU_ASSERT(strstr(message, "factor") != NULL);
    }
    static const char *const beyond[] = {"\"device\": 64", "\"stream\": 65536", "\"status\": 65536",
                                         "\"first\": 0", "\"bytes\": 0"};
    for (size_t i = 0; i < TWIN_COUNT(beyond); i++) {
        (void)snprintf(text, sizeof(text), "{\"faults\": [{\"kind\": \"memory\", %s}]}", beyond[i]);
        CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_BAD);
    }
    CU_ASSERT(parse("{\"faults\": [{\"kind\": \"completion_lost\", \"duration_ns\": "
                    "20000000000000}]}",
                    &count) == TWIN_FAULT_FILE_GOOD);
    static const char *const too_long[] = {"20000000000001", "\"9223372036854775807\"",
                                           "\"18446744073709551615\""};
    for (size_t i = 0; i < TWIN_COUNT(too_long); i++) {
        (void)snprintf(text, sizeof(text),
                       "{\"faults\": [{\"kind\": \"completion_lost\", \"duration_ns\": %s}]}",
                       too_long[i]);
        CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_BAD);
        CU_ASSERT(strstr(message, "from 0 to 20000000000000") != NULL);
    }
}

static void test_too_many(void)
{
    static const char one[] = ",{\"kind\": \"bad_task\"}";
    static char text[16384] = "{\"faults\": [{\"kind\": \"bad_task\"}";
    size_t count = 0;
    size_t full = strlen(text);
    for (unsigned i = 1; i < TWIN_FAULT_FILE_MOST; i++, full += sizeof(one) - 1)
        memcpy(text + full, one, sizeof(one));
    (void)snprintf(text + full, sizeof(text) - full, "]}");
    CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_GOOD && count == TWIN_FAULT_FILE_MOST);
    (void)snprintf(text + full, sizeof(text) - full, "%s]}", one);
    CU_ASSERT(parse(text, &count) == TWIN_FAULT_FILE_BAD);
    CU_ASSERT(strstr(message, "more than 256") != NULL);
}

/* Some bytes of a good file become others, or lie twice, or are gone. */
static void test_mutated(void)
{
    char text[2 * sizeof(good)];
    uint64_t state = 1;
    size_t count = 0;
    unsigned bad = 0;
    for (unsigned round = 0; round < 20000; round++) {
        memcpy(text, good, sizeof(good));
        for (unsigned change = 0; change <= round % 3; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t at = (state >> 33) % strlen(text);
            switch ((state >> 20) % 3) {
            case 0:
                text[at] = (char)(1 + (state >> 24) % 255);
                break;
            case 1:
                memmove(text + at, text + at + 1, strlen(text + at));
                break;
            default:
                memmove(text + at + 1, text + at, strlen(text + at) + 1);
                break;
            }
        }
        if (parse(text, &count) == TWIN_FAULT_FILE_BAD) {
            bad++;
            CU_ASSERT(message[0] != '\0');
        } else {
            CU_ASSERT(count <= TWIN_FAULT_FILE_MOST);
        }
    }
    CU_ASSERT(bad > 10000);
}

static twin_fault_file_result read_path(const char *path)
{
    size_t count = 0;
    message[0] = '\0';
    return twin_fault_file_read(path, list, &count, message, sizeof(message));
}

static void test_files(void)
{
    char folder[] = "/tmp/twinrt-faults-XXXXXX";
    char path[64];
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    CU_ASSERT(read_path(folder) == TWIN_FAULT_FILE_UNREADABLE);
    CU_ASSERT(strstr(message, folder) && strstr(message, "not a regular file"));
    (void)snprintf(path, sizeof(path), "%s/pipe", folder);
    CU_ASSERT(read_path(path) == TWIN_FAULT_FILE_UNREADABLE);
    CU_ASSERT(strstr(message, "cannot be opened") != NULL);
    CU_ASSERT(mkfifo(path, 0600) == 0);
    CU_ASSERT(read_path(path) == TWIN_FAULT_FILE_UNREADABLE);
    CU_ASSERT(unlink(path) == 0);

    (void)snprintf(path, sizeof(path), "%s/file", folder);
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT(fputs(good, file) >= 0 && fclose(file) == 0);
    CU_ASSERT(read_path(path) == TWIN_FAULT_FILE_GOOD);
    CU_ASSERT(truncate(path, 40) == 0);
    CU_ASSERT(read_path(path) == TWIN_FAULT_FILE_BAD);
    CU_ASSERT(strncmp(message, path, strlen(path)) == 0 && strstr(message, ": line "));
    CU_ASSERT(truncate(path, 2 << 20) == 0);
    CU_ASSERT(read_path(path) == TWIN_FAULT_FILE_UNREADABLE);
    CU_ASSERT(strstr(message, "larger than") != NULL);
    CU_ASSERT(unlink(path) == 0 && rmdir(folder) == 0);
}

static const twin_test tests[] = {
    {"a file says all that a fault can be", test_good_file},
    {"each kind and task has its word", test_every_word},
    {"a file that is cut off is refused at every byte", test_truncated},
    {"a broken file is refused with the place of the error", test_broken},
    {"a member that the kind has no use for is refused", test_members_without_effect},
    {"a value of another type or out of range is named", test_wrong_values},
    {"there are only so many faults", test_too_many},
    {"a spoiled file never does harm", test_mutated},
    {"a file of another kind is refused", test_files},
};

int main(int argc, char **argv)
{
    return twin_run_suite("fault_file", tests, TWIN_COUNT(tests), argc, argv);
}
