/* SPDX-License-Identifier: Apache-2.0 */
/* Assertions that name what they met: codes as symbols, numbers as numbers, with the recent error
 * message. EXPECT notes the failure and goes on; REQUIRE ends the test, so use it in setup only.
 * Each gives true when it held. */
#ifndef TWINRT_TESTS_EXPECT_H
#define TWINRT_TESTS_EXPECT_H

#include <stdbool.h>
#include <stdint.h>

#include "support/cunit_main.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "ACL_ERROR_RT_PARAM_INVALID", or "unknown code". */
const char *twin_acl_name(int code);

/* "TWIN_E_BUSY", or "unknown status". */
const char *twin_status_symbol(int status);

bool twin_expect_acl(int actual, int expected, const char *call, const char *file, int line,
                     bool fatal);
bool twin_expect_status(int actual, int expected, const char *call, const char *file, int line,
                        bool fatal);
bool twin_expect_u64(uint64_t actual, uint64_t expected, const char *what, const char *file,
                     int line);
bool twin_expect_text(const char *actual, const char *expected, const char *what, const char *file,
                      int line);
bool twin_expect_within(double actual, double low, double high, const char *what, const char *file,
                        int line);

/* The text holds the part; used on messages. */
bool twin_expect_holds(const char *text, const char *part, const char *what, const char *file,
                       int line);

#define TWIN_EXPECT_ACL(call, expected)                                                            \
    twin_expect_acl((int)(call), (int)(expected), #call, __FILE__, __LINE__, false)
#define TWIN_REQUIRE_ACL(call, expected)                                                           \
    twin_expect_acl((int)(call), (int)(expected), #call, __FILE__, __LINE__, true)
#define TWIN_EXPECT_STATUS(call, expected)                                                         \
    twin_expect_status((int)(call), (int)(expected), #call, __FILE__, __LINE__, false)
#define TWIN_REQUIRE_STATUS(call, expected)                                                        \
    twin_expect_status((int)(call), (int)(expected), #call, __FILE__, __LINE__, true)
#define TWIN_EXPECT_U64(value, expected)                                                           \
    twin_expect_u64((uint64_t)(value), (uint64_t)(expected), #value, __FILE__, __LINE__)
#define TWIN_EXPECT_TEXT(value, expected)                                                          \
    twin_expect_text((value), (expected), #value, __FILE__, __LINE__)
#define TWIN_EXPECT_HOLDS(text, part) twin_expect_holds((text), (part), #text, __FILE__, __LINE__)
#define TWIN_EXPECT_WITHIN(value, low, high)                                                       \
    twin_expect_within((double)(value), (double)(low), (double)(high), #value, __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif

#endif
