/* SPDX-License-Identifier: Apache-2.0 */
/* Builds SQEs as a driver would, from the data sheet. */
#ifndef TWINRT_TESTS_SIM_SQE_H
#define TWINRT_TESTS_SIM_SQE_H

#include "twinsim/stars.h"

#ifdef __cplusplus
extern "C" {
#endif

stars_sqe sqe_placeholder(void);
stars_sqe sqe_event_record(uint32_t event);
stars_sqe sqe_event_wait(uint32_t event, uint32_t seconds);
stars_sqe sqe_notify_record(uint32_t notify);
stars_sqe sqe_notify_wait(uint32_t notify, uint32_t seconds);
/* enum stars_count_mode, stars_count_relation. */
stars_sqe sqe_count_record(uint32_t count, uint32_t mode, uint32_t value);
stars_sqe sqe_count_wait(uint32_t count, uint32_t relation, uint32_t value, int clear,
                         uint32_t seconds);
/* Writes `value` into the event's table entry. */
stars_sqe sqe_event_write(uint32_t event, uint32_t value);
/* Writes 1 << size_code bytes of `value`, zero-extended, to a virtual address. */
stars_sqe sqe_write_value(uint64_t address, uint32_t size_code, uint64_t value);
stars_sqe sqe_sdma(uint64_t dst, uint64_t src, uint32_t bytes);
/* op and type: enum stars_sdma_operation, stars_sdma_type. */
stars_sqe sqe_sdma_reduce(uint64_t dst, uint64_t src, uint32_t bytes, uint32_t op, uint32_t type);
/* The short form: rows of `row` bytes. */
stars_sqe sqe_sdma_rows(uint64_t dst, uint32_t dst_row, uint64_t src, uint32_t src_row,
                        uint32_t row, uint32_t rows);
stars_sqe sqe_sdma_fill(uint64_t dst, uint8_t value, uint32_t bytes);
/* Calls the host; `group` selects the receiver. */
stars_sqe sqe_callback(uint16_t group, uint64_t function, uint64_t data, int block);
stars_sqe sqe_pcie_dma(uint64_t dst, uint64_t src, uint64_t bytes);
/* enum stars_kernel_subtype, enum stars_kernel_schem; `pc` names it to the driver. */
stars_sqe sqe_kernel(uint32_t subtype, uint32_t blocks, uint64_t pc);
stars_sqe sqe_with_schedule(stars_sqe sqe, uint32_t schem, uint32_t weight);
/* COND: goes back to itself, at `place` of queue `sq`, until the word at `address` is at least
 * `value`. */
stars_sqe sqe_poll(uint32_t sq, uint32_t place, uint64_t address, uint64_t value);
/* The same SQE with a CQE asked for. */
stars_sqe sqe_with_cqe(stars_sqe sqe);
stars_sqe sqe_with_credit(stars_sqe sqe, uint32_t credit);

#ifdef __cplusplus
}
#endif

#endif
