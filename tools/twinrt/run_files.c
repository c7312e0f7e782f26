/* SPDX-License-Identifier: Apache-2.0 */
#include "run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/config.h"
#include "output.h"
#include "tool.h"

#define PER_PROCESS ".%p"

static const struct {
    twin_setting_id setting;
    const char *what;
    const char *own; /* name in a folder of ours */
} kinds[FILE_COUNT] = {
    [FILE_TRACE] = {TWIN_SETTING_TRACE, "timeline", "trace.%p"},
    [FILE_STATS] = {TWIN_SETTING_STATS, "counters", "stats.%p"},
    [FILE_MSPROF] = {TWIN_SETTING_MSPROF, "profiling records", "msprof.%p"},
    [FILE_OP_SUMMARY] = {TWIN_SETTING_OP_SUMMARY, "times of kernels", "op_summary.%p"},
    [FILE_PIPE_UTILIZATION] = {TWIN_SETTING_PIPE_UTILIZATION, "times of blocks",
                               "pipe_utilization.%p"},
    [FILE_KERNEL_COUNTS] = {TWIN_SETTING_KERNEL_COUNTS, "counts of kernels", "kernel_counts.%p"},
    [FILE_VCD] = {TWIN_SETTING_VCD, "signals", "vcd.%p"},
    [FILE_RECORD] = {TWIN_SETTING_RECORD, "recording", "record.%p"},
};

/* The program may change its folder before it writes the file. */
static int make_absolute(const char *path, char *absolute, size_t bytes)
{
    char folder[PATH_MAX] = "";
    int used;
    if (path[0] == '/') {
        used = snprintf(absolute, bytes, "%s", path);
    } else {
        if (!getcwd(folder, sizeof(folder)))
            return twin_tool_error(-1, "the present folder: %s", strerror(errno));
        used = snprintf(absolute, bytes, "%s/%s", folder, path);
    }
    if (used < 0 || (size_t)used >= bytes)
        return twin_tool_error(-1, "the path of a file is too long");
    return 0;
}

static bool is_own(const struct wanted_file *file)
{
    return file->needed && !file->given;
}

/* Each output has its own file: in a shared one, one output would be lost silently. */
static bool is_free(const struct run_files *files, enum file which)
{
    for (enum file before = 0; before < which; before++) {
        const struct wanted_file *other = &files->item[before];
        if (!other->given || !output_is_same_file(other->path, files->item[which].path))
            continue;
        return twin_tool_error(false, "%s cannot take both %s and %s: give each a file",
                               other->given, kinds[before].what, kinds[which].what);
    }
    return true;
}

/* Where the file is to be; `folder` is for those without a name. */
static int prepare(struct run_files *files, enum file which, const char *folder)
{
    struct wanted_file *file = &files->item[which];
    char own[PATH_MAX + 16];
    if (!file->given && !file->needed)
        return 0;
    (void)snprintf(own, sizeof(own), "%s/%s", folder, kinds[which].own);
    if (make_absolute(file->given ? file->given : own, file->path, PATH_MAX) != 0)
        return -1;
    /* no process may write over what another has left */
    file->apart = file->given && !strstr(file->given, "%p");
    if (file->apart) {
        struct stat present;
        if (lstat(file->path, &present) == 0 && !S_ISREG(present.st_mode))
            return twin_tool_error(-1, "%s is not a regular file, so no %s goes there", file->given,
                                   kinds[which].what);
        const size_t length = strlen(file->path); /* make_absolute() has left room */
        (void)snprintf(file->path + length, sizeof(file->path) - length, "%s", PER_PROCESS);
    }
    return file->given && !is_free(files, which) ? -1 : 0;
}

/* Names the file to the program. Until it is complete its name has the mark of the run, which no
 * other run has. */
static int give_name(struct run_files *files, enum file which)
{
    struct wanted_file *file = &files->item[which];
    char name[sizeof(file->marked)]; /* gcc takes members of one struct for one object */
    if (!file->given && !file->needed)
        return 0;
    const char *suffix = file->apart ? PER_PROCESS : "";
    (void)snprintf(name, sizeof(name), "%.*s%s%s", (int)(strlen(file->path) - strlen(suffix)),
                   file->path, file->given ? files->mark : "", suffix);
    memcpy(file->marked, name, sizeof(name));
    if (setenv(twin_setting_table[kinds[which].setting].name, file->marked, 1) == 0)
        return 0;
    return twin_tool_error(-1, "a file: %s", strerror(errno));
}

/* ---- afterwards ------------------------------------------------------------------------------ */

/* Whether a process still writes the file of this name. */
static bool is_held(const char *name)
{
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool held = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (file >= 0)
        (void)close(file);
    return held;
}

/* Never replaces anything but a regular file. */
static bool move(const char *path, const char *name)
{
    struct stat present;
    if (lstat(name, &present) == 0 && !S_ISREG(present.st_mode)) {
        errno = EINVAL;
        return false;
    }
    return rename(path, name) == 0;
}

/* Gives complete files their names: that of a single process the name that was given, if no other
 * process writes there; those of several processes that name with the number of the process, which
 * is reported. */
static void settle(struct wanted_file *file, const char *what)
{
    const struct output_files *left = &file->found;
    if (!file->given || left->count == 0)
        return;
    char name[sizeof(file->path)];
    (void)snprintf(name, sizeof(name), "%s", file->path);
    if (file->apart)
        name[strlen(name) - strlen(PER_PROCESS)] = '\0';
    file->settled = file->given;
    if (file->apart && left->count == 1 && !is_held(name) && move(left->items[0].path, name))
        return;
    if (file->apart)
        fprintf(stderr, "twinrt: the %s of each process:\n", what);
    for (size_t i = 0; i < left->count; i++) {
        const struct output_file *item = &left->items[i];
        const bool named = move(item->path, item->name);
        file->settled = named ? item->name : item->path;
        if (file->apart)
            fprintf(stderr, "  %s\n", named ? item->name : item->path);
        else if (!named)
            fprintf(stderr, "twinrt: %s could not be renamed: %s\n", item->path, strerror(errno));
    }
}

void run_files_settle(struct run_files *files)
{
    for (enum file which = 0; which < FILE_COUNT; which++)
        settle(&files->item[which], kinds[which].what);
}

bool run_files_find(struct run_files *files)
{
    bool any = false;
    for (enum file which = 0; which < FILE_COUNT; which++) {
        struct wanted_file *file = &files->item[which];
        if (file->given || file->needed)
            any = (output_files_find(file->marked, files->mark, &file->found) &&
                   file->found.count > 0) ||
                  any;
    }
    return any;
}

static bool is_missing(const struct run_files *files, enum file which)
{
    const struct wanted_file *file = &files->item[which];
    return (file->given || file->needed) && file->found.count == 0;
}

/* One word of a command for the shell. */
static void print_word(const char *before, const char *text)
{
    fputs(before, stderr);
    if (!strpbrk(text, " \t\n!\"#$&'()*;<=>?[\\]^`{|}~")) {
        fputs(text, stderr);
        return;
    }
    fputc('\'', stderr);
    for (; *text; text++)
        fprintf(stderr, *text == '\'' ? "'\\''" : "%c", *text);
    fputc('\'', stderr);
}

void run_files_print_replay(const struct run_files *files)
{
    const struct wanted_file *recording = &files->item[FILE_RECORD];
    bool any = false;
    for (enum file which = 0; which < FILE_RECORD; which++)
        any = any || is_missing(files, which);
    if (!any || !recording->settled)
        return;
    fprintf(stderr, "twinrt: if the model ran, this makes what is missing from the recording:\n ");
    for (enum file which = FILE_STATS; which < FILE_RECORD; which++)
        if (is_missing(files, which)) {
            const char *given = files->item[which].given;
            fprintf(stderr, " %s", twin_setting_table[kinds[which].setting].name);
            print_word("=", given ? given : "FILE");
        }
    fprintf(stderr, " twinrt replay");
    if (is_missing(files, FILE_TRACE)) {
        const char *given = files->item[FILE_TRACE].given;
        print_word(" --trace=", given ? given : "FILE");
    }
    const char *name = recording->found.count > 1 ? "RECORDING" : recording->settled;
    print_word(*name == '-' ? " -- " : " ", name);
    fputc('\n', stderr);
}

bool run_files_report_missing(const struct run_files *files)
{
    bool good = true;
    for (enum file which = 0; which < FILE_COUNT; which++) {
        const struct wanted_file *file = &files->item[which];
        if (!is_missing(files, which))
            continue;
        good = false;
        fprintf(stderr,
                "twinrt: the program left no %s%s%s: it ended before it could be written%s\n",
                kinds[which].what, file->given ? " at " : "", file->given ? file->given : "",
                file->given ? ", or it cannot be written there" : "");
    }
    return good;
}

/* The tool was killed, and the program with it: gives files their names once no process writes
 * them. */
static void settle_later(struct run_files *files)
{
    const struct timespec step = {.tv_nsec = 10000000};
    for (int tries = 0; tries < 500; tries++) {
        bool held = false;
        (void)run_files_find(files);
        for (enum file which = 0; which < FILE_COUNT; which++)
            for (size_t i = 0; i < files->item[which].found.count; i++)
                held = held || is_held(files->item[which].found.items[i].path);
        if (!held)
            break;
        for (enum file which = 0; which < FILE_COUNT; which++)
            output_files_free(&files->item[which].found);
        (void)nanosleep(&step, NULL);
    }
    run_files_settle(files);
    if (files->folder[0] != '\0')
        output_files_remove(files->folder);
}

/* The number alone is unique on one machine, not on several that share a folder. */
static void make_mark(struct run_files *files)
{
    uint32_t number = 0;
    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
        number = 0;
    (void)snprintf(files->mark, sizeof(files->mark), ".%ld-%08" PRIx32, (long)getpid(), number);
}

const char *run_files_taken(const struct run_files *files, const char *path)
{
    for (enum file which = 0; which < FILE_COUNT; which++)
        if (files->item[which].given && output_is_same_file(files->item[which].given, path))
            return kinds[which].what;
    return NULL;
}

bool run_files_any(const struct run_files *files)
{
    bool any = false;
    for (enum file which = 0; which < FILE_COUNT; which++)
        any = any || files->item[which].given || files->item[which].needed;
    return any;
}

static bool make_folder(struct run_files *files)
{
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(files->folder, sizeof(files->folder), "%s/twinrt.XXXXXX",
                   temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(files->folder))
        return true;
    perror("twinrt: a temporary folder");
    files->folder[0] = '\0';
    return false;
}

int run_files_prepare(struct run_files *files)
{
    bool own = false;
    for (enum file which = 0; which < FILE_COUNT; which++)
        own = own || is_own(&files->item[which]);
    if (own && !make_folder(files))
        return -1;
    make_mark(files);
    for (enum file which = 0; which < FILE_COUNT; which++)
        if (prepare(files, which, files->folder) != 0)
            return -1;
    for (enum file which = 0; which < FILE_COUNT; which++)
        if (give_name(files, which) != 0)
            return -1;
    return 0;
}

void run_files_free(struct run_files *files)
{
    if (files->folder[0] != '\0')
        output_files_remove(files->folder);
    files->folder[0] = '\0';
    for (enum file which = 0; which < FILE_COUNT; which++)
        output_files_free(&files->item[which].found);
}

/* ---- the guardian ---------------------------------------------------------------------------- */

/* Waits for the tool's end: a byte from run_guardian_dismiss(), or none. */
static void guard(int file, struct run_files *files)
{
    char byte;
    ssize_t got;
    sigset_t all;
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setsid();
    do {
        got = read(file, &byte, 1);
    } while (got < 0 && errno == EINTR);
    if (got == 0)
        settle_later(files);
}

struct run_guardian run_guardian_start(struct run_files *files)
{
    struct run_guardian guardian = {.process = -1, .file = -1};
    int ends[2];
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return guardian;
    guardian.process = (int)fork();
    if (guardian.process == 0) {
        (void)close(ends[1]);
        /* A reader of the tool's output to its end does not wait for this process. */
        const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        for (int stream = 0; nothing >= 0 && stream <= 2; stream++)
            (void)dup2(nothing, stream);
        guard(ends[0], files);
        _exit(0);
    }
    (void)close(ends[0]);
    guardian.file = ends[1];
    return guardian;
}

void run_guardian_dismiss(const struct run_guardian *guardian)
{
    struct sigaction before;
    if (guardian->file < 0)
        return;
    /* the process may have been killed */
    (void)sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, &before);
    if (guardian->process > 0 && write(guardian->file, "", 1) == 1)
        while (waitpid(guardian->process, NULL, 0) < 0 && errno == EINTR)
            continue;
    (void)sigaction(SIGPIPE, &before, NULL);
    (void)close(guardian->file);
}
