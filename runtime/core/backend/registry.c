/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/registry.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/backend/blocked.h"
#include "core/backend/ending.h"
#include "core/backend/error.h"
#include "core/backend/fault_file.h"
#include "core/backend/interrupt.h"
#include "core/backend/sanitizer.h"
#include "core/backend/thread_state.h"
#include "core/base/config.h"
#include "core/base/lock.h"
#include "core/base/log.h"
#include "core/base/soc.h"
#include "seam/host_time.h"
#include "seam/run_page.h"
#include "seam/sanitizer.h"
#include "seam/wrapper.h"

#define PATH_BYTES 4096
#define TEXT_BYTES (PATH_BYTES + 1024)
#define WRAPPERS   2u

static twin_lock registry_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_REGISTRY);
/* The rest is guarded by registry_lock, and fixed while running. */
static struct twin_backend running_table;
static struct twin_backend wrapped_tables[WRAPPERS];
static struct twin_backend ended_table;
static const struct twin_backend *given_backend;
static int32_t failure_code;
static char failure_text[TEXT_BYTES];
static char reason_text[TEXT_BYTES / 2]; /* what the backend says of its failure to start */
static bool at_exit_registered;
static _Atomic bool opened; /* a device, at some time */

static char folder[PATH_BYTES];
static pthread_once_t folder_once = PTHREAD_ONCE_INIT;

static void find_folder(void)
{
    Dl_info info;
    struct link_map *map = NULL;
    char real[PATH_BYTES];
    if (!dladdr1((const void *)&running_table, &info, (void **)&map, RTLD_DL_LINKMAP) || !map ||
        !map->l_name)
        return;
    /* A program that holds this code is known to the loader by how it was called, which need not
     * say where it is. */
    const char *file = map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name;
    if (!strchr(file, '/') || !realpath(file, real))
        return;
    *strrchr(real, '/') = '\0';
    static const char *const places[] = {"twinrt", "../lib64/twinrt"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char path[2 * PATH_BYTES];
        snprintf(path, sizeof(path), "%s/%s", real, places[i]);
        struct stat found;
        if (realpath(path, folder) && stat(folder, &found) == 0 && S_ISDIR(found.st_mode))
            return;
        folder[0] = '\0';
    }
    /* Named all the same, so that a message can say where the plug-ins were looked for. */
    snprintf(folder, sizeof(folder), "%.*s/twinrt", (int)(sizeof(folder) - 8), real);
}

const char *twin_plugin_folder(void)
{
    pthread_once(&folder_once, find_folder);
    return folder;
}

/* False: there is no folder, and nothing else is tried. */
static bool plugin_path(char *path, size_t bytes, const char *name)
{
    const char *place = twin_plugin_folder();
    snprintf(path, bytes, "%s/backend-%s.so", place, name);
    return place[0] != '\0';
}

static void explain(const char *text)
{
    twin_message_add(text);
}

/* Called from process.start, with registry_lock held. */
static void because(const char *text)
{
    snprintf(reason_text, sizeof(reason_text), "%s", text);
}

static void note_vendor_code(int32_t code)
{
    twin_self.vendor_code = code;
}

/* What libtwinrt-host.so offers, if it was preloaded or linked and is of this version; else
 * NULL. */
static const twin_host_time *find_host_time(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, TWIN_HOST_TIME_ENTRY);
    if (!symbol)
        return NULL;
    twin_host_time_entry_fn entry;
    memcpy(&entry, &symbol, sizeof(entry));
    const twin_host_time *found = entry();
    if (found && found->size == sizeof(*found) && found->version == TWIN_HOST_TIME_VERSION)
        return found;
    twin_log(TWIN_LOG_WARNING, "libtwinrt-host.so is of another version and is not used; install "
                               "it and the runtime from one build");
    return NULL;
}

static twin_services services = {
    .setting = twin_setting_named,
    .log = twin_log_text,
    .explain = explain,
    .because = because,
    .vendor_code = note_vendor_code,
    .interruptible = twin_interruptible,
    .interrupted = twin_interrupted,
    .blocked = twin_blocked_count,
    .own_thread = twin_thread_own,
    .late = twin_threads_came_late,
    .none_left = twin_threads_none_left,
    .place = twin_thread_place,
    .passes_on = twin_handler_passes_on,
};

static void (*table_enter)(const twin_call *call); /* of the backend, where threads take turns */

/* Each public call is a scheduling point (TWINRT_DETERMINISTIC). */
static void enter_in_turn(const twin_call *call)
{
    services.host_time->turns->call();
    table_enter(call);
}

bool twin_backend_complete(struct twin_backend *table, const struct twin_backend *given)
{
    if (!given || given->size != sizeof(struct twin_backend) ||
        given->version != TWIN_SEAM_VERSION || !given->name)
        return false;
    *table = *given;
    twin_fill_unsupported_ops(table);
    return true;
}

/* The symbol `entry` of the plug-in `name`, or NULL with a text. */
static void *open_plugin(const char *name, const char *entry, char *text, size_t text_bytes)
{
    char path[PATH_BYTES + 64];
    if (!plugin_path(path, sizeof(path), name)) {
        snprintf(text, text_bytes, "cannot find the folder of the runtime, so no plug-ins");
        return NULL;
    }
    if (access(path, F_OK) != 0) {
        bool model = strcmp(name, "sim") == 0;
        snprintf(text, text_bytes, "plug-in %s is missing%s", path,
                 model ? ": install the model (package twinrt-model, or a build with TWINRT_SIM=ON)"
                       : "");
        return NULL;
    }
    /* Stays open for good: threads and exit handlers may still be in it. */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *problem = dlerror();
        bool systemc = strstr(problem, "systemc-") != NULL;
        snprintf(text, text_bytes, "the plug-in does not load: %s%s", problem,
                 systemc ? "; install SystemC (Debian package libsystemc)" : "");
        return NULL;
    }
    void *symbol = dlsym(library, entry);
    if (!symbol)
        snprintf(text, text_bytes, "%s is not a backend plug-in: it does not export %s", path,
                 entry);
    return symbol;
}

static bool same_seam(const struct twin_backend *table, const char *name, char *text,
                      size_t text_bytes)
{
    if (table && table->size == sizeof(*table) && table->version == TWIN_SEAM_VERSION)
        return true;
    snprintf(text, text_bytes,
             "%s/backend-%s.so was built for another version of the seam (%u, here %u); install "
             "both from one build",
             twin_plugin_folder(), name, table ? table->version : 0, TWIN_SEAM_VERSION);
    return false;
}

const struct twin_backend *twin_backend_load(const char *name, char *text, size_t text_bytes)
{
    void *symbol = open_plugin(name, TWIN_BACKEND_ENTRY, text, text_bytes);
    if (!symbol)
        return NULL;
    twin_backend_entry_fn entry;
    memcpy(&entry, &symbol, sizeof(entry));
    const struct twin_backend *table = entry();
    return same_seam(table, name, text, text_bytes) ? table : NULL;
}

/* Puts the wrappers that the settings ask for around running_table, the innermost first. */
static bool wrap_locked(void)
{
    static const struct {
        const char *name;
        twin_setting_id wanted;
    } wrappers[WRAPPERS] = {{"op_failure", TWIN_SETTING_FAIL_OPS}, {"record", TWIN_SETTING_RECORD}};
    for (size_t i = 0; i < WRAPPERS; i++) {
        if (twin_setting(wrappers[i].wanted)[0] == '\0')
            continue;
        void *symbol =
            open_plugin(wrappers[i].name, TWIN_WRAPPER_ENTRY, failure_text, sizeof(failure_text));
        if (!symbol)
            return false;
        twin_wrapper_entry_fn entry;
        memcpy(&entry, &symbol, sizeof(entry));
        wrapped_tables[i] = running_table;
        const struct twin_backend *table = entry(&wrapped_tables[i]);
        if (!same_seam(table, wrappers[i].name, failure_text, sizeof(failure_text)))
            return false;
        running_table = *table;
        twin_fill_unsupported_ops(&running_table);
    }
    return true;
}

static bool plugin_present(const char *name)
{
    char path[PATH_BYTES + 64];
    return plugin_path(path, sizeof(path), name) && access(path, F_OK) == 0;
}

/* The process ends: nothing reaches the backend any more, then it writes what it has to. Takes no
 * lock: a signal may have interrupted this thread anywhere. */
static void end_process(void)
{
    twin_phase running = TWIN_PHASE_RUNNING;
    if (getpid() != twin_backend_process)
        return; /* a forked child: the backend is its parent's */
    if (!atomic_compare_exchange_strong(&twin_backend_phase, &running, TWIN_PHASE_ENDED))
        return;
    ended_table = twin_unsupported_ops;
    atomic_store(&twin_ops_present, &ended_table);
    if (services.host_time && !twin_self.inside)
        services.host_time->bind(NULL, NULL);
    twin_ending_stop(&running_table);
}

/* In a forked child: device, device memory and their threads are the parent's, so calls are
 * refused. If no device has been opened there is nothing of the parent's, and the child's first
 * call starts a backend for itself, unless another thread was inside a call: what it was changing
 * stays half changed in the child, and its locks stay held. The one thread that is left changes
 * over by itself. */
void twin_backend_in_child(void)
{
    const twin_phase phase = atomic_load(&twin_backend_phase);
    if (given_backend || phase == TWIN_PHASE_ENDED)
        return;
    const bool fresh = twin_threads_forked();
    if (fresh && phase != TWIN_PHASE_RUNNING)
        return; /* no thread was starting a backend */
    atomic_store(&twin_ops_traced, false);
    if (fresh && !atomic_load(&opened) && running_table.process.forked()) {
        twin_lock_init(&registry_lock, TWIN_RANK_REGISTRY);
        twin_self.ops = NULL;
        atomic_store(&twin_ops_present, &twin_unsupported_ops);
        atomic_store(&twin_parts_present, 0);
        atomic_store(&twin_backend_phase, TWIN_PHASE_IDLE);
        return;
    }
    if (twin_backend_process == 0)
        twin_backend_process = getppid();
    atomic_store(&twin_backend_is_forked, true);
    ended_table = twin_unsupported_ops;
    atomic_store(&twin_backend_phase, TWIN_PHASE_ENDED);
    atomic_store(&twin_ops_present, &ended_table);
    twin_self.ops = &twin_unsupported_ops;
}

/* The devices of a machine are of one part. Asked of `given` itself: what a wrapper adds to a call
 * is for the core's calls. */
static void note_part(const struct twin_backend *given)
{
    const twin_device_properties *properties = NULL;
    uint32_t part = 0;
    if (given->process.describe && given->process.describe(0, &properties) == TWIN_OK &&
        properties->by_part)
        part = twin_soc_part(properties->soc_name);
    atomic_store_explicit(&twin_parts_present, part != 0 ? part : UINT32_MAX, memory_order_relaxed);
}

/* Starts `given`; on failure the reason goes to failure_text. */
static twin_status start_table_locked(const struct twin_backend *given)
{
    if (!twin_backend_complete(&running_table, given)) {
        snprintf(failure_text, sizeof(failure_text), "the backend's table has another version");
        return TWIN_E_UNAVAILABLE;
    }
    if (!wrap_locked())
        return TWIN_E_UNAVAILABLE;
    services.plugin_folder = twin_plugin_folder();
    /* threads of a run that is conducted wait for their turns, which is not an order
     * that the program made */
    services.host_time = services.waiting ? NULL : find_host_time();
    const bool sync = strcmp(twin_setting(TWIN_SETTING_HOST_TIME), "sync") == 0;
    const bool deterministic =
        strcmp(twin_setting(TWIN_SETTING_DETERMINISTIC), "on") == 0 && !services.waiting;
    if (deterministic && !sync) {
        snprintf(
            failure_text, sizeof(failure_text),
            "TWINRT_DETERMINISTIC is on, but TWINRT_HOST_TIME is \"%s\"; unset it, or set it to "
            "sync",
            twin_setting(TWIN_SETTING_HOST_TIME));
        return TWIN_E_INVALID;
    }
    if (deterministic && !services.host_time) {
        snprintf(failure_text, sizeof(failure_text),
                 "TWINRT_DETERMINISTIC is on, but libtwinrt-host.so is not loaded; run the program "
                 "with `twinrt run --deterministic`");
        return TWIN_E_INVALID;
    }
    if (deterministic && services.host_time && !services.host_time->turns &&
        twin_under_thread_sanitizer()) {
        snprintf(
            failure_text, sizeof(failure_text),
            "TWINRT_DETERMINISTIC is on, but the program has the ThreadSanitizer of clang, which "
            "starts threads before libtwinrt-host.so sees them; build it with gcc, or without "
            "-fsanitize=thread");
        return TWIN_E_INVALID;
    }
    if (services.host_time && services.host_time->turns) {
        table_enter = running_table.host.enter;
        running_table.host.enter = enter_in_turn;
    }
    reason_text[0] = '\0';
    twin_sanitizer_warn();
    twin_status status = running_table.process.start(&services);
    if (status == TWIN_E_INVALID && reason_text[0]) {
        /* a setting is wrong, whatever the backend is */
        snprintf(failure_text, sizeof(failure_text), "%s", reason_text);
        return status;
    }
    if (status != TWIN_OK) {
        snprintf(failure_text, sizeof(failure_text), "the backend \"%s\" does not start: %s",
                 running_table.name, reason_text[0] ? reason_text : twin_status_text(status));
        return status;
    }
    note_part(given);
    const char *faults = twin_setting(TWIN_SETTING_FAULTS);
    if (faults[0] == '\0')
        return TWIN_OK;
    char text[TEXT_BYTES - 32];
    status = twin_fault_file_load(&running_table, faults, text, sizeof(text));
    if (status != TWIN_OK) {
        snprintf(failure_text, sizeof(failure_text), "TWINRT_FAULTS: %s", text);
        running_table.process.stop();
    }
    return status;
}

static twin_status choose_and_start_locked(void)
{
    const char *wanted = twin_setting(TWIN_SETTING_BACKEND);
    if (given_backend)
        return start_table_locked(given_backend);

    bool automatic = strcmp(wanted, "auto") == 0;
    if (automatic && plugin_present("ascend")) {
        const struct twin_backend *table =
            twin_backend_load("ascend", failure_text, sizeof(failure_text));
        twin_status status = table ? start_table_locked(table) : TWIN_E_SETUP;
        if (status == TWIN_OK) {
            twin_log(TWIN_LOG_INFO, "using the Ascend hardware backend");
            return TWIN_OK;
        }
        if (status == TWIN_E_INVALID)
            return status; /* a setting is wrong, whatever the device is */
        /* Without the software that hardware needs, the user does not expect any. */
        twin_log(status == TWIN_E_UNAVAILABLE ? TWIN_LOG_INFO : TWIN_LOG_WARNING,
                 "no hardware available (%s); using the model", failure_text);
    } else if (automatic) {
        twin_log(TWIN_LOG_INFO, "the ascend plug-in is not installed; using the model");
    }
    const struct twin_backend *table =
        twin_backend_load(automatic ? "sim" : wanted, failure_text, sizeof(failure_text));
    return table ? start_table_locked(table) : TWIN_E_UNAVAILABLE;
}

/* `twinrt run` learns that a process of its run uses the runtime. */
static void report_start(void)
{
    const char *path = twin_setting(TWIN_SETTING_RUN_PAGE);
    twin_run_page *page = path[0] != '\0' ? twin_run_page_map(path) : NULL;
    if (!page)
        return;
    atomic_fetch_add(&page->starts, 1);
    (void)munmap(page, sizeof(*page));
}

static void start_locked(void)
{
    twin_backend_process = getpid();
    report_start();
    twin_settings_apply_log();
    twin_settings_warn_unknown();
    twin_status status = TWIN_E_INVALID;
    if (twin_settings_check(failure_text, sizeof(failure_text)))
        status = choose_and_start_locked();
    if (status != TWIN_OK) {
        /* Whatever is wrong, to the caller it is a device that cannot be brought up. */
        failure_code = twin_status_code(status == TWIN_E_NO_DEVICE ? status : TWIN_E_SETUP);
        twin_log(TWIN_LOG_ERROR, "%s", failure_text);
        atomic_store(&twin_backend_phase, TWIN_PHASE_FAILED);
        return;
    }

    /* After the plug-in is loaded, so that this runs before the plug-in's own static objects go. */
    if (!at_exit_registered && !given_backend) {
        at_exit_registered = atexit(end_process) == 0;
        (void)at_quick_exit(end_process);
    }
    atomic_fetch_add(&twin_backend_start_count, 1);
    atomic_store(&twin_ops_traced, running_table.host.traced());
    atomic_store(&twin_ops_present, &running_table);
    atomic_store(&twin_backend_phase, TWIN_PHASE_RUNNING);
    if (services.host_time)
        services.host_time->bind(&running_table.host, &twin_self.inside);
}

/* Reads files and loads libraries: a thread that is cancelled in the middle of that would leave
 * half a start. */
static void start_uncancelled_locked(void)
{
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    start_locked();
    pthread_setcancelstate(cancel, NULL);
}

int32_t twin_backend_need(void)
{
    twin_phase now = atomic_load_explicit(&twin_backend_phase, memory_order_acquire);
    if (now == TWIN_PHASE_IDLE) {
        twin_lock_take(&registry_lock);
        if (atomic_load(&twin_backend_phase) == TWIN_PHASE_IDLE)
            start_uncancelled_locked();
        now = atomic_load(&twin_backend_phase);
        twin_lock_drop(&registry_lock);
    }
    switch (now) {
    case TWIN_PHASE_RUNNING:
        break;
    case TWIN_PHASE_FAILED:
        return twin_fail_code(failure_code, "EE1018", failure_text);
    default:
        if (atomic_load_explicit(&twin_backend_is_forked, memory_order_relaxed))
            return twin_fail_status(TWIN_E_UNAVAILABLE, TWIN_CODE_STREAM_TIMEOUT, "no device here");
        return twin_status_code(TWIN_E_UNAVAILABLE);
    }
    if (twin_self.ops != twin_ops()) {
        (void)twin_thread_attach();
        if (twin_self.call)
            twin_self.ops->host.enter(twin_self.call);
    }
    return TWIN_CODE_OK;
}

int32_t twin_backend_conduct(const twin_conductor *conductor, char *text, size_t text_bytes)
{
    twin_lock_take(&registry_lock);
    services.waiting = conductor->waiting;
    services.nd = conductor->nd;
    services.outlook = conductor->outlook;
    services.touched = conductor->touched;
    if (atomic_load(&twin_backend_phase) == TWIN_PHASE_IDLE)
        start_uncancelled_locked();
    bool running = atomic_load(&twin_backend_phase) == TWIN_PHASE_RUNNING;
    snprintf(text, text_bytes, "%s", running ? "" : failure_text);
    int32_t code = running ? TWIN_CODE_OK : failure_code;
    twin_lock_drop(&registry_lock);
    return code;
}

void twin_backend_opens(void)
{
    atomic_store(&opened, true);
}

const char *twin_backend_name(void)
{
    return twin_ops()->name;
}

void twin_backend_use(const struct twin_backend *backend)
{
    twin_lock_take(&registry_lock);
    if (atomic_load(&twin_backend_phase) == TWIN_PHASE_RUNNING)
        running_table.process.stop();
    given_backend = backend;
    atomic_store(&twin_ops_present, &twin_unsupported_ops);
    atomic_store(&twin_ops_traced, false);
    atomic_store(&twin_backend_phase, TWIN_PHASE_IDLE);
    twin_self.ops = NULL;
    twin_lock_drop(&registry_lock);
}
