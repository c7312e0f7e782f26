/* SPDX-License-Identifier: Apache-2.0 */
/* The vendor's library among the others of the process: some of this runtime's have the same names,
 * and the same functions. */
#ifndef TWINRT_ASCEND_LINKING_H
#define TWINRT_ASCEND_LINKING_H

#include <stdbool.h>
#include <stddef.h>

/* Opens what the library at `path` needs, and what that needs, so that the dynamic linker finds the
 * vendor's by name when it comes to the library itself: in the library's folder and `folder` (the
 * one it was found in by another name), then in the driver's. The linker finds what is in none of
 * them. Thread: init. out_taken: "PATH as NAME" of a library that the process has loaded before
 * under a name that is needed, though another is meant; "" when there is none. */
void ascend_open_needed(const char *path, const char *folder, char *out_taken, size_t bytes);

/* How many libraries and programs the process has loaded. Thread: init. */
size_t ascend_objects_loaded(void);

/* What was loaded after the first `before` calls functions of the public interface through its own
 * tables; the linker has filled these with the functions of the first library in the process, which
 * is this runtime. They become those of `library` and what it needs. Thread: init, before anything
 * in them runs. out_stub: path of a library among them that is a stub of one of the driver's for
 * building; "": none. */
void ascend_bind_inner(void *library, size_t before, char *out_stub, size_t bytes);

#endif
