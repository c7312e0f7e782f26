/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots of the process: states, what waits while it is locked, contents, callbacks. */
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"

#define BYTES 8192

static int self(void)
{
    return (int)getpid();
}

static void lock(void)
{
    CHECK_OK(aclrtSnapShotProcessLock(self(), NULL));
}

static void unlock(void)
{
    CHECK_OK(aclrtSnapShotProcessUnlock(self(), NULL));
}

/* ---- arguments and states ------------------------------------------------------------------- */

static void test_arguments(void)
{
    aclrtSnapShotBackupArgs backup = {.backupFlags = 0};
    aclrtSnapShotRestoreArgs restore = {.restoreFlags = 0};
    CHECK_OK(aclrtSetDevice(0));
    for (int other = -1; other <= 1; other++) {
        const int pid = other < 0 ? -1 : other == 0 ? 0 : (int)getppid();
        CHECK_CODE(aclrtSnapShotProcessLock(pid, NULL), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtSnapShotProcessBackup(pid, NULL), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtSnapShotProcessRestore(pid, NULL), ACL_ERROR_INVALID_PARAM);
        CHECK_CODE(aclrtSnapShotProcessUnlock(pid, NULL), ACL_ERROR_INVALID_PARAM);
    }
    CHECK_CODE(aclrtSnapShotProcessLock(self(), &backup), ACL_ERROR_INVALID_PARAM);
    lock();
    CHECK_CODE(aclrtSnapShotProcessBackup(self(), &backup), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSnapShotProcessRestore(self(), &restore), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclrtSnapShotProcessUnlock(self(), &backup), ACL_ERROR_INVALID_PARAM);
    unlock();
    CHECK_OK(aclrtResetDevice(0));
}

static void test_lock(void)
{
    CHECK_OK(aclrtSetDevice(0));
    lock();
    CHECK_CODE(aclrtSnapShotProcessLock(self(), NULL), ACL_ERROR_SNAPSHOT_LOCK_FAILED);
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    CHECK_CODE(aclrtSnapShotProcessLock(self(), NULL), ACL_ERROR_SNAPSHOT_LOCK_FAILED);
    unlock();
    lock();
    unlock();
    CHECK_OK(aclrtResetDevice(0));
}

static void unlock_elsewhere(void *unused)
{
    (void)unused;
    unlock();
}

static void test_unlock(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtSnapShotProcessUnlock(self(), NULL), ACL_ERROR_SNAPSHOT_UNLOCK_FAILED);
    lock();
    unlock();
    CHECK_CODE(aclrtSnapShotProcessUnlock(self(), NULL), ACL_ERROR_SNAPSHOT_UNLOCK_FAILED);
    lock();
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    twin_on_thread(unlock_elsewhere, NULL);
    CHECK_CODE(aclrtSnapShotProcessUnlock(self(), NULL), ACL_ERROR_SNAPSHOT_UNLOCK_FAILED);
    CHECK_OK(aclrtResetDevice(0));
}

static void test_backup_states(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtSnapShotProcessBackup(self(), NULL), ACL_ERROR_SNAPSHOT_BACKUP_FAILED);
    CHECK_CODE(aclrtSnapShotProcessRestore(self(), NULL), ACL_ERROR_SNAPSHOT_RESTORE_FAILED);
    lock();
    CHECK_CODE(aclrtSnapShotProcessRestore(self(), NULL), ACL_ERROR_SNAPSHOT_RESTORE_FAILED);
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    CHECK_CODE(aclrtSnapShotProcessBackup(self(), NULL), ACL_ERROR_SNAPSHOT_BACKUP_FAILED);
    CHECK_OK(aclrtSnapShotProcessRestore(self(), NULL));
    CHECK_CODE(aclrtSnapShotProcessRestore(self(), NULL), ACL_ERROR_SNAPSHOT_RESTORE_FAILED);
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    unlock();
    CHECK_CODE(aclrtSnapShotProcessRestore(self(), NULL), ACL_ERROR_SNAPSHOT_RESTORE_FAILED);
    lock();
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    unlock();
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- contents ------------------------------------------------------------------------------- */

/* The thread that has locked the process may still change memory; that is how it is seen that a
 * restore changes it back. */
static void test_contents(void)
{
    twin_buffer first, second;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    twin_buffer_make(&first, BYTES, 1);
    twin_buffer_make(&second, BYTES, 2);
    CHECK_OK(
        aclrtMemsetAsync(second.device, BYTES, 3, BYTES, stream)); /* the backup waits for it */
    lock();
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    CHECK_OK(aclrtMemset(first.device, BYTES, 8, BYTES));
    CHECK_OK(aclrtMemset(second.device, BYTES, 9, BYTES));
    memset(first.host, 7, BYTES);
    CHECK_OK(aclrtSnapShotProcessRestore(self(), NULL));
    CHECK_BYTES(first.host, 7, BYTES); /* of the device alone */
    unlock();
    twin_buffer_read(&first);
    twin_buffer_read(&second);
    CHECK_BYTES(first.host, 1, BYTES);
    CHECK_BYTES(second.host, 3, BYTES);

    lock(); /* the last backup counts */
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    CHECK_OK(aclrtMemset(first.device, BYTES, 4, BYTES));
    unlock();
    lock();
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    CHECK_OK(aclrtMemset(first.device, BYTES, 5, BYTES));
    CHECK_OK(aclrtSnapShotProcessRestore(self(), NULL));
    unlock();
    twin_buffer_read(&first);
    CHECK_BYTES(first.host, 4, BYTES);
    twin_buffer_free(&first);
    twin_buffer_free(&second);
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* A backup that left some memory out would not bring it back. */
static void test_managed_memory(void)
{
    void *managed = NULL;
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtMemAllocManaged(&managed, 1, ACL_RT_MEM_ATTACH_GLOBAL));
    lock();
    CHECK_CODE(aclrtSnapShotProcessBackup(self(), NULL), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    unlock();
    CHECK_OK(aclrtFree(managed));
    lock();
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    unlock();
    CHECK_OK(aclrtResetDevice(0));
}

static void test_without_context(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_OK(aclrtResetDevice(0));
    lock();
    CHECK_CODE(aclrtSnapShotProcessBackup(self(), NULL), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_CODE(aclrtSnapShotProcessRestore(self(), NULL), ACL_ERROR_SNAPSHOT_RESTORE_FAILED);
    unlock();
}

/* ---- what waits ----------------------------------------------------------------------------- */

enum { ALLOCATE, COPY, CREATE_STREAM, CREATE_EVENT, SUBMIT, SET_DEVICE, BLOCKED_KINDS, QUESTIONS };

typedef struct shared {
    aclrtStream stream;
    aclrtEvent event;
    twin_buffer data;
    atomic_int ready, done, answered;
} shared;

static void change_something(shared *all, unsigned kind)
{
    void *memory = NULL;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    switch (kind) {
    case ALLOCATE:
        CHECK_OK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_NORMAL_ONLY));
        CHECK_OK(aclrtFree(memory));
        break;
    case COPY:
        CHECK_OK(
            aclrtMemcpy(all->data.host, BYTES, all->data.device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
        break;
    case CREATE_STREAM:
        CHECK_OK(aclrtCreateStream(&stream));
        CHECK_OK(aclrtDestroyStream(stream));
        break;
    case CREATE_EVENT:
        CHECK_OK(aclrtCreateEvent(&event));
        CHECK_OK(aclrtDestroyEvent(event));
        break;
    case SUBMIT:
        CHECK_OK(aclrtMemsetAsync(all->data.device, BYTES, 6, BYTES, all->stream));
        break;
    default:
        CHECK_OK(aclrtSetDevice(0));
        CHECK_OK(aclrtResetDevice(0));
        break;
    }
}

/* Questions and waits go on. */
static void ask_something(shared *all)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    uint32_t count = 0;
    CHECK_OK(aclrtStreamQuery(all->stream, &status));
    CHECK_OK(aclrtQueryEventStatus(all->event, &recorded));
    CHECK_OK(aclrtSynchronizeStream(all->stream));
    CHECK_OK(aclrtSynchronizeEvent(all->event));
    CHECK_OK(aclrtGetDeviceCount(&count));
    atomic_store(&all->answered, 1);
}

static void call_while_locked(void *argument, unsigned index)
{
    shared *all = argument;
    CHECK_OK(aclrtSetDevice(0));
    atomic_fetch_add(&all->ready, 1);
    while (atomic_load(&all->ready) <= QUESTIONS) /* until the process is locked */
        usleep(100);
    if (index < BLOCKED_KINDS)
        change_something(all, index);
    else
        ask_something(all);
    atomic_fetch_add(&all->done, 1);
}

static void reset_after(void *unused, unsigned index)
{
    (void)unused;
    (void)index;
    CHECK_OK(aclrtResetDevice(0));
}

static void test_others_wait(void)
{
    static shared all;
    CHECK_OK(aclrtSetDevice(0));
    all.stream = twin_stream();
    all.event = twin_event(EVENT_PLAIN);
    twin_buffer_make(&all.data, BYTES, 1);
    CHECK_OK(aclrtRecordEvent(all.event, all.stream));
    twin_threads *threads = twin_threads_start(BLOCKED_KINDS + 1, call_while_locked, &all);
    while (atomic_load(&all.ready) < BLOCKED_KINDS + 1)
        usleep(100);
    lock();
    atomic_fetch_add(&all.ready, QUESTIONS);
    while (atomic_load(&all.answered) == 0)
        usleep(100);
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    usleep(50000);
    CHECK_EQUAL(atomic_load(&all.done), 1); /* that of the questions */
    unlock();
    twin_threads_join(threads);
    CHECK_EQUAL(atomic_load(&all.done), BLOCKED_KINDS + 1);
    CHECK_OK(aclrtSynchronizeStream(all.stream));
    twin_buffer_read(&all.data);
    CHECK_BYTES(all.data.host, 6, BYTES);
    twin_buffer_free(&all.data);
    CHECK_OK(aclrtDestroyEvent(all.event));
    CHECK_OK(aclrtDestroyStream(all.stream));
    twin_threads_run(BLOCKED_KINDS + 1, reset_after, NULL);
    CHECK_OK(aclrtResetDevice(0));
}

/* ---- callbacks ------------------------------------------------------------------------------ */

typedef struct seen_call {
    int stage, device, number;
} seen_call;

static seen_call seen[64];
static unsigned seen_count;
static int fails_in = -1; /* the stage in which a callback returns an error */

static uint32_t note(int stage, int32_t device, void *argument)
{
    if (seen_count < TWIN_COUNT(seen))
        seen[seen_count++] = (seen_call){stage, device, argument ? *(int *)argument : 0};
    return stage == fails_in ? 5 : 0;
}

#define NOTE(stage)                                                                                \
    static uint32_t note_##stage(int32_t device, void *argument)                                   \
    {                                                                                              \
        return note(stage, device, argument);                                                      \
    }
NOTE(0)
NOTE(1)
NOTE(2)
NOTE(3)
NOTE(4)
NOTE(5)

static const aclrtSnapShotCallBack notes[] = {note_0, note_1, note_2, note_3, note_4, note_5};

static uint32_t second(int32_t device, void *argument)
{
    return note(100, device, argument);
}

static void test_register(void)
{
    CHECK_OK(aclrtSetDevice(0));
    const aclrtSnapShotStage beyond = (aclrtSnapShotStage)(ACL_RT_SNAPSHOT_UNLOCK_POST + 1);
    CHECK_CODE(aclrtSnapShotCallbackRegister(beyond, note_0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSnapShotCallbackRegister((aclrtSnapShotStage)-1, note_0, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, NULL, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, note_0, NULL));
    CHECK_CODE(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, note_0, &seen_count),
               ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED);
    CHECK_OK(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_BACKUP_PRE, note_0, NULL));
    CHECK_OK(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, note_0));
    CHECK_OK(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_BACKUP_PRE, note_0));
    CHECK_OK(aclrtResetDevice(0));
}

static void test_unregister(void)
{
    CHECK_OK(aclrtSetDevice(0));
    CHECK_CODE(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, note_0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, note_0, NULL));
    CHECK_CODE(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_UNLOCK_POST, note_0),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, note_1),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_CODE(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, NULL),
               ACL_ERROR_RT_PARAM_INVALID);
    CHECK_OK(aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, note_0));
    seen_count = 0;
    lock();
    unlock();
    CHECK_EQUAL(seen_count, 0);
    CHECK_OK(aclrtResetDevice(0));
}

static void check_seen(unsigned at, int stage, int device, int number)
{
    CHECK_EQUAL(seen[at].stage, stage);
    CHECK_EQUAL(seen[at].device, device);
    CHECK_EQUAL(seen[at].number, number);
}

/* Two of three devices are open, in another order than they are numbered. */
static void call_back(void)
{
    int first = 11, other = 12;
    CHECK_OK(aclInit(NULL));
    CHECK_OK(aclrtSetDevice(2));
    CHECK_OK(aclrtSetDevice(0));
    for (int stage = 0; stage <= ACL_RT_SNAPSHOT_UNLOCK_POST; stage++)
        CHECK_OK(aclrtSnapShotCallbackRegister((aclrtSnapShotStage)stage, notes[stage], &first));
    CHECK_OK(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, second, &other));
    lock();
    CHECK_EQUAL(seen_count, 4);
    check_seen(0, 0, 0, 11); /* for each function all devices */
    check_seen(1, 0, 2, 11);
    check_seen(2, 100, 0, 12);
    check_seen(3, 100, 2, 12);
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    CHECK_OK(aclrtSnapShotProcessRestore(self(), NULL));
    unlock();
    CHECK_EQUAL(seen_count, 14);
    for (unsigned i = 0; i < 5; i++) {
        check_seen(4 + 2 * i, (int)i + 1, 0, 11);
        check_seen(5 + 2 * i, (int)i + 1, 2, 11);
    }

    /* One that fails stops the operation, and the state stays. */
    seen_count = 0;
    fails_in = ACL_RT_SNAPSHOT_LOCK_PRE;
    CHECK_CODE(aclrtSnapShotProcessLock(self(), NULL), ACL_ERROR_SNAPSHOT_CALLBACK_FAILED);
    CHECK_EQUAL(seen_count, 1);
    fails_in = -1;
    lock();
    for (fails_in = ACL_RT_SNAPSHOT_BACKUP_PRE; fails_in <= ACL_RT_SNAPSHOT_BACKUP_POST; fails_in++)
        CHECK_CODE(aclrtSnapShotProcessBackup(self(), NULL), ACL_ERROR_SNAPSHOT_CALLBACK_FAILED);
    fails_in = -1;
    CHECK_OK(aclrtSnapShotProcessBackup(self(), NULL));
    for (fails_in = ACL_RT_SNAPSHOT_RESTORE_PRE; fails_in <= ACL_RT_SNAPSHOT_RESTORE_POST;
         fails_in++)
        CHECK_CODE(aclrtSnapShotProcessRestore(self(), NULL), ACL_ERROR_SNAPSHOT_CALLBACK_FAILED);
    fails_in = -1;
    CHECK_OK(aclrtSnapShotProcessRestore(self(), NULL));
    fails_in = ACL_RT_SNAPSHOT_UNLOCK_POST;
    CHECK_CODE(aclrtSnapShotProcessUnlock(self(), NULL), ACL_ERROR_SNAPSHOT_CALLBACK_FAILED);
    CHECK_CODE(aclrtSnapShotProcessUnlock(self(), NULL), ACL_ERROR_SNAPSHOT_UNLOCK_FAILED);
    CHECK_OK(aclrtResetDevice(0));
    CHECK_OK(aclrtResetDevice(2));
    CHECK_OK(aclFinalize());
}

static void test_callbacks(void)
{
    twin_run_child("call_back", (const char *const[]){"TWINRT_DEVICES=3", NULL});
}

static const twin_test tests[] = {
    {"SNP-01: another process, and arguments that are reserved", test_arguments},
    {"SNP-02: a process is locked once", test_lock},
    {"SNP-03: any thread unlocks a locked process", test_unlock},
    {"SNP-04: the order of backups and restores", test_backup_states},
    {"SNP-04, SNP-09: a restore brings back the contents of the last backup", test_contents},
    {"SNP-05: calls of other threads wait until the process is unlocked", test_others_wait},
    {"SNP-06: a function is registered once for a stage", test_register},
    {"SNP-07: a function that is not registered for a stage", test_unregister},
    {"SNP-08: callbacks of each stage for each open device", test_callbacks},
    {"SNP-09: no backup while there is managed memory", test_managed_memory},
    {"SNP-10: a backup without a context", test_without_context},
};

static const twin_child children[] = {{"call_back", call_back}};

int main(int argc, char **argv)
{
    static const twin_suite suite = {.name = "snapshot",
                                     .tests = tests,
                                     .test_count = TWIN_COUNT(tests),
                                     .children = children,
                                     .child_count = TWIN_COUNT(children),
                                     .initialise = true};
    return twin_suite_main(&suite, argc, argv);
}
