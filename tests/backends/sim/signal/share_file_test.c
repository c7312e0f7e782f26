/* SPDX-License-Identifier: Apache-2.0 */
/* The files that processes share events and notifies through: their folder, their ends, and what is
 * wrong with them. */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "backends/sim/signal/ipc_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/sim/process/process.h"
#include "support/cunit_main.h"

#define KIND  TWIN_SIGNAL_EVENT_REBIND
#define BYTES ((off_t)sizeof(struct sim_share_page))

/* ---- messages to the driver, and the place -------------------------------------------------- */

static char said[512];

__attribute__((format(printf, 1, 0))) static void say(const char *format, va_list arguments)
{
    vsnprintf(said, sizeof(said), format, arguments);
}

void sim_explain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

void sim_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

static char place[64];    /* XDG_RUNTIME_DIR */
static char folder[80];   /* twinrt's in it */
static unsigned files_at; /* open files when the test began */

static unsigned entries(const char *path)
{
    unsigned count = 0;
    DIR *list = opendir(path);
    if (!list)
        return 0;
    while (readdir(list))
        count++;
    closedir(list);
    return count - 2;
}

static void begin(void)
{
    snprintf(place, sizeof(place), "/tmp/twinrt-share-XXXXXX");
    CU_ASSERT_FATAL(mkdtemp(place) != NULL);
    snprintf(folder, sizeof(folder), "%s/twinrt", place);
    setenv("XDG_RUNTIME_DIR", place, 1);
    files_at = entries("/proc/self/fd");
    said[0] = '\0';
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about;
    (void)type;
    (void)where;
    return remove(path);
}

/* Nothing is left open, whatever was refused. */
static void end(void)
{
    CU_ASSERT_EQUAL(entries("/proc/self/fd"), files_at);
    CU_ASSERT(nftw(place, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

static struct sim_share make(void)
{
    struct sim_share share;
    CU_ASSERT_FATAL(sim_share_make(&share, KIND, 7) == TWIN_OK);
    return share;
}

static bool finds(const char *name)
{
    struct sim_share share;
    said[0] = '\0';
    if (sim_share_find(&share, name, KIND) != TWIN_OK)
        return false;
    sim_share_drop(&share);
    return true;
}

/* Refused, with this in the reason. */
static bool refused(const char *name, const char *reason)
{
    struct sim_share share;
    said[0] = '\0';
    twin_status status = sim_share_find(&share, name, KIND);
    bool good =
        status == TWIN_E_INVALID && strstr(said, reason) != NULL && share.file == -1 && !share.page;
    if (!good)
        fprintf(stderr, "  status %d: %s\n", (int)status, said);
    return good;
}

static bool exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

/* ---- the file and its end ------------------------------------------------------------------- */

static void test_file_is_the_users_alone(void)
{
    begin();
    struct sim_share share = make();
    struct stat about;
    CU_ASSERT(stat(folder, &about) == 0 && (about.st_mode & 0777) == 0700);
    CU_ASSERT(stat(share.path, &about) == 0 && (about.st_mode & 0777) == 0600);
    CU_ASSERT_EQUAL(about.st_size, BYTES);
    CU_ASSERT(about.st_blocks * 512 >= BYTES); /* its pages are there */
    CU_ASSERT(strncmp(share.path, folder, strlen(folder)) == 0);
    CU_ASSERT_EQUAL(strlen(share.name), TWIN_SHARE_NAME);
    CU_ASSERT_EQUAL(share.page->hardware_id, 7);
    CU_ASSERT((fcntl(share.file, F_GETFD) & FD_CLOEXEC) != 0);
    struct sim_share other = make();
    CU_ASSERT(strcmp(share.name, other.name) != 0);
    sim_share_drop(&other);
    sim_share_drop(&share);
    CU_ASSERT_EQUAL(entries(folder), 0);
    end();
}

static void test_last_user_removes_it(void)
{
    begin();
    struct sim_share first = make();
    struct sim_share second;
    char name[TWIN_SHARE_NAME];
    memcpy(name, first.name, sizeof(name));
    CU_ASSERT_FATAL(sim_share_find(&second, name, KIND) == TWIN_OK);
    CU_ASSERT(second.user != NULL && second.user->pid == (uint64_t)getpid());
    sim_share_drop(&first);
    CU_ASSERT(finds(name));
    CU_ASSERT_EQUAL(entries(folder), 1);
    sim_share_drop(&second);
    CU_ASSERT_EQUAL(entries(folder), 0);
    CU_ASSERT(refused(name, "no shared object has it"));
    end();
}

/* A child that ends without letting go. */
static void crash_sharing(char *name)
{
    int ends[2];
    CU_ASSERT_FATAL(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        struct sim_share share;
        if (sim_share_make(&share, KIND, 0) != TWIN_OK ||
            write(ends[1], share.name, TWIN_SHARE_NAME) != (ssize_t)TWIN_SHARE_NAME)
            _exit(1);
        _exit(0);
    }
    int status = -1;
    CU_ASSERT(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CU_ASSERT(read(ends[0], name, TWIN_SHARE_NAME) == (ssize_t)TWIN_SHARE_NAME);
    close(ends[0]);
    close(ends[1]);
}

static void put_file(const char *where, const char *name, off_t bytes)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", where, name);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT(ftruncate(file, bytes) == 0);
    close(file);
}

static void test_sweep(void)
{
    char stale[TWIN_SHARE_NAME + 1] = {0};
    char upper[TWIN_SHARE_NAME + 1];
    char longer[TWIN_SHARE_NAME + 2];
    char path[256];
    begin();
    struct sim_share held = make();
    crash_sharing(stale);
    snprintf(path, sizeof(path), "%s/%s", folder, stale);
    CU_ASSERT(exists(path));
    memset(upper, 'A', TWIN_SHARE_NAME);
    upper[TWIN_SHARE_NAME] = '\0';
    memset(longer, 'a', TWIN_SHARE_NAME + 1);
    longer[TWIN_SHARE_NAME + 1] = '\0';
    put_file(folder, "notes", 10);
    put_file(folder, upper, BYTES);
    put_file(folder, longer, BYTES);

    struct sim_share fresh = make();
    CU_ASSERT_FALSE(exists(path));
    CU_ASSERT_EQUAL(entries(folder), 5); /* held, fresh, and foreign files */
    CU_ASSERT(finds(held.name));
    sim_share_drop(&fresh);
    sim_share_drop(&held);
    CU_ASSERT_EQUAL(entries(folder), 3);
    end();
}

/* The target of a link is left alone, though it is not locked. */
static void test_sweep_follows_no_links(void)
{
    char target[128];
    char link_path[256];
    begin();
    struct sim_share first = make();
    snprintf(target, sizeof(target), "%s/precious", place);
    int file = open(target, O_RDWR | O_CREAT, 0600);
    CU_ASSERT_FATAL(file >= 0);
    close(file);
    snprintf(link_path, sizeof(link_path), "%s/%0*d", folder, (int)TWIN_SHARE_NAME, 0);
    CU_ASSERT(symlink(target, link_path) == 0);
    struct sim_share second = make();
    CU_ASSERT(exists(target));
    sim_share_drop(&second);
    sim_share_drop(&first);
    end();
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void test_names(void)
{
    char name[TWIN_SHARE_NAME + 1];
    begin();
    struct sim_share share = make();
    for (unsigned i = 0; i < TWIN_SHARE_NAME; i += 9) {
        for (const char *odd = "A/.g\n\x80"; *odd; odd++) {
            memcpy(name, share.name, sizeof(name));
            name[i] = *odd;
            CU_ASSERT(refused(name, "not made by an export"));
        }
        memcpy(name, share.name, sizeof(name));
        name[i] = '\0';
        CU_ASSERT(refused(name, "not made by an export"));
    }
    memset(name, '0', TWIN_SHARE_NAME);
    CU_ASSERT(refused(name, "no shared object has it"));
    CU_ASSERT(finds(share.name));
    sim_share_drop(&share);
    end();
}

static void test_size_is_checked(void)
{
    begin();
    struct sim_share share = make();
    static const off_t sizes[] = {0, 1, 4096, BYTES - 1, BYTES + 1, 2 * BYTES};
    for (size_t i = 0; i < TWIN_COUNT(sizes); i++) {
        CU_ASSERT(ftruncate(share.file, sizes[i]) == 0);
        CU_ASSERT(refused(share.name, "damaged"));
    }
    CU_ASSERT(ftruncate(share.file, BYTES) == 0);
    CU_ASSERT(refused(share.name, "another version")); /* all zero now */
    sim_share_drop(&share);
    end();
}

static void test_contents_are_checked(void)
{
    begin();
    struct sim_share share = make();
    struct sim_share_page *page = share.page;
    const uint64_t magic = page->magic;
    page->magic = 0; /* not ready yet, or not ours */
    CU_ASSERT(refused(share.name, "another version"));
    page->magic = magic;
    page->version++;
    CU_ASSERT(refused(share.name, "another version"));
    page->version--;
    page->kind = TWIN_SIGNAL_NOTIFY;
    CU_ASSERT(refused(share.name, "another kind"));
    page->kind = KIND;
    page->closed = 1;
    CU_ASSERT(refused(share.name, "has destroyed it"));
    page->closed = 0;
    CU_ASSERT(finds(share.name));
    sim_share_drop(&share);
    end();
}

static void test_other_kinds_of_file(void)
{
    char name[TWIN_SHARE_NAME + 1];
    char path[256];
    begin();
    struct sim_share share = make();
    memset(name, 'a', TWIN_SHARE_NAME);
    name[TWIN_SHARE_NAME] = '\0';
    snprintf(path, sizeof(path), "%s/%s", folder, name);

    CU_ASSERT(symlink(share.path, path) == 0);
    CU_ASSERT(refused(name, "no shared object has it"));
    CU_ASSERT(unlink(path) == 0);
    CU_ASSERT(mkdir(path, 0700) == 0);
    CU_ASSERT(refused(name, "no shared object has it"));
    CU_ASSERT(rmdir(path) == 0);
    CU_ASSERT(link(share.path, path) == 0); /* two names: one of them is not from an export */
    CU_ASSERT(refused(name, "damaged"));
    CU_ASSERT(refused(share.name, "damaged"));
    CU_ASSERT(unlink(path) == 0);
    CU_ASSERT(finds(share.name));
    sim_share_drop(&share);
    end();
}

static void test_file_that_is_gone(void)
{
    begin();
    struct sim_share share = make();
    char name[TWIN_SHARE_NAME];
    memcpy(name, share.name, sizeof(name));
    CU_ASSERT(unlink(share.path) == 0);
    CU_ASSERT(refused(name, "no shared object has it"));
    sim_share_drop(&share); /* no harm that it is gone */
    end();
}

/* ---- the folder ----------------------------------------------------------------------------- */

/* Neither made in that folder nor looked for there. */
static void check_avoided(const char *why)
{
    struct sim_share share;
    said[0] = '\0';
    twin_status status = sim_share_make(&share, KIND, 0);
    if (status == TWIN_OK) {
        CU_ASSERT(strncmp(share.path, place, strlen(place)) != 0);
        CU_ASSERT(finds(share.name));
        sim_share_drop(&share);
    } else {
        fprintf(stderr, "  %s: %s\n", why, said); /* no /dev/shm here */
        CU_ASSERT(status == TWIN_E_SETUP && strstr(said, "no folder") != NULL);
    }
}

static void test_folder_of_others(void)
{
    char elsewhere[128];
    begin();
    struct sim_share share = make();
    static const mode_t modes[] = {0701, 0710, 0755, 0777};
    for (size_t i = 0; i < TWIN_COUNT(modes); i++) {
        CU_ASSERT(chmod(folder, modes[i]) == 0);
        CU_ASSERT(refused(share.name, "no shared object has it"));
        check_avoided("a folder that others may use");
    }
    CU_ASSERT(chmod(folder, 0700) == 0);
    CU_ASSERT(finds(share.name));

    snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", place);
    CU_ASSERT(rename(folder, elsewhere) == 0 && symlink(elsewhere, folder) == 0);
    CU_ASSERT(refused(share.name, "no shared object has it"));
    check_avoided("a link to a folder");
    CU_ASSERT(unlink(folder) == 0);
    put_file(place, "twinrt", 0);
    CU_ASSERT(refused(share.name, "no shared object has it"));
    check_avoided("a file");
    CU_ASSERT(unlink(folder) == 0 && rename(elsewhere, folder) == 0);
    sim_share_drop(&share);
    CU_ASSERT_EQUAL(entries(folder), 0);
    end();
}

static void test_invalid_places(void)
{
    char here[1024];
    begin();
    CU_ASSERT_FATAL(getcwd(here, sizeof(here)) != NULL && chdir(place) == 0);
    setenv("XDG_RUNTIME_DIR", "relative", 1);
    CU_ASSERT(mkdir("relative", 0700) == 0);
    check_avoided("a relative path");
    CU_ASSERT_EQUAL(entries("relative"), 0);
    setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
    check_avoided("a place that is not there");
    unsetenv("XDG_RUNTIME_DIR");
    check_avoided("no place");
    CU_ASSERT(chdir(here) == 0);
    end();
}

/* ---- users ---------------------------------------------------------------------------------- */

static void test_list_of_processes(void)
{
    begin();
    struct sim_share share = make();
    struct sim_share_page *page = share.page;
    const int32_t own = (int32_t)getpid();
    page->checks_pid = 1;
    CU_ASSERT_FALSE(sim_share_may_import(&share));
    CU_ASSERT(refused(share.name, "not allowed to import"));
    for (int32_t i = 0; i < (int32_t)SIM_SHARE_PIDS - 1; i++)
        CU_ASSERT(sim_share_allow(&share, &(int32_t){own + 1 + i}, 1) == TWIN_OK);
    CU_ASSERT_FALSE(sim_share_may_import(&share));
    CU_ASSERT(sim_share_allow(&share, (int32_t[]){own, own}, 2) == TWIN_OK);
    CU_ASSERT(finds(share.name));
    CU_ASSERT(sim_share_allow(&share, &own, 1) == TWIN_OK); /* known: takes no room */
    CU_ASSERT(sim_share_allow(&share, &(int32_t){own - 1}, 1) == TWIN_E_INVALID);
    CU_ASSERT(strstr(said, "full") != NULL);

    page->allowed = UINT32_MAX; /* a damaged count leads nowhere */
    CU_ASSERT(sim_share_may_import(&share));
    CU_ASSERT(sim_share_allow(&share, &(int32_t){own - 1}, 1) == TWIN_E_INVALID);
    page->pids[SIM_SHARE_PIDS - 1] = 0;
    CU_ASSERT_FALSE(sim_share_may_import(&share));
    sim_share_drop(&share);
    end();
}

static pid_t sleeper(void)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    CU_ASSERT_FATAL(child > 0);
    return child;
}

static void kill_child(pid_t child)
{
    CU_ASSERT(kill(child, SIGKILL) == 0);
    CU_ASSERT(waitpid(child, NULL, 0) == child);
}

static void test_company(void)
{
    uint64_t pid = 1;
    begin();
    struct sim_share share = make();
    struct sim_share_page *page = share.page;
    struct sim_share_user *other = &page->users[5];
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_AWAITED);
    CU_ASSERT_EQUAL(pid, 0);
    page->visited = 1;
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_GONE);

    pid_t child = sleeper();
    other->pid = (uint64_t)child;
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_PRESENT);
    CU_ASSERT_EQUAL(pid, (uint64_t)child);
    other->start = 1; /* the number is another process's by now */
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_GONE);
    other->start = 0;
    kill_child(child);
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_GONE);
    CU_ASSERT_EQUAL(pid, (uint64_t)child);
    other->pid = UINT64_MAX; /* damaged */
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_GONE);
    other->pid = 0;

    page->visited = 0;
    page->checks_pid = 1;
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_GONE); /* none is allowed */
    child = sleeper();
    CU_ASSERT(sim_share_allow(&share, &child, 1) == TWIN_OK);
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_AWAITED);
    page->closed = 1;
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_GONE);
    page->closed = 0;
    kill_child(child);
    CU_ASSERT_EQUAL(sim_share_company(&share, &pid), SIM_COMPANY_GONE);
    sim_share_drop(&share);
    end();
}

static void test_users_are_limited(void)
{
    begin();
    struct sim_share share = make();
    struct sim_share_page *page = share.page;
    pid_t child = sleeper();
    for (unsigned i = 0; i < SIM_SHARE_USERS; i++)
        if (&page->users[i] != share.user)
            page->users[i].pid = (uint64_t)child;
    CU_ASSERT(refused(share.name, "too many processes"));
    CU_ASSERT(exists(share.path));
    kill_child(child); /* its places are those of one that has ended */
    CU_ASSERT(finds(share.name));
    CU_ASSERT_EQUAL(page->visited, 1);
    sim_share_drop(&share);
    CU_ASSERT_EQUAL(entries(folder), 0);
    end();
}

/* ---- records -------------------------------------------------------------------------------- */

static void test_records(void)
{
    begin();
    struct sim_share share = make();
    CU_ASSERT_EQUAL(sim_share_newest(&share), 0);
    uint64_t first = sim_share_begin(&share);
    uint64_t second = sim_share_begin(&share);
    CU_ASSERT_EQUAL(sim_share_newest(&share), second);
    CU_ASSERT_EQUAL(sim_share_state(&share, first), SIM_SHARE_PENDING);
    sim_share_end(&share, second, SIM_SHARE_DROPPED);
    CU_ASSERT_EQUAL(sim_share_state(&share, second), SIM_SHARE_DROPPED);
    sim_share_end(&share, second, SIM_SHARE_DONE); /* its end was reported already */
    CU_ASSERT_EQUAL(sim_share_state(&share, second), SIM_SHARE_DROPPED);
    while (sim_share_newest(&share) < first + SIM_SHARE_RECORDS - 1) {
        CU_ASSERT_FALSE(sim_share_full(&share));
        sim_share_end(&share, sim_share_begin(&share), SIM_SHARE_DONE);
    }
    CU_ASSERT(sim_share_full(&share)); /* the first is pending still */
    sim_share_end(&share, first, SIM_SHARE_DONE);
    CU_ASSERT_FALSE(sim_share_full(&share));
    uint64_t next = sim_share_begin(&share);
    CU_ASSERT_EQUAL(sim_share_state(&share, first), SIM_SHARE_DONE); /* replaced */
    CU_ASSERT_EQUAL(sim_share_state(&share, next), SIM_SHARE_PENDING);
    sim_share_end(&share, first, SIM_SHARE_DROPPED);
    CU_ASSERT_EQUAL(sim_share_state(&share, next), SIM_SHARE_PENDING);

    _Atomic uint64_t *word = &share.page->records[next % SIM_SHARE_RECORDS];
    *word = next << 2 | 3; /* no state: early or never, but nothing worse */
    CU_ASSERT_EQUAL(sim_share_state(&share, next), SIM_SHARE_PENDING);
    *word = UINT64_MAX;
    CU_ASSERT_EQUAL(sim_share_state(&share, next), SIM_SHARE_DONE);
    sim_share_drop(&share);
    end();
}

static const twin_test tests[] = {
    {"folder and file are the user's alone", test_file_is_the_users_alone},
    {"the last user removes the file", test_last_user_removes_it},
    {"files left by a crash are removed, and no others", test_sweep},
    {"a sweep follows no links", test_sweep_follows_no_links},
    {"a name that no export made is refused", test_names},
    {"a file of another size is refused", test_size_is_checked},
    {"a page that does not fit is refused", test_contents_are_checked},
    {"links and folders are refused", test_other_kinds_of_file},
    {"a file that is gone is refused", test_file_that_is_gone},
    {"a folder that others may use is avoided", test_folder_of_others},
    {"invalid places are avoided", test_invalid_places},
    {"a list of processes is held to, and ends", test_list_of_processes},
    {"company depends on the processes that live", test_company},
    {"users are limited, those that ended make room", test_users_are_limited},
    {"records end once, and replace none that is pending", test_records},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim_share_file", tests, TWIN_COUNT(tests), argc, argv);
}
