/* SPDX-License-Identifier: Apache-2.0 */
/* A toolkit of several libraries, which need each other by their bare names as the vendor's do:
 *   libacl_rt.so -> libruntime.so -> libplatform.so, libascend_hal.so (a stub in devlib)
 *                -> libascend_dump.so, which calls the public interface -> libacl_rt.so
 * and one that programs link themselves: liboperators.so -> libprofapi.so */
#ifndef TWINRT_TESTS_LINKED_H
#define TWINRT_TESTS_LINKED_H

#define LINKED_PLATFORM 7
#define LINKED_PROFAPI  11
#define LINKED_PHYSICAL 13

#define LINKED_EXPORTED __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif
/* libruntime.so; in C++, and writes a line to std::cout. LINKED_PLATFORM. */
LINKED_EXPORTED int linked_runtime_begin(void);
/* libruntime.so; a name that this runtime has as well: every device has the number
 * LINKED_PHYSICAL. */
LINKED_EXPORTED int rtGetDevicePhyIdByIndex(unsigned index, unsigned *out_physical);
/* libplatform.so; LINKED_PLATFORM. */
LINKED_EXPORTED int linked_platform(void);
/* libascend_dump.so; what rtGetDevicePhyIdByIndex, a function of libruntime.so, says of device 0,
 * -1: it failed. */
LINKED_EXPORTED int linked_dump_physical(void);
/* libascend_dump.so; how many devices the public function says there are, -1: it failed. */
LINKED_EXPORTED int linked_dump_devices(void);
/* libascend_hal.so */
LINKED_EXPORTED int linked_driver(void);
/* libprofapi.so; LINKED_PROFAPI. */
LINKED_EXPORTED int linked_profapi(void);
/* liboperators.so; what linked_profapi returns. */
LINKED_EXPORTED int linked_operators(void);
#ifdef __cplusplus
}
#endif

#endif
