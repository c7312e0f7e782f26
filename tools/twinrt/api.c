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

struct refused {
    const char *name;
    const char *reason;
};

static const struct refused refused[] = {
#define TWIN_UNSUPPORTED(answer, type, name, parameters, reason) {#name, reason},
#include "api/unsupported.def"
#undef TWIN_UNSUPPORTED
    {NULL, NULL},
};
#define REFUSED_COUNT (sizeof(refused) / sizeof(refused[0]) - 1)

struct options {
    bool all;
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
    case ARGP_KEY_ARG:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *refusal(const char *name)
{
    for (size_t i = 0; i < REFUSED_COUNT; i++)
        if (strcmp(refused[i].name, name) == 0)
            return refused[i].reason;
    return NULL;
}

int twin_tool_api(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"unsupported", 'u', NULL, 0, "List what is not built, with the reason (default)", 0},
        {"all", 'a', NULL, 0, "List every function", 0},
        {0},
    };
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .doc =
            "Lists the functions of the public interface. One that is not built answers "
            "ACL_ERROR_RT_FEATURE_NOT_SUPPORT (207000), or NULL or zero where it returns no code.",
    };
    struct options options = {.all = false};
    argp_parse(&parser, argc, argv, 0, NULL, &options);

    int width = 0;
    for (size_t i = 0; i < EXPORTED_COUNT; i++)
        if ((int)strlen(exported[i]) > width)
            width = (int)strlen(exported[i]);
    for (size_t i = 0; i < EXPORTED_COUNT; i++) {
        const char *reason = refusal(exported[i]);
        if (reason)
            printf("%-*s  not built: %s\n", width, exported[i], reason);
        else if (options.all)
            printf("%-*s  built\n", width, exported[i]);
    }
    printf("%zu functions: %zu built, %zu not built\n", EXPORTED_COUNT,
           EXPORTED_COUNT - REFUSED_COUNT, REFUSED_COUNT);
    return 0;
}
