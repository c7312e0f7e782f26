/* SPDX-License-Identifier: Apache-2.0 */
/* What a call answers when it fails: the public code, whether it becomes the thread's last error,
 * and the text that aclGetRecentErrMsg gives. The core speaks in public codes here, as plain
 * numbers. */
#ifndef TWINRT_CORE_BACKEND_ERROR_H
#define TWINRT_CORE_BACKEND_ERROR_H

#include <stdint.h>

#include "seam/status.h"

/* X(name, code, layer, message id). Layer A: refused by the outer layer, never the thread's last
 * error. Layer R: by the runtime, recorded. Sorted by code. */
#define TWIN_ERROR_LIST(X)                                                                         \
    X(ARG_NULL, 100000, A, "EH0002")           /* a mandatory pointer or handle is NULL */         \
    X(ARG_VALUE, 100000, A, "EH0007")          /* a value outside its range or enumeration */      \
    X(ARG_RELATION, 100000, A, "EH0009")       /* arguments that do not fit each other */          \
    X(REPEAT_INITIALIZE, 100002, A, "EH0005")  /* aclInit again */                                 \
    X(INVALID_FILE, 100003, A, "EH0003")       /* a file cannot be read */                         \
    X(PARSE_FILE, 100006, A, "EH0004")         /* the configuration file is not what it must be */ \
    X(REPEAT_FINALIZE, 100037, A, "EH0006")    /* aclFinalize again */                             \
    X(TIMEOUT_VALUE, 107000, A, "EH0007")      /* a timeout out of range */                        \
    X(PARAM, 107000, R, "EE1003")              /* a value out of range */                          \
    X(PARAM_NULL, 107000, R, "EE1004")         /* NULL, found by the runtime */                    \
    X(PARAM_RELATION, 107000, R, "EE1011")     /* arguments that do not fit each other */          \
    X(BINARY, 107000, R, "EE1014")             /* a kernel image cannot be used */                 \
    X(DEVICE_ID, 107001, R, "EE1003")          /* no such device */                                \
    X(CONTEXT_NULL, 107002, R, "EE1018")       /* no usable context */                             \
    X(STREAM_CONTEXT, 107003, R, "EE1010")     /* the stream belongs elsewhere */                  \
    X(MODEL_CONTEXT, 107004, R, "EE1010")      /* the model instance belongs elsewhere */          \
    X(STREAM_MODEL, 107005, R, "EE1017")       /* stream and model instance do not go together */  \
    X(TIMESTAMP, 107006, R, "EE1018")          /* the event has no time yet */                     \
    X(UNALIGNED, 107008, R, "EE1003")          /* an address between two elements */               \
    X(SUBSCRIBED, 107011, R, "EE1018")         /* who runs the stream's callbacks: not as asked */ \
    X(SUBSCRIBER, 107012, R, "EE1018")         /* the thread does not run these callbacks */       \
    X(NO_SUBSCRIBER, 107015, R, "EE1018")      /* no thread runs the stream's callbacks */         \
    X(MEMORY_TYPE, 107016, R, "EE1003")        /* unknown memory attribute */                      \
    X(HANDLE, 107017, R, "EE1017")             /* dead, foreign or made-up handle */               \
    X(WAIT_TIMEOUT, 107019, R, "EE1002")       /* the time for it was not enough */                \
    X(OPTION, 107021, R, "EE1018")             /* the option was never set */                      \
    X(CAPTURE_DEPENDENCY, 107024, R, "EE1016") /* a capture waits for what is outside of it */     \
    X(UNJOINED, 107025, R, "EE1017")           /* a stream of the capture was not joined */        \
    X(MODEL_CAPTURED, 107026, R, "EE1017")     /* not while the model instance is captured */      \
    X(STREAM_CAPTURED, 107027, R, "EE1018")    /* not while the stream is in capture */            \
    X(EVENT_CAPTURED, 107028, R, "EE1018")     /* not while the event is in capture */             \
    X(NOT_CAPTURED, 107029, R, "EE1018")       /* only while the stream is in capture */           \
    X(CAPTURE_FORBIDS, 107030, R, "EE1016")    /* the mode of a capture forbids it */              \
    X(CAPTURE_IMPLICIT, 107031, R, "EE1017")   /* a default stream cannot join a capture */        \
    X(CAPTURE_CONFLICT, 107032, R, "EE1016")   /* stream and event belong to two captures */       \
    X(GROUP_STATUS, 107033, R, "EE1016")       /* a task group is open, or is not */               \
    X(GROUP_INTERRUPTED, 107034, R, "EE1016")  /* a task between those of an open task group */    \
    X(CAPTURE_UNMATCHED, 107036, R, "EE1018")  /* the capture was begun on another stream */       \
    X(MODEL_RUNNING, 107037, R, "EE1018")      /* the model instance does not come to its end */   \
    X(CAPTURE_THREAD, 107038, R, "EE1018")     /* the capture was begun by another thread */       \
    X(ARRAY_SHORT, 107039, R, "EE1011")        /* an array does not hold all there is */           \
    X(MODEL_UPDATE, 107040, R, "EE1017")       /* tasks cannot be changed now */                   \
    X(CAPTURE_BLOCKS, 107041, R, "EE1016")     /* the same, of a call that became synchronous */   \
    X(NO_SYMBOL, 107042, R, "EE1018")          /* a kernel image has no such variable */           \
    X(SYMBOL, 107043, R, "EE1017")             /* the symbol is not of a variable */               \
    X(NO_KERNEL_SYMBOL, 107044, R, "EE1018")   /* the symbol is not of a kernel */                 \
    X(GRAPH_CAPTURED, 107045, R, "EE1016")     /* a graph of a conditional task is not captured */ \
    X(TENSOR_FORMAT, 145020, A, "EH0007")      /* two formats that do not convert */               \
    X(TENSOR_SHAPE, 145021, A, "EH0009")       /* the shape does not fit the format */             \
    X(TENSOR_TYPE, 145022, A, "EH0009")        /* the data type does not fit the format */         \
    X(ARG_RESERVED, 200006, A, "EH0007")       /* a reserved argument is used */                   \
    X(UNSUPPORTED, 207000, R, "EE1005")        /* not offered */                                   \
    X(NOMEM, 207001, R, "EE1013")              /* host memory is out */                            \
    X(NO_DEVICE, 207004, R, "EE1018")          /* no usable device */                              \
    X(NO_STREAM_QUEUE, 207005, R, "EE1023")    /* all queues of streams are taken, ids are left */ \
    X(NO_STREAM, 207008, R, "EE1023")          /* all streams are taken */                         \
    X(REGISTRATION, 500000, A, "EH9999")       /* callbacks of aclInit and aclFinalize */          \
    X(VERSION, 500000, A, "EH9999")            /* a version that is not one */                     \
    X(INIT_VALUE, 500001, A, "EH0004")         /* a configured value cannot be understood */       \
    X(INTERNAL, 507000, R, "EE9999")           /* nothing to give, or our own fault */             \
    X(STREAM_FULL, 507002, R, "EE1019")        /* no more tasks fit */                             \
    X(DEVICE_RELEASED, 507007, R, "EE1018")    /* reset without set */                             \
    X(TASK_TYPE, 507009, R, "EE1006")          /* a task that a task group does not take */        \
    X(MODEL_EXECUTE, 507011, R, "EE1018")      /* the model instance cannot run as it is */        \
    X(LABEL_CONTEXT, 507031, R, "EE1010")      /* the label belongs elsewhere */                   \
    X(SETUP, 507033, R, "EE1018")              /* the backend or device cannot be used */          \
    X(CAPTURE_BROKEN, 507903, R, "EE1016")     /* an error has made the capture invalid */         \
    X(SNAPSHOT_LOCK, 507906, R, "EE1018")      /* the process cannot be locked as it is */         \
    X(SNAPSHOT_UNLOCK, 507907, R, "EE1018")    /* it is not locked */                              \
    X(SNAPSHOT_BACKUP, 507908, R, "EE1018")    /* it cannot be backed up as it is */               \
    X(SNAPSHOT_RESTORE, 507909, R, "EE1018")   /* it is not backed up */                           \
    X(REGISTERED, 507910, R, "EE1018")         /* host memory that is registered already */        \
    X(NOT_REGISTERED, 507911, R, "EE1018")     /* host memory that is not registered */            \
    X(SNAPSHOT_CALLBACK, 507912, R, "EE1018")  /* a callback of a snapshot returned an error */    \
    X(SNAPSHOT_REGISTERED, 507913, R, "EE1017") /* the callback is registered already */

typedef enum twin_error {
#define TWIN_ERROR_ENUM(name, code, layer, id) TWIN_ERR_##name,
    TWIN_ERROR_LIST(TWIN_ERROR_ENUM)
#undef TWIN_ERROR_ENUM
        TWIN_ERR_COUNT
} twin_error;

/* Codes that callers compare with. */
#define TWIN_CODE_OK                0
#define TWIN_CODE_REPEAT_INITIALIZE 100002
#define TWIN_CODE_DEVICE_ID         107001
#define TWIN_CODE_STREAM_FULL       507002
#define TWIN_CODE_REPORT_TIMEOUT    507012
#define TWIN_CODE_STREAM_TIMEOUT    507046
#define TWIN_CODE_EVENT_TIMEOUT     507047

/* Refuses: adds "<id>: <call>: <text>" to the thread's messages, records the code if its layer
 * does that, and returns the code. Thread: any. */
int32_t twin_fail(twin_error error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A refusal is never 0; analysers and compilers may rely on it. */
static inline int32_t twin_refused(int32_t code)
{
    if (code == 0)
        __builtin_unreachable();
    return code;
}
#define twin_fail(...) twin_refused((twin_fail)(__VA_ARGS__))

/* The same for a status of the seam: "<id>: <call>: <text>: <meaning of the status>". `wait_code`
 * is what a timeout or deadlock becomes (one of the TWIN_CODE_*_TIMEOUT). TWIN_OK
 * gives 0 and says nothing. */
int32_t twin_fail_status(twin_status status, int32_t wait_code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The refusal of a handle that is not one of a live object of that kind, named by its table
 * (107017). */
int32_t twin_fail_handle(const char *kind_name, uint64_t handle);
#define twin_fail_handle(...) twin_refused((twin_fail_handle)(__VA_ARGS__))

/* As twin_fail for the runtime layer with a code known by number only. */
int32_t twin_fail_code(int32_t code, const char *id, const char *text);

/* As twin_fail for the outer layer with a code known by number only: what a callback answered. */
int32_t twin_fail_callback(int32_t code, const char *text);

/* Public code and text of a status. Unknown numbers count as TWIN_E_INTERNAL. The code of
 * TWIN_E_VENDOR is the one that the thread's last such op has reported. */
int32_t twin_status_code(twin_status status);
const char *twin_status_text(twin_status status);

#endif
