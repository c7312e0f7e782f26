/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program that are called when devices and streams come and go, and when a
 * device's work is aborted. Registered by name; called on
 * the thread that makes the change, in the order of registration, with no lock of the core held. A
 * function may still be running on another thread when its name has been taken off. */
#ifndef TWINRT_CORE_OBJECT_STATE_CALLBACK_H
#define TWINRT_CORE_OBJECT_STATE_CALLBACK_H

#include <stdint.h>

/* States, with the public values. */
typedef enum twin_device_news {
    TWIN_NEWS_SET_PRE,
    TWIN_NEWS_SET_POST,
    TWIN_NEWS_RESET_PRE,
    TWIN_NEWS_RESET_POST
} twin_device_news;
typedef enum twin_stream_news { TWIN_NEWS_CREATE_POST = 1, TWIN_NEWS_DESTROY_PRE } twin_stream_news;
typedef enum twin_abort_news { TWIN_NEWS_ABORT_PRE, TWIN_NEWS_ABORT_POST } twin_abort_news;

typedef void (*twin_device_listener)(int32_t device, uint32_t news, void *user);
typedef void (*twin_stream_listener)(void *stream, uint32_t news, void *user);
typedef int32_t (*twin_abort_listener)(int32_t device, uint32_t news, uint32_t left_ms, void *user);

/* Registers under a name, or, without a function, takes the name off. 107000: the name is taken.
 * 207001. */
int32_t twin_listen_devices(const char *name, twin_device_listener listener, void *user);
int32_t twin_listen_streams(const char *name, twin_stream_listener listener, void *user);
int32_t twin_listen_aborts(const char *name, twin_abort_listener listener, void *user);

void twin_announce_device(uint32_t device, twin_device_news news);
void twin_announce_stream(uint64_t stream, twin_stream_news news);
/* `left_ms`: what is left of the time for the abort, 0: no limit. Ends with the first answer that
 * is not 0, and gives that. */
int32_t twin_announce_abort(uint32_t device, twin_abort_news news, uint32_t left_ms);

#endif
