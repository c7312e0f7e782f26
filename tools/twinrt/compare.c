/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt compare`: two recordings of one program, op by op. */
#include "tool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/compare.h"
#include "msprof/pairs.h"
#include "op_option.h"
#include "options.h"
#include "output.h"

static struct {
    const char *paths[2];
    bool json;
    const char *svg;
    struct op_renames renames;
} options;

static int draw(const struct compare_result *result, const char *path)
{
    FILE *file = output_create(path, 0600);
    if (file) {
        compare_draw(result, file);
        int failed = ferror(file);
        if (fclose(file) == 0 && !failed)
            return 0;
    }
    return twin_tool_error(-1, "%s: %s", path, strerror(errno));
}

static int report(const struct compare_result *result)
{
    if (options.svg && draw(result, options.svg) != 0)
        return TWIN_TOOL_UNREADABLE;
    if (!options.json)
        compare_report_text(result, stdout);
    else if (!compare_report_json(result, stdout))
        return TWIN_TOOL_UNREADABLE;
    if (!compare_is_same(result))
        return TWIN_TOOL_FOUND;
    return compare_is_whole(result) ? 0 : TWIN_TOOL_PARTIAL;
}

/* Times of kernels of a board and of the model, as the vendor's profilers write them. */
static int compare_tables(void)
{
    struct msprof_times times[2] = {{.rows = 0}, {.rows = 0}};
    char error[1024] = "out of memory";
    size_t count = 0;
    size_t left_out = 0;
    struct msprof_pair *pairs = NULL;
    bool good = true;
    for (int which = 0; good && which < 2; which++)
        good = msprof_times_add(&times[which], options.paths[which], error, sizeof(error)) &&
               msprof_times_sort(&times[which], options.renames.items,
                                 which == 0 ? options.renames.count : 0);
    if (good && msprof_is_comparable(&times[0], &times[1], error, sizeof(error)))
        pairs = msprof_pairs_make(&times[0], &times[1], &count, &left_out);
    good = pairs != NULL;
    if (good && options.json) {
        good = json_print(json_object(JSON_TEXT("format", "twinrt-compare-tables"),
                                      JSON_NUMBER("version", 1),
                                      JSON_ITEM("rows", msprof_pairs_json(pairs, count)),
                                      JSON_NUMBER("left_out", (double)left_out)),
                          stdout);
    } else if (good) {
        printf("board: %s, model: %s: %zu times in both, %zu only in the first\n", options.paths[0],
               options.paths[1], count, left_out);
        msprof_pairs_print(pairs, count, stdout);
        msprof_left_out_print(&times[0], &times[1], stdout);
    } else {
        fprintf(stderr, "twinrt: %s\n", error);
    }
    free(pairs);
    msprof_times_free(&times[0]);
    msprof_times_free(&times[1]);
    return good ? 0 : TWIN_TOOL_UNREADABLE;
}

static void check_usage(struct argp_state *state)
{
    const bool tables = msprof_is_table(options.paths[0]);
    const char *other = options.paths[tables ? 1 : 0];
    if (tables != msprof_is_table(options.paths[1])) {
        const bool there = access(other, R_OK) == 0;
        argp_error(state,
                   "%s is a table of a profiler, but %s is not%s%s; expected two tables, or two "
                   "recordings",
                   options.paths[tables ? 0 : 1], other, there ? "" : ": ",
                   there ? "" : strerror(errno));
    }
    if (options.renames.count > 0 && !tables)
        argp_error(state, "--op is for two tables of a profiler");
    if (options.svg && tables)
        argp_error(state, "--svg is for recordings");
}

int twin_tool_compare(int argc, char **argv)
{
    static const struct tool_option table[] = {
        {"json", NULL, "Print one JSON object", option_flag, .to = &options.json},
        {"svg", "FILE", "Draw the time of each task in A against that in B", option_text,
         .to = &options.svg},
        OPTION_OP(&options.renames),
        {0},
    };
    static const struct tool_syntax syntax = {
        .options = table,
        .arguments = "A B",
        .help =
            "Compares two recordings of one program, op by op; or two tables of the vendor's "
            "profiler, of a board and of the model, kernel by kernel.\v"
            "0: both did the same, in the same order, with the same results, whatever the times; "
            "1: they differ; 2: a recording cannot be read or has kernels without data; 3: the "
            "remaining parts are the same, but one is damaged or ended before its program. "
            "Tables: 0, or 2.",
        .recordings = options.paths,
        .recording_count = 2,
        .end = check_usage,
    };
    struct compare_result result = {0};
    int status = TWIN_TOOL_UNREADABLE;
    options_parse(&syntax, argc, argv);
    if (msprof_is_table(options.paths[0]) && msprof_is_table(options.paths[1]))
        return compare_tables();
    twin_recording *recordings[2] = {NULL, NULL};
    for (int which = 0; which < 2; which++) {
        recordings[which] = twin_tool_read_recording(options.paths[which]);
        if (!recordings[which])
            goto done;
        if (twin_recording_count(recordings[which]) == 0) {
            fprintf(stderr, "twinrt: %s: the recording is empty or ends before its first entry\n",
                    options.paths[which]);
            goto done;
        }
        char error[1024];
        if (!twin_recording_computed(recordings[which], options.paths[which], error,
                                     sizeof(error))) {
            fprintf(stderr, "twinrt: %s\n", error);
            goto done;
        }
        twin_tool_report_damage(recordings[which], options.paths[which]);
        result.side[which].path = options.paths[which];
        result.side[which].recording = recordings[which];
    }
    if (compare_recordings(&result))
        status = report(&result);
    else
        fprintf(stderr, "twinrt: out of memory\n");
done:
    compare_free(&result);
    twin_recording_free(recordings[0]);
    twin_recording_free(recordings[1]);
    return status;
}
