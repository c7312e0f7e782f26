/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* process_vm_readv, siginfo_t */
#include "memory/guarded_copy.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "process/process.h"

#define SIGNALS 2u

static const int signals[SIGNALS] = {SIGBUS, SIGSEGV};
static struct sigaction earlier[SIGNALS];
static bool installed[SIGNALS];
static void (*report)(uint64_t address);

/* Where the thread's copy goes on when it fails; NULL: it copies nothing. The handler reads it: the
 * model of the variable keeps that from asking for memory. */
static _Thread_local sigjmp_buf *volatile failed __attribute__((tls_model("initial-exec")));

static void on_fault(int number, siginfo_t *info, void *context)
{
    if (failed && info->si_code > 0) /* not sent by a process */
        siglongjmp(*failed, 1);
    report((uintptr_t)info->si_addr);
    const struct sigaction *before = &earlier[number == SIGBUS ? 0 : 1];
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(number, info, context);
    } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(number);
    } else {
        /* The access is made again on return and ends the process the plain way. */
        struct sigaction plain = {.sa_handler = SIG_DFL};
        sigaction(number, &plain, NULL);
    }
}

/* Whether faults of this thread come to the handler here: no other is in front of it, but one that
 * is known to pass faults on, and the signals are not blocked. */
static bool is_guarded(sigset_t *out_mask)
{
    for (unsigned i = 0; i < SIGNALS; i++) {
        struct sigaction present;
        if (sigaction(signals[i], NULL, &present) != 0 || (present.sa_flags & SA_SIGINFO) == 0)
            return false;
        if (present.sa_sigaction != on_fault &&
            !(sim_process.services->passes_on &&
              sim_process.services->passes_on(present.sa_sigaction)))
            return false;
    }
    return pthread_sigmask(SIG_SETMASK, NULL, out_mask) == 0 && !sigismember(out_mask, SIGBUS) &&
           !sigismember(out_mask, SIGSEGV);
}

/* The device reads and writes memory that the program uses meanwhile, as hardware would: that is no
 * race of ours. */
#if defined(__SANITIZE_THREAD__)
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

static void begin_device_access(void)
{
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
}
static void end_device_access(void)
{
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
#else
static void begin_device_access(void) {}
static void end_device_access(void) {}
#endif

/* The kernel copies, and answers with an error where a page is missing; at half the speed. */
static bool kernel_copy(char *to, const char *from, uint64_t bytes)
{
    for (uint64_t done = 0; done < bytes;) {
        const struct iovec into = {.iov_base = to + done, .iov_len = bytes - done};
        const struct iovec out = {.iov_base = (void *)(uintptr_t)(from + done),
                                  .iov_len = bytes - done};
        const ssize_t moved = process_vm_readv(getpid(), &into, 1, &out, 1, 0);
        if (moved < 0 && (errno == EPERM || errno == ENOSYS)) { /* a sandbox without this call */
            memmove(to + done, from + done, bytes - done);
            return true;
        }
        if (moved <= 0)
            return false;
        done += (uint64_t)moved;
    }
    return true;
}

bool sim_guarded_copy(void *to, const void *from, uint64_t bytes)
{
    sigset_t mask;
    sigjmp_buf here;
    if (!is_guarded(&mask))
        return kernel_copy(to, from, bytes);
    if (sigsetjmp(here, 0) != 0) {
        failed = NULL; /* the jump has ended the device's access for ThreadSanitizer */
        (void)pthread_sigmask(SIG_SETMASK, &mask, NULL); /* the handler's signal was blocked */
        return false;
    }
    failed = &here;
    begin_device_access();
    memmove(to, from, bytes);
    end_device_access();
    failed = NULL;
    return true;
}

void sim_guarded_copy_install(void (*report_fault)(uint64_t address))
{
    report = report_fault;
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    for (unsigned i = 0; i < SIGNALS; i++)
        installed[i] = installed[i] || sigaction(signals[i], &action, &earlier[i]) == 0;
}

void sim_guarded_copy_remove(void)
{
    for (unsigned i = 0; i < SIGNALS; i++) {
        struct sigaction present;
        if (!installed[i] || sigaction(signals[i], NULL, &present) != 0)
            continue;
        if (!(present.sa_flags & SA_SIGINFO) || present.sa_sigaction != on_fault)
            continue; /* another handler chains to ours: keep it */
        installed[i] = sigaction(signals[i], &earlier[i], NULL) != 0;
    }
}
