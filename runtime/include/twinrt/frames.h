/* SPDX-License-Identifier: Apache-2.0 */
/* An addition to the interface, for those who bind it to a language that is interpreted (Python):
 * where the program calls is known to the interpreter alone, and reports are to name it. */
#ifndef TWINRT_FRAMES_H
#define TWINRT_FRAMES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Says where in the program the next calls of the calling thread come from, until it is called
 * again.
 * It holds for calls that the library makes which calls this function: what else calls on this
 * thread is not taken for the program's. `texts`, `bytes` long: for each frame, the innermost
 * first, its function, its file and its line in decimal, each with a '\0' at its end. The first 16
 * frames are used. Texts that are not three for each frame, or more than 32768 bytes, are not used;
 * NULL or 0 bytes: not known. Then a recording has the native stack. The caller owns the texts and
 * keeps them as they are while it makes calls. Read only if stacks are recorded
 * (TWINRT_RECORD_STACKS=on): a binding need not spend time on it otherwise. Thread: any, each for
 * itself. Cannot fail; not a function of the vendor's interface. */
void twinrt_set_frames(const char *texts, size_t bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
