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

/* An object with one text. */
#define ONE_TEXT(name, member, text) JSON_ITEM(name, json_object(JSON_TEXT(member, text)))
#define MESSAGE(name, text_)         ONE_TEXT(name, "text", text_)

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
static struct json_member file_at(const char *path)
{
    char uri[3 * PATH_MAX] = "file://";
    while (path[0] == '/' && path[1] == '/')
        path++; /* a host's name would follow two */
    const size_t scheme = path[0] == '/' ? strlen(uri) : 0;
    put_uri(path, uri + scheme, sizeof(uri) - scheme);
    cJSON *file = json_object(JSON_TEXT("uri", uri));
    if (scheme == 0)
        json_add(file, JSON_TEXT("uriBaseId", SOURCES));
    return JSON_ITEM("artifactLocation", file);
}

static void add_place(cJSON *location, const struct check_site *site)
{
    char name[NAME_MAX + 32];
    if (!site->module[0] && !site->symbol.file[0])
        return;
    cJSON *place = cJSON_AddObjectToObject(location, "physicalLocation");
    if (site->symbol.line != 0) {
        json_add(place, file_at(check_site_file(site)),
                 JSON_ITEM("region", json_object(JSON_NUMBER("startLine", site->symbol.line))));
    } else if (!site->module[0]) { /* of a script */
        json_add(place, file_at(check_site_file(site)));
    } else {
        (void)snprintf(name, sizeof(name), "%.255s+0x%" PRIx64, site->module_name, site->offset);
        json_add(place,
                 JSON_ITEM("address", json_object(JSON_NUMBER("relativeAddress", site->offset),
                                                  JSON_TEXT("fullyQualifiedName", name))),
                 file_at(site->module));
    }
}

static void add_function(cJSON *location, const char *name)
{
    if (!*name)
        return;
    cJSON *logical = json_object(JSON_TEXT("name", name), JSON_TEXT("kind", "function"));
    json_add(location, JSON_ITEM("logicalLocations", json_list_of(logical)));
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
    return json_add(location, MESSAGE("message", text));
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
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++) {
        cJSON *location = cJSON_CreateObject();
        add_place(location, &frames[i]);
        add_function(location, frames[i].symbol.function);
        json_append(list, json_object(JSON_ITEM("location", location)));
    }
    (void)snprintf(text, sizeof(text), "%s: %s", message, check_describe_op(result, op, line));
    json_append(stacks, json_object(MESSAGE("message", text), JSON_ITEM("frames", list)));
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
    json_add(object, ONE_TEXT("partialFingerprints", "twinrtCheck/v1", text));
}

/* The earlier op, and the runs of model instances that the two are tasks of. */
static void add_related(cJSON *object, const struct check_result *result,
                        const struct check_finding *finding, uint32_t main_op)
{
    const struct {
        uint32_t op;
        const char *label;
    } related[] = {
        {main_op != finding->first ? finding->first : CHECK_NONE, "first"},
        {checker_run_of(result->checker, finding->first), "run with the first"},
        {checker_run_of(result->checker, finding->second), "run with the second"},
    };
    cJSON *list = NULL;
    unsigned id = 0;
    for (size_t i = 0; i < sizeof(related) / sizeof(related[0]); i++) {
        if (!checker_op(result->checker, related[i].op))
            continue;
        if (!list)
            list = cJSON_AddArrayToObject(object, "relatedLocations");
        json_append(list, json_add(location_of(result, related[i].op, related[i].label),
                                   JSON_NUMBER("id", ++id)));
    }
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
    const char *fix = checker_fix(result->checker, finding);
    char text[1024];
    (void)snprintf(text, sizeof(text), "%s: %s%s%s", rule->breach, finding->why ? finding->why : "",
                   fix[0] ? ". Fix: " : "", fix);
    cJSON *locations = cJSON_CreateArray();
    if (checker_op(result->checker, main_op))
        json_append(locations, location_of(result, main_op, label));
    cJSON *object =
        json_object(JSON_TEXT("ruleId", rule->number), JSON_NUMBER("ruleIndex", finding->rule),
                    JSON_TEXT("level", check_level_word(rule->of)), MESSAGE("message", text),
                    JSON_ITEM("locations", locations));
    add_related(object, result, finding, main_op);
    add_stack(object, result, main_op, label);
    if (main_op != finding->first)
        add_stack(object, result, finding->first, "first");
    add_fingerprint(object, result, finding);
    json_add(object, JSON_NUMBER("occurrenceCount", 1 + finding->repeats));
    if (line != 0) {
        (void)snprintf(text, sizeof(text), "%.900s:%u", report->options.suppressions->path,
                       (unsigned)line);
        cJSON *suppression =
            json_object(JSON_TEXT("kind", "external"), JSON_TEXT("justification", text));
        json_add(object, JSON_ITEM("suppressions", json_list_of(suppression)));
    }
    return json_add(object, ONE_TEXT("properties", "process", result->name));
}

void check_sarif_add(struct check_report *report, const struct check_result *result)
{
    for (size_t i = 0; i < result->finding_count; i++)
        json_append(report->list, result_of(report, result, i));
}

/* ---- the file ---- */

static cJSON *rules(void)
{
    cJSON *list = cJSON_CreateArray();
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++) {
        const struct check_rule_text *text = &check_rule_texts[rule];
        cJSON *object =
            json_object(JSON_TEXT("id", text->number), MESSAGE("shortDescription", text->breach),
                        MESSAGE("fullDescription", text->holds));
        if (text->fix[0])
            json_add(object, MESSAGE("help", text->fix));
        cJSON *tags = json_list_of(cJSON_CreateString(check_class_word(text->of)));
        json_add(object, ONE_TEXT("defaultConfiguration", "level", check_level_word(text->of)),
                 JSON_ITEM("properties", json_object(JSON_ITEM("tags", tags))));
        json_append(list, object);
    }
    return list;
}

static cJSON *invocation_of(const struct check_totals *totals)
{
    cJSON *invocation = json_object(JSON_BOOL("executionSuccessful", !totals->partial));
    if (totals->partial) {
        cJSON *notification = json_object(
            MESSAGE("message",
                    "a recording is missing or damaged, or stopped before the program did"),
            JSON_TEXT("level", "error"));
        json_add(invocation, JSON_ITEM("toolExecutionNotifications", json_list_of(notification)));
    }
    return invocation;
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
    json_add(run, JSON_ITEM("originalUriBaseIds", json_object(ONE_TEXT(SOURCES, "uri", uri))));
}

bool check_sarif_write(struct check_report *report, FILE *out)
{
    cJSON *driver = json_object(JSON_TEXT("name", "twinrt check"),
                                JSON_TEXT("version", TWINRT_VERSION), JSON_ITEM("rules", rules()));
    cJSON *run =
        json_object(JSON_ITEM("tool", json_object(JSON_ITEM("driver", driver))),
                    JSON_ITEM("invocations", json_list_of(invocation_of(&report->totals))));
    add_sources(run);
    json_add(run, JSON_TEXT("columnKind", "unicodeCodePoints"), JSON_ITEM("results", report->list));
    report->list = NULL;
    return json_print(json_object(JSON_TEXT("$schema", SCHEMA), JSON_TEXT("version", "2.1.0"),
                                  JSON_ITEM("runs", json_list_of(run))),
                      out);
}
