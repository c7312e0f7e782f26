/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/backend/thread_state.h"
#include "core/base/log.h"
#include "core/base/phase.h"

#define MESSAGE_BYTES 1024

typedef struct error_row {
    int32_t code;
    bool recorded;
    const char *id;
} error_row;

#define LAYER_A false
#define LAYER_R true
static const error_row error_table[TWIN_ERR_COUNT] = {
#define TWIN_ERROR_ROW(name, code, layer, id) {code, LAYER_##layer, id},
    TWIN_ERROR_LIST(TWIN_ERROR_ROW)
#undef TWIN_ERROR_ROW
};

typedef struct status_row {
    int32_t code;
    const char *text;
} status_row;

static const status_row status_table[TWIN_STATUS_COUNT] = {
#define TWIN_STATUS_ROW(name, code, text) {code, text},
    TWIN_STATUS_LIST(TWIN_STATUS_ROW)
#undef TWIN_STATUS_ROW
};

static const status_row *row_of(twin_status status)
{
    if ((unsigned)status >= TWIN_STATUS_COUNT)
        status = TWIN_E_INTERNAL;
    return &status_table[status];
}

int32_t twin_status_code(twin_status status)
{
    if (status == TWIN_E_VENDOR && twin_self.vendor_code != 0)
        return twin_self.vendor_code;
    return row_of(status)->code;
}
const char *twin_status_text(twin_status status)
{
    return row_of(status)->text;
}

/* Message ids of what a backend answers, by the class of the public code. */
static const char *id_of_code(int32_t code)
{
    switch (code) {
    case 107002:
    case 107006:
    case 507033:
        return "EE1018";
    case 107017:
        return "EE1017";
    case 207000:
        return "EE1005";
    case 207001:
        return "EE1013";
    case 107019:
    case 107020:
    case TWIN_CODE_REPORT_TIMEOUT:
    case TWIN_CODE_STREAM_TIMEOUT:
    case TWIN_CODE_EVENT_TIMEOUT:
        return "EE1002";
    default:
        break;
    }
    if (code / 1000 == 107)
        return "EE1003";
    if (code / 1000 == 207)
        return "EE1023";
    return "EE9999";
}

/* A loop that polls is refused with the same words again and again: it is logged at powers of
 * ten. */
static void log_refusal(const char *line, int32_t code)
{
    static _Thread_local uint64_t last_hash, times, due;
    if (!twin_log_wants(TWIN_LOG_INFO))
        return;
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (const char *at = line; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    if (hash != last_hash) {
        last_hash = hash;
        times = 0;
        due = 1;
    }
    if (++times < due)
        return;
    due *= 10;
    if (times == 1)
        twin_log(TWIN_LOG_INFO, "%s -> %d", line, code);
    else
        twin_log(TWIN_LOG_INFO, "%s -> %d, %llu times in a row", line, code,
                 (unsigned long long)times);
}

static int32_t report(int32_t code, bool recorded, const char *id, const char *text)
{
    twin_thread *thread = &twin_self;
    if (recorded)
        thread->last_error = code;
    /* After the end of the process's use of the backend no message is read any more. */
    pid_t parent = 0;
    bool forked = twin_backend_forked(&parent);
    if (twin_backend_ended() && !forked)
        return code;
    const char *name = thread->call ? thread->call->name : "twinrt";
    char line[MESSAGE_BYTES + 512];
    int used = snprintf(line, sizeof(line), "%s: %s: %s", id, name, text);
    if (forked && used >= 0 && (size_t)used < sizeof(line))
        snprintf(line + used, sizeof(line) - (size_t)used,
                 "; this process was forked from process %d, which had started the runtime: "
                 "devices, streams and "
                 "memory are that one's alone. Fork before the first call, or exec a program of "
                 "its own after the fork",
                 (int)parent);
    twin_message_add(line);
    log_refusal(line, code);
    return code;
}

int32_t(twin_fail)(twin_error error, const char *format, ...)
{
    const error_row *row = &error_table[error];
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return report(row->code, row->recorded, row->id, text);
}

int32_t twin_fail_status(twin_status status, int32_t wait_code, const char *format, ...)
{
    if (status == TWIN_OK)
        return TWIN_CODE_OK;
    int32_t code = twin_status_code(status);
    if (status == TWIN_E_TIMEOUT || twin_wait_given_up(status))
        code = wait_code;
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    int used = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (used >= 0 && (size_t)used < sizeof(text))
        snprintf(text + used, sizeof(text) - (size_t)used, ": %s", twin_status_text(status));
    return report(code, true, id_of_code(code), text);
}

int32_t(twin_fail_handle)(const char *kind_name, uint64_t handle)
{
    return twin_fail(TWIN_ERR_HANDLE,
                     "%#llx is not a valid %s handle: the object was destroyed, or is of another "
                     "kind",
                     (unsigned long long)handle, kind_name);
}

int32_t twin_fail_code(int32_t code, const char *id, const char *text)
{
    return report(code, true, id, text);
}

int32_t twin_fail_callback(int32_t code, const char *text)
{
    return report(code, false, "EH9999", text);
}
