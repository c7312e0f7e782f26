/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the calls in a recording: part of seam/record_kinds.h, which says what the
 * lists mean. */
#ifndef TWINRT_SEAM_RECORD_FIELDS_H
#define TWINRT_SEAM_RECORD_FIELDS_H

/* ---- process, host ---- */

/* Texts: name of the backend, version of the runtime. */
#define TWIN_RECORD_START_FIELDS(F, S)                                                             \
    F(S, uint32_t, session, NUMBER)                                                                \
    F(S, uint32_t, seam_version, NUMBER)                                                           \
    F(S, uint32_t, process, SYSTEM)                                                                \
    F(S, uint32_t, tasks_stamped, FLAG) /* there are entries STAMP, and records that make them */  \
    F(S, uint32_t, data_kept, FLAG)     /* there are entries CONTENT */                            \
    F(S, uint32_t, flags, HEX)          /* TWIN_BACKEND_... */                                     \
    F(S, uint32_t, order_kept, FLAG)    /* there are entries HOST_FOLLOW */                        \
    F(S, uint32_t, text_bytes, BYTES)
#define TWIN_RECORD_STOP_FIELDS(F, S) F(S, uint64_t, lost, NUMBER)
#define TWIN_RECORD_COUNT_FIELDS(F, S)                                                             \
    F(S, uint32_t, out_count, NUMBER) F(S, uint32_t, spare, SPARE)
/* A step of a snapshot, a twin_snapshot_step: 0 lock, 1 backup, 2 restore, 3 unlock. */
#define TWIN_RECORD_SNAPSHOT_FIELDS(F, S) F(S, uint32_t, step, NUMBER) F(S, uint32_t, spare, SPARE)
/* Texts: part, PCI bus ("" without). */
#define TWIN_RECORD_DESCRIBE_FIELDS(F, S)                                                          \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, stream_limit, NUMBER)                                                           \
    F(S, uint32_t, event_limit, NUMBER)                                                            \
    F(S, uint32_t, notify_limit, NUMBER)                                                           \
    F(S, uint32_t, count_notify_limit, NUMBER)                                                     \
    F(S, uint32_t, priority_count, NUMBER)                                                         \
    F(S, uint32_t, queue_depth, NUMBER)                                                            \
    F(S, uint32_t, aic_cores, NUMBER)                                                              \
    F(S, uint64_t, memory_bytes, BYTES)                                                            \
    F(S, uint64_t, l2_bytes, BYTES)                                                                \
    F(S, uint64_t, op_unit_ns, NS)                                                                 \
    F(S, uint64_t, uuid_low, HEX)                                                                  \
    F(S, uint64_t, uuid_high, HEX)                                                                 \
    F(S, uint32_t, aiv_cores, NUMBER)                                                              \
    F(S, uint32_t, ai_cpus, NUMBER)                                                                \
    F(S, uint32_t, arch, NUMBER)                                                                   \
    F(S, uint32_t, peer_link, LINK)                                                                \
    F(S, uint32_t, lacks, HEX)                                                                     \
    F(S, uint32_t, has_uuid, FLAG)                                                                 \
    F(S, uint32_t, on_device, FLAG)                                                                \
    F(S, uint32_t, values, FLAG)                                                                   \
    F(S, uint32_t, bf16, FLAG)                                                                     \
    F(S, uint32_t, inf_nan, FLAG)                                                                  \
    F(S, uint32_t, machine_index, NUMBER)                                                          \
    F(S, uint32_t, text_bytes, BYTES)
#define TWIN_RECORD_ATTACH_FIELDS(F, S)                                                            \
    F(S, uint32_t, system_id, SYSTEM) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_DETACH_FIELDS(F, S) F(S, uint64_t, spare, SPARE)
/* A public function: begins with host.enter, ends with host.leave. Other calls of the thread in
 * between are its own; `depth` is above 0 when it was made by a function of the program that
 * another public function runs. The file has the first two fields; a reader takes the others from
 * the CALL_SITE. */
#define TWIN_RECORD_CALL_FIELDS(F, S)                                                              \
    F(S, uint32_t, name, STRING)                                                                   \
    F(S, int32_t, out_code, CODE)                                                                  \
    F(S, uint32_t, cost, COST)                                                                     \
    F(S, uint32_t, depth, NUMBER)                                                                  \
    F(S, uint64_t, site, POINTER)
#define TWIN_RECORD_LAST_TASK_FIELDS(F, S)                                                         \
    F(S, uint32_t, out_task, NUMBER) F(S, uint32_t, spare, SPARE)
/* The thread slept, or a wait of the host timed out. */
#define TWIN_RECORD_ADVANCE_FIELDS(F, S) F(S, uint64_t, ns, NS)
/* What the thread does from here on comes after what thread `releaser` did up to `of_seq` (an
 * end_seq or begin_seq of it), and after all that that followed. Written when it adds to what the
 * thread followed before, or moves its clock up. A releaser of 0 did nothing that is recorded. */
#define TWIN_RECORD_FOLLOW_FIELDS(F, S)                                                            \
    F(S, uint32_t, releaser, NUMBER)                                                               \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, of_seq, NUMBER)                                                                 \
    F(S, uint64_t, released_ns, NS) /* the releaser's clock then */

/* ---- device, memory ---- */

#define TWIN_RECORD_DEVICE_FIELDS(F, S) F(S, uint32_t, device, DEVICE) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_PEER_FIELDS(F, S)                                                              \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, other, DEVICE)                                                                  \
    F(S, uint32_t, enable, FLAG)                                                                   \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_ALLOC_FIELDS(F, S)                                                             \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, pages, PAGES)                                                                   \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, out_address, ADDRESS)                                                           \
    F(S, uint32_t, module, NUMBER) F(S, uint32_t, flags, HEX) /* TWIN_ALLOC_... */
#define TWIN_RECORD_FREE_FIELDS(F, S) F(S, uint64_t, address, ADDRESS)
#define TWIN_RECORD_HOST_ALLOC_FIELDS(F, S)                                                        \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, out_address, ADDRESS)                                                           \
    F(S, uint32_t, module, NUMBER) F(S, uint32_t, flags, HEX)
#define TWIN_RECORD_SPACE_FIELDS(F, S)                                                             \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, page_class, NUMBER)                                                             \
    F(S, uint64_t, out_free, BYTES)                                                                \
    F(S, uint64_t, out_total, BYTES)
#define TWIN_RECORD_COPY_NOW_FIELDS(F, S)                                                          \
    TWIN_RECORD_DEVICE_FIELDS(F, S)                                                                \
    F(S, uint64_t, dst, ADDRESS)                                                                   \
    F(S, uint64_t, src, ADDRESS)                                                                   \
    F(S, uint64_t, bytes, BYTES)
#define TWIN_RECORD_FILL_NOW_FIELDS(F, S)                                                          \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, value, HEX)                                                                     \
    F(S, uint64_t, dst, ADDRESS)                                                                   \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint32_t, words, FLAG)                                                                    \
    F(S, uint32_t, spare, SPARE)
/* Rows of a copy in two dimensions. */
#define TWIN_RECORD_ROWS_FIELDS(F, S)                                                              \
    F(S, uint64_t, dst, ADDRESS)                                                                   \
    F(S, uint64_t, src, ADDRESS)                                                                   \
    F(S, uint64_t, dst_pitch, BYTES)                                                               \
    F(S, uint64_t, src_pitch, BYTES)                                                               \
    F(S, uint64_t, width, BYTES)                                                                   \
    F(S, uint64_t, height, NUMBER)
#define TWIN_RECORD_ROWS_NOW_FIELDS(F, S)                                                          \
    TWIN_RECORD_DEVICE_FIELDS(F, S) TWIN_RECORD_ROWS_FIELDS(F, S)
/* Ranges: those that were reported. */
#define TWIN_RECORD_ERRORS_FIELDS(F, S)                                                            \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, returned, NUMBER)                                                               \
    F(S, uint64_t, room, NUMBER)                                                                   \
    F(S, uint64_t, out_count, NUMBER)
#define TWIN_RECORD_UNPIN_FIELDS(F, S)                                                             \
    TWIN_RECORD_DEVICE_FIELDS(F, S) F(S, uint64_t, address, ADDRESS)
#define TWIN_RECORD_REPAIR_FIELDS(F, S) TWIN_RECORD_UNPIN_FIELDS(F, S) F(S, uint64_t, bytes, BYTES)
#define TWIN_RECORD_MEMORY_USAGE_FIELDS(F, S)                                                      \
    TWIN_RECORD_DEVICE_FIELDS(F, S)                                                                \
    F(S, uint64_t, room, NUMBER) F(S, uint64_t, out_count, NUMBER)
#define TWIN_RECORD_MAP_PEER_FIELDS(F, S) TWIN_RECORD_REPAIR_FIELDS(F, S)
/* host: memory of the program. */
#define TWIN_RECORD_PIN_FIELDS(F, S)                                                               \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, locked, FLAG)                                                                   \
    F(S, uint32_t, mapped, FLAG)                                                                   \
    F(S, uint32_t, read_only, FLAG)                                                                \
    F(S, uint64_t, host, ADDRESS)                                                                  \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, out_address, ADDRESS)
#define TWIN_RECORD_DESCRIBE_COPY_FIELDS(F, S)                                                     \
    TWIN_RECORD_DEVICE_FIELDS(F, S)                                                                \
    F(S, uint64_t, at, ADDRESS)                                                                    \
    F(S, uint64_t, dst, ADDRESS)                                                                   \
    F(S, uint64_t, src, ADDRESS)                                                                   \
    F(S, uint64_t, bytes, BYTES)
#define TWIN_RECORD_MAINTAIN_NOW_FIELDS(F, S)                                                      \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, invalidate, FLAG)                                                               \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)

/* ---- memory of other processes, virtual addresses ---- */

/* Names and shared numbers open what is shared, so the file has their hashes: FNV-1a. */
#define TWIN_RECORD_MEMORY_SHARE_FIELDS(F, S)                                                      \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, out_name_hash, SYSTEM)                                                          \
    F(S, uint32_t, check_pid, FLAG)                                                                \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_MEMORY_ALLOW_FIELDS(F, S)                                                      \
    F(S, uint64_t, name_hash, SYSTEM) F(S, uint64_t, count, NUMBER)
#define TWIN_RECORD_MEMORY_OPEN_FIELDS(F, S)                                                       \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, owner, DEVICE)                                                                  \
    F(S, uint64_t, name_hash, SYSTEM)                                                              \
    F(S, uint64_t, out_address, ADDRESS)                                                           \
    F(S, uint64_t, bytes, BYTES)
#define TWIN_RECORD_MEMORY_CLOSE_FIELDS(F, S)                                                      \
    F(S, uint64_t, name_hash, SYSTEM) F(S, uint64_t, address, ADDRESS)
#define TWIN_RECORD_MEMORY_SET_LINK_FIELDS(F, S)                                                   \
    F(S, uint64_t, name_hash, SYSTEM) F(S, uint32_t, link, NUMBER) F(S, uint32_t, spare, SPARE)

#define TWIN_RECORD_VMM_RESERVE_FIELDS(F, S)                                                       \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, expected, ADDRESS)                                                              \
    F(S, uint64_t, out_address, ADDRESS)
#define TWIN_RECORD_VMM_CREATE_FIELDS(F, S)                                                        \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, pages, PAGES)                                                                   \
    F(S, uint64_t, physical, HEX)                                                                  \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint32_t, host, FLAG)                                                                     \
    F(S, uint32_t, node, HEX)                                                                      \
    F(S, uint32_t, module, NUMBER)                                                                 \
    F(S, uint32_t, flags, HEX)
#define TWIN_RECORD_VMM_DESTROY_FIELDS(F, S) F(S, uint64_t, physical, HEX)
#define TWIN_RECORD_VMM_MAP_FIELDS(F, S)                                                           \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, physical, HEX)                                                                  \
    F(S, uint32_t, access, FLAG)                                                                   \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_VMM_UNMAP_FIELDS(F, S)                                                         \
    F(S, uint64_t, address, ADDRESS) F(S, uint64_t, out_physical, HEX)
#define TWIN_RECORD_VMM_SET_ACCESS_FIELDS(F, S)                                                    \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint32_t, host, FLAG)                                                                     \
    F(S, uint32_t, accessor, NUMBER)
#define TWIN_RECORD_VMM_SET_LINK_FIELDS(F, S)                                                      \
    F(S, uint64_t, physical, HEX) F(S, uint32_t, link, NUMBER) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_VMM_MAP_LINK_FIELDS(F, S)                                                      \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, physical, HEX)                                                                  \
    F(S, uint64_t, source, ADDRESS)                                                                \
    F(S, uint32_t, link, NUMBER)                                                                   \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_VMM_SHARE_FIELDS(F, S)                                                         \
    F(S, uint64_t, physical, HEX)                                                                  \
    F(S, uint64_t, out_shared_hash, SYSTEM)                                                        \
    F(S, uint32_t, check_pid, FLAG)                                                                \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_VMM_ALLOW_FIELDS(F, S)                                                         \
    F(S, uint64_t, shared_hash, SYSTEM) F(S, uint64_t, count, NUMBER)
#define TWIN_RECORD_VMM_OPEN_FIELDS(F, S)                                                          \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, owner, DEVICE)                                                                  \
    F(S, uint64_t, physical, HEX)                                                                  \
    F(S, uint64_t, shared_hash, SYSTEM)                                                            \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint32_t, pages, PAGES)                                                                   \
    F(S, uint32_t, spare, SPARE)
/* ---- managed memory; kinds of places are numbers of twin_place_kind ---- */

#define TWIN_RECORD_MANAGED_ALLOC_FIELDS(F, S)                                                     \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, out_address, ADDRESS)
#define TWIN_RECORD_MANAGED_ADVISE_FIELDS(F, S)                                                    \
    F(S, uint32_t, advice, NUMBER)                                                                 \
    F(S, uint32_t, place, NUMBER)                                                                  \
    F(S, int32_t, place_id, CODE)                                                                  \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)
#define TWIN_RECORD_MANAGED_QUERY_FIELDS(F, S)                                                     \
    F(S, uint32_t, fact, NUMBER)                                                                   \
    F(S, uint32_t, room, NUMBER)                                                                   \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint32_t, out_place, NUMBER) /* the first one */                                          \
    F(S, int32_t, out_place_id, CODE)
#define TWIN_RECORD_MANAGED_MOVE_FIELDS(F, S)                                                      \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, place, NUMBER)                                                                  \
    F(S, int32_t, place_id, CODE)                                                                  \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)

/* ---- queue ---- */

#define TWIN_RECORD_QUEUE_CREATE_FIELDS(F, S)                                                      \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, out_queue, NEW_QUEUE)                                                           \
    F(S, uint32_t, stream, NUMBER)                                                                 \
    F(S, uint32_t, priority, NUMBER)                                                               \
    F(S, uint32_t, group, NUMBER)                                                                  \
    F(S, uint32_t, fast_launch, FLAG)                                                              \
    F(S, uint32_t, fast_sync, FLAG)                                                                \
    F(S, uint32_t, deferred, FLAG)                                                                 \
    F(S, uint32_t, is_default, FLAG)                                                               \
    F(S, uint32_t, out_tasks_reported, FLAG) /* there are entries TASK of it */
#define TWIN_RECORD_QUEUE_FIELDS(F, S) F(S, uint32_t, queue, QUEUE) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_QUEUE_DRAIN_FIELDS(F, S)                                                       \
    TWIN_RECORD_QUEUE_FIELDS(F, S) F(S, uint64_t, timeout_ns, NS)
#define TWIN_RECORD_QUEUE_QUERY_FIELDS(F, S)                                                       \
    F(S, uint32_t, queue, QUEUE) F(S, uint32_t, out_idle, FLAG)
#define TWIN_RECORD_SET_PRIORITY_FIELDS(F, S)                                                      \
    F(S, uint32_t, queue, QUEUE) F(S, uint32_t, priority, NUMBER)
#define TWIN_RECORD_TAKE_FAILURE_FIELDS(F, S)                                                      \
    F(S, uint32_t, queue, QUEUE)                                                                   \
    F(S, uint32_t, out_failure, STATUS)                                                            \
    F(S, uint32_t, out_task_id, NUMBER)                                                            \
    F(S, uint32_t, out_thread, SYSTEM)                                                             \
    F(S, uint32_t, out_kernel, KERNEL)                                                             \
    F(S, uint32_t, spare, SPARE)

/* ---- work: each begins with its queue and the tasks that came of it ---- */

#define TWIN_RECORD_WORK_FIELDS(F, S)                                                              \
    F(S, uint32_t, queue, QUEUE)                                                                   \
    F(S, uint32_t, tasks, NUMBER) /* how many; 0: the backend does not report them */              \
    F(S, uint64_t, first_task, TASK)
#define TWIN_RECORD_WORK_COPY_FIELDS(F, S)                                                         \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint64_t, dst, ADDRESS)                                                                   \
    F(S, uint64_t, src, ADDRESS)                                                                   \
    F(S, uint64_t, bytes, BYTES)
#define TWIN_RECORD_WORK_FILL_FIELDS(F, S)                                                         \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint64_t, dst, ADDRESS)                                                                   \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, value, HEX)                                                                     \
    F(S, uint32_t, words, FLAG)                                                                    \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_DESCRIBED_WORK_FIELDS(F, S)                                                    \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint64_t, at, ADDRESS)                                                                    \
    F(S, uint32_t, op, RANGE)                                                                      \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_MAINTAIN_FIELDS(F, S)                                                          \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint32_t, op, RANGE)                                                                      \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_COPY_BASED_FIELDS(F, S)                                                        \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint64_t, dst, ADDRESS)                                                                   \
    F(S, uint64_t, src, ADDRESS)                                                                   \
    F(S, uint64_t, dst_offset, BYTES)                                                              \
    F(S, uint64_t, src_offset, BYTES)                                                              \
    F(S, uint64_t, bytes, BYTES)
/* addresses: bits 0 first, 1 second, 2 seed, 3 count: that is given by address. */
#define TWIN_RECORD_RANDOM_FIELDS(F, S)                                                            \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint32_t, function, NUMBER)                                                               \
    F(S, uint32_t, type, NUMBER)                                                                   \
    F(S, uint64_t, dst, ADDRESS)                                                                   \
    F(S, uint64_t, counter, ADDRESS)                                                               \
    F(S, uint64_t, params, ADDRESS)                                                                \
    F(S, uint64_t, first, HEX)                                                                     \
    F(S, uint64_t, second, HEX)                                                                    \
    F(S, uint64_t, seed, HEX)                                                                      \
    F(S, uint64_t, count, NUMBER)                                                                  \
    F(S, uint32_t, addresses, HEX)                                                                 \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_WORK_SIGNAL_FIELDS(F, S)                                                       \
    TWIN_RECORD_WORK_FIELDS(F, S) F(S, uint32_t, signal, SIGNAL) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_WORK_WAIT_FIELDS(F, S)                                                         \
    TWIN_RECORD_WORK_SIGNAL_FIELDS(F, S) F(S, uint64_t, timeout_ns, NS)
#define TWIN_RECORD_WRITE_VALUE_FIELDS(F, S)                                                       \
    TWIN_RECORD_WORK_FIELDS(F, S) F(S, uint64_t, address, ADDRESS) F(S, uint64_t, value, HEX)
#define TWIN_RECORD_WAIT_VALUE_FIELDS(F, S)                                                        \
    TWIN_RECORD_WRITE_VALUE_FIELDS(F, S)                                                           \
    F(S, uint32_t, relation, RELATION)                                                             \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_WORK_CALL_FIELDS(F, S)                                                         \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint32_t, call_queue, CALL_QUEUE)                                                         \
    F(S, uint32_t, block, FLAG)                                                                    \
    F(S, uint64_t, function, POINTER)                                                              \
    F(S, uint64_t, argument, POINTER)
#define TWIN_RECORD_WORK_RUN_FIELDS(F, S)                                                          \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint32_t, model_instance, MODEL_INSTANCE) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_ACTIVATE_FIELDS(F, S)                                                          \
    TWIN_RECORD_WORK_FIELDS(F, S) F(S, uint32_t, other, QUEUE) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_BRANCH_FIELDS(F, S)                                                            \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint32_t, to, QUEUE)                                                                      \
    F(S, uint32_t, condition, CONDITION)                                                           \
    F(S, uint64_t, left, ADDRESS)                                                                  \
    F(S, uint64_t, right, ADDRESS)                                                                 \
    F(S, uint32_t, wide, FLAG)                                                                     \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_LABEL_FIELDS(F, S)                                                             \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint64_t, table, ADDRESS)                                                                 \
    F(S, uint32_t, index, NUMBER)                                                                  \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_JUMP_FIELDS(F, S)                                                              \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, table, ADDRESS)                                                                 \
    F(S, uint32_t, count, NUMBER)                                                                  \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_WORK_COUNT_FIELDS(F, S)                                                        \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint32_t, signal, SIGNAL)                                                                 \
    F(S, uint32_t, mode, CHANGE)                                                                   \
    F(S, uint32_t, value, NUMBER)                                                                  \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_WAIT_COUNT_FIELDS(F, S)                                                        \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint32_t, signal, SIGNAL)                                                                 \
    F(S, uint32_t, relation, COUNT)                                                                \
    F(S, uint32_t, value, NUMBER)                                                                  \
    F(S, uint32_t, clear, FLAG)                                                                    \
    F(S, uint64_t, timeout_ns, NS)
#define TWIN_RECORD_REDUCE_FIELDS(F, S)                                                            \
    TWIN_RECORD_WORK_COPY_FIELDS(F, S)                                                             \
    F(S, uint32_t, op, REDUCE)                                                                     \
    F(S, uint32_t, element, ELEMENT)
#define TWIN_RECORD_WORK_ROWS_FIELDS(F, S)                                                         \
    TWIN_RECORD_WORK_FIELDS(F, S) TWIN_RECORD_ROWS_FIELDS(F, S)
/* `list`: what its blocks do when that was known at once; else entries DESCRIBED say it.
 * `replaced`: the queue of the task that it takes the place of, 0: none. `timed_only`: its results
 * are not computed. `guarded`: it was not read ahead of earlier tasks. Text: its name, or "". */
#define TWIN_RECORD_LAUNCH_FIELDS(F, S)                                                            \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint32_t, kernel, NEW_KERNEL)                                                             \
    F(S, uint32_t, list, STEPS)                                                                    \
    F(S, uint32_t, cores, CORES)                                                                   \
    F(S, uint32_t, blocks, NUMBER)                                                                 \
    F(S, uint32_t, batch, FLAG)                                                                    \
    F(S, uint32_t, weight, NUMBER)                                                                 \
    F(S, uint64_t, timeout_ns, NS)                                                                 \
    F(S, uint32_t, has_effect, FLAG)                                                               \
    F(S, uint32_t, text_bytes, BYTES)                                                              \
    F(S, uint64_t, place, NUMBER)                                                                  \
    F(S, uint32_t, replaced, QUEUE)                                                                \
    F(S, uint32_t, timed_only, FLAG)                                                               \
    F(S, uint32_t, guarded, FLAG) F(S, uint32_t, spare, SPARE)

/* ---- signal, host-call queue, model instance ---- */

#define TWIN_RECORD_SIGNAL_CREATE_FIELDS(F, S)                                                     \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, out_signal, NEW_SIGNAL)                                                         \
    F(S, uint32_t, kind, KIND)                                                                     \
    F(S, uint32_t, name, NUMBER)                                                                   \
    F(S, uint32_t, timed, FLAG)                                                                    \
    F(S, uint32_t, waitable, FLAG) F(S, uint32_t, shared, FLAG) F(S, uint32_t, counted, FLAG)
#define TWIN_RECORD_SIGNAL_FIELDS(F, S) F(S, uint32_t, signal, SIGNAL) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_SIGNAL_QUERY_FIELDS(F, S)                                                      \
    F(S, uint32_t, signal, SIGNAL)                                                                 \
    F(S, uint32_t, out_recorded, FLAG)                                                             \
    F(S, uint32_t, out_complete, FLAG)                                                             \
    F(S, uint32_t, out_waits_open, NUMBER)                                                         \
    F(S, uint32_t, out_has_hardware_id, FLAG)                                                      \
    F(S, uint32_t, out_hardware_id, NUMBER)                                                        \
    F(S, uint32_t, ask, HEX) /* what else than the first two was asked for */                      \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_SIGNAL_WAIT_FIELDS(F, S)                                                       \
    TWIN_RECORD_SIGNAL_FIELDS(F, S) F(S, uint64_t, timeout_ns, NS)
#define TWIN_RECORD_TIMESTAMP_FIELDS(F, S)                                                         \
    TWIN_RECORD_SIGNAL_FIELDS(F, S) F(S, uint64_t, out_time_ns, NS)
#define TWIN_RECORD_ELAPSED_FIELDS(F, S)                                                           \
    F(S, uint32_t, begin, SIGNAL) F(S, uint32_t, end, SIGNAL) F(S, uint64_t, out_length_ns, REAL)
#define TWIN_RECORD_AVAILABLE_FIELDS(F, S)                                                         \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, kind, KIND)                                                                     \
    F(S, uint32_t, out_count, NUMBER)                                                              \
    F(S, uint32_t, spare, SPARE)
/* The name of a shared signal opens it, so only a number made from it is kept: equal names have
 * equal ones. */
#define TWIN_RECORD_SHARE_FIELDS(F, S)                                                             \
    F(S, uint32_t, signal, SIGNAL)                                                                 \
    F(S, uint32_t, check_pid, FLAG) F(S, uint64_t, out_name_hash, SYSTEM)
#define TWIN_RECORD_ALLOW_FIELDS(F, S) F(S, uint32_t, signal, SIGNAL) F(S, uint32_t, count, NUMBER)
#define TWIN_RECORD_SIGNAL_OPEN_FIELDS(F, S)                                                       \
    TWIN_RECORD_SIGNAL_CREATE_FIELDS(F, S) F(S, uint64_t, name_hash, SYSTEM)
#define TWIN_RECORD_CALL_QUEUE_CREATE_FIELDS(F, S)                                                 \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, out_call_queue, NEW_CALL_QUEUE)                                                 \
    F(S, uint32_t, service, FLAG)                                                                  \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_CALL_QUEUE_FIELDS(F, S)                                                        \
    F(S, uint32_t, call_queue, CALL_QUEUE) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_TAKE_FIELDS(F, S)                                                              \
    F(S, uint32_t, call_queue, CALL_QUEUE)                                                         \
    F(S, uint32_t, out_block, FLAG)                                                                \
    F(S, uint64_t, timeout_ns, NS)                                                                 \
    F(S, uint64_t, out_function, POINTER)                                                          \
    F(S, uint64_t, out_argument, POINTER)                                                          \
    F(S, uint64_t, out_ticket, POINTER)
#define TWIN_RECORD_ANSWER_FIELDS(F, S)                                                            \
    TWIN_RECORD_CALL_QUEUE_FIELDS(F, S) F(S, uint64_t, ticket, POINTER)
#define TWIN_RECORD_MODEL_INSTANCE_CREATE_FIELDS(F, S)                                             \
    F(S, uint32_t, device, DEVICE) F(S, uint32_t, out_model_instance, NEW_MODEL_INSTANCE)
#define TWIN_RECORD_MODEL_INSTANCE_FIELDS(F, S)                                                    \
    F(S, uint32_t, model_instance, MODEL_INSTANCE) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_BIND_FIELDS(F, S)                                                              \
    F(S, uint32_t, model_instance, MODEL_INSTANCE)                                                 \
    F(S, uint32_t, queue, QUEUE)                                                                   \
    F(S, uint32_t, head, FLAG)                                                                     \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_MODEL_INSTANCE_DRAIN_FIELDS(F, S)                                              \
    TWIN_RECORD_MODEL_INSTANCE_FIELDS(F, S) F(S, uint64_t, timeout_ns, NS)

/* ---- image, diag, fault ---- */

/* out_device_bytes: how much of the device's memory it takes at out_address, 0 where the device
 * does not report it. */
#define TWIN_RECORD_LOAD_FIELDS(F, S)                                                              \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, out_image, NEW_IMAGE)                                                           \
    F(S, uint32_t, magic, HEX)                                                                     \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, out_address, ADDRESS)                                                           \
    F(S, uint64_t, out_device_bytes, BYTES)
#define TWIN_RECORD_UNLOAD_FIELDS(F, S) F(S, uint32_t, image, IMAGE) F(S, uint32_t, spare, SPARE)

#define TWIN_RECORD_POOL_CREATE_FIELDS(F, S)                                                       \
    F(S, uint32_t, device, DEVICE) F(S, uint32_t, out_pool, NEW_POOL) F(S, uint64_t, bytes, BYTES)
#define TWIN_RECORD_POOL_FIELDS(F, S) F(S, uint32_t, pool, POOL) F(S, uint32_t, spare, SPARE)
/* `attr` is a twin_pool_attr. */
#define TWIN_RECORD_POOL_SET_FIELDS(F, S)                                                          \
    F(S, uint32_t, pool, POOL) F(S, uint32_t, attr, NUMBER) F(S, uint64_t, value, NUMBER)
#define TWIN_RECORD_POOL_GET_FIELDS(F, S)                                                          \
    F(S, uint32_t, pool, POOL) F(S, uint32_t, attr, NUMBER) F(S, uint64_t, out_value, NUMBER)
#define TWIN_RECORD_POOL_TRIM_FIELDS(F, S)                                                         \
    TWIN_RECORD_POOL_FIELDS(F, S) F(S, uint64_t, bytes, BYTES)
#define TWIN_RECORD_WORK_ALLOC_FIELDS(F, S)                                                        \
    TWIN_RECORD_WORK_FIELDS(F, S)                                                                  \
    F(S, uint32_t, pool, POOL)                                                                     \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, out_address, ADDRESS)
#define TWIN_RECORD_WORK_FREE_FIELDS(F, S)                                                         \
    TWIN_RECORD_WORK_FIELDS(F, S) F(S, uint64_t, address, ADDRESS)

#define TWIN_RECORD_FACTS_FIELDS(F, S) F(S, uint64_t, count, NUMBER)
#define TWIN_RECORD_USAGE_FIELDS(F, S)                                                             \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, int32_t, out_cube, CODE)                                                                  \
    F(S, int32_t, out_vector, CODE)                                                                \
    F(S, int32_t, out_cpu, CODE)
#define TWIN_RECORD_INJECT_FIELDS(F, S)                                                            \
    F(S, uint32_t, kind, FAULT)                                                                    \
    F(S, uint32_t, task, FAULT_TASK)                                                               \
    F(S, uint32_t, device, NUMBER)                                                                 \
    F(S, uint32_t, stream, NUMBER)                                                                 \
    F(S, uint32_t, id, NUMBER)                                                                     \
    F(S, uint32_t, factor_permille, NUMBER)                                                        \
    F(S, uint64_t, first, NUMBER)                                                                  \
    F(S, uint64_t, times, NUMBER)                                                                  \
    F(S, uint64_t, duration_ns, NS)                                                                \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint32_t, access, HEX)                                                                    \
    F(S, uint32_t, device_status, HEX)                                                             \
    F(S, uint32_t, out_number, NUMBER)                                                             \
    F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_REMOVE_FIELDS(F, S) F(S, uint32_t, number, NUMBER) F(S, uint32_t, spare, SPARE)
#define TWIN_RECORD_TRIGGERED_FIELDS(F, S)                                                         \
    F(S, uint32_t, number, NUMBER) F(S, uint32_t, spare, SPARE) F(S, uint64_t, out_times, NUMBER)

#endif
