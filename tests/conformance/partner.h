/* SPDX-License-Identifier: Apache-2.0 */
/* A second process in step with a test: it runs a child of the suite, and both send each other
 * single lines. */
#ifndef TWINRT_CONFORMANCE_PARTNER_H
#define TWINRT_CONFORMANCE_PARTNER_H

#include <stddef.h>
#include <sys/types.h>

/* Longest line, with its end. */
#define TWIN_LINE 256

typedef struct twin_partner {
    pid_t pid;
    int to;
    int from;
} twin_partner;

/* ---- in the test ---- */

/* Starts child `name` of this suite. */
void twin_partner_start(twin_partner *partner, const char *name);
/* Sends a line. */
void twin_partner_send(const twin_partner *partner, const char *line);
/* Waits for a line and checks that it is `line`. */
void twin_partner_expect(const twin_partner *partner, const char *line);
/* Waits for a line and returns it. */
void twin_partner_take(const twin_partner *partner, char line[TWIN_LINE]);
/* Waits for the partner's end and checks that no check of it failed. */
void twin_partner_end(twin_partner *partner);
/* Kills it where it is. */
void twin_partner_kill(twin_partner *partner);

/* ---- in the child ---- */

/* Waits for a line of the test; "" when it has ended. */
void twin_partner_listen(char line[TWIN_LINE]);
void twin_partner_say(const char *line);
/* Says it, and waits for the test's next line. */
void twin_partner_ask(const char *line);

#endif
