/* SPDX-License-Identifier: Apache-2.0 */
/* Every setting of the runtime, once: name, default, what is allowed, help.
 * All are environment variables, read at first use and then fixed for the life of the process.
 * Relative names of files are taken from the folder in which the process was when it loaded the
 * library, wherever it goes then. */
#ifndef TWINRT_CORE_BASE_CONFIG_H
#define TWINRT_CORE_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TWIN_IS_PATH: names a file or folder; a profile without a slash in it does not. TWIN_FOR_INNER:
 * says what the model is, which is for the inner runtime when there are two. */
enum { TWIN_IS_PATH = 1, TWIN_FOR_INNER = 2 };

/* X(symbol, name, default, allowed, traits, help). `allowed`: "a|b" is a choice, "1..64" a range of
 * whole numbers, "" any text. Sorted by name. TWIN_BACKENDS comes from backends/CMakeLists.txt. */
#define TWIN_SETTING_LIST(X)                                                                       \
    X(GLOBAL_LOG_LEVEL, "ASCEND_GLOBAL_LOG_LEVEL", "", "", 0,                                      \
      "minimum level of aclAppLog messages that are written: 0 debug to 3 error, 4 none; "         \
      "unset: 3")                                                                                  \
    X(HOME, "ASCEND_HOME_PATH", "", "", 0,                                                         \
      "folder whose share/info/*/version.info contain the versions of packages")                   \
    X(VISIBLE_DEVICES, "ASCEND_RT_VISIBLE_DEVICES", "", "", 0,                                     \
      "devices that the process may use, in the order in which it sees them; unset: all")          \
    X(ASCEND_HOME, "TWINRT_ASCEND_HOME", "", "", TWIN_IS_PATH,                                     \
      "folder of the vendor's toolkit, for a board; unset: ASCEND_HOME_PATH and the usual "        \
      "places")                                                                                    \
    X(BACKEND, "TWINRT_BACKEND", "auto", "auto|" TWIN_BACKENDS, 0,                                 \
      "the backend that executes the work; auto: a board if there is one, else the model")         \
    X(CLOCK, "TWINRT_CLOCK", "virtual", "virtual|wall", TWIN_FOR_INNER,                            \
      "host time: simulated, or tied to real time")                                                \
    X(DETERMINISTIC, "TWINRT_DETERMINISTIC", "off", "off|on", TWIN_FOR_INNER,                      \
      "whether threads take turns in the order of their clocks (twinrt run --deterministic)")      \
    X(DEVICES, "TWINRT_DEVICES", "1", "1..64", TWIN_FOR_INNER, "number of devices of the model")   \
    X(DEVMEM, "TWINRT_DEVMEM", "guarded", "guarded|open", TWIN_FOR_INNER,                          \
      "whether host code may access device memory")                                                \
    X(DMA, "TWINRT_DMA", "flow", "flow|burst", TWIN_FOR_INNER,                                     \
      "how transfers share the links of the model: as flows, or burst by burst")                   \
    X(FAIL_OPS, "TWINRT_FAIL_OPS", "", "", 0,                                                      \
      "calls of the backend that are made to fail, for tests; unset: none")                        \
    X(FAULTS, "TWINRT_FAULTS", "", "", TWIN_IS_PATH,                                               \
      "file with faults to inject into the device; unset: none")                                   \
    X(HOST_TIME, "TWINRT_HOST_TIME", "sync", "calls|sleeps|sync", TWIN_FOR_INNER,                  \
      "what advances the clocks of host threads: calls; also sleeps; also synchronization of "     \
      "threads")                                                                                   \
    X(KERNEL_CHECK, "TWINRT_KERNEL_CHECK", "warn", "off|warn|error", 0,                            \
      "errors of a native kernel that only a board would show, such as a missing flag: "           \
      "ignored, reported, or the kernel fails")                                                    \
    X(KERNEL_COUNTS, "TWINRT_KERNEL_COUNTS", "", "", TWIN_FOR_INNER | TWIN_IS_PATH,                \
      "output file for what kernels did: times, waits, bytes and operations of each launch "       \
      "(twinrt kernel-report); unset: none")                                                       \
    X(KERNEL_DATA, "TWINRT_KERNEL_DATA", "on", "on|off", TWIN_FOR_INNER,                           \
      "whether native kernels compute; off: their copies and operations are only timed")           \
    X(KERNEL_THREADS, "TWINRT_KERNEL_THREADS", "0", "0..64", TWIN_FOR_INNER,                       \
      "threads that may run blocks of a native kernel; 0: one for each processor")                 \
    X(LOG, "TWINRT_LOG", "warning", "error|warning|info|debug", TWIN_FOR_INNER,                    \
      "minimum level of the log lines on standard error")                                          \
    X(MODEL, "TWINRT_MODEL", "cpp", "cpp|rtl|lockstep", TWIN_FOR_INNER,                            \
      "implementation of the blocks of the model: C++, RTL, or both side by side up to the "       \
      "first difference")                                                                          \
    X(MSPROF, "TWINRT_MSPROF", "", "", TWIN_FOR_INNER | TWIN_IS_PATH,                              \
      "output file for profiling records; unset: none")                                            \
    X(OPAQUE_KERNELS, "TWINRT_OPAQUE_KERNELS", "refuse", "refuse|timing", TWIN_FOR_INNER,          \
      "kernels of device code: refuse the launch, or let them take time without effect")           \
    X(OP_SUMMARY, "TWINRT_OP_SUMMARY", "", "", TWIN_FOR_INNER | TWIN_IS_PATH,                      \
      "output file for times of kernels and their pipes, in the columns of the vendor's "          \
      "op_summary; unset: none")                                                                   \
    X(PIPE_UTILIZATION, "TWINRT_PIPE_UTILIZATION", "", "", TWIN_FOR_INNER | TWIN_IS_PATH,          \
      "output file for times of the pipes in each block of kernels, in the columns of the "        \
      "vendor's PipeUtilization; unset: none")                                                     \
    X(POISON, "TWINRT_POISON", "on", "on|off", TWIN_FOR_INNER,                                     \
      "fill new device pages with a pattern")                                                      \
    X(PROFILE, "TWINRT_PROFILE", "910b3", "", TWIN_FOR_INNER | TWIN_IS_PATH,                       \
      "the SoC that the model simulates: a name or a file")                                        \
    X(PROGRESS, "TWINRT_PROGRESS", "2000", "", TWIN_FOR_INNER,                                     \
      "real milliseconds without a call after which the model runs without a caller if queued "    \
      "work has an effect on the host; off: never")                                                \
    X(RECORD, "TWINRT_RECORD", "", "", TWIN_IS_PATH, "output file for the recording; unset: none") \
    X(RECORD_DATA, "TWINRT_RECORD_DATA", "off", "off|on", 0,                                       \
      "whether the recording contains the bytes that are copied to devices")                       \
    X(RECORD_STACKS, "TWINRT_RECORD_STACKS", "off", "off|on", 0,                                   \
      "whether the recording contains the stack of each call (twinrt run --stacks)")               \
    X(RECORD_TIMES, "TWINRT_RECORD_TIMES", "device", "device|events", 0,                           \
      "source of the times of tasks in the recording: the device's reports, or additional "        \
      "timed events")                                                                              \
    X(RTL_TRACE, "TWINRT_RTL_TRACE", "", "", TWIN_FOR_INNER | TWIN_IS_PATH,                        \
      "prefix of output files for RTL waveforms; unset: none")                                     \
    X(RUN_PAGE, "TWINRT_RUN_PAGE", "", "", 0,                                                      \
      "memory that twinrt run shares with the processes of the run; only the tool sets it; "       \
      "unset: none")                                                                               \
    X(SEED, "TWINRT_SEED", "0", "0..18446744073709551615", TWIN_FOR_INNER,                         \
      "seed of the choices that the hardware leaves open; 0: a fixed order")                       \
    X(SOFTWARE_QUEUES, "TWINRT_SOFTWARE_QUEUES", "on", "on|off", TWIN_FOR_INNER,                   \
      "whether driver and firmware have the software queues of captures; off: older ones")         \
    X(STATS, "TWINRT_STATS", "", "", TWIN_FOR_INNER | TWIN_IS_PATH,                                \
      "output file for counters; unset: none")                                                     \
    X(TRACE, "TWINRT_TRACE", "", "", TWIN_FOR_INNER | TWIN_IS_PATH,                                \
      "output file for the timeline; unset: none")                                                 \
    X(VCD, "TWINRT_VCD", "", "", TWIN_FOR_INNER | TWIN_IS_PATH,                                    \
      "output file for signals over time; unset: none")                                            \
    X(VCD_SIGNALS, "TWINRT_VCD_SIGNALS", "all", "", TWIN_FOR_INNER,                                \
      "signals in that file: all, or some of queues, slots, events, channels, links, cores")

typedef enum twin_setting_id {
#define TWIN_SETTING_ENUM(symbol, name, value, allowed, traits, help) TWIN_SETTING_##symbol,
    TWIN_SETTING_LIST(TWIN_SETTING_ENUM)
#undef TWIN_SETTING_ENUM
        TWIN_SETTING_COUNT
} twin_setting_id;

typedef struct twin_setting_info {
    const char *name;
    const char *value; /* default */
    const char *allowed;
    unsigned traits;
    const char *help;
} twin_setting_info;

extern const twin_setting_info twin_setting_table[TWIN_SETTING_COUNT];

/* Value, or the default. Never NULL; lives as long as the process. Thread: any. */
const char *twin_setting(twin_setting_id id);
/* Whether the environment names it at all. Thread: any. */
bool twin_setting_given(twin_setting_id id);
/* The same by name (twin_services.setting); "" for a name that is not a setting. Thread: any. */
const char *twin_setting_named(const char *name);

/* This runtime replaces the vendor's, below another copy of it: its settings are those named with
 * this prefix in place of TWINRT_, then for what the model is those of the outer one. Before any
 * setting is read. The text stays. */
#define TWIN_INNER_PREFIX "TWINRT_INNER_"
void twin_settings_be_inner(const char *prefix);

/* Whether `value` is allowed for `id`. On failure `text` says what would be. */
bool twin_setting_check(twin_setting_id id, const char *value, char *text, size_t text_bytes);
/* Checks every given setting. False: `text` names the first bad one. */
bool twin_settings_check(char *text, size_t text_bytes);
/* The setting whose name continues `name` after a "_", else the nearest one; NULL: none is near. */
const char *twin_setting_nearest(const char *name);
/* Warns once about each TWINRT_* variable that is not a setting, but for TWINRT_TEST_*. */
void twin_settings_warn_unknown(void);
/* Sets the log's threshold from TWINRT_LOG. */
void twin_settings_apply_log(void);
/* Forgets what was read, so that a test can change the environment. No other thread may run. */
void twin_settings_forget(void);

/* A comma-separated list of distinct device numbers below `count`. False: not such a list, or
 * empty. */
bool twin_device_list_parse(const char *text, uint32_t count, uint32_t *out_list,
                            uint32_t *out_used);

#endif
