/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the memory suite; memory_suite.c gives each its sentence. */
#ifndef TWINRT_CONFORMANCE_MEMORY_TESTS_H
#define TWINRT_CONFORMANCE_MEMORY_TESTS_H

/* memory_suite.c holds those of allocation. */

/* memory_copy.c */
void test_copy_of_nothing(void);
void test_copy_null(void);
void test_copy_too_long(void);
void test_copy_kinds(void);
void test_copy_contradicting_kind(void);
void test_copy_directions(void);
void test_copy_does_not_synchronise(void);
void test_copy_onto_itself(void);
void test_copy_without_context(void);
void test_copy_across_devices(void);
void test_fill_of_nothing(void);
void test_fill_value_and_range(void);
void test_fill_too_long(void);
void test_fill_does_not_wait(void);

/* memory_async.c */
void test_async_copy_of_nothing(void);
void test_async_copy_arguments(void);
void test_async_copy_too_long(void);
void test_async_copy_default_stream(void);
void test_async_copy_foreign_stream(void);
void test_async_copy_dead_handle(void);
void test_async_copy_is_asynchronous(void);
void test_pageable_copy_is_synchronous(void);
void test_pageable_copy_reports_failure(void);
void test_async_copy_corrects_kind(void);
void test_pageable_source_kinds(void);
void test_pageable_destination_kinds(void);
void test_async_host_to_host(void);
void test_async_copy_onto_itself(void);
void test_untouchable_pageable_memory(void);
void test_snapshot_copy(void);
void test_snapshot_copy_arguments(void);
void test_snapshot_copy_in_a_model(void);
void test_large_async_copy(void);
void test_async_fill_any_range(void);
void test_async_fill_arguments(void);

/* memory_block.c */
void test_block_of_nothing(void);
void test_block_arguments(void);
void test_block_within_the_device_at_once(void);
void test_block_limits(void);
void test_block_copies(void);
void test_block_async(void);
void test_block_of_many_rows(void);
void test_block_random(void);
void test_batch_of_nothing(void);
void test_batch_arguments(void);
void test_batch_too_long_at_once(void);
void test_batch_places(void);
void test_batch_of_both(void);
void test_batch_copies(void);
void test_reduce_arguments(void);
void test_reduce_values(void);
void test_reduce_not_offered(void);
void test_reduce_alignment(void);
void test_reduce_in_order(void);
void test_reduce_floats(void);
void test_reduce_overlap(void);

/* memory_pages.c */
void test_fallback_to_normal_pages(void);
void test_page_class_by_size(void);

#endif
