/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/source_line.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#include "kernel/core.h"

/* A walk from here outwards through the kernel's object. */
typedef struct walk {
    const void *object; /* where it is loaded */
    native_place *place;
} walk;

static const void *object_of(uintptr_t code)
{
    Dl_info info;
    return dladdr((const void *)code, &info) != 0 ? info.dli_fbase : NULL;
}

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *user)
{
    const walk *walked = user;
    native_place *place = walked->place;
    const uintptr_t code = _Unwind_GetIP(context);
    if (code <= 1 || object_of(code - 1) != walked->object)
        return place->count == 0 && code > 1 ? _URC_NO_REASON : _URC_END_OF_STACK;
    place->code[place->count++] = code - 1; /* the call, not what comes after it */
    return place->count < NATIVE_FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void twin_native_place_take(const native_core *core, native_place *out_place)
{
    out_place->count = 0;
    if (!core->run->call.line)
        return;
    walk walked = {.object = object_of((uintptr_t)core->body), .place = out_place};
    (void)_Unwind_Backtrace(take_frame, &walked);
}

void twin_native_place_append(const twin_native_run *run, const native_place *place, char *text,
                              size_t text_bytes)
{
    char line[320];
    const size_t length = strlen(text);
    if (place->count > 0 && run->call.line &&
        run->call.line(run->call.user, place->code, place->count, line, sizeof(line)))
        snprintf(text + length, text_bytes - length, ", at %s", line);
}
