/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt info`: asks the backend, over the seam, what it is. Starts it, opens nothing. */
#include "tool.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "info_memory.h"
#include "output/layout.h"
#include "core/base/config.h"
#include "output/json.h"
#include "marks.h"
#include "options.h"
#include "core/base/log.h"
#include "seam/backend.h"

static struct {
    bool all;      /* each parameter, not only their number */
    bool json;     /* everything as JSON */
    bool model;    /* of the model, whatever other device there is */
    bool profiles; /* the list of profiles, and nothing else */
    bool memory;   /* addresses and pages, or with a recording the map of its memory */
    const char *recording;
    const char *at; /* moment of the recording */
} options;

/* A user who names a profile asks for its content. */
static void take_profile(struct argp_state *state, const struct tool_option *option, char *name)
{
    options.all = options.model = true;
    option_setting(state, option, name);
}

static void take_recording(struct argp_state *state, char *argument)
{
    if (options.recording)
        argp_error(state, "more than one recording; expected one");
    options.recording = argument;
}

static void check_usage(struct argp_state *state)
{
    uint64_t moment;
    if (options.recording && !options.memory)
        argp_error(state, "no argument is expected without --memory: %s", options.recording);
    if (options.at && !options.recording)
        argp_error(state, "--at requires --memory and a recording");
    if (!info_memory_moment(options.at, &moment))
        argp_error(state, "--at is \"%s\"; expected max, end or the number of a call", options.at);
}

struct facts {
    bool print;
    unsigned count;
    unsigned by_mark[MARK_COUNT + 1];
};

static void take_fact(void *context, const twin_fact *fact)
{
    struct facts *facts = context;
    facts->count += *fact->mark != '\0'; /* parameters have a mark */
    facts->by_mark[mark_of(fact->mark)]++;
    /* Facts about the vendor's software are always shown: users of a board look for them. */
    if (!facts->print && strncmp(fact->name, "vendor.", 7) != 0)
        return;
    char label[PATH_MAX + 64];
    char text[4096];
    (void)snprintf(label, sizeof(label), "  %-31s %16s %-*s ", fact->name, fact->value,
                   strlen(fact->value) > 16 ? 0 : 8, fact->unit);
    (void)snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", *fact->mark ? "[" : "", fact->mark,
                   *fact->mark ? "] " : "", *fact->base ? "inherited from " : "", fact->base,
                   *fact->base ? ": " : "", fact->source);
    layout_print(stdout, layout_width(stdout), 6, label, text);
}

static void print_devices(const struct twin_backend *backend)
{
    uint32_t count = 0;
    twin_status status =
        backend->process.count ? backend->process.count(&count) : TWIN_E_UNSUPPORTED;
    if (status != TWIN_OK || count == 0) {
        printf("devices: none\n");
        return;
    }
    printf("devices: %u\n", count);
    for (uint32_t i = 0; i < count; i++) {
        const twin_device_properties *properties = NULL;
        if (!backend->process.describe || backend->process.describe(i, &properties) != TWIN_OK)
            continue;
        printf("device %u: %s, %llu MiB\n", i, properties->soc_name,
               (unsigned long long)(properties->memory_bytes >> 20));
        char counting[48] = "";
        if (properties->count_notify_limit > 0)
            (void)snprintf(counting, sizeof(counting), "%u counting notifies, ",
                           properties->count_notify_limit);
        char text[256];
        (void)snprintf(text, sizeof(text),
                       "at most %u streams of %u tasks, %u events, %u notifies, %s%u priorities",
                       properties->stream_limit, properties->queue_depth, properties->event_limit,
                       properties->notify_limit, counting, properties->priority_count);
        layout_item(stdout, 2, text);
    }
}

static void print_facts(const struct twin_backend *backend, bool all)
{
    struct facts facts = {.print = all};
    if (!backend->diag.facts)
        return;
    if (all)
        printf("parameters:\n");
    backend->diag.facts(take_fact, &facts);
    printf("%u facts", facts.count);
    const char *separator = ": ";
    for (size_t i = 0; i < MARK_COUNT; i++) {
        if (facts.by_mark[i] == 0)
            continue;
        printf("%s%u %s", separator, facts.by_mark[i], mark_names[i]);
        separator = ", ";
    }
    printf("%s\n", all ? "" : "; --all lists them with their sources");
}

static void print_settings(void)
{
    printf("settings:\n");
    for (int id = 0; id < TWIN_SETTING_COUNT; id++) {
        const twin_setting_info *info = &twin_setting_table[id];
        const char *value = twin_setting((twin_setting_id)id);
        bool given = twin_setting_given((twin_setting_id)id);
        char label[PATH_MAX + 64];
        (void)snprintf(label, sizeof(label), "  %-26s %-12s %s", info->name, *value ? value : "-",
                       given ? "[set] " : "");
        layout_print(stdout, layout_width(stdout), 42, label, info->help);
    }
}

/* ---- JSON ---- */

static cJSON *json_devices(const struct twin_backend *backend)
{
    cJSON *devices = cJSON_CreateArray();
    uint32_t count = 0;
    if (!backend->process.count || backend->process.count(&count) != TWIN_OK)
        return devices;
    for (uint32_t i = 0; i < count; i++) {
        const twin_device_properties *properties = NULL;
        cJSON *device = cJSON_CreateObject();
        if (backend->process.describe && backend->process.describe(i, &properties) == TWIN_OK)
            json_add(device, JSON_TEXT("soc_name", properties->soc_name),
                     JSON_NUMBER("memory_bytes", properties->memory_bytes),
                     JSON_NUMBER("streams", properties->stream_limit),
                     JSON_NUMBER("tasks_in_flight", properties->queue_depth),
                     JSON_NUMBER("events", properties->event_limit),
                     JSON_NUMBER("notifies", properties->notify_limit),
                     JSON_NUMBER("count_notifies", properties->count_notify_limit),
                     JSON_NUMBER("priorities", properties->priority_count),
                     JSON_NUMBER("aic_cores", properties->aic_cores),
                     JSON_NUMBER("aiv_cores", properties->aiv_cores),
                     JSON_NUMBER("ai_cpus", properties->ai_cpus));
        json_append(devices, device);
    }
    return devices;
}

static void add_fact(void *context, const twin_fact *fact)
{
    cJSON *root = context;
    if (*fact->mark == '\0') { /* not a parameter */
        json_add(root, JSON_TEXT(fact->name, fact->value));
        return;
    }
    char *end = NULL;
    double number = strtod(fact->value, &end);
    const bool is_number = *fact->value != '\0' && *end == '\0';
    cJSON *parameter =
        json_object(JSON_TEXT("name", fact->name),
                    is_number ? JSON_NUMBER("value", number) : JSON_TEXT("value", fact->value),
                    JSON_TEXT("unit", fact->unit), JSON_TEXT("mark", fact->mark),
                    JSON_TEXT("source", fact->source));
    if (*fact->base)
        json_add(parameter, JSON_TEXT("inherited_from", fact->base));
    json_append(cJSON_GetObjectItemCaseSensitive(root, "parameters"), parameter);
}

static cJSON *json_settings(void)
{
    cJSON *settings = cJSON_CreateArray();
    for (int id = 0; id < TWIN_SETTING_COUNT; id++)
        json_append(settings,
                    json_object(JSON_TEXT("name", twin_setting_table[id].name),
                                JSON_TEXT("value", twin_setting((twin_setting_id)id)),
                                JSON_BOOL("set", twin_setting_given((twin_setting_id)id))));
    return settings;
}

/* Returns 0, or -1 with a message. */
static int print_json(const struct twin_backend *backend, const char *plugin)
{
    cJSON *root = json_object(JSON_TEXT("backend", backend->name), JSON_TEXT("plugin", plugin),
                              JSON_ITEM("devices", json_devices(backend)),
                              JSON_ITEM("settings", json_settings()),
                              JSON_ITEM("parameters", cJSON_CreateArray()));
    if (backend->diag.facts)
        backend->diag.facts(add_fact, root);
    return json_print(root, stdout) ? 0 : twin_tool_error(-1, "out of memory");
}

/* ---- the backend ---- */

/* A backend also logs what it explains, and the log goes to the same place here. */
static void explain(const char *text)
{
    (void)text;
}

static char reason[PATH_MAX];

static void because(const char *text)
{
    (void)snprintf(reason, sizeof(reason), "%s", text);
}

static void ignore_code(int32_t code)
{
    (void)code;
}

/* Opens the plug-in and takes its table. NULL, with a message, when it cannot be used. */
static const struct twin_backend *load(const char *path)
{
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "twinrt: there is no backend at %s\n", path);
        return NULL;
    }
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "twinrt: %s\n", dlerror());
        return NULL;
    }
    twin_backend_entry_fn entry;
    *(void **)&entry = dlsym(plugin, TWIN_BACKEND_ENTRY);
    const struct twin_backend *backend = entry ? entry() : NULL;
    if (!backend || backend->version != TWIN_SEAM_VERSION || backend->size != sizeof(*backend)) {
        fprintf(stderr, "twinrt: %s does not fit this tool: other version of the seam\n", path);
        (void)dlclose(plugin);
        return NULL;
    }
    return backend;
}

/* Loads and starts a backend. NULL, with a message unless `silent`, when it cannot be used. */
static const struct twin_backend *begin(const char *plugins, const char *name,
                                        const twin_services *services, char *path,
                                        size_t path_bytes, bool silent)
{
    (void)snprintf(path, path_bytes, "%s/backend-%s.so", plugins, name);
    if (silent && access(path, R_OK) != 0)
        return NULL;
    const struct twin_backend *backend = load(path);
    if (!backend || !backend->process.start || backend->process.start(services) == TWIN_OK)
        return backend;
    if (!silent)
        fprintf(stderr, "twinrt: backend %s cannot start%s%s\n", backend->name, *reason ? ": " : "",
                reason);
    return NULL;
}

int twin_tool_info(int argc, char **argv)
{
    static const struct tool_option table[] = {
        OPTION_BACKEND,
        {"profile", "NAME", "The SoC that the model imitates: a name or a file", take_profile,
         .setting = TWIN_SETTING_PROFILE},
        OPTION_DEVICES,
        {"profiles", NULL, "List the profiles that come with the model", option_flag,
         .to = &options.profiles},
        {"memory", NULL,
         "The addresses and pages of the device's memory; with RECORDING, what was allocated, "
         "registered, reserved and mapped at one moment of it",
         option_flag, .to = &options.memory, .letter = 'm'},
        {"at", "WHEN",
         "The moment of the recording: max, when most device memory was allocated (the default), "
         "end, or the number of a call, the seq of other tools",
         option_text, .to = &options.at},
        {"all", NULL, "List every parameter with unit, mark and source, as --profile does too",
         option_flag, .to = &options.all, .letter = 'a'},
        {"json", NULL, "Everything, and every parameter, as JSON", option_flag, .to = &options.json,
         .letter = 'j'},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .arguments = "[--memory [RECORDING]]",
        .argument = take_recording,
        .end = check_usage,
        .help =
            "Shows the device that programs would get: its identity and limits, the settings in "
            "effect, and how many of its parameters are known, inferred or assumed. An invalid "
            "profile is refused with the file, the parameter and the values that it may have.",
    };
    char plugins[PATH_MAX];
    char path[PATH_MAX + 64];
    options_parse(&syntax, argc, argv);
    if (options.recording) {
        uint64_t moment;
        (void)info_memory_moment(options.at, &moment);
        return info_memory_recording(options.recording, moment, options.json) == 0
                   ? 0
                   : TWIN_TOOL_FAILED;
    }
    if (!twin_tool_settings_valid() || twin_tool_library(plugins, sizeof(plugins), "/twinrt") != 0)
        return TWIN_TOOL_FAILED;
    if (options.profiles) {
        (void)snprintf(path, sizeof(path), "%s/profiles", plugins);
        return twin_tool_profiles(path) == 0 ? 0 : TWIN_TOOL_FAILED;
    }

    const twin_services services = {
        .setting = twin_setting_named,
        .log = twin_log_text,
        .explain = explain,
        .because = because,
        .vendor_code = ignore_code,
        .plugin_folder = plugins,
    };
    const char *wanted = twin_setting(TWIN_SETTING_BACKEND);
    const bool automatic = strcmp(wanted, "auto") == 0;
    const struct twin_backend *backend = NULL;
    char no_board[PATH_MAX] = "";
    if (!automatic) {
        backend = begin(plugins, wanted, &services, path, sizeof(path), false);
    } else {
        if (!options.model)
            backend = begin(plugins, "ascend", &services, path, sizeof(path), true);
        (void)snprintf(no_board, sizeof(no_board), "%s", reason);
        if (!backend)
            backend = begin(plugins, "sim", &services, path, sizeof(path), false);
    }
    if (!backend)
        return TWIN_TOOL_FAILED;
    int status = 0;
    if (options.json) {
        status = print_json(backend, path);
    } else {
        printf("backend: %s%s, %s\n", backend->name, automatic ? " (chosen by auto)" : "", path);
        if (*no_board)
            layout_print(stdout, layout_width(stdout), 2, "no board: ", no_board);
        print_devices(backend);
        if (options.memory) {
            info_memory_print(backend);
        } else {
            print_settings();
            print_facts(backend, options.all);
        }
    }
    if (backend->process.stop)
        backend->process.stop();
    return status == 0 ? 0 : TWIN_TOOL_FAILED;
}
