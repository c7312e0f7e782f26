/* SPDX-License-Identifier: Apache-2.0 */
/* The seam: everything the runtime core may ask of a device.
 *
 * A backend is a table of operations after { size, version, name }. The core loads the plug-in
 * `backend-<name>.so`, calls `twin_backend_entry()`, copies the table and puts a typed stub that
 * answers TWIN_E_UNSUPPORTED (or does nothing, for `void` ops) into every empty slot, so no caller
 * tests for NULL.
 *
 * Life of a process:   start -> (describe, count) -> open -> ... -> close -> stop
 * Life of a device:    open -> queues, signals, memory -> close (children are gone by then)
 * Life of a task:      work.* queues it -> the device runs it -> drain, signal.wait or signal.query
 * see it done
 *
 * Threads. Each op is tagged:
 *   init    one thread, before any other op or after every other op;
 *   any     any thread at any time, several at once;
 *   queue   the core holds that queue's lock; ops of one queue never run at once; such an op never
 *           blocks;
 *   signal  as queue, and the core holds that signal's lock too.
 * The core keeps an object alive while one of its ops runs, and destroys it once, children first.
 * No op calls back into the core except through twin_services.
 *
 * Arguments. The API layer has refused NULL, stale handles and overflow. A backend checks what the
 * device alone knows. Out-parameters are written on success only. Timeouts are relative
 * nanoseconds: 0 polls, TWIN_FOREVER waits.
 *
 * Errors. The code that first decides that something failed logs it or explains it, once, with the
 * exact cause. A device fault is sticky: later work answers TWIN_E_DEVICE until the device is
 * closed. TWIN_E_VENDOR, which any op may answer, means a public code that no status has: the
 * backend has given it with services.vendor_code on the same thread just before.
 *
 * New ops go at the end of their group, here and in seam/ops.def, with a version bump. */
#ifndef TWINRT_SEAM_BACKEND_H
#define TWINRT_SEAM_BACKEND_H

#include "seam/managed.h"
#include "seam/types.h"

#define TWIN_SEAM_VERSION 24u

struct twin_process_ops {
    /* Readies the backend: reads its settings and data files; opens no device and starts no model.
     * A failure is explained with services.because. Thread: init. TWIN_E_UNAVAILABLE: what it needs
     * is not installed here. TWIN_E_NO_DEVICE: it is, and finds no device. TWIN_E_SETUP: it is and
     * does not work. TWIN_E_INVALID: a setting or file is bad. */
    twin_status (*start)(const twin_services *services);
    /* Ends what start began; writes what was asked for at the end (a trace). Thread: init. */
    void (*stop)(void);
    /* Number of devices present, before the user's visible-device filter, or, with
     * TWIN_BACKEND_FILTERS, after it. Thread: any. */
    twin_status (*count)(uint32_t *out_count);
    /* Identity and limits of device `index`; needs no open device. Limits may become exact when it
     * is opened, in the same place. Thread: any. TWIN_E_DEVICE_ID. */
    twin_status (*describe)(uint32_t index, const twin_device_properties **out_properties);
    /* In place of stop, as threads are inside ops: writes what stop would write; ops that are under
     * way go on, and none begins after it. IF_STILL: false unless the device is idle and at least
     * `waiting` threads wait in ops. NOW: false if a lock stays taken for a second of real time.
     * ALONE: the caller is a forked child and its only thread; locks may be held for ever, so none
     * is taken; signals that end the process remove what is not complete. True: there is nothing
     * more to write. Thread: any. */
    bool (*write)(twin_write_when when, unsigned waiting);
    /* In a forked child, on its only thread, when no device has ever been opened: forgets what
     * start did, and leaves the parent's files alone. Locks may be held for ever. True: start may
     * be called again. Thread: init. */
    bool (*forked)(void);
    /* A step of a snapshot, of all open devices at once. BACKUP keeps the contents of all memory
     * that is allocated on them, in host memory, in the place of an earlier backup; RESTORE puts
     * them back where the same allocation still is. No task runs meanwhile. LOCK comes before
     * BACKUP and UNLOCK after it, for devices with a lock. Thread: any, one at a time. Blocks.
     * TWIN_E_NOMEM. */
    twin_status (*snapshot)(twin_snapshot_step step);
};

/* Host threads and their time. A real device has no use for these. */
struct twin_host_ops {
    /* The calling thread takes part from now on: for waits of others it counts as running. Called
     * on the thread itself, before its first other op. Thread: any. */
    void (*attach)(void);
    /* The calling thread ends, or will wait for another thread inside the core: it does not count
     * as running until it attaches again. Never blocks. Thread: any. */
    void (*detach)(void);
    /* A public call begins on this thread: its host cost is charged. Thread: any. */
    void (*enter)(const twin_call *call);
    /* The call ends with a public code. Called only when `traced` answered true. Thread: any. */
    void (*leave)(const twin_call *call, int32_t code);
    /* Whether `leave` is to be called; asked once after start. Thread: init. */
    bool (*traced)(void);
    /* This thread's clock in ns: simulated time where there is such a thing. Thread: any. */
    uint64_t (*now)(void);
    /* Id of the last task this thread queued on a queue that is not a default stream; UINT32_MAX:
     * there was none. Thread: any. */
    uint32_t (*last_task)(void);
    /* Brings this thread's clock up to `at_ns` if it is earlier: a replay gives its threads
     * the times of the recording. Thread: any. */
    void (*reach)(uint64_t at_ns);
    /* From now on until the process stops the device moves, and sees what is queued, in the two ops
     * below alone; ops ask services.nd what they found then, and threads are moved up by `reach`
     * alone. While no op runs, with TWIN_BACKEND_CONDUCTED. Thread: any. TWIN_E_UNSUPPORTED: it
     * cannot be made to. */
    twin_status (*pace)(void);
    /* As services.seen gave it. Thread: any. TWIN_E_INVALID: there is no such work. */
    twin_status (*see)(twin_seen what, uint32_t device, uint32_t queue, uint64_t number);
    /* As services.moved gave it. Thread: any. TWIN_E_INVALID: it has gone farther, or does not come
     * to that. */
    twin_status (*move)(uint64_t at_ns, uint64_t events);
    /* The calling thread slept for `ns`, or a wait of the host timed out after that time: its clock
     * advances by it. The thread need not be attached. Thread: any. */
    void (*advance)(uint64_t ns);
    /* Where the calling thread is in its time. Attached or not; the pointer is good until the
     * thread ends, and what it points to changes with the thread's calls. `entry` and `recorded`
     * are for a wrapper that records, on the thread itself; the backend leaves them alone. Thread:
     * any. */
    twin_host_moment *(*self)(void);
    /* What the calling thread does from now on comes after what another one did up to `moment` (it
     * released a lock that this one has taken, ended, created this one): the clock becomes at least
     * moment->at_ns. Thread: any. */
    void (*follow)(const twin_host_moment *moment);
    /* A thread of the process has blocked, or has ended: a wait that makes no progress looks again
     * who can still act. Takes no lock unless a thread has parked. Thread: any. */
    void (*changed)(void);
};

struct twin_device_ops {
    /* Brings device `index` up. Thread: any, one call per device at a time.
     * TWIN_E_DEVICE_ID, TWIN_E_SETUP, TWIN_E_NOMEM. */
    twin_status (*open)(uint32_t index, twin_hw_device **out_device);
    /* Takes it down. Queues and signals are gone; memory still allocated is released and reported.
     * Thread: any, one call per device at a time. */
    void (*close)(twin_hw_device *device);
    /* As queue.abort for every queue of the device, except that deferred ones keep their tasks:
     * runs of model instances end with the queues that asked for them. Those who wait get
     * TWIN_E_DEVICE_ABORTED. Failures noted before are forgotten, groups that stopped go on.
     * Thread: any. */
    twin_status (*abort)(twin_hw_device *device);
    /* Lets the device reach the memory of device `other`, or ends that. Thread: any.
     * TWIN_E_UNSUPPORTED: there is nothing to do, it reaches all that properties.peer_link connects
     * it with. */
    twin_status (*peer)(twin_hw_device *device, uint32_t other, bool enable);
};

struct twin_memory_ops {
    /* Device memory, aligned to 512 bytes at least; contents undefined. Thread: any.
     * TWIN_E_DEVICE_MEMORY: not that much left (explained: who has it). */
    twin_status (*alloc)(twin_hw_device *device, const twin_allocation *allocation,
                         uint64_t *out_address);
    /* Frees by the address alloc gave. Never waits: pages that queued tasks still name live until
     * those tasks retire. Thread: any. TWIN_E_INVALID: not such an address. */
    twin_status (*free)(uint64_t address);
    /* Page-locked host memory, aligned to 512 bytes, readable and writable by the host. Thread:
     * any. TWIN_E_NOMEM. TWIN_E_UNSUPPORTED: UNIFIED, which the device cannot do. */
    twin_status (*host_alloc)(const twin_allocation *allocation, void **out_pointer);
    /* As free, for host_alloc's memory. Thread: any. */
    twin_status (*host_free)(void *pointer);
    /* Classifies an address; TWIN_OK with kind UNKNOWN when it is not ours, GONE when it is and
     * nothing is allocated there. Lock free. Thread: any. */
    twin_status (*info)(uint64_t address, twin_memory_info *out_info);
    /* Bytes free and in all, by page class: 0 both, 1 huge, 2 normal. Thread: any. */
    twin_status (*space)(twin_hw_device *device, uint32_t page_class, uint64_t *out_free,
                         uint64_t *out_total);
    /* Copies now, outside all queues, and returns when the bytes are there. Either side may be
     * device, pinned or pageable memory; ranges of sides that are UNKNOWN are checked. Thread: any.
     * Blocks. TWIN_E_INVALID: a range leaves its allocation, or was freed meanwhile.
     * TWIN_E_DEVICE. */
    twin_status (*copy)(twin_hw_device *device, const twin_copy *copy);
    /* Fills now. Same rules. Thread: any. Blocks. */
    twin_status (*fill)(twin_hw_device *device, const twin_fill *fill);
    /* As copy, rows at once: bytes between rows stay. Same rules. Thread: any. Blocks. */
    twin_status (*copy_rows)(twin_hw_device *device, const twin_rows *rows);
    /* Writes the newest ranges of the device's memory that have failed, up to `room`, oldest first;
     * *out_count is how many there are. Thread: any. */
    twin_status (*errors)(twin_hw_device *device, twin_memory_error *list, size_t room,
                          size_t *out_count);
    /* Puts other memory in the place of failed ranges within this one, with contents undefined; of
     * a link that has failed it is forgotten. Thread: any. TWIN_E_INVALID: none has. */
    twin_status (*repair)(twin_hw_device *device, uint64_t address, uint64_t bytes);
    /* Registers memory of the program: from now on `info` answers REGISTERED for it, queued copies
     * take it as they take page-locked memory, and tasks of this device read and write its pages
     * in place. pin->mapped: *out_address is where they reach it otherwise (MAPPED), else 0. Pages
     * that are gone when a task needs them fail the task. The range overlaps no other that is
     * registered. Thread: any. TWIN_E_UNSUPPORTED; TWIN_E_INVALID (explained). */
    twin_status (*pin)(twin_hw_device *device, const twin_pin *pin, uint64_t *out_address);
    /* Ends it; tasks that still use the range fail. Thread: any. TWIN_E_INVALID: not the begin of a
     * range that is registered with this device. */
    twin_status (*unpin)(twin_hw_device *device, void *pointer);
    /* Device `device` is about to use this range of another one's memory, which it may reach.
     * Thread: any. TWIN_E_UNSUPPORTED: there is nothing to prepare. */
    twin_status (*map_peer)(uint64_t address, uint64_t bytes, uint32_t device);
    /* Makes part of one allocation known to other processes under a name that cannot be guessed.
     * check_pid: only those of memory.allow may open it. What frees the allocation ends that too.
     * Thread: any. TWIN_E_INVALID (explained): not whole pages from the start of a page on, or it
     * is shared already in another way. TWIN_E_SETUP (explained): there is no place to share in. */
    twin_status (*share)(uint64_t address, uint64_t bytes, bool check_pid,
                         char out_name[TWIN_SHARE_NAME]);
    /* Lets `count` processes open what this one has shared under `name`, which may hold anything.
     * Thread: any. TWIN_E_INVALID (explained): no such name, or too many. */
    twin_status (*allow)(const char *name, const int32_t *pids, size_t count);
    /* The memory that some process has shared under `name`, which may hold anything, for use on
     * `device`; *out_address is that of its first byte here. Thread: any. TWIN_E_INVALID
     * (explained): no such name, or not allowed. */
    twin_status (*open)(twin_hw_device *device, const char *name, uint64_t *out_address);
    /* Ends what open began, or else what share began, under `name`; with NULL: of the address that
     * open gave. Pages live until no process uses them. Thread: any. TWIN_E_INVALID (explained): it
     * is neither. */
    twin_status (*close)(const char *name, uint64_t address);
    /* Writes a descriptor for work.described to device memory at `at`, now. copy->dst 0: of cache
     * maintenance of the source. Thread: any. Blocks. TWIN_E_INVALID: `at` is not in an allocation;
     * too many bytes. */
    twin_status (*describe)(twin_hw_device *device, uint64_t at, const twin_copy *copy);
    /* Makes host and device see the same bytes of a range, now: writes back, or drops, what the
     * host's caches hold. Thread: any. TWIN_E_INVALID: it leaves its allocation. */
    twin_status (*maintain)(twin_hw_device *device, uint64_t address, uint64_t bytes,
                            bool invalidate);
    /* Writes how much memory of the device each owner has or had, up to `room`, the largest now
     * first; *out_count is how many were written. Thread: any. */
    twin_status (*usage)(twin_hw_device *device, twin_memory_use *list, size_t room,
                         size_t *out_count);
    /* Imports of the memory under `name`, which may hold anything, use the link. Thread: any.
     * TWIN_E_INVALID (explained): no such name. TWIN_E_NO_LINK (explained). */
    twin_status (*set_link)(const char *name, twin_memory_link link);
};

/* Virtual addresses apart from physical memory. Physical memory has a number that the core
 * chooses: unique in the process, never 0. */
struct twin_vmm_ops {
    /* Reserves addresses at which nothing is mapped. `expected` 0: anywhere. Thread: any.
     * TWIN_E_INVALID (explained): `expected` is not available. TWIN_E_NOMEM. */
    twin_status (*reserve)(uint64_t bytes, uint64_t expected, uint64_t *out_address);
    /* Thread: any. TWIN_E_INVALID (explained): not such an address, or something is mapped. */
    twin_status (*release)(uint64_t address);
    /* What sizes and addresses of such memory are multiples of: a power of two. Takes no lock.
     * Thread: any. TWIN_E_UNSUPPORTED: there is no such memory. */
    twin_status (*granularity)(const twin_physical_config *config, uint64_t *out_bytes);
    /* Physical memory; contents undefined. `device`: of host memory, who uses it first. Thread:
     * any. TWIN_E_DEVICE_MEMORY, TWIN_E_NOMEM: not that much left. TWIN_E_UNSUPPORTED: there is no
     * such memory. */
    twin_status (*create)(twin_hw_device *device, const twin_physical_config *config,
                          uint64_t physical);
    /* Nothing is mapped to it any more. Its pages live until no process uses them. Thread: any.
     * TWIN_E_INVALID: no such physical memory; its device was closed. */
    twin_status (*destroy)(uint64_t physical);
    /* Maps all of it. `access`: its own device may use the mapping; else none may. Thread: any.
     * TWIN_E_INVALID (explained): not reserved, not aligned, something is mapped there, or the
     * reservation has memory of another device or origin. */
    twin_status (*map)(uint64_t address, uint64_t bytes, uint64_t physical, bool access);
    /* Ends the mapping that begins there. Work that is not complete at the caller's time fails if
     * it uses it. Thread: any. May wait for a chunk of another thread. TWIN_E_INVALID (explained):
     * none begins there. */
    twin_status (*unmap)(uint64_t address, uint64_t *out_physical);
    /* The mapping that begins there. Thread: any. TWIN_E_INVALID (explained): there is none. */
    twin_status (*mapping)(uint64_t address, twin_mapping *out_mapping);
    /* Lets the host, or a device, read and write the mapping. Thread: any. TWIN_E_INVALID
     * (explained): no mapping is just there. TWIN_E_UNSUPPORTED (explained): the host cannot. */
    twin_status (*set_access)(uint64_t address, uint64_t bytes, const twin_accessor *accessor);
    /* Whether it may. Thread: any. TWIN_E_INVALID (explained): nothing is mapped there. */
    twin_status (*get_access)(uint64_t address, const twin_accessor *accessor, bool *out_access);
    /* Makes physical memory known to other processes under a number that is hard to guess.
     * check_pid: only those of vmm.allow may open it. Thread: any. TWIN_E_INVALID (explained): it
     * is shared already, or is not of this process. TWIN_E_SETUP (explained): there is no place to
     * share in. */
    twin_status (*share)(uint64_t physical, bool check_pid, uint64_t *out_shared);
    /* As memory.allow. */
    twin_status (*allow)(uint64_t shared, const int32_t *pids, size_t count);
    /* Physical memory that another process has shared, for use on `device`. *out_config: what it
     * was made with. Thread: any. TWIN_E_INVALID (explained): there is none, it is of this process
     * or opened already, or not allowed. */
    twin_status (*open)(twin_hw_device *device, uint64_t shared, uint64_t physical,
                        twin_physical_config *out_config);
    /* Later mappings of the physical memory use the link. Thread: any. TWIN_E_INVALID (explained):
     * no such physical memory. TWIN_E_NO_LINK (explained). */
    twin_status (*set_link)(uint64_t physical, twin_memory_link link);
    /* As map with access, of what is mapped at `source` too; this mapping uses the link. Thread:
     * any. TWIN_E_INVALID as map. TWIN_E_NO_LINK (explained). */
    twin_status (*map_link)(uint64_t address, uint64_t bytes, uint64_t physical, uint64_t source,
                            twin_memory_link link);
};

/* Managed memory: pages move to the device, or the host, that uses them. Optional. Ranges are
 * inside one allocation, whose first byte memory.info gives; advice and moves are of whole pages of
 * 2 MiB. */
struct twin_managed_ops {
    /* Whole pages of 2 MiB, freed by memory.free; the host uses the same address. Thread: any.
     * TWIN_E_NOMEM (explained): no address space, or no host memory. */
    twin_status (*alloc)(twin_hw_device *device, uint64_t bytes, uint64_t *out_address);
    /* Thread: any. TWIN_E_INVALID (explained): the preferred place is not where pages are. */
    twin_status (*advise)(uint64_t address, uint64_t bytes, twin_advice advice, twin_place place);
    /* Writes `room` places, at least one. Thread: any. */
    twin_status (*query)(uint64_t address, uint64_t bytes, twin_managed_fact fact, twin_place *out,
                         size_t room);
    /* Moves pages now, and returns when they are there. Thread: any. Blocks. */
    twin_status (*move)(twin_hw_device *device, uint64_t address, uint64_t bytes, twin_place place);
};

struct twin_queue_ops {
    /* Thread: any. TWIN_E_NO_QUEUE: all are taken. TWIN_E_NOMEM. */
    twin_status (*create)(twin_hw_device *device, const twin_queue_config *config,
                          twin_queue **out_queue);
    /* No work is in flight, or abort came before. Thread: any. */
    void (*destroy)(twin_queue *queue);
    /* Waits until all work submitted before the call is done; a deferred queue has none of its own
     * and answers at once. Thread: any. Blocks. Several may wait.
     * TWIN_E_TIMEOUT: still pending. TWIN_E_DEADLOCK. TWIN_E_ABORTED. TWIN_E_TASK_TIMEOUT,
     * TWIN_E_ADDRESS, ...: a task failed since the last drain that reported. */
    twin_status (*drain)(twin_queue *queue, uint64_t timeout_ns);
    /* Whether all work submitted so far is done; drives a model up to the caller's time. Thread:
     * any. */
    twin_status (*query)(twin_queue *queue, bool *out_idle);
    /* Waits until one more task fits, after work.* said TWIN_E_BUSY. Thread: any. Blocks. */
    twin_status (*room)(twin_queue *queue);
    /* Drops queued work and stops the running task; those who wait get TWIN_E_ABORTED. Signals
     * that dropped records would have set stay unset. Failures of the queue's tasks are forgotten,
     * noted or not; what stopped its group stays. Thread: any. */
    twin_status (*abort)(twin_queue *queue);
    /* Ends the running task without effect; the queued ones stay and go on. Thread: any. */
    twin_status (*stop)(twin_queue *queue);
    /* Priority of tasks that begin from now on, queued ones too, 0 .. priority_count - 1. Thread:
     * any. */
    twin_status (*set_priority)(twin_queue *queue, uint32_t priority);
    /* From now on the first failure in the queue's group stops the group: no later task of any of
     * its queues runs, work.* and drain answer that failure's status for ever (until device.abort),
     * records that did not come to pass count as complete, and a host that waits for one gets the
     * failure's status. Holds for queues that join the group later too. Thread: any.
     * TWIN_E_UNSUPPORTED: a failure has stopped the group already. */
    twin_status (*stop_on_failure)(twin_queue *queue);
    /* Takes the oldest noted failure of the queue's tasks that was not taken yet, and never blocks.
     * Notes that are not taken are dropped, oldest first. A note keeps its kernel; the taker of the
     * note releases it. Thread: any. TWIN_E_NOT_READY: there is none. */
    twin_status (*take_failure)(twin_queue *queue, twin_failure *out_failure);
};

/* Each op queues one piece of work and returns. Thread: queue (record, wait, reset: signal).
 * TWIN_E_BUSY: the queue is full, nothing was queued; a deferred queue stays full. TWIN_E_DEVICE:
 * the device has faulted. A deferred queue takes no record of, and no wait for, a REBIND signal
 * that queues can wait for: TWIN_E_UNSUPPORTED. */
struct twin_work_ops {
    /* Copies after all earlier work of the queue. Either side is device or pinned memory; both
     * ranges were valid when submitted. TWIN_E_INVALID: a range that the backend had to look up
     * (twin_side) leaves its allocation. Memory that was freed meanwhile fails the task at most. */
    twin_status (*copy)(twin_queue *queue, const twin_copy *copy);
    /* Fills device memory. */
    twin_status (*fill)(twin_queue *queue, const twin_fill *fill);
    /* The signal is set when all earlier work of the queue is done. */
    twin_status (*record)(twin_queue *queue, twin_signal *signal);
    /* Holds later work of the queue until the signal is set; what it binds to depends on the kind.
     * timeout_ns is device time; on expiry the task fails with TWIN_E_TASK_TIMEOUT at the next
     * drain. */
    twin_status (*wait)(twin_queue *queue, twin_signal *signal, uint64_t timeout_ns);
    /* EVENT_LEVEL: clears the flag in queue order. */
    twin_status (*reset)(twin_queue *queue, twin_signal *signal);
    /* Stores 8 bytes at an aligned device address. TWIN_E_INVALID: not device memory. */
    twin_status (*write_value)(twin_queue *queue, uint64_t address, uint64_t value, twin_side side);
    /* Holds later work until the word satisfies the relation; reads it anew as it changes, by any
     * writer: another queue, a copy, the host. TWIN_E_INVALID: not device memory. */
    twin_status (*wait_value)(twin_queue *queue, const twin_value_wait *wait);
    /* After all earlier work the call can be taken from the host-call queue. */
    twin_status (*call)(twin_queue *queue, twin_call_queue *call_queue, const twin_host_call *call);
    /* Runs a sealed model instance from its head queues; later work of the queue waits for its end.
     * The run begins when earlier ones of the instance have ended. A task that fails in it counts
     * as one of this queue. TWIN_E_INVALID: it is not sealed. */
    twin_status (*run)(twin_queue *queue, twin_hw_instance *instance);
    /* The rest is for deferred queues of one model instance that is not sealed yet.
     * The instance ends when all earlier work of the queue is done. Once per instance. */
    twin_status (*end)(twin_queue *queue);
    /* The other queue, which is at rest, begins from its first task, beside this one. */
    twin_status (*activate)(twin_queue *queue, twin_queue *other);
    /* When the condition holds, branch->to begins and this queue's later tasks are left out. */
    twin_status (*branch)(twin_queue *queue, const twin_branch *branch);
    /* Label `index` of the table is here. `table` is device memory of 8 bytes a label, the
     * backend's to fill; an entry of ones is not a label. */
    twin_status (*label)(twin_queue *queue, uint64_t table, uint32_t index);
    /* Reads a uint32_t at `address` and goes on at that label, in its queue; this queue's later
     * tasks are left out. An index of `count` or more counts as count - 1. */
    twin_status (*jump)(twin_queue *queue, uint64_t address, uint64_t table, uint32_t count);
    /* The rest is for every queue again. COUNT: changes the count in queue order. Thread:
     * signal. */
    twin_status (*count)(twin_queue *queue, twin_signal *signal, const twin_count_change *change);
    /* COUNT: holds later work until the relation holds, or as work.wait until the time limit.
     * Thread: signal. */
    twin_status (*wait_count)(twin_queue *queue, twin_signal *signal, const twin_count_wait *wait);
    /* Combines device memory with device memory, element by element: dst = dst (op) src.
     * TWIN_E_INVALID: a range leaves its allocation. TWIN_E_UNSUPPORTED: the device does not reduce
     * such elements, or cannot reduce with memory of another device, which it has no link to. */
    twin_status (*reduce)(twin_queue *queue, const twin_reduce *reduce);
    /* As copy, all rows or none: bytes between rows stay. TWIN_E_INVALID as copy, and a pitch or
     * more rows than the device can take. TWIN_E_NOMEM: no memory to describe so many to it;
     * nothing was enqueued. */
    twin_status (*copy_rows)(twin_queue *queue, const twin_rows *rows);
    /* Runs the blocks of a kernel (seam/launch.h) after all earlier work. The kernel is the
     * backend's until its `release`. TWIN_E_INVALID: no blocks or too many, or a batch of more
     * blocks than the device has cores. TWIN_E_UNSUPPORTED: the device has no such cores.
     * With kernel->replaces the task of this queue is that another task becomes the kernel.
     * TWIN_E_INVALID: that is not a kernel. TWIN_E_UNSUPPORTED: tasks stay as they are. */
    twin_status (*launch)(twin_queue *queue, twin_launch *kernel);
    /* Allocates from a pool, a multiple of TWIN_POOL_GRANULE: tasks that are queued after it may
     * use the memory. It may be what was freed before in this queue, or by the attributes of the
     * pool in another. TWIN_E_POOL: the pool has no such memory. TWIN_E_UNSUPPORTED: a deferred
     * queue. */
    twin_status (*alloc)(twin_queue *queue, twin_hw_pool *pool, uint64_t bytes,
                         uint64_t *out_address);
    /* Frees memory of a pool, or of memory.alloc, after all earlier work of the queue; of a pool,
     * the pool keeps it. TWIN_E_INVALID: not such an address. TWIN_E_UNSUPPORTED: a deferred
     * queue. */
    twin_status (*free)(twin_queue *queue, uint64_t address);
    /* As the descriptor at `at`, an aligned address of device memory, says when the task begins. A
     * bad descriptor fails the task at most. TWIN_E_INVALID: not such an address. */
    twin_status (*described)(twin_queue *queue, uint64_t at, twin_range_op op);
    /* Cache maintenance of device memory: takes time, changes nothing. TWIN_E_INVALID: not device
     * memory, or the range leaves its allocation. */
    twin_status (*maintain)(twin_queue *queue, const twin_maintenance *maintenance);
    /* Bad base addresses fail the task at most. TWIN_E_INVALID: not aligned words of device memory;
     * offsets that the device cannot take. */
    twin_status (*copy_based)(twin_queue *queue, const twin_based_copy *copy);
    /* Random numbers; memory that cannot be used fails the task at most. TWIN_E_INVALID: no
     * numbers, or not device memory. TWIN_E_NOMEM: no memory for the parameters. */
    twin_status (*random)(twin_queue *queue, const twin_random *random);
};

struct twin_signal_ops {
    /* Thread: any. TWIN_E_NO_EVENT, TWIN_E_NO_NOTIFY: no hardware id is free (LEVEL, NOTIFY and
     * COUNT take theirs here, REBIND at each record). TWIN_E_UNSUPPORTED: the device has no such
     * thing. */
    twin_status (*create)(twin_hw_device *device, const twin_signal_config *config,
                          twin_signal **out_signal);
    /* Never waits: records and waits in flight still complete; ids are freed after them. Thread:
     * any. */
    void (*destroy)(twin_signal *signal);
    /* Drives a model up to the caller's time. Fills in `recorded` and `complete`, and what
     * out_state->ask asks for; may fill in more. Thread: any. */
    twin_status (*query)(twin_signal *signal, twin_signal_state *out_state);
    /* Blocks until the newest record at call time is complete; at once when there was none.
     * Thread: any. TWIN_E_TIMEOUT, TWIN_E_DEADLOCK, TWIN_E_ABORTED. */
    twin_status (*wait)(twin_signal *signal, uint64_t timeout_ns);
    /* Device time in ns at which the newest record retired. Thread: any.
     * TWIN_E_NEVER_RECORDED, TWIN_E_NOT_READY. */
    twin_status (*timestamp)(twin_signal *signal, uint64_t *out_ns);
    /* Hardware ids free on the device for that kind. Thread: any. */
    twin_status (*available)(twin_hw_device *device, twin_signal_kind kind, uint32_t *out_count);
    /* NOTIFY: clears the flag now. Thread: any. TWIN_E_UNSUPPORTED: of a signal that was opened by
     * name. */
    twin_status (*clear)(twin_signal *signal);
    /* NOTIFY, EVENT_REBIND: makes the signal known to other processes under a name that cannot be
     * guessed; the same at each call. check_pid: only those of signal.allow may open it, as the
     * newest call says. The core holds the signal's lock. Thread: any. TWIN_E_SETUP (explained):
     * there is no place to share in. */
    twin_status (*share)(twin_signal *signal, bool check_pid, char out_name[TWIN_SHARE_NAME]);
    /* Lets `count` processes open a shared signal. Thread: any. TWIN_E_INVALID: it is not shared,
     * or too many. */
    twin_status (*allow)(twin_signal *signal, const int32_t *pids, size_t count);
    /* The signal that some process has shared under `name`, which may hold anything, for use on
     * `device`. May give a signal of this process that exists, to be destroyed once more then. Only
     * on the device where it was created may a NOTIFY be waited for (work.wait: TWIN_E_INVALID).
     * "" while services.waiting is there: no process has shared it, and others' records come by
     * host.see. Thread: any. TWIN_E_INVALID (explained): no such name, another kind, not
     * allowed. */
    twin_status (*open)(twin_hw_device *device, const char *name, const twin_signal_config *config,
                        twin_signal **out_signal);
    /* Optional: device time from the newest record of one to that of the other, where that is finer
     * than the difference of their timestamps; both have one. Thread: any. TWIN_E_UNSUPPORTED: the
     * difference it is. */
    twin_status (*elapsed)(twin_signal *begin, twin_signal *end, double *out_ns);
};

/* Host-call queues carry calls of host functions from queues to the threads that run them. */
struct twin_call_queue_ops {
    /* `service`: only threads of the runtime take from it; a thread in `take` then counts as
     * waiting and never ends a wait by itself. Thread: any. */
    twin_status (*create)(twin_hw_device *device, bool service, twin_call_queue **out_call_queue);
    /* No thread takes from it. Calls in flight for it count as answered. Thread: any. */
    void (*destroy)(twin_call_queue *call_queue);
    /* Waits for the next call, in the order in which the device made them. The taker answers each.
     * Thread: any. Blocks. TWIN_E_TIMEOUT; TWIN_E_CLOSED; TWIN_E_DEADLOCK (never of a service
     * host-call queue). */
    twin_status (*take)(twin_call_queue *call_queue, uint64_t timeout_ns,
                        twin_taken_call *out_call);
    /* The call has returned: a queue that it blocks goes on. A ticket whose queue is gone is
     * ignored. Thread: any. */
    void (*answer)(twin_call_queue *call_queue, uint64_t ticket);
    /* From now on `take` answers TWIN_E_CLOSED, also to those who wait. Calls not taken count as
     * answered. Thread: any. */
    void (*close)(twin_call_queue *call_queue);
};

/* Model instances, built task by task from deferred queues. */
struct twin_model_instance_ops {
    /* Thread: any. */
    twin_status (*create)(twin_hw_device *device, twin_hw_instance **out_instance);
    /* It does not run. Its queues are free again, as unbind leaves them. Thread: any. */
    void (*destroy)(twin_hw_instance *instance);
    /* Adds a deferred queue, which is of no other instance. `head`: it begins when the instance
     * runs, else by work.activate, branch or jump. Thread: queue. TWIN_E_BUSY: a run is queued or
     * under way. */
    twin_status (*bind)(twin_hw_instance *instance, twin_queue *queue, bool head);
    /* Takes it out; its tasks stay, but for the instance's end. The instance is not sealed any
     * more. Thread: queue. TWIN_E_BUSY: a run is queued or under way. */
    twin_status (*unbind)(twin_hw_instance *instance, twin_queue *queue);
    /* The instance is complete and may run. bind, unbind and clean take the seal away. Thread: any.
     * TWIN_E_INVALID: no head queue, no end, or a task names a queue that is not of the
     * instance. */
    twin_status (*seal)(twin_hw_instance *instance);
    /* Drops the tasks of a deferred queue. Thread: queue. TWIN_E_BUSY: a run is queued or under
     * way. */
    twin_status (*clean)(twin_queue *queue);
    /* Ends the run under way, if any: no further task of it begins, and the queue that asked for it
     * goes on, with TWIN_E_RUN_ABORTED as its failure. Runs queued after it take place. Thread:
     * any. */
    twin_status (*abort)(twin_hw_instance *instance);
    /* Waits until no run of the instance is queued or under way. Thread: any. Blocks.
     * TWIN_E_TIMEOUT, TWIN_E_DEADLOCK. */
    twin_status (*drain)(twin_hw_instance *instance, uint64_t timeout_ns);
};

/* No field is NULL. */
typedef struct twin_fact {
    const char *name;
    const char *value;
    const char *unit;
    const char *mark;   /* "known", "inferred", "assumed", "measured"; "" if not a parameter */
    const char *source; /* where the value comes from */
    const char *base;   /* the profile it is inherited from, or "" */
} twin_fact;

struct twin_diag_ops {
    /* Calls `take` for each data-file parameter or other fact worth printing. Thread: any. */
    void (*facts)(void (*take)(void *context, const twin_fact *fact), void *context);
    /* How busy the engines of device `index` have been; needs no open device. Thread: any.
     * TWIN_E_DEVICE_ID. */
    twin_status (*usage)(uint32_t index, twin_usage *out_usage);
    /* From now on `take` is called for each task of the queue that ends, in the order of the ends;
     * NULL stops that, and so does queue.destroy. Tasks that are dropped or stopped do not end.
     * `take` is called by whichever thread drives the device, under the backend's locks: it calls
     * no op and does not wait. For observers below the core; nothing is reported unless asked for.
     * Thread: queue. TWIN_E_UNSUPPORTED: the device does not report times. */
    twin_status (*tasks)(twin_queue *queue, void (*take)(void *context, const twin_task_end *task),
                         void *context);
    /* Number of the newest task that work.* has queued, and 0 before the first; numbers count the
     * tasks of a queue from its creation on, and one op may queue several. Of a deferred queue:
     * counted from its beginning or newest clean. 0 where the device does not report it. Thread:
     * queue. */
    uint64_t (*newest_task)(twin_queue *queue);
};

/* With TWIN_BACKEND_CODE: kernel images on devices. */
struct twin_image_ops {
    /* Loads an image, whose bytes may go when it returns. *out_address: where it is in device
     * memory. Thread: any. Blocks. TWIN_E_INVALID: the device does not take it.
     * TWIN_E_DEVICE_MEMORY. */
    twin_status (*load)(twin_hw_device *device, const twin_image_source *source,
                        twin_loaded_image **out_image, uint64_t *out_address);
    /* No launch of it is queued or runs. Thread: any. */
    void (*unload)(twin_loaded_image *image);
};

/* Pools of device memory that is allocated and freed in queue order (work.alloc, work.free). */
struct twin_pool_ops {
    /* A pool of at most `bytes`, a multiple of TWIN_POOL_GRANULE; it has no memory yet. Thread:
     * any. TWIN_E_NOMEM. */
    twin_status (*create)(twin_hw_device *device, uint64_t bytes, twin_hw_pool **out_pool);
    /* Frees what is allocated from it too, after the work that is queued now. Thread: any. */
    void (*destroy)(twin_hw_pool *pool);
    /* Thread: any. TWIN_E_INVALID: read only. TWIN_E_POOL: no such attribute, or a bad value. */
    twin_status (*set)(twin_hw_pool *pool, twin_pool_attr attr, uint64_t value);
    /* Thread: any. TWIN_E_POOL: no such attribute. */
    twin_status (*get)(twin_hw_pool *pool, twin_pool_attr attr, uint64_t *out_value);
    /* Gives memory back to the device until the pool has no more than `bytes`. Thread: any.
     * TWIN_E_POOL: more than the pool's size, or less than what is allocated. */
    twin_status (*trim)(twin_hw_pool *pool, uint64_t bytes);
};

/* Optional: fault injection. A fault hits on every device it names, open or not, until it is
 * removed. */
struct twin_fault_ops {
    /* *out_number, never 0, names the fault. Holds for what begins later. Thread: any.
     * TWIN_E_INVALID (explained): it could hit nothing. TWIN_E_NOMEM. */
    twin_status (*inject)(const twin_fault *fault, uint32_t *out_number);
    /* Takes one away, or with 0 all; what it has hit stays hit. Thread: any. TWIN_E_INVALID: no
     * such fault. */
    twin_status (*remove)(uint32_t number);
    /* How often it has triggered. Thread: any. TWIN_E_INVALID: no such fault. */
    twin_status (*triggered)(uint32_t number, uint64_t *out_times);
};

/* Devices are counted and numbered after the user's visible-device filter, which what is below has
 * applied. */
#define TWIN_BACKEND_FILTERS 1u
/* Where the rules say that work.* answers TWIN_E_BUSY it may wait for room instead; queue.abort
 * ends that wait. */
#define TWIN_BACKEND_WAITS 2u
/* The device runs device code itself: images are loaded with image.*, and launches say with `code`
 * what to run. */
#define TWIN_BACKEND_CODE 4u
/* services.waiting is called, and kept to. */
#define TWIN_BACKEND_CONDUCTED 8u

struct twin_backend {
    uint32_t size;    /* sizeof(struct twin_backend) as the backend knew it */
    uint32_t version; /* TWIN_SEAM_VERSION as the backend knew it */
    const char *name;
    uint32_t flags; /* TWIN_BACKEND_… */
    struct twin_process_ops process;
    struct twin_host_ops host;
    struct twin_device_ops device;
    struct twin_memory_ops memory;
    struct twin_queue_ops queue;
    struct twin_work_ops work;
    struct twin_signal_ops signal;
    struct twin_call_queue_ops call_queue;
    struct twin_model_instance_ops model_instance;
    struct twin_diag_ops diag;
    struct twin_fault_ops fault;
    struct twin_image_ops image;
    struct twin_vmm_ops vmm;
    struct twin_pool_ops pool;
    struct twin_managed_ops managed;
};

/* The one symbol a plug-in exports. */
typedef const struct twin_backend *(*twin_backend_entry_fn)(void);
#define TWIN_BACKEND_ENTRY "twin_backend_entry"

#endif
