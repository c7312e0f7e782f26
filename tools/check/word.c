/* SPDX-License-Identifier: Apache-2.0 */
/* Words of device memory that streams write and wait for. What a copy brings is not known: then a
 * wait passes with the next write that satisfies it, or when the host sees it passed. */
#include <stdlib.h>
#include <string.h>

#include "check/state.h"
#include "seam/types.h"

static struct check_word *word_at(struct checker *checker, uint64_t address)
{
    struct check_word *word = interval_map_from(&checker->words, address);
    if (word && word->range.begin <= address)
        return word;
    if (address > UINT64_MAX - 8 || (word && word->range.begin < address + 8))
        return NULL;
    word = calloc(1, sizeof(*word));
    if (!word) {
        checker->short_of_memory = true;
        return NULL;
    }
    word->range.begin = address;
    word->range.end = address + 8;
    interval_map_add(&checker->words, &word->range);
    return word;
}

static bool satisfies(uint64_t memory, const twin_op *wait)
{
    uint64_t value = wait->word.value;
    switch (wait->word.relation) {
    case TWIN_VALUE_GEQ:
        return (int64_t)(memory - value) >= 0;
    case TWIN_VALUE_EQ:
        return memory == value;
    case TWIN_VALUE_AND:
        return (memory & value) != 0;
    default:
        return ~(memory | value) != 0;
    }
}

bool check_word_wait(struct checker *checker, struct check_queue *queue, uint32_t op)
{
    struct check_word *word = word_at(checker, checker->ops.items[op].word.address);
    if (!word) {
        queue->order_unknown = queue->unsure = true;
        return true;
    }
    if (!word->known || !satisfies(word->value, &checker->ops.items[op]))
        return false;
    if (word->order_unknown)
        queue->order_unknown = queue->unsure = true;
    if (queue->host_seen_at < word->host_seen_at)
        queue->host_seen_at = word->host_seen_at;
    check_join_clock(checker, &queue->clock, word->clock);
    check_join_clock(checker, &queue->earlier, word->earlier);
    return true;
}

/* Takes over what comes before the write. */
static void write_word(struct checker *checker, struct check_word *word,
                       const struct check_queue *queue, uint32_t op)
{
    uint64_t begin_seq = checker->ops.items[op].begin_seq;
    clock_drop(word->clock);
    clock_drop(word->earlier);
    word->clock = word->earlier = NULL;
    word->order_unknown = false;
    word->host_seen_at = queue && queue->host_seen_at > begin_seq ? queue->host_seen_at : begin_seq;
    if (!queue) {
        check_host_carries(checker, &word->earlier, op);
        return;
    }
    word->order_unknown = queue->order_unknown;
    word->clock = clock_retain(queue->clock);
    check_host_passes(checker, &word->earlier, queue->earlier, queue->clock_index,
                      queue->carried + 1);
    check_raise_clock(checker, &word->clock, queue->clock_index, queue->carried + 1);
}

void check_word_write(struct checker *checker, const struct check_queue *queue, uint32_t op)
{
    const twin_op *work = &checker->ops.items[op];
    struct check_word *word = word_at(checker, work->word.address);
    if (!word)
        return;
    write_word(checker, word, queue, op);
    word->value = work->word.value;
    word->known = true;
    check_wake(checker, &word->parked);
}

void check_words_touch(struct checker *checker, const struct check_queue *queue, uint32_t op,
                       uint64_t begin, uint64_t end, int fill)
{
    while (begin < end) {
        struct check_word *word = interval_map_from(&checker->words, begin);
        if (!word || word->range.begin >= end)
            return;
        begin = word->range.end;
        write_word(checker, word, queue, op);
        word->known = fill >= 0 && word->range.end <= end;
        if (word->known)
            memset(&word->value, fill, sizeof(word->value));
        check_wake(checker, &word->parked);
    }
}

void check_words_free(struct checker *checker)
{
    while (checker->words.root) {
        struct check_word *word = interval_map_remove(&checker->words, checker->words.root->begin);
        clock_drop(word->clock);
        clock_drop(word->earlier);
        free(word);
    }
}
