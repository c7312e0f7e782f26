/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit and aclFinalize: their count, and the configuration file. */
#ifndef TWINRT_CORE_INIT_H
#define TWINRT_CORE_INIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a configuration file may say. */
typedef struct twin_init_config {
    bool process_messages;       /* err_msg_mode "1": all threads share their error messages */
    int32_t default_device;      /* defaultDevice.default_device; -1 none */
    uint32_t event_mode;         /* acl_graph.event_mode: 0 memory, 1 hardware ids */
    uint32_t core_stack_bytes;   /* StackSize.aicore_stack_size, rounded and bounded */
    uint32_t print_buffer_bytes; /* simd_printf_fifo_size_per_core, rounded */
} twin_init_config;

/* Understands a configuration text; "" is the default. 100000, 100006, 500001, with a message. */
int32_t twin_init_parse(const char *text, size_t bytes, twin_init_config *out_config);

/* aclInit. NULL and "" mean the default configuration. Starts the backend. */
int32_t twin_init(const char *path);
/* aclFinalize: the count becomes 0. */
int32_t twin_finalize(void);
/* aclFinalizeReference: one less. `out_count` may be NULL. */
int32_t twin_finalize_reference(uint64_t *out_count);
/* Whether the count is above 0. */
bool twin_initialized(void);

#endif
