/* SPDX-License-Identifier: Apache-2.0 */
/* What the examples share: a call either returns the expected code or ends the program. */
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"

/* Ends the program with status 1 unless the call returns `code`. */
#define EXPECT(call, code) check_code(#call, (call), (code), __FILE__, __LINE__)
#define CHECK(call)        check_code(#call, (call), ACL_SUCCESS, __FILE__, __LINE__)
/* Ends the program with status 1 unless the condition holds. */
#define REQUIRE(condition) check_true(#condition, (condition) ? 1 : 0, __FILE__, __LINE__)

static inline void check_code(const char *call, aclError code, aclError expected, const char *file,
                              int line)
{
    if (code == expected)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s:%d: %s\n  returned %d, expected %d\n", file, line, call, (int)code,
            (int)expected);
    if (message)
        fprintf(stderr, "  %s\n", message);
    exit(1);
}

static inline void check_true(const char *condition, int holds, const char *file, int line)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    exit(1);
}

/* A pattern that differs from byte to byte and from seed to seed. */
static inline unsigned char pattern_at(size_t index, unsigned seed)
{
    return (unsigned char)((index * 31u + (index >> 8) * 7u + seed) & 0xffu);
}

static inline void pattern_fill(void *buffer, size_t bytes, unsigned seed)
{
    unsigned char *byte = buffer;
    for (size_t i = 0; i < bytes; i++)
        byte[i] = pattern_at(i, seed);
}

static inline size_t pattern_differences(const void *buffer, size_t bytes, unsigned seed)
{
    const unsigned char *byte = buffer;
    size_t differences = 0;
    for (size_t i = 0; i < bytes; i++)
        differences += byte[i] != pattern_at(i, seed);
    return differences;
}

#endif
