/* SPDX-License-Identifier: Apache-2.0 */
/* Order that counting notifies make, against a reference that goes through all runs of a small
 * program: two writes of the same bytes race if and only if some run has the one first and some
 * other run the other. */
#include "support/cunit_main.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_script.h"
#include "seam/types.h"

#define QUEUES   3u
#define COUNTS   2u /* signals 11 and 12 */
#define EVENT    1u
#define PIECES   8u /* of a queue, at most */
#define ITEMS    24u
#define STATES   (1u << 16)
#define PROGRAMS 30000u

static uint64_t seed_state;

static uint32_t draw(uint32_t below)
{
    seed_state ^= seed_state << 13;
    seed_state ^= seed_state >> 7;
    seed_state ^= seed_state << 17;
    return (uint32_t)(seed_state >> 33) % below;
}

/* ---- a program ---- */

struct piece {
    twin_op_kind kind;
    uint32_t count; /* which */
    uint32_t mode, value;
    bool clear;
    uint32_t record_queue, record_place; /* of a wait for the event: its record */
};

/* What the host does: queues a piece, or waits for a stream. */
struct item {
    bool drain;
    uint32_t queue;
};

static struct piece pieces[QUEUES][PIECES];
static uint32_t lengths[QUEUES];
static struct item items[ITEMS + QUEUES];
static uint32_t item_count;
static struct {
    uint32_t queue, place;
} writes[2];
static uint32_t write_count;
static bool has_record;
static struct script script;

static void add_piece(uint32_t queue, struct piece piece)
{
    twin_op op = {.kind = (uint16_t)piece.kind, .queue = queue + 1, .tasks = 1};
    switch (piece.kind) {
    case TWIN_OP_COUNT:
        op.count.mode = (uint16_t)piece.mode;
        op.count.value = piece.value;
        op.object = 11 + piece.count;
        break;
    case TWIN_OP_WAIT_COUNT:
        op.count.relation = (uint16_t)piece.mode;
        op.count.value = piece.value;
        op.count.clear = piece.clear;
        op.object = 11 + piece.count;
        break;
    case TWIN_OP_FILL:
        op.dst = SCRIPT_MEMORY;
        op.bytes = 64;
        break;
    default:
        op.object = EVENT;
        break;
    }
    script_add(&script, op);
    pieces[queue][lengths[queue]++] = piece;
    items[item_count++] = (struct item){.queue = queue};
}

static void add_drain(uint32_t queue)
{
    script_on_queue(&script, TWIN_OP_DRAIN, queue + 1, TWIN_OK);
    items[item_count++] = (struct item){.drain = true, .queue = queue};
}

static void step(uint32_t flavour)
{
    static const uint32_t modes[4][4] = {
        {TWIN_COUNT_ADD, TWIN_COUNT_ADD, TWIN_COUNT_ADD, TWIN_COUNT_ADD},
        {TWIN_COUNT_OR, TWIN_COUNT_OR, TWIN_COUNT_SET, TWIN_COUNT_AND},
        {TWIN_COUNT_ADD, TWIN_COUNT_ADD, TWIN_COUNT_SET, TWIN_COUNT_ADD},
        {TWIN_COUNT_ADD, TWIN_COUNT_OR, TWIN_COUNT_SET, TWIN_COUNT_AND},
    };
    uint32_t queue = draw(QUEUES);
    struct piece piece = {.count = draw(4) == 0, .value = draw(5)};
    if (lengths[queue] == PIECES)
        return;
    switch (draw(10)) {
    case 0:
        if (draw(3) == 0)
            add_drain(queue);
        return;
    case 1:
        piece.kind = TWIN_OP_RECORD;
        has_record = true;
        break;
    case 2:
        if (!has_record)
            return;
        piece.kind = TWIN_OP_WAIT;
        for (uint32_t i = 0; i < QUEUES; i++)
            for (uint32_t k = 0; k < lengths[i]; k++)
                if (pieces[i][k].kind == TWIN_OP_RECORD &&
                    pieces[i][k].value >= piece.record_place) {
                    /* `value` is the turn of the record: the newest */
                    piece.record_queue = i;
                    piece.record_place = pieces[i][k].value;
                }
        break;
    case 3:
    case 4:
        if (write_count == 2 || (write_count == 1 && writes[0].queue == queue))
            return;
        writes[write_count].queue = queue;
        writes[write_count++].place = lengths[queue];
        piece.kind = TWIN_OP_FILL;
        break;
    case 5:
    case 6:
    case 7:
        piece.kind = TWIN_OP_COUNT;
        piece.mode = modes[flavour][draw(4)];
        break;
    default:
        piece.kind = TWIN_OP_WAIT_COUNT;
        piece.mode = draw(5);
        piece.clear = draw(3) == 0;
        break;
    }
    if (piece.kind == TWIN_OP_RECORD)
        piece.value = item_count + 1;
    add_piece(queue, piece);
}

static void make_program(void)
{
    script_stage(&script);
    for (uint32_t c = 0; c < COUNTS; c++)
        script_signal(&script, 11 + c, TWIN_SIGNAL_COUNT);
    memset(lengths, 0, sizeof(lengths));
    item_count = write_count = 0;
    has_record = false;
    uint32_t flavour = draw(4);
    for (uint32_t steps = 6 + draw(14); steps > 0 && item_count < ITEMS; steps--)
        step(flavour);
    for (uint32_t q = 0; q < QUEUES; q++)
        add_drain(q);
}

/* ---- all its runs ---- */

struct run {
    uint8_t host;
    uint8_t done[QUEUES];
    uint32_t counts[COUNTS];
};

static struct run runs[STATES];
static uint32_t run_count;
static uint32_t run_slots[2 * STATES];

/* False: there are too many. */
static bool add_run(const struct run *run)
{
    uint64_t key = run->host;
    for (uint32_t q = 0; q < QUEUES; q++)
        key = key * 16 + run->done[q];
    for (uint32_t c = 0; c < COUNTS; c++)
        key = key * UINT64_C(0x9e3779b97f4a7c15) + run->counts[c];
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 47);
    for (; run_slots[slot] != 0; slot = (slot + 1) % (2 * STATES))
        if (memcmp(&runs[run_slots[slot] - 1], run, sizeof(*run)) == 0)
            return true;
    if (run_count == STATES)
        return false;
    runs[run_count++] = *run;
    run_slots[slot] = run_count;
    return true;
}

static uint32_t queued(const struct run *run, uint32_t queue)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->host; i++)
        count += !items[i].drain && items[i].queue == queue;
    return count;
}

static bool holds(const struct piece *wait, uint32_t count)
{
    switch (wait->mode) {
    case TWIN_COUNT_LESS:
        return count < wait->value;
    case TWIN_COUNT_EQUAL:
        return count == wait->value;
    case TWIN_COUNT_GREATER:
        return count > wait->value;
    case TWIN_COUNT_GREATER_OR_EQUAL:
        return count >= wait->value;
    default:
        return (count & wait->value) == wait->value;
    }
}

/* Whether the piece's record was carried out. Its turn among the host's acts identifies it. */
static bool recorded(const struct run *run, const struct piece *wait)
{
    uint32_t queue = wait->record_queue;
    for (uint32_t k = 0; k < run->done[queue]; k++)
        if (pieces[queue][k].kind == TWIN_OP_RECORD && pieces[queue][k].value == wait->record_place)
            return true;
    return false;
}

/* Carries out the next piece of a queue. False: it cannot be. */
static bool act(struct run *run, uint32_t queue)
{
    if (run->done[queue] == queued(run, queue))
        return false;
    const struct piece *piece = &pieces[queue][run->done[queue]];
    uint32_t *count = &run->counts[piece->count];
    if ((piece->kind == TWIN_OP_WAIT && !recorded(run, piece)) ||
        (piece->kind == TWIN_OP_WAIT_COUNT && !holds(piece, *count)))
        return false;
    if (piece->kind == TWIN_OP_WAIT_COUNT && piece->clear)
        *count = 0;
    if (piece->kind == TWIN_OP_COUNT)
        *count = piece->mode == TWIN_COUNT_SET   ? piece->value
                 : piece->mode == TWIN_COUNT_ADD ? *count + piece->value
                 : piece->mode == TWIN_COUNT_OR  ? *count | piece->value
                                                 : *count & piece->value;
    run->done[queue]++;
    return true;
}

enum verdict { HANGS, TOO_MANY, ORDERED, RACES };

static enum verdict go_through(void)
{
    bool before[2] = {true, true}; /* write n comes first in all runs */
    bool ends = false;
    run_count = 0;
    memset(run_slots, 0, sizeof(run_slots));
    struct run start;
    memset(&start, 0, sizeof(start));
    (void)add_run(&start);
    for (uint32_t i = 0; i < run_count; i++) {
        struct run next = runs[i];
        ends |= next.host == item_count;
        if (next.host < item_count) {
            const struct item *item = &items[next.host];
            if (!item->drain || next.done[item->queue] == queued(&next, item->queue)) {
                next.host++;
                if (!add_run(&next))
                    return TOO_MANY;
            }
        }
        for (uint32_t q = 0; q < QUEUES; q++) {
            next = runs[i];
            if (!act(&next, q))
                continue;
            for (uint32_t w = 0; w < 2; w++)
                if (writes[w].queue == q && runs[i].done[q] == writes[w].place &&
                    runs[i].done[writes[!w].queue] <= writes[!w].place)
                    before[!w] = false;
            if (!add_run(&next))
                return TOO_MANY;
        }
    }
    if (!ends)
        return HANGS;
    return before[0] || before[1] ? ORDERED : RACES;
}

/* ---- judging ---- */

static uint32_t seen[4], left[4];

/* Whether the checker says the same, or says that it does not know. */
static bool agrees(enum verdict verdict)
{
    struct checker *checker = script_check(&script);
    size_t count = 0;
    const struct check_finding *findings = checker_findings(checker, &count);
    bool known = checker_unjudged_work(checker) == 0;
    bool good = count <= 1;
    for (size_t i = 0; i < count; i++)
        good = good && findings[i].rule == CHECK_RACE_01 && verdict == RACES;
    good = good && (count == 1 || verdict != RACES || !known);
    seen[verdict]++;
    left[verdict] += !known;
    if (!good)
        script_print(checker);
    checker_free(checker);
    return good;
}

static void print_program(void)
{
    for (uint32_t q = 0; q < QUEUES; q++) {
        fprintf(stderr, "stream %u:", (unsigned)q);
        for (uint32_t k = 0; k < lengths[q]; k++)
            fprintf(stderr, " %s(%u: %u %u%s)", twin_op_word(pieces[q][k].kind),
                    (unsigned)pieces[q][k].count, (unsigned)pieces[q][k].mode,
                    (unsigned)pieces[q][k].value, pieces[q][k].clear ? " clear" : "");
        fprintf(stderr, "\n");
    }
    for (uint32_t i = 0; i < item_count; i++)
        fprintf(stderr, "%s%u ", items[i].drain ? "drain " : "", (unsigned)items[i].queue);
    fprintf(stderr, "\n");
}

static void test_programs(void)
{
    uint32_t turns = getenv("CHECK_PROGRAMS") ? (uint32_t)atoi(getenv("CHECK_PROGRAMS")) : PROGRAMS;
    uint32_t hung = 0;
    for (uint32_t seed = 1; seed <= turns; seed++) {
        seed_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
        do
            make_program();
        while (write_count < 2);
        enum verdict verdict = go_through();
        hung += verdict == HANGS;
        if (verdict == HANGS || verdict == TOO_MANY)
            continue;
        bool good = agrees(verdict);
        CU_ASSERT_TRUE(good);
        if (!good) {
            fprintf(stderr, "seed %u, %s:\n", (unsigned)seed,
                    verdict == RACES ? "races" : "no race");
            print_program();
            return;
        }
    }
    printf("%u race, %u of them left unjudged; %u are in order, %u unjudged; %u hang\n",
           (unsigned)seen[RACES], (unsigned)left[RACES], (unsigned)seen[ORDERED],
           (unsigned)left[ORDERED], (unsigned)hung);
    CU_ASSERT_TRUE(seen[RACES] > turns / 10);
    CU_ASSERT_TRUE(seen[ORDERED] > turns / 100);
    /* most can be decided */
    CU_ASSERT_TRUE(left[ORDERED] < seen[ORDERED] / 4);
    CU_ASSERT_TRUE(left[RACES] < seen[RACES] / 8);
}

static const twin_test tests[] = {
    {"order by counts is found if and only if all runs have it, or is reported as unknown",
     test_programs},
};

int main(int argc, char **argv)
{
    return twin_run_suite("check_count_reference", tests, TWIN_COUNT(tests), argc, argv);
}
