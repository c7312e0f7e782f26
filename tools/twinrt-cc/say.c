/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int cc_error(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fputs("twinrt-cc: error: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    return -1;
}

void cc_no_memory(void)
{
    (void)cc_error("no memory");
    exit(1);
}
