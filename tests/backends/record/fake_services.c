/* SPDX-License-Identifier: Apache-2.0 */
/* What the core would offer: settings, a log. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fake_device.h"
#include "support/cunit_main.h"

char fake_because[512];

static struct {
    const char *name;
    const char *value;
} settings[8];
static char logged[4096];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

void fake_set(const char *name, const char *value)
{
    for (unsigned i = 0; i < TWIN_COUNT(settings); i++)
        if (!settings[i].name || strcmp(settings[i].name, name) == 0) {
            settings[i].name = name;
            settings[i].value = value;
            return;
        }
}

static const char *setting(const char *name)
{
    for (unsigned i = 0; i < TWIN_COUNT(settings); i++)
        if (settings[i].name && strcmp(settings[i].name, name) == 0)
            return settings[i].value;
    return "";
}

static void log_line(int level, const char *text)
{
    pthread_mutex_lock(&log_lock);
    size_t length = strlen(logged);
    (void)snprintf(logged + length, sizeof(logged) - length, "%d %s\n", level, text);
    pthread_mutex_unlock(&log_lock);
}

bool fake_logged(const char *part)
{
    pthread_mutex_lock(&log_lock);
    bool found = strstr(logged, part) != NULL;
    pthread_mutex_unlock(&log_lock);
    return found;
}

void fake_forget(void)
{
    logged[0] = '\0';
}

static void because(const char *text)
{
    (void)snprintf(fake_because, sizeof(fake_because), "%s", text);
}

static void ignore_code(int32_t code)
{
    (void)code;
}

const twin_services fake_services = {.setting = setting,
                                     .log = log_line,
                                     .because = because,
                                     .vendor_code = ignore_code,
                                     .plugin_folder = "."};
