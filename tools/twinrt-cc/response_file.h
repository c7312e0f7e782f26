/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments in files: @FILE, as compilers take them. */
#ifndef TWINRT_TOOLS_CC_RESPONSE_FILE_H
#define TWINRT_TOOLS_CC_RESPONSE_FILE_H

#include "list.h"

/* The arguments of the command, with those of each file in its place. Words of a file are between
 * spaces or in quotes; a backslash keeps the character after it. What cannot be opened is a word.
 * Returns 0, or -1 with a message. */
int cc_expand_arguments(int argc, char **argv, struct cc_list *out);

#endif
