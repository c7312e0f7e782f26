/* SPDX-License-Identifier: Apache-2.0 */
#include "check_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void script_begin(struct script *script)
{
    memset(script, 0, sizeof(*script));
}

uint32_t script_add(struct script *script, twin_op op)
{
    if (script->count == SCRIPT_ROOM)
        abort();
    op.begin_seq = ++script->seq;
    op.end_seq = ++script->seq;
    op.name = CHECK_NONE;
    op.task = CHECK_NONE;
    op.thread = op.thread != 0 ? op.thread : 1;
    if (script->now_ns != 0) {
        op.begin_ns = script->now_ns;
        script->now_ns += 100;
        op.end_ns = script->now_ns;
    }
    script->ops[script->count] = op;
    return script->count++;
}

uint32_t script_open(struct script *script, uint32_t device)
{
    return script_add(script, (twin_op){.kind = TWIN_OP_DEVICE_OPEN, .device = device});
}

uint32_t script_queue(struct script *script, uint32_t queue, bool is_default)
{
    twin_op op = {.kind = TWIN_OP_QUEUE_CREATE, .queue = queue};
    op.config.name = queue;
    op.config.is_default = is_default;
    op.config.reports_tasks = true;
    return script_add(script, op);
}

uint32_t script_lane(struct script *script, uint32_t queue)
{
    uint32_t op = script_queue(script, queue, false);
    script->ops[op].config.deferred = true;
    return op;
}

uint32_t script_on_instance(struct script *script, twin_op_kind kind, uint32_t instance,
                            uint32_t queue)
{
    twin_op op = {.kind = (uint16_t)kind, .object = instance, .queue = queue};
    op.tasks = twin_op_is_work(kind);
    return script_add(script, op);
}

uint32_t script_bind(struct script *script, uint32_t instance, uint32_t queue, bool head)
{
    return script_add(script, (twin_op){.kind = TWIN_OP_MODEL_INSTANCE_BIND,
                                        .object = instance,
                                        .queue = queue,
                                        .head = head});
}

uint32_t script_activate(struct script *script, uint32_t queue, uint32_t other)
{
    twin_op op = {.kind = TWIN_OP_ACTIVATE, .queue = queue, .tasks = 1};
    op.other = other;
    return script_add(script, op);
}

uint32_t script_signal(struct script *script, uint32_t signal, twin_signal_kind kind)
{
    twin_op op = {.kind = TWIN_OP_SIGNAL_CREATE, .object = signal};
    op.config.signal_kind = kind;
    op.config.name = signal;
    return script_add(script, op);
}

void script_stage(struct script *script)
{
    script_begin(script);
    script_open(script, 0);
    for (uint32_t q = 1; q <= 4; q++)
        script_queue(script, q, q == 1);
    script_signal(script, 1, TWIN_SIGNAL_EVENT_REBIND);
    script_signal(script, 2, TWIN_SIGNAL_EVENT_REBIND);
    script_signal(script, 3, TWIN_SIGNAL_NOTIFY);
    script_signal(script, 4, TWIN_SIGNAL_EVENT_LEVEL);
    script_alloc(script, SCRIPT_MEMORY, 1 << 20);
}

uint32_t script_alloc(struct script *script, uint64_t address, uint64_t bytes)
{
    twin_op op = {.kind = TWIN_OP_ALLOC};
    op.dst = address;
    op.bytes = bytes;
    return script_add(script, op);
}

uint32_t script_copy(struct script *script, uint32_t queue, uint64_t dst, uint64_t src,
                     uint64_t bytes)
{
    twin_op op = {.kind = TWIN_OP_COPY, .queue = queue, .tasks = 1};
    op.dst = dst;
    op.src = src;
    op.bytes = bytes;
    return script_add(script, op);
}

uint32_t script_fill(struct script *script, uint32_t queue, uint64_t dst, uint64_t bytes)
{
    twin_op op = {.kind = TWIN_OP_FILL, .queue = queue, .tasks = 1};
    op.dst = dst;
    op.bytes = bytes;
    return script_add(script, op);
}

uint32_t script_word(struct script *script, twin_op_kind kind, uint32_t queue, uint64_t address,
                     uint64_t value)
{
    twin_op op = {.kind = (uint16_t)kind, .queue = queue, .tasks = 1};
    op.word.address = address;
    op.word.value = value;
    op.word.relation = 1; /* equal */
    return script_add(script, op);
}

uint32_t script_sync(struct script *script, twin_op_kind kind, uint32_t queue, uint32_t signal)
{
    return script_add(
        script, (twin_op){.kind = (uint16_t)kind, .queue = queue, .object = signal, .tasks = 1});
}

uint32_t script_count(struct script *script, uint32_t queue, uint32_t signal, uint32_t mode,
                      uint32_t value)
{
    twin_op op = {.kind = TWIN_OP_COUNT, .queue = queue, .object = signal, .tasks = 1};
    op.count.mode = (uint16_t)mode;
    op.count.value = value;
    return script_add(script, op);
}

uint32_t script_wait_count(struct script *script, uint32_t queue, uint32_t signal,
                           uint32_t relation, uint32_t value, bool clear)
{
    twin_op op = {.kind = TWIN_OP_WAIT_COUNT, .queue = queue, .object = signal, .tasks = 1};
    op.count.relation = (uint16_t)relation;
    op.count.value = value;
    op.count.clear = clear;
    return script_add(script, op);
}

uint32_t script_on_queue(struct script *script, twin_op_kind kind, uint32_t queue,
                         twin_status status)
{
    return script_add(
        script, (twin_op){.kind = (uint16_t)kind, .queue = queue, .status = (uint16_t)status});
}

uint32_t script_on_signal(struct script *script, twin_op_kind kind, uint32_t signal,
                          twin_status status)
{
    return script_add(
        script, (twin_op){.kind = (uint16_t)kind, .object = signal, .status = (uint16_t)status});
}

uint32_t script_query(struct script *script, uint32_t signal, bool complete)
{
    return script_add(script, (twin_op){.kind = TWIN_OP_SIGNAL_QUERY,
                                        .object = signal,
                                        .recorded = true,
                                        .positive = complete});
}

uint32_t script_now(struct script *script, twin_op_kind kind, uint64_t dst, uint64_t src,
                    uint64_t bytes)
{
    twin_op op = {.kind = (uint16_t)kind};
    op.dst = dst;
    op.src = src;
    op.bytes = bytes;
    return script_add(script, op);
}

void script_time(struct script *script, uint32_t op, uint64_t begin_ns, uint64_t end_ns)
{
    script->ops[op].timed = true;
    script->ops[op].task_begin_ns = begin_ns;
    script->ops[op].task_end_ns = end_ns;
    script->ops[op].reported = 1;
}

struct turn {
    uint64_t key;
    uint32_t op;
};

static int by_key(const void *left, const void *right)
{
    const struct turn *a = left;
    const struct turn *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

struct checker *script_check(const struct script *script)
{
    static struct turn turns[SCRIPT_ROOM];
    struct checker *checker = checker_new(&(struct checker_facts){.whole = script->expect_times});
    for (uint32_t i = 0; i < script->count; i++)
        turns[i] = (struct turn){.key = check_order_key(&script->ops[i]), .op = i};
    qsort(turns, script->count, sizeof(turns[0]), by_key);
    for (uint32_t i = 0; checker && i < script->count; i++) {
        twin_op op = script->ops[turns[i].op];
        op.entry = turns[i].op; /* runs of model instances repeat it */
        if (!checker_feed(checker, &op))
            abort();
    }
    if (!checker || !checker_finish(checker))
        abort();
    return checker;
}

static bool is_op(const struct script *script, const struct checker *checker, uint32_t index,
                  uint32_t op)
{
    const twin_op *seen = checker_op(checker, index);
    return op == CHECK_NONE || (seen && (checker_run_of(checker, index) != CHECK_NONE
                                             ? seen->entry == op
                                             : seen->begin_seq == script->ops[op].begin_seq));
}

bool script_found(const struct script *script, const struct checker *checker, check_rule rule,
                  uint32_t first, uint32_t second)
{
    size_t count = 0;
    const struct check_finding *findings = checker_findings(checker, &count);
    bool good = count == 1 && findings[0].rule == rule &&
                is_op(script, checker, findings[0].first, first) &&
                is_op(script, checker, findings[0].second, second);
    if (!good)
        script_print(checker);
    return good;
}

bool script_clean(const struct script *script)
{
    struct checker *checker = script_check(script);
    size_t count = 0;
    (void)checker_findings(checker, &count);
    if (count > 0)
        script_print(checker);
    checker_free(checker);
    return count == 0;
}

bool script_breaks(const struct script *script, check_rule rule, uint32_t first, uint32_t second)
{
    struct checker *checker = script_check(script);
    bool found = script_found(script, checker, rule, first, second);
    checker_free(checker);
    return found;
}

void script_print(const struct checker *checker)
{
    size_t count = 0;
    const struct check_finding *findings = checker_findings(checker, &count);
    fprintf(stderr, "%zu findings\n", count);
    for (size_t i = 0; i < count; i++) {
        const twin_op *first = checker_op(checker, findings[i].first);
        const twin_op *second = checker_op(checker, findings[i].second);
        fprintf(stderr, "  %s: %s (seq %d), %s (seq %d): %s\n",
                check_rule_texts[findings[i].rule].number, first ? twin_op_word(first->kind) : "-",
                first ? (int)first->begin_seq : 0, second ? twin_op_word(second->kind) : "-",
                second ? (int)second->begin_seq : 0, findings[i].why);
    }
}
