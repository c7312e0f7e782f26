/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt info --json`. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/config.h"
#include "seam/backend.h"
#include "tool.h"

static void add_devices(cJSON *root, const struct twin_backend *backend)
{
    cJSON *devices = cJSON_AddArrayToObject(root, "devices");
    uint32_t count = 0;
    if (!backend->process.count || backend->process.count(&count) != TWIN_OK)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const twin_device_properties *properties = NULL;
        cJSON *device = cJSON_CreateObject();
        cJSON_AddItemToArray(devices, device);
        if (!backend->process.describe || backend->process.describe(i, &properties) != TWIN_OK)
            continue;
        cJSON_AddStringToObject(device, "soc_name", properties->soc_name);
        const struct {
            const char *name;
            uint64_t value;
        } numbers[] = {
            {"memory_bytes", properties->memory_bytes},
            {"streams", properties->stream_limit},
            {"tasks_in_flight", properties->queue_depth},
            {"events", properties->event_limit},
            {"notifies", properties->notify_limit},
            {"count_notifies", properties->count_notify_limit},
            {"priorities", properties->priority_count},
            {"aic_cores", properties->aic_cores},
            {"aiv_cores", properties->aiv_cores},
            {"ai_cpus", properties->ai_cpus},
        };
        for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++)
            cJSON_AddNumberToObject(device, numbers[n].name, (double)numbers[n].value);
    }
}

static void take_fact(void *context, const twin_fact *fact)
{
    cJSON *root = context;
    if (*fact->mark == '\0') { /* no parameter */
        cJSON_AddStringToObject(root, fact->name, fact->value);
        return;
    }
    cJSON *parameter = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(root, "parameters"), parameter);
    char *end = NULL;
    double number = strtod(fact->value, &end);
    cJSON_AddStringToObject(parameter, "name", fact->name);
    if (*fact->value != '\0' && *end == '\0')
        cJSON_AddNumberToObject(parameter, "value", number);
    else
        cJSON_AddStringToObject(parameter, "value", fact->value);
    cJSON_AddStringToObject(parameter, "unit", fact->unit);
    cJSON_AddStringToObject(parameter, "mark", fact->mark);
    cJSON_AddStringToObject(parameter, "source", fact->source);
    if (*fact->base)
        cJSON_AddStringToObject(parameter, "inherited_from", fact->base);
}

static void add_settings(cJSON *root)
{
    cJSON *settings = cJSON_AddArrayToObject(root, "settings");
    for (int id = 0; id < TWIN_SETTING_COUNT; id++) {
        cJSON *setting = cJSON_CreateObject();
        cJSON_AddItemToArray(settings, setting);
        cJSON_AddStringToObject(setting, "name", twin_setting_table[id].name);
        cJSON_AddStringToObject(setting, "value", twin_setting((twin_setting_id)id));
        cJSON_AddBoolToObject(setting, "set", twin_setting_given((twin_setting_id)id));
    }
}

int twin_tool_info_json(const struct twin_backend *backend, const char *plugin)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "backend", backend->name);
    cJSON_AddStringToObject(root, "plugin", plugin);
    add_devices(root, backend);
    add_settings(root);
    cJSON_AddArrayToObject(root, "parameters");
    if (backend->diag.facts)
        backend->diag.facts(take_fact, root);
    char *text = cJSON_Print(root);
    if (text)
        puts(text);
    else
        fprintf(stderr, "twinrt: no memory left\n");
    cJSON_free(text);
    cJSON_Delete(root);
    return text ? 0 : -1;
}
