/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the conformance suites. A failed check prints codes by name, goes on, and fails the
 * test (or, in a child process, the child). Any thread may check. Each macro answers whether the
 * check held. */
#ifndef TWINRT_CONFORMANCE_CHECK_H
#define TWINRT_CONFORMANCE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"

/* The call answers ACL_SUCCESS. */
#define CHECK_OK(call) twin_check_code((call), ACL_SUCCESS, #call, __FILE__, __LINE__)
/* The call answers `want`. */
#define CHECK_CODE(call, want) twin_check_code((call), (want), #call, __FILE__, __LINE__)
/* The call answers `want` or `other`. */
#define CHECK_EITHER(call, want, other)                                                            \
    twin_check_either((call), (want), (other), #call, __FILE__, __LINE__)
/* The call answers some error; the catalogue does not fix which. */
#define CHECK_FAILS(call) twin_check_fails((call), #call, __FILE__, __LINE__)
#define CHECK(condition)  twin_check_true((condition), #condition, __FILE__, __LINE__)
/* Two whole numbers are equal; prints both. */
#define CHECK_EQUAL(got, want)                                                                     \
    twin_check_equal((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)
/* `bytes` bytes at `data` all have the value `want`; prints the first that differs. */
#define CHECK_BYTES(data, want, bytes)                                                             \
    twin_check_bytes((data), (want), (bytes), #data, __FILE__, __LINE__)

bool twin_check_code(aclError got, aclError want, const char *call, const char *file, int line);
bool twin_check_either(aclError got, aclError want, aclError other, const char *call,
                       const char *file, int line);
bool twin_check_fails(aclError got, const char *call, const char *file, int line);
bool twin_check_true(bool held, const char *text, const char *file, int line);
bool twin_check_equal(int64_t got, int64_t want, const char *text, const char *file, int line);
bool twin_check_bytes(const void *data, uint8_t want, size_t bytes, const char *text,
                      const char *file, int line);

/* Name of a public code: "ACL_ERROR_RT_CONTEXT_NULL (107002)". The text lives until the thread's
 * next call. */
const char *twin_code_name(aclError code);

/* Where failures go; without one they are printed on stderr. The calling thread becomes the one
 * that runs the tests: CUnit takes failures from it alone, so those of other threads reach the sink
 * at twin_check_flush. */
typedef void (*twin_check_sink)(const char *text, const char *file, int line);
void twin_check_set_sink(twin_check_sink sink);
/* Hands on what other threads have found. Call on the thread that runs the tests, after joining
 * them. */
void twin_check_flush(void);
/* Failures since the process began. */
size_t twin_check_failures(void);

#endif
