/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are interposed for the order of threads alone. */
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "turn_sync.h"

HOST_EXPORT int pthread_once(pthread_once_t *control, void (*routine)(void))
{
    (void)host_has(HOST_SYNC);
    return TURN_OR(turn_once(turn, control, routine), host_real.pthread_once(control, routine));
}

HOST_EXPORT int pthread_cancel(pthread_t thread)
{
    (void)host_has(HOST_SYNC);
    int error = host_real.pthread_cancel(thread);
    struct turn_thread *turn = turn_here();
    if (error == 0 && turn)
        turn_cancel(turn, thread);
    return error;
}

HOST_EXPORT int sched_yield(void)
{
    struct turn_thread *turn = host_has(HOST_SYNC) ? turn_here() : NULL;
    if (!turn)
        return host_real.sched_yield();
    turn_point(turn);
    return 0;
}

/* Futexes of std::future, std::atomic::wait and the like; what is inlined as a system call is not
 * seen. */
HOST_EXPORT long syscall(long number, ...)
{
    (void)host_has(HOST_SYNC);
    long of[6];
    va_list list;
    va_start(list, number);
    for (unsigned i = 0; i < 6; i++)
        of[i] = va_arg(list, long);
    va_end(list);
    struct turn_thread *turn = number == SYS_futex ? turn_here() : NULL;
    int result = TURN_REAL;
    if (turn)
        result = turn_futex(turn, (const atomic_uint *)of[0], (int)of[1], (unsigned)of[2],
                            (const struct timespec *)of[3]);
    if (result == TURN_REAL)
        return host_real.syscall(number, of[0], of[1], of[2], of[3], of[4], of[5]);
    if (result < 0)
        errno = -result;
    return result < 0 ? -1 : result;
}
