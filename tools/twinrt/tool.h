/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of the tool share. One file per command; main.c has the list. */
#ifndef TWINRT_TOOLS_TOOL_H
#define TWINRT_TOOLS_TOOL_H

#include <stddef.h>

typedef struct twin_recording twin_recording;

/* What the tool itself ends with; `run` else ends as its program did. As env(1) and timeout(1) do. */
#define TWIN_TOOL_FAILED       1
#define TWIN_TOOL_FOUND        1 /* check: the record breaks a rule */
#define TWIN_TOOL_UNREADABLE   2 /* calibrate, check, compare, replay: no record, or no report */
#define TWIN_TOOL_USAGE        2
#define TWIN_TOOL_PARTIAL      3   /* check, compare: nothing found, but a record is not whole */
#define TWIN_TOOL_STALLED      97  /* run --stall-after */
#define TWIN_TOOL_CHECK_FAILED 99  /* run --check */
#define TWIN_TOOL_TIMED_OUT    124 /* run --timeout */
#define TWIN_TOOL_RUN_FAILED   125
#define TWIN_TOOL_NO_EXEC      126
#define TWIN_TOOL_NOT_FOUND    127

struct twin_backend;

/* Each takes the arguments from its own name on and returns the exit status. */
int twin_tool_api(int argc, char **argv);
int twin_tool_bench(int argc, char **argv);
int twin_tool_calibrate(int argc, char **argv);
int twin_tool_check(int argc, char **argv);
int twin_tool_compare(int argc, char **argv);
int twin_tool_info(int argc, char **argv);
int twin_tool_record(int argc, char **argv);
int twin_tool_replay(int argc, char **argv);
int twin_tool_run(int argc, char **argv);

/* Folder of the libraries that belong to this tool, "…/lib64". Returns 0, or -1 with a message. */
int twin_tool_library_folder(char *out_path, size_t path_bytes);

/* Writes the name of the SoC that a profile says, by itself or by its base: a name, or a file with a '/'. Returns 0, or -1 with a
 * message. */
int twin_tool_profile_soc(const char *profile, char *soc, size_t soc_bytes);

/* Prints the device that programs would get, its parameters and the settings as one JSON object. Returns 0, or -1 with a
 * message. */
int twin_tool_info_json(const struct twin_backend *backend, const char *plugin);

/* Says on standard error what is missing in a record: damage, entries without a place, an end out of order. */
void twin_tool_report_damage(const twin_recording *recording, const char *path);

/* Lists the profiles in a folder with the parts that they are about. Returns 0, or -1 with a message. */
int twin_tool_profiles(const char *folder);

/* Prints what a timeline file tells: tasks in order, event times, one hand-over between streams, the `waits` slowest
 * waits of host threads. Returns 0, or -1 with a message. */
int twin_tool_explain(const char *trace_path, unsigned waits);
/* Prints a file of counters as tables. Returns 0, or -1 with a message. */
int twin_tool_stats(const char *path);

#endif
