/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/config.h"

static const char cut_mark[] = "...[truncated]";

static int least_level(void)
{
    const char *text = twin_setting(TWIN_SETTING_GLOBAL_LOG_LEVEL);
    return text[0] >= '0' && text[0] <= '4' && text[1] == '\0' ? text[0] - '0' : TWIN_LOG_ERROR;
}

void twin_app_log(twin_log_level level, const char *func, const char *file, uint32_t line,
                  const char *format, va_list args)
{
    if ((int)level < least_level())
        return;
    char record[TWIN_APP_LOG_BYTES];
    size_t used = 0;
    int length =
        snprintf(record, sizeof(record), "%d %s:%s:%u: \"", (int)gettid(), func, file, line);
    if (length >= 0 && (size_t)length < sizeof(record)) {
        used = (size_t)length;
        length = vsnprintf(record + used, sizeof(record) - used, format, args);
    }
    if (length < 0) {
        twin_log_line(TWIN_LOG_ERROR, "aclAppLog: the text cannot be formatted");
        return;
    }
    used += (size_t)length;
    if (used + 1 < sizeof(record))
        memcpy(record + used, "\"", 2);
    else
        memcpy(record + sizeof(record) - sizeof(cut_mark), cut_mark, sizeof(cut_mark));
    twin_log_line(level, record);
}
