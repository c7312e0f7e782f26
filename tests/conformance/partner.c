/* SPDX-License-Identifier: Apache-2.0 */
#include "partner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* The child's ends of both pipes; its output stays what it was. */
#define CHILD_IN  50
#define CHILD_OUT 51

static void send_line(int to, const char *line)
{
    char text[TWIN_LINE + 1];
    int length = snprintf(text, sizeof(text), "%s\n", line);
    for (int sent = 0; sent < length;) {
        ssize_t count = write(to, text + sent, (size_t)(length - sent));
        if (count < 0 && errno != EINTR)
            return; /* the reader has ended; a missing line of it reports that */
        sent += count > 0 ? (int)count : 0;
    }
}

static void receive_line(int from, char line[TWIN_LINE])
{
    size_t used = 0;
    char next;
    for (;;) {
        ssize_t count = read(from, &next, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0 || next == '\n')
            break;
        if (used + 1 < TWIN_LINE)
            line[used++] = next;
    }
    line[used] = '\0';
}

void twin_partner_start(twin_partner *partner, const char *name)
{
    char path[PATH_MAX];
    char option[128];
    int down[2];
    int up[2];
    *partner = (twin_partner){.pid = -1, .to = -1, .from = -1};
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (!CHECK(length > 0) || !CHECK(pipe2(down, O_CLOEXEC) == 0))
        return;
    if (!CHECK(pipe2(up, O_CLOEXEC) == 0))
        return;
    path[length] = '\0';
    snprintf(option, sizeof(option), "--child=%s", name);
    char *arguments[] = {path, option, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, down[0], CHILD_IN);
    posix_spawn_file_actions_adddup2(&actions, up[1], CHILD_OUT);
    CHECK(posix_spawn(&partner->pid, path, &actions, NULL, arguments, environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(down[0]);
    close(up[1]);
    partner->to = down[1];
    partner->from = up[0];
    signal(SIGPIPE, SIG_IGN);
}

void twin_partner_send(const twin_partner *partner, const char *line)
{
    send_line(partner->to, line);
}

void twin_partner_take(const twin_partner *partner, char line[TWIN_LINE])
{
    receive_line(partner->from, line);
}

void twin_partner_expect(const twin_partner *partner, const char *line)
{
    char text[TWIN_LINE];
    receive_line(partner->from, text);
    if (!CHECK(strcmp(text, line) == 0))
        fprintf(stderr, "  the partner said \"%s\" instead of \"%s\"\n", text, line);
}

static int reap(twin_partner *partner)
{
    int status = 0;
    close(partner->to);
    close(partner->from);
    while (waitpid(partner->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

void twin_partner_end(twin_partner *partner)
{
    int status = reap(partner);
    CHECK(WIFEXITED(status));
    CHECK_EQUAL(WEXITSTATUS(status), 0);
}

void twin_partner_kill(twin_partner *partner)
{
    kill(partner->pid, SIGKILL);
    reap(partner);
}

void twin_partner_listen(char line[TWIN_LINE])
{
    receive_line(CHILD_IN, line);
}

void twin_partner_say(const char *line)
{
    send_line(CHILD_OUT, line);
}

void twin_partner_ask(const char *line)
{
    char ignored[TWIN_LINE];
    twin_partner_say(line);
    twin_partner_listen(ignored);
}
