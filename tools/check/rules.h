/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that are checked. README.md has more on each. */
#ifndef TWINRT_CHECK_RULES_H
#define TWINRT_CHECK_RULES_H

/* Who is responsible for a breach. */
typedef enum check_class {
    CHECK_ORDER,    /* the device's or the runtime's: a rule of order does not hold */
    CHECK_RACE,     /* the program's: work touches the same bytes and nothing orders it */
    CHECK_LIFETIME, /* the program's: something is used that is not there */
    CHECK_WARNING /* the program's, if nothing orders its threads that the recording cannot show */
} check_class;

#define CHECK_FIX_DEVICE  "nothing in the program: the device or what drives it is wrong"
#define CHECK_FIX_RUNTIME "nothing in the program: the runtime or the device is wrong"

/* X(name, number, class, what holds, a breach of it, what it takes to check it, what fixes a
 * breach). Sorted by class and number. */
#define CHECK_RULES(X)                                                                             \
    X(ORD_01, "ORD-01", ORDER, "tasks of one stream run one after the other",                      \
      "two tasks of one stream overlap, or ran in the wrong order",                                \
      "times of two tasks of one stream, or the host's view of one after a later one",             \
      CHECK_FIX_DEVICE)                                                                            \
    X(ORD_02, "ORD-02", ORDER, "a blocked stream does not hold back another",                      \
      "a stream was held back by another one that is blocked",                                     \
      "a wait for one stream while an independent one is blocked", CHECK_FIX_DEVICE)               \
    X(ORD_03, "ORD-03", ORDER, "the default stream and others do not hold each other back",        \
      "the default stream and another one held each other back",                                   \
      "a wait for one of them while the other is blocked", CHECK_FIX_DEVICE)                       \
    X(ORD_04, "ORD-04", ORDER,                                                                     \
      "a later wait returns the failure of a task, its submission does not",                       \
      "the failure of a task was returned by the wrong call, or by none", "any submission",        \
      CHECK_FIX_RUNTIME)                                                                           \
    X(ORD_05, "ORD-05", ORDER, "work before a record comes before work after a wait for it",       \
      "a wait passed before the record it waits for",                                              \
      "times of work on both sides, or the host's view of both", CHECK_FIX_DEVICE)                 \
    X(ORD_06, "ORD-06", ORDER, "a wait does not hold work before it, nor a record work after it",  \
      "a wait held work before it, or a record held work after it",                                \
      "a wait of the host for such work while the other side is blocked", CHECK_FIX_DEVICE)        \
    X(ORD_07, "ORD-07", ORDER, "a stream's wait does not block the calling thread",                \
      "a stream's wait blocked the calling thread",                                                \
      "the caller's clock, and the record's time on the device", CHECK_FIX_RUNTIME)                \
    X(ORD_08, "ORD-08", ORDER, "one record releases all streams that wait for it",                 \
      "a record did not release every stream that waits for it",                                   \
      "a record with two waits or more, and the host's view of them", CHECK_FIX_DEVICE)            \
    X(ORD_09, "ORD-09", ORDER, "order is transitive over streams",                                 \
      "order did not hold over a chain of streams",                                                \
      "a chain over three streams with times or the host's view of both ends and none between",    \
      CHECK_FIX_DEVICE)                                                                            \
    X(ORD_10, "ORD-10", ORDER, "after a wait of the host, the work it covers is complete",         \
      "a wait of the host returned before the work was complete",                                  \
      "a wait of the host that succeeded, and times on one clock or a later look",                 \
      CHECK_FIX_RUNTIME)                                                                           \
    X(ORD_11, "ORD-11", ORDER, "a wait for an event does not cover later work of its stream",      \
      "a wait for an event waited for later work of its stream",                                   \
      "a wait for an event while later work of its stream is blocked", CHECK_FIX_RUNTIME)          \
    X(ORD_12, "ORD-12", ORDER, "each submission runs once, in the order of submission",            \
      "a task was lost, ran twice, or ran out of order", "times of all tasks", CHECK_FIX_RUNTIME)  \
    X(ORD_13, "ORD-13", ORDER, "default and explicit streams give the same results",               \
      "default and explicit streams gave different results",                                       \
      "results, which a recording does not contain: compare two recordings (twinrt compare)", "")  \
    X(ORD_14, "ORD-14", ORDER, "a device is open while there are objects on it",                   \
      "an object exists on a device that is not open", "a device that was opened or closed",       \
      "destroy events and streams, then reset the device, then call aclFinalize")                  \
    X(CLK_01, "CLK-01", ORDER, "a task begins after the call that submitted it",                   \
      "a task began before the call that submitted it", "the caller's clock, and times of tasks",  \
      "nothing in the program: the times are inconsistent")                                        \
    X(RACE_01, "RACE-01", RACE, "two writes of the same bytes are ordered",                        \
      "two writes of the same bytes are not ordered", "two streams that write the same memory",    \
      "record an event after the first write and make the second's stream wait on it")             \
    X(RACE_02, "RACE-02", RACE, "a read is ordered after the write of the bytes that it reads",    \
      "a read is not ordered after the write of the bytes that it reads",                          \
      "two streams that touch the same memory",                                                    \
      "record an event after the write and make the reading stream wait on it")                    \
    X(RACE_03, "RACE-03", RACE,                                                                    \
      "a write is ordered after the reads of the bytes that it replaces",                          \
      "a write is not ordered after a read of the bytes that it replaces",                         \
      "two streams that touch the same memory",                                                    \
      "record an event after the read and make the writing stream wait on it")                     \
    X(RACE_04, "RACE-04", RACE, "a synchronous copy or fill is ordered after queued work",         \
      "a synchronous copy or fill is not ordered after queued work",                               \
      "synchronous copies of memory that queued work touches",                                     \
      "wait for the stream, or for an event after the work, before the call")                      \
    X(LIFE_01, "LIFE-01", LIFETIME, "memory is not freed while queued work names it",              \
      "memory is freed while queued work names it", "a free of memory that queued work named",     \
      "wait for the stream, or for an event after the work, before the free")                      \
    X(LIFE_02, "LIFE-02", LIFETIME, "copies stay inside allocations",                              \
      "a copy or fill leaves its allocation", "any copy or fill",                                  \
      "compare the size and the offset with what was allocated")                                   \
    X(LIFE_03, "LIFE-03", LIFETIME, "freed memory is not used", "freed memory is used",            \
      "any copy or fill", "free the memory after its last use")                                    \
    X(LIFE_04, "LIFE-04", LIFETIME, "memory is freed once",                                        \
      "memory is freed twice, or was never allocated", "any free",                                 \
      "find the first free; set the pointer to NULL there")                                        \
    X(LIFE_05, "LIFE-05", LIFETIME, "a stream is destroyed after its work is complete",            \
      "a stream is destroyed before its work is complete", "the destruction of a stream",          \
      "wait for the stream, or abort it, before it is destroyed")                                  \
    X(LIFE_06, "LIFE-06", LIFETIME, "a destroyed object is not used",                              \
      "a destroyed object is used", "an object that was destroyed",                                \
      "destroy it after its last use")                                                             \
    X(LIFE_07, "LIFE-07", LIFETIME, "a record ends each wait for a notify or event",               \
      "no record can end a stream's wait for a notify or event",                                   \
      "a wait for a notify, or for an event that is reset",                                        \
      "record the notify once for each wait, or the event after each reset")                       \
    X(LIFE_08, "LIFE-08", LIFETIME, "an event is recorded before a stream waits for it",           \
      "a stream waits for an event that was never recorded", "a wait for an event",                \
      "record the event before the wait: otherwise the wait has no effect")                        \
    X(LIFE_09, "LIFE-09", LIFETIME, "public calls get live handles",                               \
      "a public call got a handle that is not valid", "the codes that public calls returned",      \
      "use the handle before it is destroyed")                                                     \
    X(LIFE_10, "LIFE-10", LIFETIME, "a flag is consumed before it is set again",                   \
      "a flag is set again before it was consumed",                                                \
      "a second round of a notify, or of an event that is reset",                                  \
      "make the recording stream wait until the previous round is over")                           \
    X(LIFE_11, "LIFE-11", WARNING, "an abort finds no work that is not complete",                  \
      "an abort dropped queued work",                                                              \
      "an abort of a stream or device, and the times of all tasks",                                \
      "wait for the stream, or for an event after the work, before the abort")                     \
    X(LIFE_12, "LIFE-12", WARNING,                                                                 \
      "no stream waits for a notify or event when the recording breaks off",                       \
      "a stream waited for a notify or event when the program was ended",                          \
      "a wait for a notify, or for an event that is reset, in a recording without an end",         \
      "if the program was stuck: record the notify or event once for each wait")                   \
    X(RACE_05, "RACE-05", WARNING, "threads that touch the same memory are ordered",               \
      "two threads touch the same memory and no synchronization orders them",                      \
      "several threads under libtwinrt-host.so (TWINRT_HOST_TIME=sync), recorded",                 \
      "order them by a mutex, a condition, a join; atomics and futexes are not seen")

typedef enum check_rule {
#define CHECK_RULE_ENUM(name, number, of, holds, breach, needs, fix) CHECK_##name,
    CHECK_RULES(CHECK_RULE_ENUM)
#undef CHECK_RULE_ENUM
        CHECK_RULE_COUNT
} check_rule;

struct check_rule_text {
    const char *number;
    check_class of;
    const char *holds;
    const char *breach;
    const char *needs; /* to be checked */
    const char *fix;   /* "": see `needs` */
};
extern const struct check_rule_text check_rule_texts[CHECK_RULE_COUNT];

#endif
