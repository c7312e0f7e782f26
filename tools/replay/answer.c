/* SPDX-License-Identifier: Apache-2.0 */
/* What came back then and now. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "replay/state.h"

void replay_note(struct replay_notes *notes, size_t entry, const char *format, ...)
{
    notes->count++;
    if (notes->kept == REPLAY_NOTES_MOST)
        return;
    if (!notes->list)
        notes->list = calloc(REPLAY_NOTES_MOST, sizeof(*notes->list));
    if (!notes->list)
        return;
    struct replay_note *note = &notes->list[notes->kept++];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(note->text, sizeof(note->text), format, arguments);
    va_end(arguments);
    note->entry = entry;
}

twin_status replay_leave_out(struct replay_call *call, const char *format, ...)
{
    if (call->left_out)
        return TWIN_OK;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(call->left_out_text, sizeof(call->left_out_text), format, arguments);
    va_end(arguments);
    call->left_out = call->left_out_text;
    return TWIN_OK;
}

/* Fields that depend on when they are asked for, or on how large the device is. */
static bool depends_on_device(const struct replay_call *call,
                              const struct twin_recording_field *field)
{
    switch (call->entry->kind) {
    case TWIN_RECORD_QUEUE_QUERY:
    case TWIN_RECORD_SIGNAL_QUERY:
    case TWIN_RECORD_MEMORY_SPACE:
    case TWIN_RECORD_POOL_GET:
    case TWIN_RECORD_MEMORY_USAGE:
    case TWIN_RECORD_SIGNAL_AVAILABLE:
    case TWIN_RECORD_DIAG_USAGE:
    case TWIN_RECORD_PROCESS_COUNT:
    case TWIN_RECORD_HOST_LAST_TASK:
        return true;
    default:
        return field->role == TWIN_RECORD_ROLE_NS || field->role == TWIN_RECORD_ROLE_REAL;
    }
}

static bool is_answer(const struct twin_recording_field *field)
{
    if (strncmp(field->name, "out_", 4) != 0)
        return false;
    switch (field->role) {
    case TWIN_RECORD_ROLE_ADDRESS:
    case TWIN_RECORD_ROLE_SYSTEM:
    case TWIN_RECORD_ROLE_NEW_QUEUE:
    case TWIN_RECORD_ROLE_NEW_SIGNAL:
    case TWIN_RECORD_ROLE_NEW_CALL_QUEUE:
    case TWIN_RECORD_ROLE_NEW_MODEL_INSTANCE:
    case TWIN_RECORD_ROLE_NEW_IMAGE:
    case TWIN_RECORD_ROLE_NEW_POOL:
        return false;
    default:
        break;
    }
    /* a ticket is what the device makes of it; whether tasks are reported depends on the
     * recorder */
    return strcmp(field->name, "out_ticket") != 0 && strcmp(field->name, "out_tasks_reported") != 0;
}

static uint64_t value_of(const union twin_recording_any *fields,
                         const struct twin_recording_field *field)
{
    uint64_t value = 0;
    memcpy(&value, fields->bytes + field->offset, field->bytes);
    return value;
}

/* A value as it is reported. */
static const char *text_of(const struct twin_recording_field *field, uint64_t value, char text[32])
{
    double real;
    memcpy(&real, &value, sizeof(real));
    if (field->role == TWIN_RECORD_ROLE_REAL)
        (void)snprintf(text, 32, "%g", real);
    else
        (void)snprintf(text, 32, "%" PRIu64, value);
    return text;
}

static void report_value(struct replay_call *call, const struct twin_recording_kind *kind,
                         const struct twin_recording_field *field, uint64_t then, uint64_t now)
{
    char texts[2][32];
    const bool status = field->role == TWIN_RECORD_ROLE_STATUS;
    replay_note(&call->replay->report.differences, call->index,
                "%s of thread %" PRIu32 ": %s %s in the recording, %s here", kind->name,
                call->entry->thread, field->name + strlen("out_"),
                status ? twin_recording_status(call->replay->recording, (unsigned)then)
                       : text_of(field, then, texts[0]),
                status ? twin_recording_own_status_name((uint32_t)now)
                       : text_of(field, now, texts[1]));
}

void replay_compare(struct replay_call *call, twin_status status)
{
    struct replay *replay = call->replay;
    const struct twin_recording_kind *kind = twin_recording_kind(call->entry->kind);
    if (replay_status_of(call) != (uint32_t)status) {
        replay_note(&replay->report.differences, call->index,
                    "%s of thread %" PRIu32 ": %s in the recording, %s here", kind->name,
                    call->entry->thread,
                    twin_recording_status(replay->recording, call->entry->status),
                    twin_recording_own_status_name((uint32_t)status));
        return;
    }
    if (status != TWIN_OK)
        return;
    for (unsigned i = 0; i < kind->field_count; i++) {
        const struct twin_recording_field *field = &kind->fields[i];
        uint64_t then = value_of(&call->then, field);
        uint64_t now = value_of(&call->now, field);
        if (field->role == TWIN_RECORD_ROLE_STATUS)
            then = twin_recording_own_status(replay->recording, (unsigned)then);
        if (!is_answer(field) || then == now)
            continue;
        if (!replay->report.same && depends_on_device(call, field))
            replay->report.polls++;
        else
            report_value(call, kind, field, value_of(&call->then, field), now);
    }
}
