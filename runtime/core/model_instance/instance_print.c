/* SPDX-License-Identifier: Apache-2.0 */
/* What a model instance holds, for people: lines of the log, or a file that viewers of traces
 * read. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/backend/error.h"
#include "core/backend/ops.h"
#include "core/base/alloc.h"
#include "core/base/log.h"
#include "core/model_instance/instance_parts.h"
#include "core/model_instance/instance_task.h"

#define TASK_UNITS 10u /* of a picture: from one task to the next */
#define WORD_BYTES 8u

static const char *kernel_type(const twin_launch *launch)
{
    return launch->cores == TWIN_CORES_VECTOR  ? "KERNEL_AIVEC"
           : launch->cores == TWIN_CORES_MIXED ? "KERNEL_MIX"
                                               : "KERNEL_AICORE";
}

static const char *type_of(const twin_stored_task *stored)
{
    static const char *const names[] = {
        [TWIN_TASK_COPY] = "MEMCPY_ASYNC",
        [TWIN_TASK_FILL] = "MEMSET_ASYNC",
        [TWIN_TASK_RECORD] = "NOTIFY_RECORD",
        [TWIN_TASK_WAIT] = "NOTIFY_WAIT",
        [TWIN_TASK_RESET] = "NOTIFY_RESET",
        [TWIN_TASK_COUNT] = "COUNT_NOTIFY_RECORD",
        [TWIN_TASK_WAIT_COUNT] = "COUNT_NOTIFY_WAIT",
        [TWIN_TASK_CALL] = "HOSTFUNC",
        [TWIN_TASK_REDUCE] = "REDUCE_ASYNC",
        [TWIN_TASK_COPY_ROWS] = "MEMCPY2D_ASYNC",
        [TWIN_TASK_DESCRIBED] = "DESCRIBED_COPY",
        [TWIN_TASK_MAINTAIN] = "CMO",
        [TWIN_TASK_COPY_BASED] = "MEMCPY_OFFSET_ASYNC",
        [TWIN_TASK_RANDOM] = "RANDOM",
    };
    switch (twin_instance_task_kind_of(stored)) {
    case TWIN_SHOWN_KERNEL:
        return kernel_type(stored->launch);
    case TWIN_SHOWN_RECORD:
        return "EVENT_RECORD";
    case TWIN_SHOWN_WAIT:
        return "EVENT_WAIT";
    case TWIN_SHOWN_RESET:
        return "EVENT_RESET";
    case TWIN_SHOWN_WRITE_VALUE:
        return "MEM_WRITE_VALUE";
    case TWIN_SHOWN_WAIT_VALUE:
        return "MEM_WAIT_VALUE";
    default:
        break;
    }
    if (stored->kind == TWIN_STORED_ACTIVATE)
        return "STREAM_ACTIVE";
    return stored->kind < sizeof(names) / sizeof(names[0]) && names[stored->kind]
               ? names[stored->kind]
               : "OTHER";
}

/* A text as part of a string of JSON. */
static void put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(file, "\\%c", byte);
        else if (byte < 0x20 || byte >= 0x7f) /* the name may be in no encoding */
            fprintf(file, "\\u%04x", byte);
        else
            fputc(byte, file);
    }
}

/* The arguments of a kernel as words, where they can be read. */
static void put_args(FILE *file, const twin_launch_view *view, const twin_device *device)
{
    unsigned char *copy = NULL;
    const unsigned char *args = view->args;
    if (view->args_bytes == 0 || !args)
        return;
    if (!view->on_host) {
        copy = twin_zalloc(view->args_bytes);
        const twin_copy from = {.dst = (uint64_t)(uintptr_t)copy,
                                .src = (uint64_t)(uintptr_t)args,
                                .bytes = view->args_bytes};
        args = copy && twin_ops()->memory.copy(device->hw, &from) == TWIN_OK ? copy : NULL;
    }
    if (args) {
        fprintf(file, ",\"Kernel Args\":\"");
        for (size_t i = 0; i + WORD_BYTES <= view->args_bytes; i += WORD_BYTES) {
            uint64_t word;
            memcpy(&word, args + i, sizeof(word));
            fprintf(file, "%s0x%016" PRIx64, i == 0 ? "" : " ", word);
        }
        fprintf(file, "\",\"Kernel Args Size\":%zu", view->args_bytes);
    }
    twin_free(copy);
}

/* One task as it was read; `launch` is kept. */
typedef struct row {
    const char *type;
    uint32_t number;
    uint64_t event;
    uint32_t to; /* id of the stream that begins */
    bool activates;
    bool is_kernel;
    twin_launch *launch;
} row;

static row read_locked(const twin_stored_task *stored)
{
    row one = {.type = type_of(stored), .number = stored->number};
    const twin_instance_task_kind kind = twin_instance_task_kind_of(stored);
    one.is_kernel = kind == TWIN_SHOWN_KERNEL;
    one.activates = stored->kind == TWIN_STORED_ACTIVATE;
    if (one.is_kernel) {
        one.launch = stored->launch;
        one.launch->keep(one.launch);
    } else if (one.activates) {
        one.to = stored->to->id;
    } else if (kind >= TWIN_SHOWN_RECORD && kind <= TWIN_SHOWN_RESET) {
        one.event = stored->on_event.shown;
    }
    return one;
}

static void put_row(FILE *file, const twin_instance *instance, const twin_stream *stream,
                    const row *one, bool verbose, bool first)
{
    const twin_launch_view view =
        one->is_kernel ? twin_launch_look(one->launch) : (twin_launch_view){.blocks = 0};
    fprintf(file, "%s{\"name\":\"", first ? "" : ",\n");
    put_text(file, one->is_kernel && view.name ? view.name : one->type);
    fprintf(file,
            "\",\"pid\":\"%ld aclGraph\",\"tid\":\"stream%u\",\"ts\":%u,\"dur\":%u,\"ph\":\"X\","
            "\"args\":{\"Model Id\":%u,\"Stream Id\":%u,\"Task Id\":%u,\"Task Type\":\"%s\"",
            (long)getpid(), stream->id, one->number * TASK_UNITS, TASK_UNITS - 1, instance->id,
            stream->id, one->number, one->type);
    if (one->activates)
        fprintf(file, ",\"Active Stream Id\":%u", one->to);
    if (one->event != 0)
        fprintf(file, ",\"Event\":\"0x%" PRIx64 "\"", one->event);
    if (one->is_kernel) {
        fprintf(file, ",\"Numblocks\":%u,\"Schem Mode\":%d", view.blocks, view.batch ? 1 : 0);
        if (verbose)
            put_args(file, &view, stream->device);
    }
    fprintf(file, "}}");
}

static void log_row(const twin_instance *instance, const twin_stream *stream, const row *one)
{
    char line[256];
    snprintf(line, sizeof(line),
             "device_id=%u, model_id=%u, stream_id=%u, task_id=%u, task_type=%s%s%s",
             instance->device->id, instance->id, stream->id, one->number, one->type,
             one->is_kernel ? ", kernel=" : "",
             one->is_kernel && one->launch->name ? one->launch->name : "");
    twin_log_line(TWIN_LOG_INFO, line);
}

/* A stream of the instance by its place, pinned; NULL: there are no more. */
static twin_stream *stream_at(twin_instance *instance, uint32_t place)
{
    TWIN_LOCKED(&instance->lock);
    if (place >= instance->bound_count || place >= instance->seen_count)
        return NULL;
    twin_stream *stream = instance->bound[place].stream;
    return twin_handle_pin_object(stream, stream->object.handle) ? stream : NULL;
}

/* file NULL: to the log. */
static void print(twin_instance *instance, FILE *file, bool verbose)
{
    twin_stream *stream;
    bool first = true;
    for (uint32_t i = 0; (stream = stream_at(instance, i)) != NULL; i++) {
        uint32_t place = 0;
        for (;;) {
            twin_lock_take(&stream->lock);
            const twin_stored_task *stored = twin_stored_next(stream, &place);
            const row one = stored ? read_locked(stored) : (row){.type = NULL};
            twin_lock_drop(&stream->lock);
            if (!stored)
                break;
            if (file)
                put_row(file, instance, stream, &one, verbose, first);
            else
                log_row(instance, stream, &one);
            first = false;
            if (one.launch)
                one.launch->release(one.launch);
        }
        twin_stream_unpin(stream);
    }
}

int32_t twin_instance_print(uint64_t handle)
{
    TWIN_PINNED(instance, instance);
    const int32_t code = twin_instance_pin_own(handle, &instance);
    if (code == 0)
        print(instance, NULL, false);
    return code;
}

int32_t twin_instance_print_json(uint64_t handle, const char *path, bool verbose)
{
    TWIN_PINNED(instance, instance);
    const int32_t code = twin_instance_pin_own(handle, &instance);
    if (code != 0)
        return code;
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file) {
        if (descriptor >= 0)
            (void)close(descriptor);
        return twin_fail(TWIN_ERR_PARAM_RELATION, "\"%s\" cannot be written: %m", path);
    }
    fprintf(file, "[\n");
    print(instance, file, verbose);
    fprintf(file, "\n]\n");
    const bool written = ferror(file) == 0;
    return fclose(file) == 0 && written
               ? 0
               : twin_fail(TWIN_ERR_PARAM_RELATION, "\"%s\" was not written whole: %m", path);
}
