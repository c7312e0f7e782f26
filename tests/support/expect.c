/* SPDX-License-Identifier: Apache-2.0 */
#include "support/expect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "seam/status.h"

/* Only present in programs that link the runtime. */
#pragma weak aclGetRecentErrMsg

const char *twin_acl_name(int code)
{
    /* Many codes are typed objects, not constants: no switch, no static table. */
#define X(name)                                                                                    \
    if (code == (int)(name))                                                                       \
        return #name;
#include "support/acl_codes.def"
#undef X
    return "unknown code";
}

const char *twin_status_symbol(int status)
{
    switch (status) {
#define TWIN_STATUS_SYMBOL(name, code, text)                                                       \
    case name:                                                                                     \
        return #name;
        TWIN_STATUS_LIST(TWIN_STATUS_SYMBOL)
#undef TWIN_STATUS_SYMBOL
    default:
        return "unknown status";
    }
}

__attribute__((format(printf, 5, 6))) static bool report(bool held, bool fatal, const char *file,
                                                         int line, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    CU_assertImplementation(held ? CU_TRUE : CU_FALSE, (unsigned)line, message, file, "",
                            fatal ? CU_TRUE : CU_FALSE);
    return held;
}

bool twin_expect_acl(int actual, int expected, const char *call, const char *file, int line,
                     bool fatal)
{
    const char *message = NULL;
    if (actual != expected && actual != 0 && aclGetRecentErrMsg)
        message = aclGetRecentErrMsg();
    return report(actual == expected, fatal, file, line, "%s gave %s (%d), expected %s (%d)%s%s",
                  call, twin_acl_name(actual), actual, twin_acl_name(expected), expected,
                  message ? "\n         message: " : "", message ? message : "");
}

bool twin_expect_status(int actual, int expected, const char *call, const char *file, int line,
                        bool fatal)
{
    return report(actual == expected, fatal, file, line, "%s gave %s, expected %s", call,
                  twin_status_symbol(actual), twin_status_symbol(expected));
}

bool twin_expect_u64(uint64_t actual, uint64_t expected, const char *what, const char *file,
                     int line)
{
    return report(actual == expected, false, file, line,
                  "%s is %" PRIu64 " (0x%" PRIx64 "), expected %" PRIu64 " (0x%" PRIx64 ")", what,
                  actual, actual, expected, expected);
}

bool twin_expect_text(const char *actual, const char *expected, const char *what, const char *file,
                      int line)
{
    bool held = actual && expected ? strcmp(actual, expected) == 0 : actual == expected;
    return report(held, false, file, line, "%s is \"%s\", expected \"%s\"", what,
                  actual ? actual : "(null)", expected ? expected : "(null)");
}

bool twin_expect_holds(const char *text, const char *part, const char *what, const char *file,
                       int line)
{
    return report(text && strstr(text, part), false, file, line, "%s is \"%s\", which lacks \"%s\"",
                  what, text ? text : "(null)", part);
}

bool twin_expect_within(double actual, double low, double high, const char *what, const char *file,
                        int line)
{
    return report(actual >= low && actual <= high, false, file, line,
                  "%s is %.9g, expected %.9g to %.9g", what, actual, low, high);
}
