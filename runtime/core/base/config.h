/* SPDX-License-Identifier: Apache-2.0 */
/* Every setting of the runtime, once: name, default, what is allowed, help.
 * All are environment variables, read at first use and then fixed for the life of the process. Relative names of files are
 * taken from the folder in which the process was when it loaded the library, wherever it goes then. */
#ifndef TWINRT_CORE_BASE_CONFIG_H
#define TWINRT_CORE_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(symbol, name, default, allowed, help). `allowed`: "a|b" is a choice, "1..64" a range of whole
 * numbers, "" any text. Sorted by name. TWIN_BACKENDS comes from backends/CMakeLists.txt. */
#define TWIN_SETTING_LIST(X)                                                                       \
    X(GLOBAL_LOG_LEVEL, "ASCEND_GLOBAL_LOG_LEVEL", "", "",                                         \
      "least level of aclAppLog that is written: 0 debug to 3 error, 4 none; unset: 3")            \
    X(HOME, "ASCEND_HOME_PATH", "", "",                                                            \
      "folder whose share/info/*/version.info tell the versions of packages")                      \
    X(VISIBLE_DEVICES, "ASCEND_RT_VISIBLE_DEVICES", "", "",                                        \
      "device numbers the process may use, in the order it will see them; unset: all")             \
    X(ASCEND_HOME, "TWINRT_ASCEND_HOME", "", "",                                                   \
      "folder of the vendor's toolkit, for a board; unset: ASCEND_HOME_PATH and the usual places") \
    X(BACKEND, "TWINRT_BACKEND", "auto", "auto|" TWIN_BACKENDS, "the device below the runtime")    \
    X(CLOCK, "TWINRT_CLOCK", "virtual", "virtual|wall",                                            \
      "host time: simulated, or tied to real time")                                                \
    X(DETERMINISTIC, "TWINRT_DETERMINISTIC", "off", "off|on",                                      \
      "whether threads take turns in the order of their clocks (twinrt run --deterministic)")      \
    X(DEVICES, "TWINRT_DEVICES", "1", "1..64", "devices the model has")                            \
    X(DEVMEM, "TWINRT_DEVMEM", "guarded", "guarded|open",                                          \
      "whether host code may touch device memory")                                                 \
    X(DMA, "TWINRT_DMA", "flow", "flow|burst", "how transfers share the links of the model")       \
    X(FAIL_OPS, "TWINRT_FAIL_OPS", "", "",                                                         \
      "ops of the device that are to fail, and how; unset: none")                                  \
    X(FAULTS, "TWINRT_FAULTS", "", "", "file with faults that the device is to have; unset: none") \
    X(HOST_TIME, "TWINRT_HOST_TIME", "sync", "calls|sleeps|sync",                                  \
      "what advances clocks of threads: calls; also sleeps; also synchronization of threads")      \
    X(KERNEL_CHECK, "TWINRT_KERNEL_CHECK", "warn", "off|warn|error",                               \
      "what a kernel forgets that a board would need, such as a flag: ignored, said, or the "      \
      "kernel fails")                                                                              \
    X(LOG, "TWINRT_LOG", "warning", "error|warning|info|debug",                                    \
      "least important lines that go to standard error")                                           \
    X(MODEL, "TWINRT_MODEL", "cpp", "cpp|rtl|lockstep",                                            \
      "what the model's blocks are: C++, their RTL, or both, which ends at the first difference")  \
    X(MSPROF, "TWINRT_MSPROF", "", "", "file for profiling records; unset: none")                  \
    X(OPAQUE_KERNELS, "TWINRT_OPAQUE_KERNELS", "refuse", "refuse|timing",                          \
      "kernels of device code: refuse them, or let them take time without effect")                 \
    X(POISON, "TWINRT_POISON", "on", "on|off", "fill new device pages with a pattern")             \
    X(PROFILE, "TWINRT_PROFILE", "910b3", "", "the SoC the model imitates: a name or a file")      \
    X(PROGRESS, "TWINRT_PROGRESS", "2000", "",                                                     \
      "real milliseconds without a call after which queued work with an effect on the host runs "  \
      "all the same; off: never")                                                                  \
    X(RECORD, "TWINRT_RECORD", "", "", "file for what is asked of the device; unset: none")        \
    X(RECORD_DATA, "TWINRT_RECORD_DATA", "off", "off|on",                                          \
      "whether a record keeps the bytes that are copied to devices")                               \
    X(RECORD_STACKS, "TWINRT_RECORD_STACKS", "off", "off|on",                                      \
      "whether a record keeps the stack of each call (twinrt run --stacks)")                       \
    X(RECORD_TIMES, "TWINRT_RECORD_TIMES", "device", "device|events",                              \
      "when tasks ran, for a record: as the device tells, or by timed events of its own")          \
    X(RTL_TRACE, "TWINRT_RTL_TRACE", "", "",                                                       \
      "how names of files with waveforms of the RTL begin; unset: none")                           \
    X(RUN_PAGE, "TWINRT_RUN_PAGE", "", "",                                                         \
      "memory that twinrt run shares with the processes of the run; unset: none")                  \
    X(SEED, "TWINRT_SEED", "0", "0..18446744073709551615",                                         \
      "seed of the choices the hardware leaves open; 0: the plain machine")                        \
    X(STATS, "TWINRT_STATS", "", "", "file for counters; unset: none")                             \
    X(TRACE, "TWINRT_TRACE", "", "", "file for the timeline; unset: none")                         \
    X(VCD, "TWINRT_VCD", "", "", "file for signals over time; unset: none")                        \
    X(VCD_SIGNALS, "TWINRT_VCD_SIGNALS", "all", "",                                                \
      "which: all, or some of queues, slots, events, channels, links, cores")

typedef enum twin_setting_id {
#define TWIN_SETTING_ENUM(symbol, name, value, allowed, help) TWIN_SETTING_##symbol,
    TWIN_SETTING_LIST(TWIN_SETTING_ENUM)
#undef TWIN_SETTING_ENUM
        TWIN_SETTING_COUNT
} twin_setting_id;

typedef struct twin_setting_info {
    const char *name;
    const char *value; /* default */
    const char *allowed;
    const char *help;
} twin_setting_info;

extern const twin_setting_info twin_setting_table[TWIN_SETTING_COUNT];

/* Value, or the default. Never NULL; lives as long as the process. Thread: any. */
const char *twin_setting(twin_setting_id id);
/* Whether the environment names it at all. Thread: any. */
bool twin_setting_given(twin_setting_id id);
/* The same by name (twin_services.setting); "" for a name that is no setting. Thread: any. */
const char *twin_setting_named(const char *name);

/* This runtime stands in for the vendor's, below another copy of it: its settings are those named with this prefix in
 * place of TWINRT_, then for what the model is those of the outer one. Before any setting is read. The text stays. */
#define TWIN_INNER_PREFIX "TWINRT_INNER_"
void twin_settings_be_inner(const char *prefix);

/* Whether `value` is allowed for `id`. On failure `text` says what would be. */
bool twin_setting_check(twin_setting_id id, const char *value, char *text, size_t text_bytes);
/* Checks every given setting. False: `text` names the first bad one. */
bool twin_settings_check(char *text, size_t text_bytes);
/* The setting whose name is nearest to `name`, or NULL when none is near. */
const char *twin_setting_nearest(const char *name);
/* Warns once about each TWINRT_* variable that is no setting. */
void twin_settings_warn_unknown(void);
/* Sets the log's threshold from TWINRT_LOG. */
void twin_settings_apply_log(void);
/* Forgets what was read, so that a test can change the environment. No other thread may run. */
void twin_settings_forget(void);

/* A comma-separated list of distinct device numbers below `count`. False: not such a list, or empty. */
bool twin_device_list_parse(const char *text, uint32_t count, uint32_t *out_list,
                            uint32_t *out_used);

#endif
