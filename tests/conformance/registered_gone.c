/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that change while they are registered: the task that needs them fails, and nothing else. */
#include "registered_tests.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 4u
#define BYTES ((size_t)PAGES * PAGE)

/* Removes the last two pages of a mapped range, or what it has; they come back when it is over. */
typedef struct change {
    void (*remove)(char *pages);
    void (*restore)(char *pages);
} change;

typedef struct scene {
    aclrtStream stream;
    char *pages;
    uint64_t *device;
    char *memory; /* of the device */
} scene;

static void begin(scene *s, char *pages)
{
    CHECK_OK(aclrtSetDevice(0));
    s->stream = twin_stream();
    s->pages = pages;
    s->device = registered_map(pages, BYTES);
    void *memory = NULL;
    CHECK_OK(aclrtMalloc(&memory, BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK_OK(aclrtMemset(memory, BYTES, 4, BYTES));
    s->memory = memory;
}

static void end(scene *s)
{
    CHECK_OK(aclrtHostUnregister(s->pages));
    CHECK_OK(aclrtFree(s->memory));
    CHECK_OK(aclrtDestroyStream(s->stream));
    CHECK_OK(aclrtResetDevice(0));
}

/* The wait reports a failure whose text names the registration. */
static void check_failed(const scene *s)
{
    (void)aclGetRecentErrMsg();
    CHECK_FAILS(aclrtSynchronizeStream(s->stream));
    const char *text = aclGetRecentErrMsg();
    CHECK(text != NULL && strstr(text, "registered at ") != NULL);
    CHECK_OK(aclrtSynchronizeStream(s->stream));
}

/* Each kind of task, first on the pages that are there. */
static void use_all(const scene *s, bool gone)
{
    const size_t at = gone ? (PAGES - 2) * PAGE : 0;
    uint64_t *word = s->device + at / 8;
    CHECK_OK(aclrtValueWrite(word, 5, 0, s->stream));
    if (gone)
        check_failed(s);
    CHECK_OK(aclrtValueWait(word, 5, 1, s->stream));
    if (gone)
        check_failed(s);
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(s->stream, SOON_MS));
}

/* Copies are queued while all pages are there. */
static void copy_while(const scene *s, const change *how, bool into, size_t bytes)
{
    twin_hold hold;
    char *host = s->pages + BYTES - bytes;
    twin_hold_begin(&hold, s->stream);
    if (into)
        CHECK_OK(
            aclrtMemcpyAsync(host, bytes, s->memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST, s->stream));
    else
        CHECK_OK(
            aclrtMemcpyAsync(s->memory, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, s->stream));
    how->remove(s->pages);
    twin_hold_release(&hold, NULL);
    check_failed(s);
    twin_hold_end(&hold, NULL);
    how->restore(s->pages);
}

static void check_change(char *pages, const change *how)
{
    scene s;
    begin(&s, pages);
    use_all(&s, false);
    how->remove(pages);
    use_all(&s, true);
    how->restore(pages);
    use_all(&s, false);
    copy_while(&s, how, true, PAGE);
    copy_while(&s, how, true, BYTES); /* the first pages are there */
    copy_while(&s, how, false, PAGE);
    copy_while(&s, how, false, BYTES);
    use_all(&s, false);
    end(&s);
}

/* ---- the ways ------------------------------------------------------------------------------- */

static void map_back(char *pages)
{
    CHECK(mmap(pages + BYTES - 2 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
}

static void unmap_pages(char *pages)
{
    registered_unmap(pages + BYTES - 2 * PAGE, 2 * PAGE);
}

void test_unmapped(void)
{
    static const change how = {unmap_pages, map_back};
    char *pages = registered_pages(BYTES);
    check_change(pages, &how);
    registered_unmap(pages, BYTES);
}

static int file = -1;

static void truncate_file(char *pages)
{
    (void)pages;
    CHECK_EQUAL(ftruncate(file, BYTES - 2 * PAGE), 0);
}

static void extend_file(char *pages)
{
    (void)pages;
    CHECK_EQUAL(ftruncate(file, BYTES), 0);
}

void test_truncated(void)
{
    static const change how = {truncate_file, extend_file};
    file = memfd_create("registered", MFD_CLOEXEC);
    extend_file(NULL);
    char *pages = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(pages != MAP_FAILED);
    check_change(pages, &how);
    registered_unmap(pages, BYTES);
    close(file);
}

static char *moved_to;

static void move_away(char *pages)
{
    moved_to = mremap(pages + BYTES - 2 * PAGE, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
                      moved_to);
    CHECK(moved_to != MAP_FAILED);
}

static void move_back(char *pages)
{
    char *to = pages + BYTES - 2 * PAGE;
    CHECK(mremap(moved_to, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
}

void test_moved(void)
{
    static const change how = {move_away, move_back};
    char *pages = registered_pages(BYTES);
    moved_to = registered_pages(2 * PAGE);
    check_change(pages, &how);
    registered_unmap(pages, BYTES);
}

static void protect(char *pages)
{
    CHECK_EQUAL(mprotect(pages + BYTES - 2 * PAGE, 2 * PAGE, PROT_NONE), 0);
}

static void unprotect(char *pages)
{
    CHECK_EQUAL(mprotect(pages + BYTES - 2 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE), 0);
}

void test_protected(void)
{
    static const change how = {protect, unprotect};
    char *pages = registered_pages(BYTES);
    check_change(pages, &how);
    registered_unmap(pages, BYTES);
}

/* ---- the rest -------------------------------------------------------------------------------- */

void test_read_only(void)
{
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint64_t *words = registered_pages(PAGE);
    uint64_t *device = NULL;
    words[3] = 8;
    CHECK_OK(aclrtHostRegister(words, PAGE, ACL_HOST_REGISTER_READONLY, (void **)&device));
    CHECK_OK(aclrtValueWait(&device[3], 8, 1, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    (void)aclGetRecentErrMsg();
    CHECK_OK(aclrtValueWrite(&device[3], 9, 0, stream));
    CHECK_FAILS(aclrtSynchronizeStream(stream));
    const char *text = aclGetRecentErrMsg();
    CHECK(text != NULL && strstr(text, "read-only") != NULL);
    CHECK_EQUAL(words[3], 8);
    CHECK_OK(aclrtHostUnregister(words));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(words, PAGE);
}

/* After a fork both processes have the pages, and a store of one gives it pages of its own. */
void test_forked(void)
{
    int ends[2] = {-1, -1};
    char go = 0;
    CHECK_OK(aclrtSetDevice(0));
    aclrtStream stream = twin_stream();
    uint64_t *words = registered_pages(PAGE);
    uint64_t *device = registered_map(words, PAGE);
    words[0] = 1;
    CHECK_EQUAL(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const bool same = read(ends[0], &go, 1) == 1 && words[0] == 1 && words[1] == 0;
        _exit(same ? 0 : 1);
    }
    words[0] = 2;
    CHECK_OK(aclrtValueWait(&device[0], 2, 1, stream));
    CHECK_OK(aclrtValueWrite(&device[1], 3, 0, stream));
    CHECK_OK(aclrtSynchronizeStreamWithTimeout(stream, SOON_MS));
    CHECK_EQUAL(words[1], 3);
    CHECK_EQUAL(write(ends[1], &go, 1), 1);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    close(ends[0]);
    close(ends[1]);
    CHECK_OK(aclrtHostUnregister(words));
    CHECK_OK(aclrtDestroyStream(stream));
    CHECK_OK(aclrtResetDevice(0));
    registered_unmap(words, PAGE);
}

void test_unregistered_in_flight(void)
{
    scene s;
    twin_hold hold;
    begin(&s, registered_pages(BYTES));
    twin_hold_begin(&hold, s.stream);
    CHECK_OK(aclrtValueWrite(s.device, 5, 0, s.stream));
    CHECK_OK(aclrtHostUnregister(s.pages));
    twin_hold_release(&hold, NULL);
    check_failed(&s);
    twin_hold_end(&hold, NULL);
    CHECK_BYTES(s.pages, 0, BYTES);
    CHECK_EQUAL(registered_map(s.pages, BYTES) != NULL, true);
    char *pages = s.pages;
    end(&s);
    registered_unmap(pages, BYTES);
}

/* The copy on the caller's thread fails over pages that are gone, then a task over an address at
 * which nothing is mapped any more: its report does not speak of the pages. */
void test_cause_of_another(void)
{
    enum { GRANULE = 2 << 20 };
    scene s;
    twin_hold hold;
    void *address = NULL;
    aclrtDrvMemHandle physical = NULL;
    aclrtPhysicalMemProp prop = {.handleType = ACL_MEM_HANDLE_TYPE_NONE,
                                 .allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED,
                                 .memAttr = ACL_HBM_MEM_HUGE,
                                 .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE, .id = 0}};
    begin(&s, registered_pages(BYTES));
    CHECK_OK(aclrtReserveMemAddress(&address, GRANULE, 0, NULL, 1));
    CHECK_OK(aclrtMallocPhysical(&physical, GRANULE, &prop, 0));
    CHECK_OK(aclrtMapMem(address, GRANULE, 0, physical, 0));
    twin_hold_begin(&hold, s.stream);
    CHECK_OK(aclrtValueWrite(address, 1, 0, s.stream));
    CHECK_OK(aclrtUnmapMem(address));
    registered_unmap(s.pages + BYTES / 2, BYTES / 2);
    CHECK_FAILS(aclrtMemcpy(s.memory, BYTES, s.pages, BYTES, ACL_MEMCPY_HOST_TO_DEVICE));
    (void)aclGetRecentErrMsg();
    twin_hold_release(&hold, NULL);
    CHECK_FAILS(aclrtSynchronizeStream(s.stream));
    const char *text = aclGetRecentErrMsg();
    CHECK(text != NULL && strstr(text, "cannot reach") != NULL);
    CHECK(text != NULL && strstr(text, "registered at ") == NULL);
    CHECK_OK(aclrtDestroyNotify(hold.notify));
    CHECK_OK(aclrtFreePhysical(physical));
    CHECK_OK(aclrtReleaseMemAddress(address));
    end(&s);
    registered_unmap(s.pages, BYTES / 2);
}
