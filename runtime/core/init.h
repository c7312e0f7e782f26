/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit and aclFinalize: their count, and the configuration file. */
#ifndef TWINRT_CORE_INIT_H
#define TWINRT_CORE_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/callback/init_callback.h"

/* What a configuration file may say. */
typedef struct twin_init_config {
    bool process_messages;       /* err_msg_mode "1": all threads share their error messages */
    int32_t default_device;      /* defaultDevice.default_device; -1 none */
    uint32_t event_mode;         /* acl_graph.event_mode: 0 memory, 1 hardware ids */
    uint32_t core_stack_bytes;   /* StackSize.aicore_stack_size, rounded and bounded */
    uint32_t print_buffer_bytes; /* simd_printf_fifo_size_per_core, rounded */
    bool core_stack_given;
    bool print_buffer_given;
} twin_init_config;

/* Understands a configuration text; "" is the default. 100000, 100006, 500001, with a message. */
int32_t twin_init_parse(const char *text, size_t bytes, twin_init_config *out_config);

/* aclInit. NULL and "" mean the default configuration. Starts the backend, then calls what is
 * registered, with no lock held; a callback that fails ends it with its answer and the count at
 * 0. */
int32_t twin_init(const char *path);
/* aclFinalize: calls what is registered, then the count becomes 0. A callback that fails leaves the
 * count as it was. 500000, here and in the others: called by a callback of these. */
int32_t twin_finalize(void);
/* aclFinalizeReference: one less. `out_count` may be NULL. */
int32_t twin_finalize_reference(uint64_t *out_count);
/* Whether the count is above 0. */
bool twin_initialized(void);

/* aclInitCallbackRegister and its siblings. One for the start is called at once when the process is
 * initialised already; what it answers does not matter then. Blocks while another thread
 * initialises. */
int32_t twin_init_register(const twin_registration *registration);
int32_t twin_init_unregister(const twin_registration *registration);

#endif
