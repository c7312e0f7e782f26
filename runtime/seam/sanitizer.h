/* SPDX-License-Identifier: Apache-2.0 */
/* Which tools look at the process: sanitizers that the program is built with, and valgrind. Found
 * when the library runs, by weak symbols of their runtimes, so that one library serves programs
 * with and without them. */
#ifndef TWINRT_SEAM_SANITIZER_H
#define TWINRT_SEAM_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TWIN_WEAK __attribute__((weak))

TWIN_WEAK void __tsan_acquire(void *address);
TWIN_WEAK void __tsan_release(void *address);
TWIN_WEAK void __lsan_register_root_region(const void *begin, size_t bytes);
TWIN_WEAK void __lsan_unregister_root_region(const void *begin, size_t bytes);
TWIN_WEAK void __msan_unpoison(const volatile void *address, size_t bytes);
/* Of the library that valgrind puts into every process. */
TWIN_WEAK void _vgnU_freeres(void);

static inline bool twin_under_thread_sanitizer(void)
{
    return __tsan_acquire != NULL;
}
/* Whether LeakSanitizer looks for pointers in a range of mapped memory. */
static inline void twin_leak_check_range(const void *begin, size_t bytes, bool look)
{
    if (look && __lsan_register_root_region)
        __lsan_register_root_region(begin, bytes);
    else if (!look && __lsan_unregister_root_region)
        __lsan_unregister_root_region(begin, bytes);
}
static inline bool twin_under_memory_sanitizer(void)
{
    return __msan_unpoison != NULL;
}
static inline bool twin_under_valgrind(void)
{
    return _vgnU_freeres != NULL;
}

#endif
