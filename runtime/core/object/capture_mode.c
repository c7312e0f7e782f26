/* SPDX-License-Identifier: Apache-2.0 */
#include "core/object/capture_mode.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#include "core/backend/error.h"

twin_lock twin_capture_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_CAPTURES);
_Atomic uint32_t twin_captures_present;

static twin_capture_place *places; /* guarded by twin_capture_lock */

static const char *const mode_names[] = {"GLOBAL", "THREAD_LOCAL", "RELAXED"};

uint32_t twin_capture_thread(void)
{
    if (twin_self.system_id == 0)
        twin_self.system_id = (uint32_t)gettid();
    return twin_self.system_id;
}

twin_capture_call twin_capture_this_call(void)
{
    return (twin_capture_call){.name = twin_self.call ? twin_self.call->name : NULL,
                               .site = twin_self.call_site,
                               .thread = twin_capture_thread()};
}

const char *twin_capture_call_text(const twin_capture_call *call,
                                   char text[static TWIN_CAPTURE_CALL_TEXT])
{
    Dl_info info;
    const char *module = "";
    uintptr_t offset = (uintptr_t)call->site;
    if (dladdr(call->site, &info) != 0 && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        module = slash ? slash + 1 : info.dli_fname;
        offset -= (uintptr_t)info.dli_fbase;
    }
    snprintf(text, TWIN_CAPTURE_CALL_TEXT, "%s at %s+%#llx, thread %u",
             call->name ? call->name : "a call", module, (unsigned long long)offset, call->thread);
    return text;
}

void twin_capture_mode_enter(twin_capture_place *place)
{
    DL_PREPEND2(places, place, previous, next);
    atomic_fetch_add_explicit(&twin_captures_present, 1, memory_order_relaxed);
}

void twin_capture_mode_leave(twin_capture_place *place)
{
    DL_DELETE2(places, place, previous, next);
    atomic_fetch_sub_explicit(&twin_captures_present, 1, memory_order_relaxed);
}

/* The capture that forbids the calling thread, whose mode is `own`, what modes forbid; NULL: none.
 * With the lock. */
static const twin_capture_place *forbidding_locked(twin_capture_mode own)
{
    const twin_capture_place *of_context = NULL, *of_thread = NULL;
    const uint32_t thread = twin_capture_thread();
    for (const twin_capture_place *place = places; place; place = place->next) {
        if (place->context == twin_self.context && (!of_context || place->mode < of_context->mode))
            of_context = place;
        if (place->begun.thread == thread && (!of_thread || place->mode < of_thread->mode))
            of_thread = place;
    }
    if (!of_context || own == TWIN_CAPTURE_RELAXED)
        return NULL;
    if (own == TWIN_CAPTURE_GLOBAL && of_context->mode == TWIN_CAPTURE_GLOBAL)
        return of_context;
    if (!of_thread || of_thread->mode == TWIN_CAPTURE_RELAXED)
        return NULL;
    return own == TWIN_CAPTURE_THREAD_LOCAL || of_thread->mode == TWIN_CAPTURE_THREAD_LOCAL
               ? of_thread
               : NULL;
}

int32_t twin_capture_mode_refuse(bool asynchronous)
{
    const twin_capture_mode own = (twin_capture_mode)twin_self.capture_mode;
    twin_lock_take(&twin_capture_lock);
    const twin_capture_place *found = forbidding_locked(own);
    twin_capture_place place = {0};
    if (found)
        place = *found;
    twin_lock_drop(&twin_capture_lock);
    if (!found)
        return 0;
    char begun[TWIN_CAPTURE_CALL_TEXT];
    return twin_fail(
        asynchronous ? TWIN_ERR_CAPTURE_BLOCKS : TWIN_ERR_CAPTURE_FORBIDS,
        "stream %u is captured in mode %s (%s), which forbids %s to %s; %send the capture first, "
        "capture in mode RELAXED, or set this thread to RELAXED with "
        "aclmdlRICaptureThreadExchangeMode",
        place.stream, mode_names[place.mode], twin_capture_call_text(&place.begun, begun),
        asynchronous ? "copies of pageable memory, which are synchronous," : "this",
        place.mode == TWIN_CAPTURE_GLOBAL ? "all threads of its context" : "that thread",
        asynchronous ? "use page-locked memory, " : "");
}

int32_t twin_capture_mode_exchange(twin_capture_mode *mode)
{
    twin_context *context = NULL;
    int32_t code = twin_context_current(&context);
    if (code != 0)
        return code;
    const twin_capture_mode before = (twin_capture_mode)twin_self.capture_mode;
    twin_self.capture_mode = (uint8_t)*mode;
    *mode = before;
    return 0;
}
