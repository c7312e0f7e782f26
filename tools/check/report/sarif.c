/* SPDX-License-Identifier: Apache-2.0 */
/* What was found, as SARIF 2.1.0 (OASIS): one run, one result for each finding. */
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check/report/formats.h"

#define SOURCES "%SRCROOT%"
#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

static cJSON *add_object(cJSON *parent, const char *name)
{
    return cJSON_AddObjectToObject(parent, name);
}

static void add_message(cJSON *parent, const char *name, const char *text)
{
    cJSON_AddStringToObject(add_object(parent, name), "text", text);
}

/* ---- one finding ---- */

/* As in a URI: what is neither a letter, a digit nor one of -._~/ is percent-encoded. */
static void put_uri(const char *path, char *out, size_t room)
{
    size_t used = 0;
    for (; *path && used + 4 <= room; path++) {
        const unsigned char byte = (unsigned char)*path;
        if (isalnum(byte) || strchr("-._~/", byte))
            out[used++] = (char)byte;
        else
            used += (size_t)snprintf(out + used, room - used, "%%%02X", byte);
    }
    out[used] = '\0';
}

/* A file below the folder in which the tool runs is given from there on, for that is where its
 * sources are mostly. */
static void add_file(cJSON *place, const char *path)
{
    char uri[3 * PATH_MAX] = "file://";
    while (path[0] == '/' && path[1] == '/')
        path++; /* a host's name would follow two */
    const size_t scheme = path[0] == '/' ? strlen(uri) : 0;
    cJSON *file = add_object(place, "artifactLocation");
    put_uri(path, uri + scheme, sizeof(uri) - scheme);
    cJSON_AddStringToObject(file, "uri", uri);
    if (scheme == 0)
        cJSON_AddStringToObject(file, "uriBaseId", SOURCES);
}

static void add_place(cJSON *location, const struct check_site *site)
{
    char name[NAME_MAX + 32];
    if (!site->module[0] && !site->symbol.file[0])
        return;
    cJSON *place = add_object(location, "physicalLocation");
    if (site->symbol.line != 0) {
        add_file(place, check_site_file(site));
        cJSON_AddNumberToObject(add_object(place, "region"), "startLine", site->symbol.line);
        return;
    }
    if (!site->module[0]) { /* of a script */
        add_file(place, check_site_file(site));
        return;
    }
    cJSON *address = add_object(place, "address");
    (void)snprintf(name, sizeof(name), "%.255s+0x%" PRIx64, site->module_name, site->offset);
    add_file(place, site->module);
    cJSON_AddNumberToObject(address, "relativeAddress", (double)site->offset);
    cJSON_AddStringToObject(address, "fullyQualifiedName", name);
}

static void add_function(cJSON *location, const char *name)
{
    if (!*name)
        return;
    cJSON *logical = check_json_append(cJSON_AddArrayToObject(location, "logicalLocations"));
    cJSON_AddStringToObject(logical, "name", name);
    cJSON_AddStringToObject(logical, "kind", "function");
}

/* Where the program makes the call; without that, the call. */
static cJSON *location_of(const struct check_result *result, uint32_t op, const char *message)
{
    struct check_site site;
    char name[TWIN_OP_NAME];
    char line[CHECK_OP_LINE];
    char text[CHECK_OP_LINE + 192];
    const char *hint = "";
    cJSON *location = cJSON_CreateObject();
    if (check_result_site(result, op, &site)) {
        add_place(location, &site);
        add_function(location, site.symbol.function);
        hint = check_site_hint(&site);
    } else {
        add_function(location,
                     twin_op_name(result->recording, checker_op(result->checker, op), name));
    }
    (void)snprintf(text, sizeof(text), "%s: %s%s%s", message, check_describe_op(result, op, line),
                   *hint ? "; called by " : "", hint);
    add_message(location, "message", text);
    return location;
}

/* The stack of the call, if it was recorded. */
static void add_stack(cJSON *object, const struct check_result *result, uint32_t op,
                      const char *message)
{
    struct check_site frames[TWIN_RECORD_STACK_MOST];
    char line[CHECK_OP_LINE];
    char text[CHECK_OP_LINE + 16];
    const size_t count = check_result_stack(result, op, frames);
    if (count == 0)
        return;
    cJSON *stacks = cJSON_GetObjectItem(object, "stacks");
    if (!stacks)
        stacks = cJSON_AddArrayToObject(object, "stacks");
    cJSON *stack = check_json_append(stacks);
    (void)snprintf(text, sizeof(text), "%s: %s", message, check_describe_op(result, op, line));
    add_message(stack, "message", text);
    cJSON *list = cJSON_AddArrayToObject(stack, "frames");
    for (size_t i = 0; i < count; i++) {
        cJSON *location = add_object(check_json_append(list), "location");
        add_place(location, &frames[i]);
        add_function(location, frames[i].symbol.function);
    }
}

/* Function of the program and public call. */
static void put_identity(const struct check_result *result, uint32_t index, char *out, size_t room)
{
    const twin_op *op = checker_op(result->checker, index);
    struct check_site site;
    char name[TWIN_OP_NAME];
    (void)snprintf(out, room, "%s:%s",
                   check_result_site(result, index, &site) ? site.symbol.function : "",
                   op ? twin_op_name(result->recording, op, name) : "");
}

/* The same finding of another run has the same. */
static void add_fingerprint(cJSON *object, const struct check_result *result,
                            const struct check_finding *finding)
{
    char calls[2][TWIN_OP_NAME + SYMBOL_FUNCTION_BYTES];
    char text[sizeof(calls) + 32];
    put_identity(result, finding->first, calls[0], sizeof(calls[0]));
    put_identity(result, finding->second, calls[1], sizeof(calls[1]));
    (void)snprintf(text, sizeof(text), "%s/%s/%s", check_rule_texts[finding->rule].number, calls[0],
                   calls[1]);
    cJSON_AddStringToObject(add_object(object, "partialFingerprints"), "twinrtCheck/v1", text);
}

static cJSON *result_of(const struct check_report *report, const struct check_result *result,
                        size_t index)
{
    const struct check_finding *finding = &result->findings[index];
    const struct check_rule_text *rule = &check_rule_texts[finding->rule];
    const uint32_t line = result->suppressed_by[index];
    /* the later op is where the order is missing, so the result is there */
    const uint32_t main_op = finding->second != CHECK_NONE ? finding->second : finding->first;
    const bool alone = finding->first == CHECK_NONE || finding->second == CHECK_NONE;
    const char *const label = alone ? "op" : "second";
    char text[1024];
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "ruleId", rule->number);
    cJSON_AddNumberToObject(object, "ruleIndex", finding->rule);
    cJSON_AddStringToObject(object, "level", check_level_word(rule->of));
    (void)snprintf(text, sizeof(text), "%s: %s%s%s", rule->breach, finding->why ? finding->why : "",
                   rule->fix[0] ? ". Fix: " : "", rule->fix);
    add_message(object, "message", text);
    cJSON *locations = cJSON_AddArrayToObject(object, "locations");
    if (checker_op(result->checker, main_op))
        cJSON_AddItemToArray(locations, location_of(result, main_op, label));
    if (main_op != finding->first && checker_op(result->checker, finding->first)) {
        cJSON *related = location_of(result, finding->first, "first");
        cJSON_AddNumberToObject(related, "id", 1);
        cJSON_AddItemToArray(cJSON_AddArrayToObject(object, "relatedLocations"), related);
    }
    add_stack(object, result, main_op, label);
    if (main_op != finding->first)
        add_stack(object, result, finding->first, "first");
    add_fingerprint(object, result, finding);
    cJSON_AddNumberToObject(object, "occurrenceCount", (double)(1 + finding->repeats));
    if (line != 0) {
        cJSON *suppression = check_json_append(cJSON_AddArrayToObject(object, "suppressions"));
        cJSON_AddStringToObject(suppression, "kind", "external");
        (void)snprintf(text, sizeof(text), "%.900s:%u", report->options.suppressions->path,
                       (unsigned)line);
        cJSON_AddStringToObject(suppression, "justification", text);
    }
    cJSON_AddStringToObject(add_object(object, "properties"), "process", result->name);
    return object;
}

bool check_sarif_add(struct check_report *report, const struct check_result *result)
{
    for (size_t i = 0; i < result->finding_count; i++) {
        cJSON *object = result_of(report, result, i);
        if (!object || !cJSON_AddItemToArray(report->list, object))
            return false;
    }
    return true;
}

/* ---- the file ---- */

static cJSON *rules(void)
{
    cJSON *list = cJSON_CreateArray();
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        const struct check_rule_text *text = &check_rule_texts[rule];
        cJSON *object = check_json_append(list);
        cJSON_AddStringToObject(object, "id", text->number);
        add_message(object, "shortDescription", text->breach);
        add_message(object, "fullDescription", text->holds);
        if (text->fix[0])
            add_message(object, "help", text->fix);
        cJSON_AddStringToObject(add_object(object, "defaultConfiguration"), "level",
                                check_level_word(text->of));
        cJSON *tag = cJSON_CreateString(check_class_word(text->of));
        cJSON_AddItemToArray(cJSON_AddArrayToObject(add_object(object, "properties"), "tags"), tag);
    }
    return list;
}

static void add_invocation(cJSON *run, const struct check_totals *totals)
{
    cJSON *invocation = check_json_append(cJSON_AddArrayToObject(run, "invocations"));
    cJSON_AddBoolToObject(invocation, "executionSuccessful", !totals->partial);
    if (totals->partial) {
        cJSON *notification =
            check_json_append(cJSON_AddArrayToObject(invocation, "toolExecutionNotifications"));
        add_message(notification, "message",
                    "a recording is missing or damaged, or stopped before the program did");
        cJSON_AddStringToObject(notification, "level", "error");
    }
}

static void add_sources(cJSON *run)
{
    char folder[PATH_MAX];
    char encoded[3 * PATH_MAX];
    char uri[3 * PATH_MAX + 16];
    if (!getcwd(folder, sizeof(folder)))
        return;
    put_uri(folder, encoded, sizeof(encoded));
    (void)snprintf(uri, sizeof(uri), "file://%s%s", encoded, strcmp(folder, "/") == 0 ? "" : "/");
    cJSON *base = add_object(add_object(run, "originalUriBaseIds"), SOURCES);
    cJSON_AddStringToObject(base, "uri", uri);
}

bool check_sarif_write(struct check_report *report, FILE *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "$schema", SCHEMA);
    cJSON_AddStringToObject(root, "version", "2.1.0");
    cJSON *run = check_json_append(cJSON_AddArrayToObject(root, "runs"));
    cJSON *driver = add_object(add_object(run, "tool"), "driver");
    cJSON_AddStringToObject(driver, "name", "twinrt check");
    cJSON_AddStringToObject(driver, "version", TWINRT_VERSION);
    cJSON_AddItemToObject(driver, "rules", rules());
    add_invocation(run, &report->totals);
    add_sources(run);
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    cJSON_AddItemToObject(run, "results", report->list);
    report->list = NULL;
    return check_print_json(root, out);
}
