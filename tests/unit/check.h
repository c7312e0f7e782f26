/* SPDX-License-Identifier: Apache-2.0 */
/* What unit tests of the core say often. */
#ifndef TWINRT_TESTS_UNIT_CHECK_H
#define TWINRT_TESTS_UNIT_CHECK_H

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/backend/error.h"
#include "core/backend/registry.h"
#include "core/backend/thread_state.h"
#include "core/init.h"
#include "core/object/context.h"
#include "core/object/device.h"
#include "core/object/event.h"
#include "core/object/stream.h"
#include "fake_backend.h"
#include "support/cunit_main.h"

/* A failure prints both numbers. */
static inline void check_code_at(int32_t found, int32_t expected, const char *text, int line)
{
    if (found != expected)
        printf("\n    line %d: %s answered %d, not %d\n", line, text, found, expected);
    CU_ASSERT_EQUAL(found, expected);
}
#define CHECK_CODE(call, expected) check_code_at((call), (expected), #call, __LINE__)
#define CHECK_OK(call)             CHECK_CODE(call, 0)

/* Ends the test unless the pointer is one; analysers learn that it is. */
#define REQUIRE(pointer)                                                                           \
    do {                                                                                           \
        CU_ASSERT_PTR_NOT_NULL_FATAL(pointer);                                                     \
        if (!(pointer))                                                                            \
            __builtin_unreachable();                                                               \
    } while (0)

/* Runs `body` on a new thread and waits for it. */
static inline void on_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, argument) != 0)
        CU_FAIL_FATAL("no thread");
    pthread_join(thread, NULL);
}

/* A fresh fake, no context on this thread, no error, no message. */
static inline void fresh(void)
{
    fake_install();
    twin_self.context = 0;
    twin_self.last_error = 0;
    (void)twin_messages_take();
}

#endif
