/* SPDX-License-Identifier: Apache-2.0 */
/* `twinrt compare`: two records side by side. */
#include "tool.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "compare/compare.h"
#include "output.h"

enum { KEY_JSON = 0x100, KEY_SVG };

struct options {
    const char *paths[2];
    int count;
    int json;
    const char *svg;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case KEY_JSON:
        options->json = 1;
        return 0;
    case KEY_SVG:
        options->svg = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (options->count == 2)
            argp_error(state, "two records, not more");
        options->paths[options->count++] = argument;
        return 0;
    case ARGP_KEY_END:
        if (options->count != 2)
            argp_error(state, "two records are needed: A and B");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int draw(const struct compare_result *result, const char *path)
{
    FILE *file = output_create(path, 0600);
    if (file) {
        compare_draw(result, file);
        int failed = ferror(file);
        if (fclose(file) == 0 && !failed)
            return 0;
    }
    fprintf(stderr, "twinrt: %s: %s\n", path, strerror(errno));
    return -1;
}

static int report(const struct compare_result *result, const struct options *options)
{
    if (options->svg && draw(result, options->svg) != 0)
        return TWIN_TOOL_UNREADABLE;
    if (!options->json)
        compare_report_text(result, stdout);
    else if (!compare_report_json(result, stdout))
        return TWIN_TOOL_UNREADABLE;
    if (!compare_is_same(result))
        return TWIN_TOOL_FOUND;
    return compare_is_whole(result) ? 0 : TWIN_TOOL_PARTIAL;
}

int twin_tool_compare(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"json", KEY_JSON, NULL, 0, "Print one JSON object", 0},
        {"svg", KEY_SVG, "FILE", 0, "Draw the time of each task in A against that in B", 0},
        {0},
    };
    static const struct argp parser = {
        .options = table,
        .parser = parse,
        .args_doc = "A B",
        .doc =
            "Lays two records of one program side by side, op by op.\v"
            "0: both did the same, in the same order, with the same answers, in whatever time; "
            "1: they differ; 2: a record cannot be read; 3: what is left of them is the same, but "
            "one is damaged, or stopped before its run did.",
    };
    struct options options = {0};
    struct compare_result result = {0};
    char error[512];
    int status = TWIN_TOOL_UNREADABLE;
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    twin_recording *recordings[2] = {NULL, NULL};
    for (int which = 0; which < 2; which++) {
        if (twin_recording_read(options.paths[which], &recordings[which], error, sizeof(error)) !=
            TWIN_RECORDING_OK) {
            fprintf(stderr, "twinrt: %s\n", error);
            goto done;
        }
        if (twin_recording_count(recordings[which]) == 0) {
            fprintf(stderr,
                    "twinrt: %s: the record is empty, or was cut off before its first entry\n",
                    options.paths[which]);
            goto done;
        }
        twin_tool_report_damage(recordings[which], options.paths[which]);
        result.side[which].path = options.paths[which];
        result.side[which].recording = recordings[which];
    }
    if (compare_records(&result))
        status = report(&result, &options);
    else
        fprintf(stderr, "twinrt: out of memory\n");
done:
    compare_free(&result);
    twin_recording_free(recordings[0]);
    twin_recording_free(recordings[1]);
    return status;
}
