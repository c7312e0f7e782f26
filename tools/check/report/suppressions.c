/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report/suppressions.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "check/report/result.h"
#include "recording/utf8.h"

#define BLANKS " \t\r\n"

enum key { KEY_CALL, KEY_FILE, KEY_FUNCTION, KEY_MODULE, KEY_STREAM, KEY_COUNT };

static const char *const key_names[KEY_COUNT] = {[KEY_CALL] = "call",
                                                 [KEY_FILE] = "file",
                                                 [KEY_FUNCTION] = "function",
                                                 [KEY_MODULE] = "module",
                                                 [KEY_STREAM] = "stream"};

/* ---- reading ---- */

static bool rule_exists(const char *pattern)
{
    for (int rule = 0; rule < CHECK_RULE_COUNT; rule++)
        if (fnmatch(pattern, check_rule_texts[rule].number, 0) == 0)
            return true;
    return false;
}

/* False, with `error`: it is not KEY=PATTERN. */
static bool read_condition(char *word, struct check_condition *out, char *error, size_t error_bytes)
{
    char *equals = strchr(word, '=');
    if (equals && equals[1]) {
        *equals = '\0';
        for (int key = 0; key < KEY_COUNT; key++) {
            if (strcmp(word, key_names[key]) != 0)
                continue;
            *out = (struct check_condition){.key = key, .pattern = equals + 1};
            return true;
        }
        *equals = '=';
    }
    size_t used = (size_t)snprintf(error, error_bytes,
                                   "\"%s\" is invalid; expected KEY=PATTERN with one of", word);
    for (int key = 0; key < KEY_COUNT && used < error_bytes; key++)
        used += (size_t)snprintf(error + used, error_bytes - used, " %s", key_names[key]);
    return false;
}

static void free_suppression(struct check_suppression *suppression)
{
    free(suppression->text);
    free(suppression->words);
    free(suppression->conditions.items);
}

/* False, with `error`. An empty line has no rule. */
static bool read_line(const char *line, uint32_t number, struct check_suppression *out, char *error,
                      size_t error_bytes)
{
    char *rest = NULL;
    struct check_condition condition;
    *out = (struct check_suppression){.text = strdup(line), .line = number, .words = strdup(line)};
    (void)snprintf(error, error_bytes, "out of memory");
    if (!out->text || !out->words)
        return false;
    out->text[strcspn(out->text, "\r\n")] = '\0';
    utf8_clean(out->text);
    for (char *word = strtok_r(out->words, BLANKS, &rest); word && *word != '#';
         word = strtok_r(NULL, BLANKS, &rest)) {
        if (out->rule) {
            if (!LIST_ROOM(&out->conditions) ||
                !read_condition(word, &condition, error, error_bytes) ||
                !LIST_ADD(&out->conditions, condition))
                return false;
            continue;
        }
        out->rule = word;
        if (rule_exists(word))
            continue;
        (void)snprintf(error, error_bytes,
                       "there is no rule \"%s\"; expected one such as RACE-02, or a pattern such "
                       "as RACE-*",
                       word);
        return false;
    }
    return true;
}

static bool read_lines(FILE *file, struct check_suppressions *list, uint32_t *out_line, char *error,
                       size_t error_bytes)
{
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    while (good && getline(&line, &room, file) >= 0) {
        struct check_suppression next;
        ++*out_line;
        good = read_line(line, *out_line, &next, error, error_bytes);
        if (good && next.rule && LIST_ADD(list, next))
            continue;
        if (good && next.rule) {
            (void)snprintf(error, error_bytes, "out of memory");
            good = false;
        }
        free_suppression(&next);
    }
    free(line);
    return good;
}

struct check_suppressions *check_suppressions_read(const char *path, char *error,
                                                   size_t error_bytes)
{
    char text[400] = "";
    uint32_t line = 0;
    FILE *file = fopen(path, "re");
    if (!file) {
        (void)snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        return NULL;
    }
    struct check_suppressions *list = calloc(1, sizeof(*list));
    bool good = list && (list->path = strdup(path)) != NULL;
    if (!good)
        (void)snprintf(error, error_bytes, "%s: out of memory", path);
    else if (!(good = read_lines(file, list, &line, text, sizeof(text))))
        (void)snprintf(error, error_bytes, "%s:%" PRIu32 ": %s", path, line, text);
    if (good && ferror(file)) {
        good = false;
        (void)snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
    }
    (void)fclose(file);
    if (good)
        return list;
    check_suppressions_free(list);
    return NULL;
}

void check_suppressions_free(struct check_suppressions *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++)
        free_suppression(&list->items[i]);
    free(list->items);
    free(list->path);
    free(list);
}

/* ---- matching ---- */

/* As the pattern: with the folders of the file or without. */
static bool names_file(const char *pattern, const char *path)
{
    const char *slash = strrchr(path, '/');
    return fnmatch(pattern, path, 0) == 0 || fnmatch(pattern, slash ? slash + 1 : path, 0) == 0;
}

static bool holds_at(const struct check_condition *condition, const struct check_site *site)
{
    switch (condition->key) {
    case KEY_FILE:
        return names_file(condition->pattern, site->symbol.file) ||
               fnmatch(condition->pattern, check_site_file(site), 0) == 0;
    case KEY_FUNCTION:
        return fnmatch(condition->pattern, site->symbol.function, 0) == 0;
    default:
        return names_file(condition->pattern, site->module);
    }
}

static bool holds_for(const struct check_condition *condition, const struct check_result *result,
                      uint32_t index)
{
    const twin_op *op = checker_op(result->checker, index);
    struct check_site site;
    char text[TWIN_OP_NAME];
    if (!op)
        return false;
    switch (condition->key) {
    case KEY_CALL:
        return fnmatch(condition->pattern, twin_op_name(result->recording, op, text), 0) == 0;
    case KEY_STREAM:
        (void)snprintf(text, sizeof(text), "%" PRIu32,
                       checker_stream_id(result->checker, op->queue));
        return op->queue != 0 && fnmatch(condition->pattern, text, 0) == 0;
    default:
        return check_result_site(result, index, &site) && holds_at(condition, &site);
    }
}

static bool matches(const struct check_suppression *suppression, const struct check_result *result,
                    const struct check_finding *finding)
{
    if (fnmatch(suppression->rule, check_rule_texts[finding->rule].number, 0) != 0)
        return false;
    for (size_t i = 0; i < suppression->conditions.count; i++) {
        const struct check_condition *condition = &suppression->conditions.items[i];
        if (!holds_for(condition, result, finding->first) &&
            !holds_for(condition, result, finding->second))
            return false;
    }
    return true;
}

uint32_t check_suppressions_match(struct check_suppressions *list,
                                  const struct check_result *result,
                                  const struct check_finding *finding)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!matches(&list->items[i], result, finding))
            continue;
        list->items[i].used++;
        return list->items[i].line;
    }
    return 0;
}

/* Appends KEY=TEXT, as a pattern that TEXT matches and a line can hold. */
static void put_condition(enum key key, const char *text, char *out)
{
    size_t used = strlen(out);
    int length =
        snprintf(out + used, CHECK_SUPPRESSION_LINE - used, " %s=%s", key_names[key], text);
    if (length < 0 || used + (size_t)length >= CHECK_SUPPRESSION_LINE) {
        out[used] = '\0';
        return;
    }
    for (char *at = out + used + 1; *at; at++)
        if (strchr(BLANKS "*[]\\", *at))
            *at = '?';
}

const char *check_suppression_for(const struct check_result *result,
                                  const struct check_finding *finding,
                                  char out[CHECK_SUPPRESSION_LINE])
{
    const uint32_t ops[] = {finding->first, finding->second};
    (void)snprintf(out, CHECK_SUPPRESSION_LINE, "%s", check_rule_texts[finding->rule].number);
    for (int which = 0; which < 2; which++) {
        const twin_op *op = checker_op(result->checker, ops[which]);
        struct check_site site;
        char call[TWIN_OP_NAME];
        if (!op)
            continue;
        const bool known = check_result_site(result, ops[which], &site);
        if (known && site.symbol.function[0])
            put_condition(KEY_FUNCTION, site.symbol.function, out);
        else if (known && site.module[0])
            put_condition(KEY_MODULE, site.module_name, out);
        if (*twin_op_name(result->recording, op, call))
            put_condition(KEY_CALL, call, out);
    }
    return out;
}
