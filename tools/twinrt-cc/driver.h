/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor's compilers by their names: sources of the host, kernels and objects together. */
#ifndef TWINRT_TOOLS_CC_DRIVER_H
#define TWINRT_TOOLS_CC_DRIVER_H

#include <stdbool.h>

/* Whether the program was called by one of their names. */
bool cc_is_driver(const char *program);
/* Compiles and links as the words say. `self`: the path of this program; `prefix`: as in
 * struct cc_build; `folder` is empty, and for what is made on the way. Returns 0, or -1 with a
 * message. */
int cc_drive(int argc, char **argv, const char *self, const char *prefix, const char *folder);

#endif
