/* SPDX-License-Identifier: Apache-2.0 */
/* The files that `twinrt run` has a program write: their names, and those that exist afterwards. */
#ifndef TWINRT_TOOLS_RUN_FILES_H
#define TWINRT_TOOLS_RUN_FILES_H

#include <limits.h>
#include <stdbool.h>

#include "output_files.h"

/* The output files of a program. */
enum file {
    FILE_TRACE,
    FILE_STATS,
    FILE_MSPROF,
    FILE_OP_SUMMARY,
    FILE_PIPE_UTILIZATION,
    FILE_KERNEL_COUNTS,
    FILE_VCD,
    FILE_RECORD,
    FILE_COUNT
};

struct wanted_file {
    const char *given;          /* as given; NULL: a temporary one if it is needed */
    char path[PATH_MAX + 16];   /* where it is to be; "%p" in it is the process */
    char marked[PATH_MAX + 64]; /* as the program gets it */
    bool needed;                /* the tool reads it */
    bool apart;                 /* ".%p" was added to the name that was given */
    const char *settled; /* its name in the end, of several files the last one's; NULL: none */
    struct output_files found;
};

struct run_files {
    struct wanted_file item[FILE_COUNT]; /* `given` and `needed` are the caller's */
    char folder[PATH_MAX];               /* of those without a name; empty: none */
    char mark[40]; /* in the names of files until they are complete: no other run has it */
};

/* Whether any file is given or needed. */
bool run_files_any(const struct run_files *files);
/* What the program is to write at `path`, as "timeline". NULL: nothing. */
const char *run_files_taken(const struct run_files *files, const char *path);
/* Chooses the names and puts them into the environment. Returns 0, or -1 with a message. */
int run_files_prepare(struct run_files *files);
/* After the run: finds what is there. Returns whether there is anything. */
bool run_files_find(struct run_files *files);
/* False, with a message: something is missing. */
bool run_files_report_missing(const struct run_files *files);
/* Gives whole files the names that were asked for. */
void run_files_settle(struct run_files *files);
/* After run_files_settle(): the command that makes missing files from the recording, if there is
 * one. */
void run_files_print_replay(const struct run_files *files);
/* Removes temporary files. A second call does nothing. */
void run_files_free(struct run_files *files);

/* A process that gives the files their names, and removes temporary ones, if the tool is killed. */
struct run_guardian {
    int process; /* -1: none */
    int file;    /* the tool's end of a pipe */
};

/* Starts it, in its own session, so that a signal to the tool's group does not end it. Without it,
 * files may keep their temporary names: no error. */
struct run_guardian run_guardian_start(struct run_files *files);
/* Ends it without effect. */
void run_guardian_dismiss(const struct run_guardian *guardian);

#endif
