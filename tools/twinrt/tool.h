/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of the tool share. One file per command; main.c has the list. */
#ifndef TWINRT_TOOLS_TOOL_H
#define TWINRT_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct twin_recording twin_recording;

/* What the tool itself ends with; `run` else ends as its program did. As env(1) and timeout(1)
 * do. */
#define TWIN_TOOL_FAILED 1
#define TWIN_TOOL_FOUND  1 /* check: the recording breaks a rule */
#define TWIN_TOOL_UNREADABLE                                                                       \
    2 /* calibrate, check, compare, graph, replay: no recording, or no report */
#define TWIN_TOOL_USAGE 2
#define TWIN_TOOL_PARTIAL                                                                          \
    3                              /* check, compare, graph: nothing found, but a recording is not
                                    complete */
#define TWIN_TOOL_STALLED      97  /* run --stall-after */
#define TWIN_TOOL_CHECK_FAILED 99  /* run --check */
#define TWIN_TOOL_TIMED_OUT    124 /* run --timeout */
#define TWIN_TOOL_RUN_FAILED   125
#define TWIN_TOOL_NO_EXEC      126
#define TWIN_TOOL_NOT_FOUND    127

/* Each takes the arguments from its own name on and returns the exit status. */
int twin_tool_api(int argc, char **argv);
int twin_tool_bench(int argc, char **argv);
int twin_tool_calibrate(int argc, char **argv);
int twin_tool_check(int argc, char **argv);
int twin_tool_compare(int argc, char **argv);
int twin_tool_graph(int argc, char **argv);
int twin_tool_info(int argc, char **argv);
int twin_tool_kernel_report(int argc, char **argv);
int twin_tool_record(int argc, char **argv);
int twin_tool_replay(int argc, char **argv);
int twin_tool_run(int argc, char **argv);

/* Prints "twinrt: …" to standard error and returns `result`. */
__attribute__((format(printf, 2, 3))) int twin_tool_error(int result, const char *format, ...);
/* Makes the path of a file from its place below the libraries that belong to this tool, "…/lib64/".
 * Returns 0, or -1 with a message. */
__attribute__((format(printf, 3, 4))) int twin_tool_library(char *out_path, size_t path_bytes,
                                                            const char *place, ...);
/* The file of a profile, which is given by its name or as a file, with a '/'. Returns 0, or -1 with
 * a message. */
int twin_tool_profile_path(const char *profile, char *out_path, size_t path_bytes);
/* Whether that file can be read. False: `error` says where it was looked for, and what is there. */
bool twin_tool_profile_is_there(const char *profile, char *error, size_t error_bytes);
/* The SoC that a profile or its base names. Returns 0, or -1 with a message. */
int twin_tool_profile_soc(const char *profile, char *soc, size_t soc_bytes);
/* Whether all settings of the environment are valid. False, with a message. */
bool twin_tool_settings_valid(void);

/* Reads a recording. NULL, with a message: it cannot be read. */
twin_recording *twin_tool_read_recording(const char *path);
/* The name by which the recorded process was started. False: the file does not say. */
bool twin_tool_recorded_program(const char *path, char *out, size_t bytes);
/* Says on standard error what is missing in a recording: damaged places, entries that were lost, a
 * process that was killed. */
void twin_tool_report_damage(const twin_recording *recording, const char *path);

/* Lists the profiles in a folder with the parts that they are about. Returns 0, or -1 with a
 * message. */
int twin_tool_profiles(const char *folder);

/* Prints the content of a timeline file: tasks in order, event times, the longest wait between
 * streams, the `waits` slowest waits of host threads. Returns 0, or -1 with a message. */
int twin_tool_explain(const char *trace_path, unsigned waits);
/* Prints a file of counters as tables. Returns 0, or -1 with a message. */
int twin_tool_stats(const char *path);

#endif
