/* SPDX-License-Identifier: Apache-2.0 */
#include "core/init.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend/blocked.h"
#include "core/backend/error.h"
#include "core/backend/registry.h"
#include "core/backend/thread_state.h"
#include "core/base/alloc.h"
#include "core/base/file.h"
#include "core/base/kernel_settings.h"
#include "core/base/lock.h"
#include "core/base/log.h"
#include "core/object/context.h"

#define FILE_BYTES_MAX    (10u << 20)
#define NESTING_MAX       10u
#define DEVICE_DIGITS_MAX 9

static twin_lock init_lock = TWIN_LOCK_INITIALIZER(TWIN_RANK_INIT);
static _Atomic uint64_t init_count;                 /* written with init_lock held */
static twin_cond init_idle = TWIN_COND_INITIALIZER; /* with init_lock: calling changed */
/* The thread that calls callbacks now, without init_lock; others wait. Guarded by init_lock. */
static const twin_thread *calling;
static char *first_text;   /* of the first successful aclInit; guarded by init_lock */
static size_t first_bytes; /* guarded by init_lock */

/* Parse ---------------------------------------------------------------------------------------- */

/* Whether no more than NESTING_MAX objects, and no more than NESTING_MAX arrays, are nested. */
static bool nesting_allowed(const char *text, size_t bytes)
{
    unsigned braces = 0, brackets = 0;
    bool in_string = false;
    for (size_t i = 0; i < bytes; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
            continue;
        }
        in_string = c == '"';
        braces += c == '{';
        brackets += c == '[';
        if (braces > NESTING_MAX || brackets > NESTING_MAX)
            return false;
        braces -= c == '}' && braces > 0;
        brackets -= c == ']' && brackets > 0;
    }
    return true;
}

/* A switch that may be 0 or 1; `number_too`: as a JSON number as well as a string. */
static bool parse_switch(const cJSON *item, bool number_too, uint32_t *out_value)
{
    if (cJSON_IsString(item) &&
        (strcmp(item->valuestring, "0") == 0 || strcmp(item->valuestring, "1") == 0)) {
        *out_value = item->valuestring[0] == '1';
        return true;
    }
    if (number_too && cJSON_IsNumber(item) && (item->valuedouble == 0 || item->valuedouble == 1)) {
        *out_value = item->valuedouble == 1;
        return true;
    }
    return false;
}

/* A whole number of bytes, as a JSON number or a string of digits. */
static bool parse_bytes(const cJSON *item, uint64_t *out_value)
{
    if (cJSON_IsNumber(item)) {
        if (item->valuedouble < 0 || item->valuedouble > (double)UINT32_MAX ||
            item->valuedouble != (double)(uint64_t)item->valuedouble)
            return false;
        *out_value = (uint64_t)item->valuedouble;
        return true;
    }
    if (!cJSON_IsString(item) || item->valuestring[0] < '0' || item->valuestring[0] > '9')
        return false;
    char *end = NULL;
    errno = 0;
    *out_value = strtoull(item->valuestring, &end, 10);
    return errno == 0 && *end == '\0' && *out_value <= UINT32_MAX;
}

static int32_t parse_sizes(const cJSON *root, twin_init_config *config)
{
    const cJSON *stacks = cJSON_GetObjectItemCaseSensitive(root, "StackSize");
    const cJSON *stack = cJSON_GetObjectItemCaseSensitive(stacks, "aicore_stack_size");
    uint64_t bytes = 0;
    if (stack) {
        if (!parse_bytes(stack, &bytes))
            return twin_fail(TWIN_ERR_INIT_VALUE,
                             "StackSize.aicore_stack_size must be a number of bytes");
        config->core_stack_bytes = twin_stack_round(bytes);
        config->core_stack_given = true;
    }
    const cJSON *print = cJSON_GetObjectItemCaseSensitive(root, "simd_printf_fifo_size_per_core");
    if (print) {
        if (!parse_bytes(print, &bytes) || bytes < TWIN_PRINT_MIN_BYTES ||
            bytes > TWIN_PRINT_MAX_BYTES)
            return twin_fail(TWIN_ERR_INIT_VALUE,
                             "simd_printf_fifo_size_per_core must be a number of bytes from %u to "
                             "%u",
                             TWIN_PRINT_MIN_BYTES, TWIN_PRINT_MAX_BYTES);
        config->print_buffer_bytes = twin_print_round(bytes);
        config->print_buffer_given = true;
    }
    return 0;
}

static int32_t parse_default_device(const cJSON *root, twin_init_config *config)
{
    const cJSON *group = cJSON_GetObjectItemCaseSensitive(root, "defaultDevice");
    if (!group)
        return 0;
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(group, "default_device");
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > DEVICE_DIGITS_MAX || text[digits] != '\0' ||
        (digits > 1 && text[0] == '0'))
        return twin_fail(TWIN_ERR_INIT_VALUE,
                         "defaultDevice.default_device must be a string of digits without sign or "
                         "leading zero, such as \"0\"");
    config->default_device = (int32_t)strtol(text, NULL, 10);
    return 0;
}

static int32_t parse_root(const cJSON *root, twin_init_config *config)
{
    const cJSON *mode = cJSON_GetObjectItemCaseSensitive(root, "err_msg_mode");
    uint32_t value = 0;
    if (mode && !parse_switch(mode, false, &value))
        return twin_fail(TWIN_ERR_ARG_VALUE, "err_msg_mode must be the string \"0\" or \"1\"");
    config->process_messages = value == 1;

    const cJSON *graph = cJSON_GetObjectItemCaseSensitive(root, "acl_graph");
    const cJSON *event_mode = cJSON_GetObjectItemCaseSensitive(graph, "event_mode");
    if (event_mode && !parse_switch(event_mode, true, &config->event_mode))
        return twin_fail(TWIN_ERR_ARG_VALUE, "acl_graph.event_mode must be \"0\" or \"1\"");
    int32_t code = parse_default_device(root, config);
    return code != 0 ? code : parse_sizes(root, config);
}

int32_t twin_init_parse(const char *text, size_t bytes, twin_init_config *out_config)
{
    twin_init_config config = {.default_device = -1,
                               .core_stack_bytes = TWIN_STACK_MIN_BYTES,
                               .print_buffer_bytes = TWIN_PRINT_BYTES};
    if (strspn(text, " \t\r\n") == bytes) {
        *out_config = config;
        return 0;
    }
    if (memchr(text, '\0', bytes))
        return twin_fail(TWIN_ERR_PARSE_FILE, "the configuration contains a zero byte");
    if (!nesting_allowed(text, bytes))
        return twin_fail(TWIN_ERR_PARSE_FILE,
                         "the configuration nests more than %u objects or %u arrays", NESTING_MAX,
                         NESTING_MAX);
    const char *end = NULL;
    cJSON *root = cJSON_ParseWithLengthOpts(text, bytes + 1, &end, true);
    if (!cJSON_IsObject(root)) {
        size_t offset = end && end >= text ? (size_t)(end - text) : 0;
        cJSON_Delete(root);
        return twin_fail(TWIN_ERR_PARSE_FILE,
                         "the configuration is not a JSON object; error near byte %zu", offset);
    }
    int32_t code = parse_root(root, &config);
    cJSON_Delete(root);
    if (code == 0)
        *out_config = config;
    return code;
}

/* Count ---------------------------------------------------------------------------------------- */

static int32_t apply(const twin_init_config *config)
{
    int32_t code = twin_backend_need();
    if (code != 0)
        return code;
    if (config->default_device >= 0) {
        twin_device *device = NULL;
        code = twin_device_find(config->default_device, &device);
        if (code != 0)
            return code;
    }
    twin_messages_set_process(config->process_messages);
    twin_context_set_default_device(config->default_device);
    if (config->core_stack_given)
        twin_stack_set(config->core_stack_bytes);
    if (config->print_buffer_given)
        twin_print_set(config->print_buffer_bytes);
    return 0;
}

/* Says which parts of an accepted configuration nothing here acts on. */
static void name_unused(const char *text)
{
    static const char *const used[] = {"StackSize", "defaultDevice", "err_msg_mode",
                                       "simd_printf_fifo_size_per_core"};
    cJSON *root = cJSON_Parse(text);
    for (const cJSON *item = root ? root->child : NULL; item; item = item->next) {
        bool has_effect = false;
        for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
            has_effect = has_effect || strcmp(item->string, used[i]) == 0;
        if (!has_effect)
            twin_log(TWIN_LOG_WARNING, "aclInit: \"%.64s\" in the configuration has no effect",
                     item->string);
    }
    cJSON_Delete(root);
}

/* Callbacks ------------------------------------------------------------------------------------ */

/* Waits until no other thread calls callbacks. Not for the caller itself, which may be in one. */
static void wait_idle_locked(void)
{
    while (calling && calling != &twin_self)
        twin_cond_wait(&init_idle, &init_lock);
}

/* As wait_idle, for a call that a callback must not make. 500000. */
static int32_t begin_locked(void)
{
    wait_idle_locked();
    return calling ? twin_fail(TWIN_ERR_REGISTRATION,
                               "a callback of aclInit or aclFinalize cannot initialise or finalise")
                   : 0;
}

static int32_t call_one(const twin_registration *due, const char *text, size_t bytes)
{
    const twin_call *call = twin_outcall_begin();
    int32_t code = due->moment == TWIN_AT_INIT ? due->at_init(text, bytes, due->user)
                                               : due->at_finalize(due->user);
    twin_outcall_end(call);
    return code;
}

/* Calls what is registered, until one fails. Locked on entry and return. */
static int32_t call_all_locked(twin_moment moment, bool with_file, const char *text, size_t bytes)
{
    int32_t code = 0;
    twin_registration due;
    calling = &twin_self;
    twin_registrations_begin();
    while (code == 0 && twin_registrations_next(moment, with_file, &due)) {
        twin_lock_drop(&init_lock);
        code = call_one(&due, text, bytes);
        if (code != 0)
            code = twin_fail_callback(code, "a registered callback returned this code");
        twin_lock_take(&init_lock);
    }
    calling = NULL;
    twin_cond_broadcast(&init_idle);
    return code;
}

int32_t twin_init_register(const twin_registration *registration)
{
    twin_lock_take(&init_lock);
    wait_idle_locked();
    int32_t code = twin_registration_add(registration);
    bool late = code == 0 && registration->moment == TWIN_AT_INIT && atomic_load(&init_count) > 0;
    /* What a process began with stays until its end. */
    const char *text = first_text ? first_text : "";
    size_t bytes = first_bytes;
    twin_lock_drop(&init_lock);
    if (late)
        (void)call_one(registration, text, bytes);
    return code;
}

int32_t twin_init_unregister(const twin_registration *registration)
{
    twin_lock_take(&init_lock);
    wait_idle_locked();
    int32_t code = twin_registration_remove(registration);
    twin_lock_drop(&init_lock);
    return code;
}

/* Start and end -------------------------------------------------------------------------------- */

static int32_t init_locked(const char *path)
{
    if (atomic_load(&init_count) > 0) {
        atomic_fetch_add(&init_count, 1);
        return twin_fail(TWIN_ERR_REPEAT_INITIALIZE,
                         "the process is initialised already; this call only counts");
    }
    twin_file file = {0};
    const bool named = path && path[0] != '\0';
    const int error = named ? twin_file_read(path, FILE_BYTES_MAX, &file) : 0;
    if (error != 0)
        return error == ENOMEM ? twin_fail(TWIN_ERR_NOMEM, "no host memory for %s", path)
                               : twin_fail(TWIN_ERR_INVALID_FILE, "%s: %s", path, file.why);
    char *text = file.text;
    const size_t bytes = file.bytes;
    twin_init_config config = {.default_device = -1};
    int32_t code = twin_init_parse(text ? text : "", bytes, &config);
    if (code != 0)
        goto free_text;
    if (first_text && (bytes != first_bytes || memcmp(text ? text : "", first_text, bytes) != 0)) {
        code =
            twin_fail(TWIN_ERR_ARG_RELATION,
                      "the configuration differs from the one this process began with; a process "
                      "keeps its first configuration");
        goto free_text;
    }
    code = apply(&config);
    if (code != 0)
        goto free_text;
    if (text && !first_text)
        name_unused(text);
    code = call_all_locked(TWIN_AT_INIT, named, text ? text : "", bytes);
    if (code != 0) {
        twin_context_set_default_device(-1);
        goto free_text;
    }
    if (!first_text) {
        first_text = text ? text : twin_strdup("");
        first_bytes = bytes;
        text = NULL;
    }
    atomic_store(&init_count, 1);
free_text:
    twin_free(text);
    return code;
}

int32_t twin_init(const char *path)
{
    twin_lock_take(&init_lock);
    int32_t code = begin_locked();
    if (code == 0)
        code = init_locked(path);
    twin_lock_drop(&init_lock);
    return code;
}

/* The last reference is gone. What the program holds stays usable: others may hold it too. */
static int32_t deinit_locked(void)
{
    int32_t code = call_all_locked(TWIN_AT_FINALIZE, false, "", 0);
    if (code != 0)
        return code;
    atomic_store(&init_count, 0);
    twin_context_set_default_device(-1);
    return 0;
}

static int32_t refuse_locked(void)
{
    return twin_fail(TWIN_ERR_REPEAT_FINALIZE,
                     "the process is not initialised; call aclInit first");
}

int32_t twin_finalize(void)
{
    twin_lock_take(&init_lock);
    int32_t code = begin_locked();
    if (code == 0)
        code = atomic_load(&init_count) == 0 ? refuse_locked() : deinit_locked();
    twin_lock_drop(&init_lock);
    return code;
}

int32_t twin_finalize_reference(uint64_t *out_count)
{
    twin_lock_take(&init_lock);
    int32_t code = begin_locked();
    uint64_t count = atomic_load(&init_count);
    if (code == 0 && count == 0)
        code = refuse_locked();
    else if (code == 0 && count == 1)
        code = deinit_locked();
    else if (code == 0)
        atomic_store(&init_count, count - 1);
    if (out_count)
        *out_count = code == 0 ? count - 1 : count;
    twin_lock_drop(&init_lock);
    return code;
}

bool twin_initialized(void)
{
    return atomic_load_explicit(&init_count, memory_order_relaxed) > 0;
}
