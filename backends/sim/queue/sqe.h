/* SPDX-License-Identifier: Apache-2.0 */
/* Fills in SQEs of the STARS v1 layout. The entry is zero but for word 1 (stream and task) on
 * entry. */
#ifndef TWINRT_SIM_QUEUE_SQE_H
#define TWINRT_SIM_QUEUE_SQE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/types.h"
#include "twinsim/stars.h"

/* Most bytes one entry moves. */
#define SIM_PCIE_PIECE (64ull << 20)
#define SIM_SDMA_PIECE (2ull << 30)

void sim_sqe_event_record(stars_sqe *sqe, uint32_t id, bool cqe);
void sim_sqe_event_wait(stars_sqe *sqe, uint32_t id, uint64_t timeout_ns);
void sim_sqe_event_reset(stars_sqe *sqe, uint32_t id);
void sim_sqe_notify_record(stars_sqe *sqe, uint32_t id, bool cqe);
void sim_sqe_notify_wait(stars_sqe *sqe, uint32_t id, uint64_t timeout_ns);
/* A record on another device: a store into its table, at an address of its window (T-RMT-1). Not
 * `linked`: over PCIe. */
void sim_sqe_remote_record(stars_sqe *sqe, uint64_t address, bool linked);
/* Takes the flag of a notify away. */
void sim_sqe_notify_clear(stars_sqe *sqe, uint32_t id);
/* mode, relation: enum stars_count_mode, stars_count_relation. */
void sim_sqe_count_record(stars_sqe *sqe, uint32_t id, uint32_t mode, uint32_t value);
void sim_sqe_count_wait(stars_sqe *sqe, uint32_t id, uint32_t relation, uint32_t value, bool clear,
                        uint64_t timeout_ns);
void sim_sqe_placeholder(stars_sqe *sqe, bool cqe);
void sim_sqe_sdma_copy(stars_sqe *sqe, uint64_t dst, uint64_t src, uint64_t bytes);
/* words: `value` is repeated, else its low byte. */
void sim_sqe_sdma_fill(stars_sqe *sqe, uint64_t dst, uint32_t value, bool words, uint64_t bytes);
/* Cache maintenance; op: enum stars_sdma_operation. */
void sim_sqe_sdma_maintain(stars_sqe *sqe, uint64_t address, uint64_t bytes, uint32_t op);
/* As the descriptor at `at` says. */
void sim_sqe_sdma_pointer(stars_sqe *sqe, uint64_t at, uint32_t op);
/* A copy from *src + src_offset to *dst + dst_offset. */
void sim_sqe_sdma_offsets(stars_sqe *sqe, uint64_t dst, uint64_t dst_offset, uint64_t src,
                          uint64_t src_offset, uint64_t bytes);
/* Random numbers; params: address of the two parameters. */
void sim_sqe_random(stars_sqe *sqe, const twin_random *random, uint64_t params);
/* op, type: enum stars_sdma_operation, stars_sdma_type. */
void sim_sqe_sdma_reduce(stars_sqe *sqe, uint64_t dst, uint64_t src, uint64_t bytes, uint32_t op,
                         uint32_t type);
/* Rows of `row` bytes in one entry. */
void sim_sqe_sdma_rows(stars_sqe *sqe, uint64_t dst, uint32_t dst_row, uint64_t src,
                       uint32_t src_row, uint32_t row, uint32_t rows);
/* Stores 8 bytes at a bus address. */
void sim_sqe_write_value(stars_sqe *sqe, uint64_t address, uint64_t value);
/* What a host callback carries. */
struct sim_callback {
    uint64_t function;
    uint64_t data;
    uint32_t device;
    uint32_t stream;
    uint16_t group;
    bool block;
};
void sim_sqe_callback(stars_sqe *sqe, const struct sim_callback *words);
void sim_sqe_pcie_copy(stars_sqe *sqe, uint64_t dst, uint64_t src, uint64_t bytes);
/* A list of `count` descriptors; the rest describes the whole copy. */
void sim_sqe_pcie_list(stars_sqe *sqe, uint64_t list, uint32_t count, uint64_t dst, uint64_t src,
                       uint64_t bytes);
/* One of them, `into` the device's memory or out of it. */
void sim_dma_descriptor(stars_dma_descriptor *entry, bool into, uint64_t dst, uint64_t src,
                        uint32_t bytes);

/* Where the entry of a kernel has what names it to the driver. */
#define SIM_KERNEL_NAME_WORD 14u
/* A kernel whose context is a table of its own. */
void sim_sqe_ffts(stars_sqe *sqe, uint64_t table, uint32_t blocks, uint32_t weight,
                  uint32_t credit);
/* subtype, schem: enum stars_kernel_subtype, stars_kernel_schem; credit: STARS_CREDIT_NEVER or 1 ..
 * 254. */
void sim_sqe_kernel(stars_sqe *sqe, uint32_t subtype, uint32_t blocks, uint32_t schem,
                    uint32_t weight, uint32_t credit);

/* A COND entry without instructions; returns where the STARS_COND_WORDS words of its program go
 * (cond_program.h). */
uint32_t *sim_sqe_cond(stars_sqe *sqe);

/* "the word at 0x1000 >= 5"; false for an entry that sim_work_wait_value did not make. value.c. */
bool sim_value_describe(const stars_sqe *sqe, char *text, size_t bytes);
/* "event wait", "copy on the SDMA", ... */
const char *sim_sqe_noun(unsigned type);

/* Memory that a DMA engine is to reach. */
struct sim_dma_range {
    uint64_t address;
    uint64_t bytes; /* 0: none */
};
/* The destination and the source of an entry; both are none if it is for no DMA engine. Of rows,
 * from the first to the last byte. */
void sim_sqe_ranges(const stars_sqe *sqe, struct sim_dma_range out_ranges[2]);

#endif
