/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt api`: what of the public interface is built, from the table that the library is built
 * from. */
#include "tool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/functions.h"
#include "output/layout.h"
#include "core/base/config.h"
#include "core/base/soc.h"
#include "options.h"

/* Every function in the order of the table, and sorted by name. */
static const twin_api_function functions[] = {
#define TWIN_API TWIN_API_ROW
#include "api/functions.def"
};
#define COUNT (sizeof(functions) / sizeof(functions[0]))
static const twin_api_function *sorted[COUNT];

typedef enum api_state { BUILT, NOT_BUILT, NOT_OFFERED, STATES } api_state;
static const char *const state_names[] = {"built", "not built", "not offered"};

struct options {
    bool all;
    bool json;
    char soc[64];  /* whose functions are listed, "": of any */
    uint32_t part; /* of it, TWIN_PART_... */
    unsigned count[STATES];
};
static struct options options;

#define REASON (TWIN_PARTS_BYTES + 64u)

static void list_unsupported(struct argp_state *state, const struct tool_option *option,
                             char *value)
{
    (void)state;
    (void)option;
    (void)value;
    options.all = false;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const twin_api_function *const *)a)->name,
                  (*(const twin_api_function *const *)b)->name);
}

/* `reason`: why it is not built or not offered, "" for what is built. */
static api_state state_of(const twin_api_function *function, char reason[REASON])
{
    if ((function->parts & options.part) == 0) {
        char list[TWIN_PARTS_BYTES];
        twin_soc_list_parts(function->parts, list);
        (void)snprintf(reason, REASON,
                       function->parts == 0 ? "no part offers it" : "parts that offer it: %s",
                       list);
        return NOT_OFFERED;
    }
    (void)snprintf(reason, REASON, "%s", function->reason);
    return reason[0] ? NOT_BUILT : BUILT;
}

static void print_lines(void)
{
    int width = 0;
    for (size_t i = 0; i < COUNT; i++)
        if ((int)strlen(sorted[i]->name) > width)
            width = (int)strlen(sorted[i]->name);
    for (size_t i = 0; i < COUNT; i++) {
        char reason[REASON];
        api_state is = state_of(sorted[i], reason);
        char label[128];
        (void)snprintf(label, sizeof(label), "%-*s  %s: ", width, sorted[i]->name, state_names[is]);
        if (is != BUILT)
            layout_print(stdout, layout_width(stdout), (unsigned)width + 4, label, reason);
        else if (options.all)
            printf("%-*s  built\n", width, sorted[i]->name);
    }
    printf("%zu functions on %s: %u built, %u not built, %u not offered\n", COUNT,
           options.soc[0] ? options.soc : "any part", options.count[BUILT],
           options.count[NOT_BUILT], options.count[NOT_OFFERED]);
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

/* The rows of an area follow each other in the table, so its counts are complete where the next one
 * begins. */
static void print_areas(void)
{
    unsigned count[STATES] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        char reason[REASON];
        const bool last = i + 1 == COUNT;
        count[state_of(&functions[i], reason)]++;
        if (!last && strcmp(functions[i + 1].area, functions[i].area) == 0)
            continue;
        printf("    \"%s\": ", functions[i].area);
        print_counts(count);
        puts(last ? "" : ",");
        memset(count, 0, sizeof(count));
    }
}

static void print_json(void)
{
    printf("{\n  \"soc\": \"%s\",\n  \"functions\": [\n", options.soc);
    for (size_t i = 0; i < COUNT; i++) {
        char reason[REASON];
        api_state is = state_of(sorted[i], reason);
        printf("    {\"name\": \"%s\", \"area\": \"%s\", \"state\": \"%s\"", sorted[i]->name,
               sorted[i]->area, state_names[is]);
        if (reason[0]) {
            printf(", \"reason\": ");
            print_text(reason);
        }
        puts(i + 1 < COUNT ? "}," : "}");
    }
    puts("  ],\n  \"areas\": {");
    print_areas();
    printf("  },\n  \"counts\": ");
    print_counts(options.count);
    puts("\n}");
}

int twin_tool_api(int argc, char **argv)
{
    static const struct tool_option table[] = {
        {"unsupported", NULL, "List what is not built or not offered, with the reason (default)",
         list_unsupported, .letter = 'u'},
        {"json", NULL, "Every function with its area and state, as JSON", option_flag,
         .to = &options.json, .letter = 'j'},
        {"all", NULL, "List every function", option_flag, .to = &options.all, .letter = 'a'},
        {"profile", "NAME|FILE",
         "The part whose functions are listed (default: TWINRT_PROFILE, else 910b3)",
         option_setting, .setting = TWIN_SETTING_PROFILE},
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .help = "Lists the functions of the public interface. One that is not built returns "
                "ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000), or NULL or zero where it returns no "
                "code; one that is not offered returns the same on the model of a part that does "
                "not have it, as the vendor's reference says.",
    };
    options_parse(&syntax, argc, argv);
    if (twin_tool_profile_soc(twin_setting(TWIN_SETTING_PROFILE), options.soc,
                              sizeof(options.soc)) != 0 &&
        twin_setting_given(TWIN_SETTING_PROFILE))
        return TWIN_TOOL_FAILED; /* without a model no profile is installed, and all parts are
                                    listed */
    options.part = twin_soc_part(options.soc);
    if (options.part == 0)
        options.part = ~(uint32_t)TWIN_PART_IPV350;

    for (size_t i = 0; i < COUNT; i++)
        sorted[i] = &functions[i];
    qsort(sorted, COUNT, sizeof(sorted[0]), by_name);
    for (size_t i = 0; i < COUNT; i++) {
        char reason[REASON];
        options.count[state_of(sorted[i], reason)]++;
    }
    if (options.json)
        print_json();
    else
        print_lines();
    return 0;
}
