/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 40
#define FIRST_KEY    0x100 /* of options without a letter */

void option_flag(struct argp_state *state, const struct tool_option *option, char *value)
{
    (void)state;
    (void)value;
    *(bool *)option->to = true;
}

void option_text(struct argp_state *state, const struct tool_option *option, char *value)
{
    if (value && strcmp(value, "--") == 0)
        argp_error(state, "--%s: missing %s before --", option->name, option->value);
    *(const char **)option->to = value;
}

void option_number(struct argp_state *state, const struct tool_option *option, char *value)
{
    char *end = NULL;
    const unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number < option->least || number > option->most)
        argp_error(state, "--%s is \"%s\"; expected a number from %u to %u", option->name, value,
                   option->least, option->most);
    *(unsigned *)option->to = (unsigned)number;
}

void option_setting(struct argp_state *state, const struct tool_option *option, char *value)
{
    const twin_setting_info *info = &twin_setting_table[option->setting];
    const char *text = option->value ? value : "on";
    char error[256];
    if (!twin_setting_check(option->setting, text, error, sizeof(error)))
        argp_error(state, "--%s=%s is invalid; expected %s", option->name, text, info->allowed);
    if (setenv(info->name, text, 1) != 0)
        argp_failure(state, argp_err_exit_status, errno, "setenv");
}

struct parse {
    const struct tool_syntax *syntax;
    const struct tool_option *options[OPTIONS_MOST]; /* by key */
    struct argp_option table[OPTIONS_MOST + 2];      /* with the title and the end */
};

static int key_of(const struct tool_option *option, size_t index)
{
    return option->letter ? option->letter : FIRST_KEY + (int)index;
}

/* Takes an argument, or at the end NULL: all must have come then. */
static void take_recording(struct argp_state *state, const struct tool_syntax *syntax,
                           const char *path)
{
    const bool one = syntax->recording_count == 1;
    unsigned count = 0;
    while (count < syntax->recording_count && syntax->recordings[count])
        count++;
    if (!path && count < syntax->recording_count)
        argp_error(state, "missing argument: %s", one ? "RECORDING" : "two recordings, A and B");
    if (path && count == syntax->recording_count)
        argp_error(state, "more than %s", one ? "one recording; expected one" : "two recordings");
    if (path)
        syntax->recordings[count] = path;
}

static error_t take(int key, char *argument, struct argp_state *state)
{
    const struct parse *parse = state->input;
    const struct tool_syntax *syntax = parse->syntax;
    if (key == ARGP_KEY_ARG && syntax->program) {
        *syntax->program = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    }
    if (key == ARGP_KEY_ARG) {
        if (syntax->recordings)
            take_recording(state, syntax, argument);
        else if (syntax->argument)
            syntax->argument(state, argument);
        else
            argp_error(state, "no argument is expected: %s", argument);
        return 0;
    }
    if (key == ARGP_KEY_END && syntax->recordings)
        take_recording(state, syntax, NULL);
    if (key == ARGP_KEY_END && syntax->end)
        syntax->end(state);
    for (size_t i = 0; i < OPTIONS_MOST && parse->options[i]; i++)
        if (key_of(parse->options[i], i) == key) {
            parse->options[i]->take(state, parse->options[i], argument);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

void options_parse(const struct tool_syntax *syntax, int argc, char **argv)
{
    const struct tool_option *const tables[] = {syntax->options, syntax->more};
    struct parse parse = {.syntax = syntax};
    struct argp_option *row = parse.table;
    size_t count = 0;
    for (int table = 0; table < 2; table++) {
        if (table == 1 && tables[1])
            *row++ = (struct argp_option){.doc = syntax->title, .group = 1};
        for (const struct tool_option *option = tables[table];
             option && option->name && count < OPTIONS_MOST; option++) {
            *row++ = (struct argp_option){.name = option->name,
                                          .key = key_of(option, count),
                                          .arg = option->value,
                                          .flags = option->optional ? OPTION_ARG_OPTIONAL : 0,
                                          .doc = option->help,
                                          .group = table + option->group};
            parse.options[count++] = option;
        }
    }
    const struct argp parser = {
        .options = parse.table, .parser = take, .args_doc = syntax->arguments, .doc = syntax->help};
    argp_parse(&parser, argc, argv, syntax->program ? ARGP_IN_ORDER : 0, NULL, &parse);
}
