/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/thread_state.h"

#include <linux/membarrier.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utlist.h>

#include "core/backend/blocked.h"
#include "core/backend/ops.h"
#include "core/backend/sanitizer.h"
#include "core/base/alloc.h"
#include "core/base/lock.h"
#include "core/base/phase.h"
#include "seam/sanitizer.h"

_Thread_local twin_thread twin_self __attribute__((tls_model("initial-exec")));

static twin_lock threads_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_THREADS);
static twin_thread *threads; /* guarded by threads_lock */

static twin_lock messages_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_MESSAGES);
static twin_message_list process_messages; /* guarded by messages_lock */
static _Atomic bool messages_shared;

static _Atomic bool came_late;
static atomic_uint runtime_threads;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static pthread_key_t end_key;
static bool key_made;

static void list_clear(twin_message_list *list)
{
    while (list->newest) {
        twin_message *message = list->newest;
        list->newest = message->next;
        twin_free(message);
    }
    list->count = 0;
}

void twin_threads_of_runtime(int step)
{
    atomic_fetch_add(&runtime_threads, (unsigned)step);
}

/* Whether the main thread has ended before the process. It stays in the kernel's list of threads
 * until then. */
static bool main_has_ended(void)
{
    char path[64];
    char text[256] = "";
    (void)snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", (long)getpid());
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t bytes = read(file, text, sizeof(text) - 1);
    (void)close(file);
    const char *name_end = bytes > 0 ? strrchr(text, ')') : NULL;
    return name_end && name_end[1] == ' ' && name_end[2] == 'Z';
}

bool twin_threads_none_left(unsigned own)
{
    struct stat tasks;
    unsigned functions = 0;
    unsigned ours = atomic_load(&runtime_threads) + own;
    if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink < 3)
        return false;
    unsigned all = (unsigned)tasks.st_nlink - 2;
    bool none = all == ours || (all == ours + 1 && main_has_ended());
    if (!none || twin_threads_inside(&functions) != 0 || functions != 0)
        return false;
    twin_self.inside = false; /* it ends the process, and holds no lock */
    return true;
}

/* AddressSanitizer's. pthread_cancel() ends frames whose marks stay in its map of the stack; what
 * runs at the end of the thread would be reported for them. */
extern void __asan_unpoison_memory_region(const volatile void *from, size_t bytes) TWIN_WEAK;
#define STACK_OF_END 16384u

/* The thread ends. Runs on it, before its storage goes. */
static void thread_end(void *value)
{
    twin_thread *thread = value;
    thread->inside = true;
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region((char *)__builtin_frame_address(0) - STACK_OF_END,
                                      STACK_OF_END);
    if (twin_sanitized)
        twin_sanitizer_hide(thread);
    twin_lock_take(&threads_lock);
    DL_DELETE2(threads, thread, previous, next);
    twin_lock_drop(&threads_lock);
    thread->listed = false;

    if (thread->ops && thread->ops == twin_ops())
        thread->ops->host.detach();
    thread->ops = NULL;
    thread->context = 0;
    thread->share_stream = 0;
    list_clear(&thread->messages);
    twin_free(thread->shown);
    thread->shown = NULL;
    thread->inside = false;
    if (twin_sanitized)
        twin_sanitizer_show(thread);
}

static void make_key(void)
{
    key_made = pthread_key_create(&end_key, thread_end) == 0;
}

static void list_thread(twin_thread *thread)
{
    if (thread->listed)
        return;
    pthread_once(&key_once, make_key);
    if (key_made)
        pthread_setspecific(end_key, thread);
    twin_lock_take(&threads_lock);
    DL_PREPEND2(threads, thread, previous, next);
    twin_lock_drop(&threads_lock);
    thread->listed = true;
}

bool twin_threads_came_late(void)
{
    return atomic_load(&came_late);
}

static void know_forks(void)
{
    (void)pthread_atfork(NULL, NULL, twin_backend_in_child);
}

bool twin_thread_attach(void)
{
    twin_thread *thread = &twin_self;
    if (atomic_load_explicit(&twin_backend_is_forked, memory_order_relaxed)) {
        thread->ops =
            &twin_unsupported_ops; /* which is not the present table: asked again by each call */
        return false;
    }
    pthread_once(&fork_once, know_forks); /* before the first lock is taken */
    if (twin_backend_ended()) {
        atomic_store(&thread->late, true);
        atomic_store(&came_late, true);
    }
    list_thread(thread);
    thread->ops = twin_ops();
    thread->ops->host.attach();
    return true;
}

void twin_thread_own(void)
{
    twin_self.inside = true;
    if (!twin_sanitized)
        return;
    twin_sanitizer_hide(&twin_self);
    list_thread(&twin_self); /* for its end */
}

static void count_function(int step)
{
    unsigned now = atomic_load_explicit(&twin_self.functions, memory_order_relaxed);
    atomic_store_explicit(&twin_self.functions, now + (unsigned)step, memory_order_relaxed);
}

const twin_call_place *twin_thread_place(void)
{
    return &twin_self.place;
}

const twin_call *twin_outcall_begin(void)
{
    twin_assert_unlocked("a function of the program with a lock held");
    count_function(1);
    twin_self.inside = false;
    atomic_store_explicit(&twin_self.in_call, false, memory_order_release);
    if (twin_sanitized)
        twin_sanitizer_function_begin(&twin_self);
    return twin_self.call;
}

void twin_outcall_end(const twin_call *call)
{
    if (twin_sanitized)
        twin_sanitizer_function_end(&twin_self);
    twin_self.call = call;
    twin_self.inside = true;
    atomic_store_explicit(&twin_self.in_call, true, memory_order_relaxed);
    count_function(-1);
}

void twin_threads_fence(void)
{
    /* A thread sets in_call and then reads the backend table; the table has changed and in_call is
     * read next. The barrier is for the threads, which execute none on their way in. */
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

unsigned twin_threads_inside(unsigned *out_functions)
{
    unsigned calls = 0;
    *out_functions = 0;
    twin_lock_take(&threads_lock);
    for (twin_thread *thread = threads; thread; thread = thread->next) {
        if (thread == &twin_self || atomic_load(&thread->late))
            continue;
        bool in_call = atomic_load_explicit(&thread->in_call, memory_order_acquire);
        bool in_function = atomic_load_explicit(&thread->functions, memory_order_relaxed) != 0;
        calls += in_call;
        *out_functions += in_function && !in_call;
    }
    twin_lock_drop(&threads_lock);
    return calls;
}

static void list_add(twin_message_list *list, twin_message *message)
{
    message->next = list->newest;
    list->newest = message;
    if (++list->count <= TWIN_MESSAGES_KEPT)
        return;
    twin_message *last = list->newest;
    for (unsigned i = 1; i < TWIN_MESSAGES_KEPT; i++)
        last = last->next;
    twin_free(last->next);
    last->next = NULL;
    list->count = TWIN_MESSAGES_KEPT;
}

void twin_message_add(const char *text)
{
    size_t bytes = strlen(text) + 1;
    twin_message *message = twin_zalloc(sizeof(*message) + bytes);
    if (!message)
        return; /* the caller still has the code */
    memcpy(message->text, text, bytes);
    if (!atomic_load_explicit(&messages_shared, memory_order_relaxed)) {
        list_thread(&twin_self);
        list_add(&twin_self.messages, message);
        return;
    }
    twin_lock_take(&messages_lock);
    list_add(&process_messages, message);
    twin_lock_drop(&messages_lock);
}

const char *twin_messages_take(void)
{
    twin_thread *thread = &twin_self;
    twin_message_list taken = thread->messages;
    thread->messages = (twin_message_list){0};
    if (atomic_load_explicit(&messages_shared, memory_order_relaxed)) {
        list_clear(&taken);
        twin_lock_take(&messages_lock);
        taken = process_messages;
        process_messages = (twin_message_list){0};
        twin_lock_drop(&messages_lock);
    }
    twin_free(thread->shown);
    thread->shown = NULL;
    if (!taken.newest)
        return NULL;

    size_t bytes = 1;
    for (const twin_message *message = taken.newest; message; message = message->next)
        bytes += strlen(message->text) + 1;
    char *text = twin_zalloc(bytes);
    if (text) {
        char *end = text;
        for (const twin_message *message = taken.newest; message; message = message->next) {
            size_t length = strlen(message->text);
            memcpy(end, message->text, length);
            end[length] = '\n';
            end += length + 1;
        }
        end[-1] = '\0';
    }
    list_clear(&taken);
    thread->shown = text;
    return text;
}

bool twin_threads_forked(void)
{
    bool none_inside = pthread_mutex_trylock(&threads_lock.mutex) == 0;
    for (const twin_thread *thread = threads; none_inside && thread; thread = thread->next)
        none_inside = thread == &twin_self || !atomic_load(&thread->in_call);
    twin_lock_init(&threads_lock, TWIN_RANK_THREADS);
    twin_lock_init(&messages_lock, TWIN_RANK_MESSAGES);
    process_messages = (twin_message_list){0};
    threads = NULL;
    twin_blocked_forked();
    twin_self.listed = false; /* and so it lists itself again */
    return none_inside;
}

void twin_messages_set_process(bool process)
{
    atomic_store_explicit(&messages_shared, process, memory_order_relaxed);
}
