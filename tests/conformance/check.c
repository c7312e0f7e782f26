/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "support/expect.h"

static pthread_mutex_t check_lock = PTHREAD_MUTEX_INITIALIZER;
static twin_check_sink check_sink; /* set before other threads run */
static pthread_t test_thread;      /* set before other threads run */
static size_t failures;            /* guarded by check_lock */

/* What threads other than test_thread have found; more than fit are counted and printed only. */
static struct finding {
    char text[512];
    const char *file;
    int line;
} findings[32];
static size_t finding_count; /* guarded by check_lock, as is the array */

const char *twin_code_name(aclError code)
{
    /* A ring of texts, so one message may name several codes. */
    static _Thread_local char texts[4][80];
    static _Thread_local unsigned next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof(texts[0]), "%s (%d)", twin_acl_name((int)code), (int)code);
    return text;
}

void twin_check_set_sink(twin_check_sink sink)
{
    check_sink = sink;
    test_thread = pthread_self();
}

size_t twin_check_failures(void)
{
    pthread_mutex_lock(&check_lock);
    size_t count = failures;
    pthread_mutex_unlock(&check_lock);
    return count;
}

void twin_check_flush(void)
{
    pthread_mutex_lock(&check_lock);
    for (size_t i = 0; check_sink && i < finding_count; i++)
        check_sink(findings[i].text, findings[i].file, findings[i].line);
    finding_count = 0;
    pthread_mutex_unlock(&check_lock);
}

static bool fail(const char *text, const char *file, int line)
{
    pthread_mutex_lock(&check_lock);
    failures++;
    if (check_sink && pthread_equal(test_thread, pthread_self())) {
        check_sink(text, file, line);
    } else {
        fprintf(stderr, "%s:%d: %s\n", file, line, text);
        if (finding_count < sizeof(findings) / sizeof(findings[0])) {
            struct finding *finding = &findings[finding_count++];
            snprintf(finding->text, sizeof(finding->text), "%s", text);
            finding->file = file;
            finding->line = line;
        }
    }
    pthread_mutex_unlock(&check_lock);
    return false;
}

bool twin_check_code(aclError got, aclError want, const char *call, const char *file, int line)
{
    if (got == want)
        return true;
    const char *message = got != ACL_SUCCESS ? aclGetRecentErrMsg() : NULL;
    char text[512];
    snprintf(text, sizeof(text), "%s answered %s, not %s%s%s", call, twin_code_name(got),
             twin_code_name(want), message ? "; message: " : "", message ? message : "");
    return fail(text, file, line);
}

bool twin_check_either(aclError got, aclError want, aclError other, const char *call,
                       const char *file, int line)
{
    if (got == want || got == other)
        return true;
    char text[512];
    snprintf(text, sizeof(text), "%s answered %s, neither %s nor %s", call, twin_code_name(got),
             twin_code_name(want), twin_code_name(other));
    return fail(text, file, line);
}

bool twin_check_fails(aclError got, const char *call, const char *file, int line)
{
    if (got != ACL_SUCCESS)
        return true;
    char text[512];
    snprintf(text, sizeof(text), "%s answered ACL_SUCCESS where an error is due", call);
    return fail(text, file, line);
}

bool twin_check_true(bool held, const char *text, const char *file, int line)
{
    return held || fail(text, file, line);
}

bool twin_check_equal(int64_t got, int64_t want, const char *text, const char *file, int line)
{
    if (got == want)
        return true;
    char message[512];
    snprintf(message, sizeof(message), "%s is %" PRId64 ", not %" PRId64, text, got, want);
    return fail(message, file, line);
}

bool twin_check_bytes(const void *data, uint8_t want, size_t bytes, const char *text,
                      const char *file, int line)
{
    const uint8_t *byte = data;
    for (size_t i = 0; i < bytes; i++) {
        if (byte[i] == want)
            continue;
        char message[512];
        snprintf(message, sizeof(message), "byte %zu of %zu at %s is 0x%02x, not 0x%02x", i, bytes,
                 text, byte[i], want);
        return fail(message, file, line);
    }
    return true;
}
