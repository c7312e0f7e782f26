/* SPDX-License-Identifier: Apache-2.0 */
/* The options and arguments of a command as a table, which one parser reads. A mistake ends the
 * process with a message. */
#ifndef TWINRT_TOOLS_OPTIONS_H
#define TWINRT_TOOLS_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "core/base/config.h"

struct tool_option {
    const char *name;
    const char *value; /* what the help calls its value; NULL: it has none */
    const char *help;
    /* What the option does, with its value: one of those below, or the command's own. */
    void (*take)(struct argp_state *state, const struct tool_option *option, char *value);
    void *to;
    unsigned least, most;
    twin_setting_id setting;
    int letter;    /* short form; 0: none */
    int group;     /* of the help */
    bool optional; /* the value may be missing: NULL */
};

/* *(bool *)to = true. */
void option_flag(struct argp_state *state, const struct tool_option *option, char *value);
/* *(const char **)to = value. */
void option_text(struct argp_state *state, const struct tool_option *option, char *value);
/* *(unsigned *)to = value, a number from `least` to `most`. */
void option_number(struct argp_state *state, const struct tool_option *option, char *value);
/* Sets the variable of `setting`, after the check that the runtime makes. An option without a value
 * means "on". */
void option_setting(struct argp_state *state, const struct tool_option *option, char *value);

#define OPTION_BACKEND                                                                             \
    {                                                                                              \
        "backend", "NAME", "The device: auto, " TWIN_BACKEND_NAMES, option_setting,                \
            .setting = TWIN_SETTING_BACKEND                                                        \
    }
#define OPTION_PROFILE                                                                             \
    {                                                                                              \
        "profile", "NAME", "The SoC that the model imitates: a name or a file", option_setting,    \
            .setting = TWIN_SETTING_PROFILE                                                        \
    }
#define OPTION_DEVICES                                                                             \
    {                                                                                              \
        "devices", "N", "Devices of the model, 1 to 64", option_setting,                           \
            .setting = TWIN_SETTING_DEVICES                                                        \
    }

struct tool_syntax {
    const struct tool_option *options; /* ends with one without a name */
    const struct tool_option *more;    /* under a title of the help; NULL: none */
    const char *title;
    const char *arguments; /* of the usage line; NULL: none are expected */
    const char *help;
    const char **recordings; /* where the arguments go, 1 or 2 that all must be given; NULL: to */
    unsigned recording_count;
    void (*argument)(struct argp_state *state, char *argument);
    char ***program; /* where the first argument and all after it go; NULL: to the above */
    void (*end)(struct argp_state *state); /* checks the whole; NULL: nothing to check */
};

void options_parse(const struct tool_syntax *syntax, int argc, char **argv);

#endif
