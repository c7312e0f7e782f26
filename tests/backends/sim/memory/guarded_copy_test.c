/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of memory that may not be there. */
#define _GNU_SOURCE
#include "memory/guarded_copy.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/process.h"
#include "support/cunit_main.h"

#define PAGE ((size_t)4096)

struct sim_process sim_process;

static volatile uint64_t reported; /* by a signal handler */

static void report(uint64_t address)
{
    reported = address;
}

static unsigned char *map(size_t pages, int rights)
{
    void *place = mmap(NULL, pages * PAGE, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CU_ASSERT_FATAL(place != MAP_FAILED);
    return place;
}

/* Two pages, the second of which is not there. */
static unsigned char *map_with_hole(void)
{
    unsigned char *bytes = map(2, PROT_READ | PROT_WRITE);
    memset(bytes, 7, 2 * PAGE);
    CU_ASSERT(munmap(bytes + PAGE, PAGE) == 0);
    return bytes;
}

static bool others_pass_on(void (*handler)(int number, siginfo_t *info, void *context))
{
    (void)handler;
    return false;
}
static const twin_services services = {.passes_on = others_pass_on};

static void check_copies(void)
{
    unsigned char *here = map(2, PROT_READ | PROT_WRITE);
    unsigned char *fixed = map(1, PROT_READ);
    unsigned char *closed = map(1, PROT_NONE);
    unsigned char *hole = map_with_hole(); /* last: a single page could be mapped into it */
    CU_ASSERT(sim_guarded_copy(here, hole, PAGE));
    CU_ASSERT(here[0] == 7 && here[PAGE - 1] == 7);
    CU_ASSERT(!sim_guarded_copy(here, hole, PAGE + 1));
    CU_ASSERT(!sim_guarded_copy(hole + 1, here, PAGE));
    CU_ASSERT(!sim_guarded_copy(fixed, here, 1));
    CU_ASSERT(sim_guarded_copy(here, fixed, 1));
    CU_ASSERT(!sim_guarded_copy(here, closed, 1));
    /* A file that is shorter than its mapping. */
    int file = memfd_create("guarded_copy_test", MFD_CLOEXEC);
    CU_ASSERT_FATAL(file >= 0 && ftruncate(file, (off_t)(2 * PAGE)) == 0);
    unsigned char *mapped = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CU_ASSERT_FATAL(mapped != MAP_FAILED);
    CU_ASSERT(sim_guarded_copy(mapped, here, 2 * PAGE));
    CU_ASSERT(ftruncate(file, (off_t)PAGE) == 0);
    CU_ASSERT(!sim_guarded_copy(mapped, here, 2 * PAGE));
    CU_ASSERT(!sim_guarded_copy(here, mapped + PAGE, 1));
    CU_ASSERT(sim_guarded_copy(here, mapped, PAGE));
    munmap(mapped, 2 * PAGE);
    close(file);
    munmap(here, 2 * PAGE);
    munmap(hole, PAGE);
    munmap(fixed, PAGE);
    munmap(closed, PAGE);
    CU_ASSERT(reported == 0);
}

static void test_handler(void)
{
    reported = 0;
    sim_guarded_copy_install(report);
    check_copies();
    sigset_t mask;
    CU_ASSERT(sigprocmask(SIG_SETMASK, NULL, &mask) == 0);
    CU_ASSERT(!sigismember(&mask, SIGSEGV) && !sigismember(&mask, SIGBUS));
    sim_guarded_copy_remove();
}

static void on_own(int number)
{
    (void)number;
    _exit(3); /* no fault of a copy may come here */
}

/* Without the handler, with one of the program in front of it, and with blocked signals. */
static void test_kernel(void)
{
    reported = 0;
    check_copies();
    sim_guarded_copy_install(report);
    struct sigaction own = {.sa_handler = on_own};
    struct sigaction before;
    CU_ASSERT(sigaction(SIGSEGV, &own, &before) == 0);
    check_copies();
    CU_ASSERT(sigaction(SIGSEGV, &before, NULL) == 0);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGBUS);
    CU_ASSERT(sigprocmask(SIG_BLOCK, &mask, NULL) == 0);
    check_copies();
    CU_ASSERT(sigprocmask(SIG_UNBLOCK, &mask, NULL) == 0);
    sim_guarded_copy_remove();
}

static void on_other(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    /* The access is made again, and finds the page. */
    mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE,
             PROT_READ | PROT_WRITE);
}

/* A fault of the program is reported and goes to the handler that was there before. */
static void test_faults_of_others(void)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    struct sigaction before;
    action.sa_sigaction = on_other;
    reported = 0;
    CU_ASSERT(sigaction(SIGSEGV, &action, &before) == 0);
    sim_guarded_copy_install(report);
    volatile unsigned char *closed = map(1, PROT_NONE);
    closed[5] = 1;
    CU_ASSERT_EQUAL(reported, (uintptr_t)closed + 5);
    CU_ASSERT(closed[5] == 1);
    sim_guarded_copy_remove();
    CU_ASSERT(sigaction(SIGSEGV, &before, &action) == 0);
    CU_ASSERT(action.sa_sigaction == on_other);
    munmap((void *)(uintptr_t)closed, PAGE);
}

static const twin_test tests[] = {
    {"a copy ends where a page is missing", test_handler},
    {"without the handler the kernel copies", test_kernel},
    {"faults of the program go to its own handler", test_faults_of_others},
};

int main(int argc, char **argv)
{
    sim_process.services = &services;
    return twin_run_suite("guarded copy", tests, TWIN_COUNT(tests), argc, argv);
}
