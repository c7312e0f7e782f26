/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* clock_gettime */
#include "seam.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

const struct twin_backend *seam;
_Thread_local bool (*seam_interrupted)(void);

static const char plugin_folder[] = SEAM_PLUGIN_FOLDER;

static struct setting {
    const char *name;
    const char *value;
} settings[16];

/* Guarded by text_lock. */
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;
static char logged[1 << 16];
static char explained[1 << 16];

static const char *setting(const char *name)
{
    for (unsigned i = 0; i < TWIN_COUNT(settings); i++)
        if (settings[i].name && strcmp(settings[i].name, name) == 0)
            return settings[i].value;
    return strcmp(name, "TWINRT_VCD_SIGNALS") == 0 ? "all" : "";
}

void seam_set(const char *name, const char *value)
{
    for (unsigned i = 0; i < TWIN_COUNT(settings); i++) {
        if (settings[i].name && strcmp(settings[i].name, name) != 0)
            continue;
        settings[i].name = name;
        settings[i].value = value ? value : "";
        return;
    }
    abort();
}

static void append(char *text, size_t room, const char *line)
{
    pthread_mutex_lock(&text_lock);
    size_t length = strlen(text);
    snprintf(text + length, room - length, "%s\n", line);
    pthread_mutex_unlock(&text_lock);
}

static void log_line(int level, const char *text)
{
    if (getenv("SEAM_VERBOSE"))
        fprintf(stderr, "log %d: %s\n", level, text);
    append(logged, sizeof(logged), text);
}

static void explain(const char *text)
{
    append(explained, sizeof(explained), text);
}

static void because(const char *text)
{
    append(explained, sizeof(explained), text);
}

static int32_t last_vendor_code;

static void vendor_code(int32_t code)
{
    last_vendor_code = code;
}

int32_t seam_vendor_code(void)
{
    return last_vendor_code;
}

static bool interruptible(void)
{
    return seam_interrupted != NULL;
}

static bool interrupted(void)
{
    return seam_interrupted();
}

atomic_uint seam_blocked;

static uint32_t blocked(uint64_t *out_stamp)
{
    *out_stamp = atomic_load(&seam_blocked);
    return (uint32_t)*out_stamp;
}

twin_services seam_services = {.setting = setting,
                               .log = log_line,
                               .explain = explain,
                               .because = because,
                               .vendor_code = vendor_code,
                               .plugin_folder = plugin_folder,
                               .interruptible = interruptible,
                               .interrupted = interrupted,
                               .blocked = blocked};

bool seam_logged(const char *part)
{
    return seam_logged_times(part) > 0;
}

unsigned seam_logged_times(const char *part)
{
    pthread_mutex_lock(&text_lock);
    unsigned times = 0;
    for (const char *at = strstr(logged, part); at; at = strstr(at + 1, part))
        times++;
    pthread_mutex_unlock(&text_lock);
    return times;
}

bool seam_explained(const char *part)
{
    pthread_mutex_lock(&text_lock);
    bool found = strstr(explained, part) != NULL;
    pthread_mutex_unlock(&text_lock);
    return found;
}

void seam_forget(void)
{
    pthread_mutex_lock(&text_lock);
    logged[0] = '\0';
    explained[0] = '\0';
    pthread_mutex_unlock(&text_lock);
}

const char *seam_plugin_folder(void)
{
    return plugin_folder;
}

bool seam_make_profile(char *path, const char *name, unsigned value)
{
    static char text[1 << 16];
    char from[sizeof(plugin_folder) + 64], wanted[128];
    const bool changes = access(path, R_OK) == 0;
    snprintf(from, sizeof(from), "%s/profiles/910b3.json", plugin_folder);
    FILE *file = fopen(changes ? path : from, "r");
    const size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    snprintf(wanted, sizeof(wanted), "\"%s\": {\"value\": ", name);
    const char *at = strstr(text, wanted);
    const char *rest = at ? strchr(at, ',') : NULL;
    const int out = !rest ? -1 : changes ? open(path, O_WRONLY | O_TRUNC) : mkstemp(path);
    file = out >= 0 ? fdopen(out, "w") : NULL;
    if (!file)
        return false;
    fprintf(file, "%.*s%s%u%s", (int)(at - text), text, wanted, value, rest);
    return fclose(file) == 0;
}

const struct twin_backend *seam_load(const char *backend)
{
    char path[sizeof(plugin_folder) + 64];
    snprintf(path, sizeof(path), "%s/backend-%s.so", plugin_folder, backend);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        exit(TWIN_EXIT_FAILED);
    }
    twin_backend_entry_fn entry;
    *(void **)&entry = dlsym(plugin, TWIN_BACKEND_ENTRY);
    if (!entry) {
        fprintf(stderr, "%s\n", dlerror());
        exit(TWIN_EXIT_FAILED);
    }
    seam = entry();
    return seam;
}

twin_hw_device *seam_up(void)
{
    twin_hw_device *device = NULL;
    seam_forget();
    SEAM_OK(seam->process.start(&seam_services));
    seam->host.attach();
    SEAM_OK(seam->device.open(0, &device));
    if (!device) {
        fprintf(stderr, "%s", logged);
        exit(TWIN_EXIT_FAILED);
    }
    return device;
}

void seam_down(twin_hw_device *device)
{
    seam->device.close(device);
    seam->process.stop();
}

twin_status seam_start(void)
{
    return seam->process.start(&seam_services);
}

void seam_call(twin_cost cost)
{
    static const twin_call calls[TWIN_COST_COUNT] = {
        {"local", TWIN_COST_LOCAL},   {"create", TWIN_COST_CREATE},
        {"submit", TWIN_COST_SUBMIT}, {"poll", TWIN_COST_POLL},
        {"wait", TWIN_COST_WAIT},     {"copy", TWIN_COST_COPY},
        {"memory", TWIN_COST_MEMORY}, {"device", TWIN_COST_DEVICE},
        {"launch", TWIN_COST_LAUNCH}, {"transfer", TWIN_COST_TRANSFER},
    };
    seam->host.enter(&calls[cost]);
}

twin_queue *seam_queue(twin_hw_device *device, uint32_t id)
{
    const twin_queue_config config = {.id = id};
    twin_queue *queue = NULL;
    SEAM_OK(seam->queue.create(device, &config, &queue));
    if (!queue)
        exit(TWIN_EXIT_FAILED);
    return queue;
}

twin_signal *seam_signal(twin_hw_device *device, twin_signal_kind kind, uint32_t name)
{
    const twin_signal_config config = {
        .kind = kind, .name = name, .timed = kind != TWIN_SIGNAL_NOTIFY, .waitable = true};
    twin_signal *signal = NULL;
    SEAM_OK(seam->signal.create(device, &config, &signal));
    if (!signal)
        exit(TWIN_EXIT_FAILED);
    return signal;
}

void seam_drop_queue(twin_queue *queue)
{
    bool idle = false;
    SEAM_OK(seam->queue.query(queue, &idle));
    if (!idle)
        SEAM_OK(seam->queue.abort(queue));
    seam->queue.destroy(queue);
}

const char *seam_status_name(twin_status status)
{
#define NAME(name, code, text) #name,
    static const char *const names[] = {TWIN_STATUS_LIST(NAME)};
#undef NAME
    return (unsigned)status < TWIN_STATUS_COUNT ? names[status] : "?";
}

uint64_t seam_wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * SEAM_S + (uint64_t)now.tv_nsec;
}

void *seam_serve(void *call_queue)
{
    twin_taken_call taken;
    seam->host.attach();
    while (seam->call_queue.take(call_queue, TWIN_FOREVER, &taken) == TWIN_OK) {
        taken.call.fn(taken.call.argument);
        seam->call_queue.answer(call_queue, taken.ticket);
    }
    seam->host.detach();
    return NULL;
}

bool seam_limit_address_space(uint64_t room)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    const bool read = file && fscanf(file, "%llu", &pages) == 1;
    if (file)
        fclose(file);
    const rlim_t most = pages * (rlim_t)sysconf(_SC_PAGESIZE) + room;
    return read && setrlimit(RLIMIT_AS, &(struct rlimit){.rlim_cur = most, .rlim_max = most}) == 0;
}
