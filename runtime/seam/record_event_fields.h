/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the entries of a recording that are not calls: part of seam/record_kinds.h, which says
 * what the lists mean. */
#ifndef TWINRT_SEAM_RECORD_EVENT_FIELDS_H
#define TWINRT_SEAM_RECORD_EVENT_FIELDS_H

/* What a public function is called from. Its number is the name of calls from here. Text: the
 * function. */
#define TWIN_RECORD_CALL_SITE_FIELDS(F, S)                                                         \
    F(S, uint32_t, number, NEW_STRING)                                                             \
    F(S, uint32_t, text_bytes, BYTES)                                                              \
    F(S, uint32_t, cost, COST)                                                                     \
    F(S, uint32_t, depth, NUMBER)                                                                  \
    F(S, uint64_t, site, POINTER) /* the return address; 0: not known */
/* What a status number of this session means. Text: its name, "TWIN_E_BUSY". */
#define TWIN_RECORD_STATUS_FIELDS(F, S)                                                            \
    F(S, uint32_t, value, STATUS)                                                                  \
    F(S, int32_t, code, CODE)                                                                      \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint32_t, text_bytes, BYTES)
/* One of diag.facts: texts name, value, unit, mark, source, base. */
#define TWIN_RECORD_FACT_FIELDS(F, S)                                                              \
    F(S, uint32_t, number, NUMBER) F(S, uint32_t, text_bytes, BYTES)
/* A setting that the environment gives: texts name, value. */
#define TWIN_RECORD_SETTING_FIELDS(F, S)                                                           \
    F(S, uint32_t, number, NUMBER) F(S, uint32_t, text_bytes, BYTES)
/* A task that ended, as diag.tasks reports it; times are the device's. One op may make several.
 * Tasks of a deferred queue are reported each time they run. */
#define TWIN_RECORD_TASK_FIELDS(F, S)                                                              \
    F(S, uint32_t, queue, QUEUE)                                                                   \
    F(S, uint32_t, result, STATUS)                                                                 \
    F(S, uint64_t, task, TASK)                                                                     \
    F(S, uint64_t, task_begin_ns, NS)                                                              \
    F(S, uint64_t, task_end_ns, NS)
/* Without diag.tasks: a timed event record after the work that entry `of_seq` (its begin_seq)
 * queued. */
#define TWIN_RECORD_STAMP_FIELDS(F, S)                                                             \
    F(S, uint32_t, queue, QUEUE)                                                                   \
    F(S, uint32_t, result, STATUS)                                                                 \
    F(S, uint64_t, of_seq, NUMBER)                                                                 \
    F(S, uint64_t, task_end_ns, NS)
/* What blocks of a kernel do. */
#define TWIN_RECORD_STEPS_FIELDS(F, S)                                                             \
    F(S, uint32_t, list, NEW_STEPS)                                                                \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, lists, NUMBER)                                                                  \
    F(S, uint64_t, steps, NUMBER)
/* A kernel was asked what its blocks do (twin_launch.describe); the status is its answer. */
#define TWIN_RECORD_DESCRIBED_FIELDS(F, S)                                                         \
    F(S, uint32_t, kernel, KERNEL) F(S, uint32_t, out_list, STEPS)
/* A kernel was released. */
#define TWIN_RECORD_RELEASED_FIELDS(F, S)                                                          \
    F(S, uint32_t, kernel, KERNEL) F(S, uint32_t, spare, SPARE)
/* Bytes that were seen for the first time. */
#define TWIN_RECORD_DATA_FIELDS(F, S)                                                              \
    F(S, uint32_t, data, NEW_DATA) F(S, uint32_t, spare, SPARE) F(S, uint64_t, bytes, BYTES)
/* What lay at the source of the copy that entry `of_seq` (its begin_seq) asked for, where that is
 * memory of the host; of rows only what is copied, packed. Long copies have several: `address` is
 * where each begins. */
#define TWIN_RECORD_CONTENT_FIELDS(F, S)                                                           \
    F(S, uint32_t, data, DATA)                                                                     \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, of_seq, NUMBER)                                                                 \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)

/* The public code of the status TWIN_E_VENDOR that the present call of this thread is about to
 * return. */
#define TWIN_RECORD_VENDOR_FIELDS(F, S) F(S, int32_t, code, CODE) F(S, uint32_t, spare, SPARE)

/* A file with code of the program, which a public call was made from. Its addresses in memory, and
 * what the file's own count from. Texts: path, build ID in hexadecimal digits ("": none). */
#define TWIN_RECORD_MODULE_FIELDS(F, S)                                                            \
    F(S, uint64_t, begin, POINTER)                                                                 \
    F(S, uint64_t, end, POINTER)                                                                   \
    F(S, uint64_t, base, POINTER)                                                                  \
    F(S, uint32_t, text_bytes, BYTES)                                                              \
    F(S, uint32_t, spare, SPARE)
/* A stack that public calls were made from: up to TWIN_RECORD_STACK_MOST frames from the caller on.
 * Each is written once; stacks and script stacks have one row of numbers. */
#define TWIN_RECORD_STACK_FIELDS(F, S) F(S, uint32_t, stack, NUMBER) F(S, uint32_t, count, NUMBER)
/* The same of an interpreted program, as its binding knows it (include/twinrt/frames.h). Texts:
 * function, file and line (decimal) of each frame. */
#define TWIN_RECORD_SCRIPT_STACK_FIELDS(F, S)                                                      \
    F(S, uint32_t, stack, NUMBER) F(S, uint32_t, text_bytes, BYTES)
/* The stack of the public call that comes next on this thread. */
#define TWIN_RECORD_CALL_STACK_FIELDS(F, S)                                                        \
    F(S, uint32_t, stack, NUMBER) F(S, uint32_t, spare, SPARE)
/* What the launch of a kernel that comes next on this thread is to run, on a device that runs
 * device code. Bytes: `places` of struct twin_record_place, the arguments, the function's name with
 * its end (twin_recording_code() takes them apart). */
#define TWIN_RECORD_CODE_FIELDS(F, S)                                                              \
    F(S, uint32_t, kernel, KERNEL)                                                                 \
    F(S, uint32_t, image, IMAGE)                                                                   \
    F(S, uint32_t, blocks, NUMBER)                                                                 \
    F(S, uint32_t, schedule_given, FLAG)                                                           \
    F(S, uint32_t, batch, FLAG)                                                                    \
    F(S, uint32_t, timeout_given, FLAG)                                                            \
    F(S, uint64_t, timeout_us, NUMBER)                                                             \
    F(S, uint64_t, device_args, ADDRESS)                                                           \
    F(S, uint64_t, places, NUMBER)                                                                 \
    F(S, uint64_t, args_bytes, BYTES)                                                              \
    F(S, uint64_t, bytes, BYTES)

/* The device saw the work of a hardware queue up to `newest`, counted since that was opened
 * (services.seen). This and the next three have no times: they only have a place in the order. */
#define TWIN_RECORD_SEEN_FIELDS(F, S)                                                              \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, hardware_queue, NUMBER) F(S, uint64_t, newest, NUMBER)
/* The host waits for the work of a hardware queue up to `retired`, 0: for none, and the device
 * knows it (services.seen). */
#define TWIN_RECORD_WATCHED_FIELDS(F, S)                                                           \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, hardware_queue, NUMBER) F(S, uint64_t, retired, NUMBER)
/* The device came to a time, and so many events at that time (services.moved). */
#define TWIN_RECORD_MOVED_FIELDS(F, S) F(S, uint64_t, at_ns, NS) F(S, uint64_t, events, NUMBER)
/* What the call that is entry `of_seq` (its begin_seq) found, and when (services.nd). */
#define TWIN_RECORD_ND_FIELDS(F, S)                                                                \
    F(S, uint32_t, what, ND)                                                                       \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, of_seq, NUMBER)                                                                 \
    F(S, uint64_t, which, HEX)                                                                     \
    F(S, uint64_t, value, NUMBER)

/* The end of the brief call that is entry `of_seq` (its begin_seq), which gets it from the reader;
 * readers do not return this entry. */
#define TWIN_RECORD_RETURNED_FIELDS(F, S)                                                          \
    F(S, uint64_t, of_seq, NUMBER) F(S, uint64_t, end_seq, NUMBER) F(S, uint64_t, end_ns, NS)

/* Another process has recorded a signal that it shares: a twin_seen with its arguments
 * (services.seen). It only has a place in the order. */
#define TWIN_RECORD_SHARED_FIELDS(F, S)                                                            \
    F(S, uint32_t, what, NUMBER)                                                                   \
    F(S, uint32_t, which, NUMBER)                                                                  \
    F(S, uint32_t, device, DEVICE)                                                                 \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, number, NUMBER)

/* What a task found in memory to which others store without a call, or that it could not use it
 * (services.touched): the device then had come to `step` of at_ns. `data` 0: not `good`. */
#define TWIN_RECORD_TOUCHED_FIELDS(F, S)                                                           \
    F(S, uint32_t, what, NUMBER)                                                                   \
    F(S, uint32_t, data, DATA)                                                                     \
    F(S, uint32_t, good, FLAG)                                                                     \
    F(S, uint32_t, use, NUMBER)                                                                    \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)                                                                   \
    F(S, uint64_t, at_ns, NS)                                                                      \
    F(S, uint64_t, step, NUMBER)

/* A kernel used memory, when it was described for the `run`-th time, or in its effect: pages of
 * managed memory, which move; memory while some of it fails; memory that is not there. */
#define TWIN_RECORD_USED_FIELDS(F, S)                                                              \
    F(S, uint32_t, kernel, KERNEL)                                                                 \
    F(S, uint32_t, run, NUMBER)                                                                    \
    F(S, uint32_t, effect, FLAG)                                                                   \
    F(S, uint32_t, write, FLAG)                                                                    \
    F(S, uint32_t, good, FLAG)                                                                     \
    F(S, uint32_t, spare, SPARE)                                                                   \
    F(S, uint64_t, address, ADDRESS)                                                               \
    F(S, uint64_t, bytes, BYTES)

#endif
