/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of entries in a recording (seam/record_file.h), each with its fields: one table, from which
 * the writer, the reader, what prints and what tests are made.
 *
 * TWIN_RECORD_KIND_LIST: X(number, NAME, name, fields, tail). `name` is the op ("work.copy") or
 * what the entry is. Numbers never change; new kinds take new numbers, new fields come last. Fields
 * (seam/record_fields.h, seam/record_event_fields.h) are F(S, type, name, role), where S is the
 * NAME of the kind; field names that begin with `out_` hold answers. Each struct is a multiple of
 * 8 bytes long, without holes. */
#ifndef TWINRT_SEAM_RECORD_KINDS_H
#define TWINRT_SEAM_RECORD_KINDS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "seam/record_event_fields.h"
#include "seam/record_fields.h"

/* What a field means: X(ROLE). */
#define TWIN_RECORD_ROLE_LIST(X)                                                                   \
    X(NUMBER)                                                                                      \
    X(BYTES)                                                                                       \
    X(NS)      /* a time or a length of time; UINT64_MAX: without end */                           \
    X(FLAG)    /* 0 or 1 */                                                                        \
    X(HEX)     /* bits */                                                                          \
    X(REAL)    /* bits of a double */                                                              \
    X(CODE)    /* a public code, signed */                                                         \
    X(STATUS)  /* as the status of an entry */                                                     \
    X(SPARE)   /* 0 */                                                                             \
    X(ADDRESS) /* of memory that memory.alloc or host_alloc gave, or of the program's own */       \
    X(POINTER) /* of code or data of the program that is only carried */                           \
    X(SYSTEM)  /* given out by the operating system, or made up at random */                       \
    X(DEVICE)  /* index of a device; the next are numbers that the writer gave, 0: none */         \
    X(QUEUE)                                                                                       \
    X(NEW_QUEUE)                                                                                   \
    X(SIGNAL)                                                                                      \
    X(NEW_SIGNAL)                                                                                  \
    X(CALL_QUEUE)                                                                                  \
    X(NEW_CALL_QUEUE)                                                                              \
    X(MODEL_INSTANCE)                                                                              \
    X(NEW_MODEL_INSTANCE)                                                                          \
    X(KERNEL)                                                                                      \
    X(NEW_KERNEL)                                                                                  \
    X(IMAGE)                                                                                       \
    X(NEW_IMAGE)                                                                                   \
    X(STEPS)                                                                                       \
    X(NEW_STEPS)                                                                                   \
    X(DATA)                                                                                        \
    X(NEW_DATA)                                                                                    \
    X(POOL)                                                                                        \
    X(NEW_POOL)                                                                                    \
    X(STRING)                                                                                      \
    X(NEW_STRING)                                                                                  \
    X(TASK)      /* number of a task of the queue, from 1; 0: not known */                         \
    X(COST)      /* twin_cost; this and the next: values of an enum of seam/types.h or launch.h */ \
    X(PAGES)     /* twin_page_policy */                                                            \
    X(LINK)      /* twin_link */                                                                   \
    X(KIND)      /* twin_signal_kind */                                                            \
    X(REDUCE)    /* twin_reduce_op */                                                              \
    X(ELEMENT)   /* twin_element */                                                                \
    X(RELATION)  /* twin_relation */                                                               \
    X(CHANGE)    /* twin_count_mode */                                                             \
    X(COUNT)     /* twin_count_relation */                                                         \
    X(CONDITION) /* twin_condition */                                                              \
    X(CORES)     /* twin_launch_cores */                                                           \
    X(RANGE)     /* twin_range_op */                                                               \
    X(FAULT)     /* twin_fault_kind */                                                             \
    X(FAULT_TASK) /* twin_fault_task */                                                            \
    X(ND)         /* twin_nd */

/* Tails: X(TAIL). */
#define TWIN_RECORD_TAIL_LIST(X)                                                                   \
    X(NONE)                                                                                        \
    X(TEXTS)  /* `text_bytes` bytes: texts, each with its end */                                   \
    X(BYTES)  /* `bytes` bytes */                                                                  \
    X(STEPS)  /* lists and steps, see struct twin_record_step_list */                              \
    X(RANGES) /* `returned` times struct twin_record_range */                                      \
    X(IDS)    /* `count` times int32_t */                                                          \
    X(FRAMES) /* `count` return addresses of 8 bytes, the innermost first */

/* ---- the table ---- */

#define TWIN_RECORD_KIND_LIST(X)                                                                   \
    X(1, CALL_SITE, "call_site", TWIN_RECORD_CALL_SITE_FIELDS, TEXTS)                              \
    X(2, STATUS, "status", TWIN_RECORD_STATUS_FIELDS, TEXTS)                                       \
    X(3, FACT, "fact", TWIN_RECORD_FACT_FIELDS, TEXTS)                                             \
    X(4, SETTING, "setting", TWIN_RECORD_SETTING_FIELDS, TEXTS)                                    \
    X(5, TASK, "task", TWIN_RECORD_TASK_FIELDS, NONE)                                              \
    X(6, STAMP, "stamp", TWIN_RECORD_STAMP_FIELDS, NONE)                                           \
    X(7, STEPS, "steps", TWIN_RECORD_STEPS_FIELDS, STEPS)                                          \
    X(8, DESCRIBED, "described", TWIN_RECORD_DESCRIBED_FIELDS, NONE)                               \
    X(9, RELEASED, "released", TWIN_RECORD_RELEASED_FIELDS, NONE)                                  \
    X(10, DATA, "data", TWIN_RECORD_DATA_FIELDS, BYTES)                                            \
    X(11, CONTENT, "content", TWIN_RECORD_CONTENT_FIELDS, NONE)                                    \
    X(12, VENDOR, "vendor", TWIN_RECORD_VENDOR_FIELDS, NONE)                                       \
    X(13, CODE, "code", TWIN_RECORD_CODE_FIELDS, BYTES)                                            \
    X(14, SEEN, "seen", TWIN_RECORD_SEEN_FIELDS, NONE)                                             \
    X(15, MOVED, "moved", TWIN_RECORD_MOVED_FIELDS, NONE)                                          \
    X(16, ND, "nondeterminism", TWIN_RECORD_ND_FIELDS, NONE)                                       \
    X(17, MODULE, "module", TWIN_RECORD_MODULE_FIELDS, TEXTS)                                      \
    X(18, STACK, "stack", TWIN_RECORD_STACK_FIELDS, FRAMES)                                        \
    X(19, SCRIPT_STACK, "script_stack", TWIN_RECORD_SCRIPT_STACK_FIELDS, TEXTS)                    \
    X(20, CALL_STACK, "call_stack", TWIN_RECORD_CALL_STACK_FIELDS, NONE)                           \
    X(21, WATCHED, "watched", TWIN_RECORD_WATCHED_FIELDS, NONE)                                    \
    X(22, RETURNED, "returned", TWIN_RECORD_RETURNED_FIELDS, NONE)                                 \
    X(23, TOUCHED, "touched", TWIN_RECORD_TOUCHED_FIELDS, NONE)                                    \
    X(24, USED, "used", TWIN_RECORD_USED_FIELDS, NONE)                                             \
    X(25, SHARED, "shared", TWIN_RECORD_SHARED_FIELDS, NONE)                                       \
    X(32, PROCESS_START, "process.start", TWIN_RECORD_START_FIELDS, TEXTS)                         \
    X(33, PROCESS_STOP, "process.stop", TWIN_RECORD_STOP_FIELDS, NONE)                             \
    X(34, PROCESS_COUNT, "process.count", TWIN_RECORD_COUNT_FIELDS, NONE)                          \
    X(35, PROCESS_DESCRIBE, "process.describe", TWIN_RECORD_DESCRIBE_FIELDS, TEXTS)                \
    X(40, HOST_ATTACH, "host.attach", TWIN_RECORD_ATTACH_FIELDS, NONE)                             \
    X(41, HOST_DETACH, "host.detach", TWIN_RECORD_DETACH_FIELDS, NONE)                             \
    X(42, HOST_CALL, "host.call", TWIN_RECORD_CALL_FIELDS, NONE)                                   \
    X(43, HOST_LAST_TASK, "host.last_task", TWIN_RECORD_LAST_TASK_FIELDS, NONE)                    \
    X(44, HOST_ADVANCE, "host.advance", TWIN_RECORD_ADVANCE_FIELDS, NONE)                          \
    X(45, HOST_FOLLOW, "host.follow", TWIN_RECORD_FOLLOW_FIELDS, NONE)                             \
    X(48, DEVICE_OPEN, "device.open", TWIN_RECORD_DEVICE_FIELDS, NONE)                             \
    X(49, DEVICE_CLOSE, "device.close", TWIN_RECORD_DEVICE_FIELDS, NONE)                           \
    X(50, DEVICE_ABORT, "device.abort", TWIN_RECORD_DEVICE_FIELDS, NONE)                           \
    X(51, DEVICE_PEER, "device.peer", TWIN_RECORD_PEER_FIELDS, NONE)                               \
    X(56, MEMORY_ALLOC, "memory.alloc", TWIN_RECORD_ALLOC_FIELDS, NONE)                            \
    X(57, MEMORY_FREE, "memory.free", TWIN_RECORD_FREE_FIELDS, NONE)                               \
    X(58, MEMORY_HOST_ALLOC, "memory.host_alloc", TWIN_RECORD_HOST_ALLOC_FIELDS, NONE)             \
    X(59, MEMORY_HOST_FREE, "memory.host_free", TWIN_RECORD_FREE_FIELDS, NONE)                     \
    X(60, MEMORY_SPACE, "memory.space", TWIN_RECORD_SPACE_FIELDS, NONE)                            \
    X(61, MEMORY_COPY, "memory.copy", TWIN_RECORD_COPY_NOW_FIELDS, NONE)                           \
    X(62, MEMORY_FILL, "memory.fill", TWIN_RECORD_FILL_NOW_FIELDS, NONE)                           \
    X(63, MEMORY_COPY_ROWS, "memory.copy_rows", TWIN_RECORD_ROWS_NOW_FIELDS, NONE)                 \
    X(64, MEMORY_ERRORS, "memory.errors", TWIN_RECORD_ERRORS_FIELDS, RANGES)                       \
    X(65, MEMORY_REPAIR, "memory.repair", TWIN_RECORD_REPAIR_FIELDS, NONE)                         \
    X(72, QUEUE_CREATE, "queue.create", TWIN_RECORD_QUEUE_CREATE_FIELDS, NONE)                     \
    X(73, QUEUE_DESTROY, "queue.destroy", TWIN_RECORD_QUEUE_FIELDS, NONE)                          \
    X(74, QUEUE_DRAIN, "queue.drain", TWIN_RECORD_QUEUE_DRAIN_FIELDS, NONE)                        \
    X(75, QUEUE_QUERY, "queue.query", TWIN_RECORD_QUEUE_QUERY_FIELDS, NONE)                        \
    X(76, QUEUE_ROOM, "queue.room", TWIN_RECORD_QUEUE_FIELDS, NONE)                                \
    X(77, QUEUE_ABORT, "queue.abort", TWIN_RECORD_QUEUE_FIELDS, NONE)                              \
    X(78, QUEUE_STOP, "queue.stop", TWIN_RECORD_QUEUE_FIELDS, NONE)                                \
    X(79, QUEUE_SET_PRIORITY, "queue.set_priority", TWIN_RECORD_SET_PRIORITY_FIELDS, NONE)         \
    X(80, QUEUE_STOP_ON_FAILURE, "queue.stop_on_failure", TWIN_RECORD_QUEUE_FIELDS, NONE)          \
    X(81, QUEUE_TAKE_FAILURE, "queue.take_failure", TWIN_RECORD_TAKE_FAILURE_FIELDS, NONE)         \
    X(96, WORK_COPY, "work.copy", TWIN_RECORD_WORK_COPY_FIELDS, NONE)                              \
    X(97, WORK_FILL, "work.fill", TWIN_RECORD_WORK_FILL_FIELDS, NONE)                              \
    X(98, WORK_RECORD, "work.record", TWIN_RECORD_WORK_SIGNAL_FIELDS, NONE)                        \
    X(99, WORK_WAIT, "work.wait", TWIN_RECORD_WORK_WAIT_FIELDS, NONE)                              \
    X(100, WORK_RESET, "work.reset", TWIN_RECORD_WORK_SIGNAL_FIELDS, NONE)                         \
    X(101, WORK_WRITE_VALUE, "work.write_value", TWIN_RECORD_WRITE_VALUE_FIELDS, NONE)             \
    X(102, WORK_WAIT_VALUE, "work.wait_value", TWIN_RECORD_WAIT_VALUE_FIELDS, NONE)                \
    X(103, WORK_CALL, "work.call", TWIN_RECORD_WORK_CALL_FIELDS, NONE)                             \
    X(104, WORK_RUN, "work.run", TWIN_RECORD_WORK_RUN_FIELDS, NONE)                                \
    X(105, WORK_END, "work.end", TWIN_RECORD_WORK_FIELDS, NONE)                                    \
    X(106, WORK_ACTIVATE, "work.activate", TWIN_RECORD_ACTIVATE_FIELDS, NONE)                      \
    X(107, WORK_BRANCH, "work.branch", TWIN_RECORD_BRANCH_FIELDS, NONE)                            \
    X(108, WORK_LABEL, "work.label", TWIN_RECORD_LABEL_FIELDS, NONE)                               \
    X(109, WORK_JUMP, "work.jump", TWIN_RECORD_JUMP_FIELDS, NONE)                                  \
    X(110, WORK_COUNT, "work.count", TWIN_RECORD_WORK_COUNT_FIELDS, NONE)                          \
    X(111, WORK_WAIT_COUNT, "work.wait_count", TWIN_RECORD_WAIT_COUNT_FIELDS, NONE)                \
    X(112, WORK_REDUCE, "work.reduce", TWIN_RECORD_REDUCE_FIELDS, NONE)                            \
    X(113, WORK_COPY_ROWS, "work.copy_rows", TWIN_RECORD_WORK_ROWS_FIELDS, NONE)                   \
    X(114, WORK_LAUNCH, "work.launch", TWIN_RECORD_LAUNCH_FIELDS, TEXTS)                           \
    X(128, SIGNAL_CREATE, "signal.create", TWIN_RECORD_SIGNAL_CREATE_FIELDS, NONE)                 \
    X(129, SIGNAL_DESTROY, "signal.destroy", TWIN_RECORD_SIGNAL_FIELDS, NONE)                      \
    X(130, SIGNAL_QUERY, "signal.query", TWIN_RECORD_SIGNAL_QUERY_FIELDS, NONE)                    \
    X(131, SIGNAL_WAIT, "signal.wait", TWIN_RECORD_SIGNAL_WAIT_FIELDS, NONE)                       \
    X(132, SIGNAL_TIMESTAMP, "signal.timestamp", TWIN_RECORD_TIMESTAMP_FIELDS, NONE)               \
    X(133, SIGNAL_AVAILABLE, "signal.available", TWIN_RECORD_AVAILABLE_FIELDS, NONE)               \
    X(134, SIGNAL_CLEAR, "signal.clear", TWIN_RECORD_SIGNAL_FIELDS, NONE)                          \
    X(135, SIGNAL_SHARE, "signal.share", TWIN_RECORD_SHARE_FIELDS, NONE)                           \
    X(136, SIGNAL_ALLOW, "signal.allow", TWIN_RECORD_ALLOW_FIELDS, IDS)                            \
    X(137, SIGNAL_OPEN, "signal.open", TWIN_RECORD_SIGNAL_OPEN_FIELDS, NONE)                       \
    X(138, SIGNAL_ELAPSED, "signal.elapsed", TWIN_RECORD_ELAPSED_FIELDS, NONE)                     \
    X(144, CALL_QUEUE_CREATE, "call_queue.create", TWIN_RECORD_CALL_QUEUE_CREATE_FIELDS, NONE)     \
    X(145, CALL_QUEUE_DESTROY, "call_queue.destroy", TWIN_RECORD_CALL_QUEUE_FIELDS, NONE)          \
    X(146, CALL_QUEUE_TAKE, "call_queue.take", TWIN_RECORD_TAKE_FIELDS, NONE)                      \
    X(147, CALL_QUEUE_ANSWER, "call_queue.answer", TWIN_RECORD_ANSWER_FIELDS, NONE)                \
    X(148, CALL_QUEUE_CLOSE, "call_queue.close", TWIN_RECORD_CALL_QUEUE_FIELDS, NONE)              \
    X(152, MODEL_INSTANCE_CREATE, "model_instance.create",                                         \
      TWIN_RECORD_MODEL_INSTANCE_CREATE_FIELDS, NONE)                                              \
    X(153, MODEL_INSTANCE_DESTROY, "model_instance.destroy", TWIN_RECORD_MODEL_INSTANCE_FIELDS,    \
      NONE)                                                                                        \
    X(154, MODEL_INSTANCE_BIND, "model_instance.bind", TWIN_RECORD_BIND_FIELDS, NONE)              \
    X(155, MODEL_INSTANCE_UNBIND, "model_instance.unbind", TWIN_RECORD_BIND_FIELDS, NONE)          \
    X(156, MODEL_INSTANCE_SEAL, "model_instance.seal", TWIN_RECORD_MODEL_INSTANCE_FIELDS, NONE)    \
    X(157, MODEL_INSTANCE_CLEAN, "model_instance.clean", TWIN_RECORD_QUEUE_FIELDS, NONE)           \
    X(158, MODEL_INSTANCE_ABORT, "model_instance.abort", TWIN_RECORD_MODEL_INSTANCE_FIELDS, NONE)  \
    X(159, MODEL_INSTANCE_DRAIN, "model_instance.drain", TWIN_RECORD_MODEL_INSTANCE_DRAIN_FIELDS,  \
      NONE)                                                                                        \
    X(169, DIAG_FACTS, "diag.facts", TWIN_RECORD_FACTS_FIELDS, NONE)                               \
    X(170, DIAG_USAGE, "diag.usage", TWIN_RECORD_USAGE_FIELDS, NONE)                               \
    X(176, FAULT_INJECT, "fault.inject", TWIN_RECORD_INJECT_FIELDS, NONE)                          \
    X(177, FAULT_REMOVE, "fault.remove", TWIN_RECORD_REMOVE_FIELDS, NONE)                          \
    X(178, FAULT_TRIGGERED, "fault.triggered", TWIN_RECORD_TRIGGERED_FIELDS, NONE)                 \
    X(184, IMAGE_LOAD, "image.load", TWIN_RECORD_LOAD_FIELDS, NONE)                                \
    X(185, IMAGE_UNLOAD, "image.unload", TWIN_RECORD_UNLOAD_FIELDS, NONE)                          \
    X(192, VMM_RESERVE, "vmm.reserve", TWIN_RECORD_VMM_RESERVE_FIELDS, NONE)                       \
    X(193, VMM_RELEASE, "vmm.release", TWIN_RECORD_FREE_FIELDS, NONE)                              \
    X(194, VMM_CREATE, "vmm.create", TWIN_RECORD_VMM_CREATE_FIELDS, NONE)                          \
    X(195, VMM_DESTROY, "vmm.destroy", TWIN_RECORD_VMM_DESTROY_FIELDS, NONE)                       \
    X(196, VMM_MAP, "vmm.map", TWIN_RECORD_VMM_MAP_FIELDS, NONE)                                   \
    X(197, VMM_UNMAP, "vmm.unmap", TWIN_RECORD_VMM_UNMAP_FIELDS, NONE)                             \
    X(198, VMM_SET_ACCESS, "vmm.set_access", TWIN_RECORD_VMM_SET_ACCESS_FIELDS, NONE)              \
    X(199, VMM_SHARE, "vmm.share", TWIN_RECORD_VMM_SHARE_FIELDS, NONE)                             \
    X(200, VMM_ALLOW, "vmm.allow", TWIN_RECORD_VMM_ALLOW_FIELDS, IDS)                              \
    X(201, VMM_OPEN, "vmm.open", TWIN_RECORD_VMM_OPEN_FIELDS, NONE)                                \
    X(202, MEMORY_SHARE, "memory.share", TWIN_RECORD_MEMORY_SHARE_FIELDS, NONE)                    \
    X(203, MEMORY_ALLOW, "memory.allow", TWIN_RECORD_MEMORY_ALLOW_FIELDS, IDS)                     \
    X(204, MEMORY_OPEN, "memory.open", TWIN_RECORD_MEMORY_OPEN_FIELDS, NONE)                       \
    X(205, MEMORY_CLOSE, "memory.close", TWIN_RECORD_MEMORY_CLOSE_FIELDS, NONE)                    \
    X(206, MEMORY_PIN, "memory.pin", TWIN_RECORD_PIN_FIELDS, NONE)                                 \
    X(207, MEMORY_UNPIN, "memory.unpin", TWIN_RECORD_UNPIN_FIELDS, NONE)                           \
    X(208, MANAGED_ALLOC, "managed.alloc", TWIN_RECORD_MANAGED_ALLOC_FIELDS, NONE)                 \
    X(209, MANAGED_ADVISE, "managed.advise", TWIN_RECORD_MANAGED_ADVISE_FIELDS, NONE)              \
    X(210, MANAGED_QUERY, "managed.query", TWIN_RECORD_MANAGED_QUERY_FIELDS, NONE)                 \
    X(211, MANAGED_MOVE, "managed.move", TWIN_RECORD_MANAGED_MOVE_FIELDS, NONE)                    \
    X(212, MEMORY_MAP_PEER, "memory.map_peer", TWIN_RECORD_MAP_PEER_FIELDS, NONE)                  \
    X(216, MEMORY_USAGE, "memory.usage", TWIN_RECORD_MEMORY_USAGE_FIELDS, NONE)                    \
    X(220, PROCESS_SNAPSHOT, "process.snapshot", TWIN_RECORD_SNAPSHOT_FIELDS, NONE)                \
    X(221, POOL_CREATE, "pool.create", TWIN_RECORD_POOL_CREATE_FIELDS, NONE)                       \
    X(222, POOL_DESTROY, "pool.destroy", TWIN_RECORD_POOL_FIELDS, NONE)                            \
    X(223, POOL_SET, "pool.set", TWIN_RECORD_POOL_SET_FIELDS, NONE)                                \
    X(224, POOL_GET, "pool.get", TWIN_RECORD_POOL_GET_FIELDS, NONE)                                \
    X(225, POOL_TRIM, "pool.trim", TWIN_RECORD_POOL_TRIM_FIELDS, NONE)                             \
    X(226, WORK_ALLOC, "work.alloc", TWIN_RECORD_WORK_ALLOC_FIELDS, NONE)                          \
    X(227, WORK_FREE, "work.free", TWIN_RECORD_WORK_FREE_FIELDS, NONE)                             \
    X(230, MEMORY_DESCRIBE, "memory.describe", TWIN_RECORD_DESCRIBE_COPY_FIELDS, NONE)             \
    X(231, MEMORY_MAINTAIN, "memory.maintain", TWIN_RECORD_MAINTAIN_NOW_FIELDS, NONE)              \
    X(232, WORK_DESCRIBED, "work.described", TWIN_RECORD_DESCRIBED_WORK_FIELDS, NONE)              \
    X(233, WORK_MAINTAIN, "work.maintain", TWIN_RECORD_MAINTAIN_FIELDS, NONE)                      \
    X(234, WORK_COPY_BASED, "work.copy_based", TWIN_RECORD_COPY_BASED_FIELDS, NONE)                \
    X(235, WORK_RANDOM, "work.random", TWIN_RECORD_RANDOM_FIELDS, NONE)                            \
    X(236, VMM_SET_LINK, "vmm.set_link", TWIN_RECORD_VMM_SET_LINK_FIELDS, NONE)                    \
    X(237, VMM_MAP_LINK, "vmm.map_link", TWIN_RECORD_VMM_MAP_LINK_FIELDS, NONE)                    \
    X(238, MEMORY_SET_LINK, "memory.set_link", TWIN_RECORD_MEMORY_SET_LINK_FIELDS, NONE)

/* ---- made from the table ---- */

enum twin_record_role {
#define TWIN_RECORD_ROLE_ENUM(name) TWIN_RECORD_ROLE_##name,
    TWIN_RECORD_ROLE_LIST(TWIN_RECORD_ROLE_ENUM)
#undef TWIN_RECORD_ROLE_ENUM
        TWIN_RECORD_ROLES
};

enum twin_record_tail {
#define TWIN_RECORD_TAIL_ENUM(name) TWIN_RECORD_TAIL_##name,
    TWIN_RECORD_TAIL_LIST(TWIN_RECORD_TAIL_ENUM)
#undef TWIN_RECORD_TAIL_ENUM
        TWIN_RECORD_TAILS
};

enum twin_record_kind {
#define TWIN_RECORD_KIND_ENUM(number, name, text, fields, tail) TWIN_RECORD_##name = (number),
    TWIN_RECORD_KIND_LIST(TWIN_RECORD_KIND_ENUM)
#undef TWIN_RECORD_KIND_ENUM
        TWIN_RECORD_KINDS_END /* one more than the highest */
};

/* struct twin_record_WORK_COPY { uint32_t queue; ... } and so on: the fields of each kind. */
#define TWIN_RECORD_FIELD_MEMBER(S, type, name, role) type name;
#define TWIN_RECORD_KIND_STRUCT(number, name, text, fields, tail)                                  \
    struct twin_record_##name {                                                                    \
        fields(TWIN_RECORD_FIELD_MEMBER, name)                                                     \
    };                                                                                             \
    static_assert(sizeof(struct twin_record_##name) % 8 == 0, text);
TWIN_RECORD_KIND_LIST(TWIN_RECORD_KIND_STRUCT)
#undef TWIN_RECORD_KIND_STRUCT
#undef TWIN_RECORD_FIELD_MEMBER

#endif
