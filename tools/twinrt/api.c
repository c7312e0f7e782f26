/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt api`: what of the public interface is built, from the tables the library is built from. */
#include "tool.h"

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Every exported function, sorted: made from exports.map when the tool is built. */
static const char *const exported[] = {
#include "exported_names.inc"
};
#define EXPORTED_COUNT (sizeof(exported) / sizeof(exported[0]))

struct note {
    const char *name;
    const char *text;
};

static const struct note refused[] = {
#define TWIN_UNSUPPORTED(answer, type, name, parameters, reason) {#name, reason},
#include "api/unsupported.def"
    {NULL, NULL},
};

static const struct note not_offered[] = {
#define TWIN_NOT_OFFERED(name, reason) {#name, reason},
#include "api/not_offered.def"
    {NULL, NULL},
};

static const struct note areas[] = {
#define TWIN_AREA(area, name) {#name, area},
#include "api/areas.def"
    {NULL, NULL},
};

typedef enum api_state { BUILT, NOT_BUILT, NOT_OFFERED, STATES } api_state;
static const char *const state_names[] = {"built", "not built", "not offered"};

struct options {
    bool all;
    bool json;
    unsigned count[STATES];
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    (void)argument;
    switch (key) {
    case 'a':
        options->all = true;
        return 0;
    case 'u':
        options->all = false;
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *text_of(const struct note *notes, const char *name)
{
    for (; notes->name; notes++)
        if (strcmp(notes->name, name) == 0)
            return notes->text;
    return NULL;
}

/* *out_reason: why it is not built or not offered, NULL for what is built. */
static api_state state_of(const char *name, const char **out_reason)
{
    *out_reason = text_of(not_offered, name);
    if (*out_reason)
        return NOT_OFFERED;
    *out_reason = text_of(refused, name);
    return *out_reason ? NOT_BUILT : BUILT;
}

static void print_lines(const struct options *options)
{
    int width = 0;
    for (size_t i = 0; i < EXPORTED_COUNT; i++)
        if ((int)strlen(exported[i]) > width)
            width = (int)strlen(exported[i]);
    for (size_t i = 0; i < EXPORTED_COUNT; i++) {
        const char *reason;
        api_state is = state_of(exported[i], &reason);
        if (is != BUILT)
            printf("%-*s  %s: %s\n", width, exported[i], state_names[is], reason);
        else if (options->all)
            printf("%-*s  built\n", width, exported[i]);
    }
    printf("%zu functions: %u built, %u not built, %u not offered\n", EXPORTED_COUNT,
           options->count[BUILT], options->count[NOT_BUILT], options->count[NOT_OFFERED]);
}

static void print_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_counts(const unsigned *count)
{
    printf("{\"built\": %u, \"not built\": %u, \"not offered\": %u}", count[BUILT],
           count[NOT_BUILT], count[NOT_OFFERED]);
}

/* The rows of an area stand together in the table, so its counts are complete where the next one begins. */
static void print_areas(void)
{
    unsigned count[STATES] = {0};
    for (const struct note *row = areas; row->name; row++) {
        const char *reason;
        count[state_of(row->name, &reason)]++;
        if (row[1].name && strcmp(row[1].text, row->text) == 0)
            continue;
        printf("    \"%s\": ", row->text);
        print_counts(count);
        puts(row[1].name ? "," : "");
        memset(count, 0, sizeof(count));
    }
}

static void print_json(const struct options *options)
{
    puts("{\n  \"functions\": [");
    for (size_t i = 0; i < EXPORTED_COUNT; i++) {
        const char *reason;
        api_state is = state_of(exported[i], &reason);
        const char *area = text_of(areas, exported[i]);
        printf("    {\"name\": \"%s\", \"area\": \"%s\", \"state\": \"%s\"", exported[i],
               area ? area : "", state_names[is]);
        if (reason) {
            printf(", \"reason\": ");
            print_text(reason);
        }
        puts(i + 1 < EXPORTED_COUNT ? "}," : "}");
    }
    puts("  ],\n  \"areas\": {");
    print_areas();
    printf("  },\n  \"counts\": ");
    print_counts(options->count);
    puts("\n}");
}

int twin_tool_api(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"unsupported", 'u', NULL, 0,
         "List what is not built or not offered, with the reason (default)", 0},
        {"json", 'j', NULL, 0, "Every function with its area and state, as JSON", 0},
        {"all", 'a', NULL, 0, "List every function", 0},
        {0},
    };
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .doc = "Lists the functions of the public interface. One that is not built answers "
               "ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000), or NULL or zero where it returns no "
               "code; one "
               "that is not offered answers so on the hardware as well.",
    };
    struct options options = {.all = false};
    argp_parse(&parser, argc, argv, 0, NULL, &options);

    for (size_t i = 0; i < EXPORTED_COUNT; i++) {
        const char *reason;
        options.count[state_of(exported[i], &reason)]++;
    }
    if (options.json)
        print_json(&options);
    else
        print_lines(&options);
    return 0;
}
