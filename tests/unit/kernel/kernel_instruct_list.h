/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that a core does one after the other, on buffers that are given and looked at as
 * memory. Kernels are entered in the program that includes this. */
#ifndef TWINRT_TESTS_UNIT_KERNEL_INSTRUCT_LIST_H
#define TWINRT_TESTS_UNIT_KERNEL_INSTRUCT_LIST_H

#include "kernel_rig.h"

#include "twinrt/kernel_instructions.h"

#define LIST_MOST 24u

typedef struct list_args {
    uint32_t count;
    bool loose; /* no barriers in between */
    twk_instruction list[LIST_MOST];
    uint64_t results_at; /* where their results go, a word each; 0: nowhere */
} list_args;

static inline void do_list(const list_args *args)
{
    for (uint32_t i = 0; i < args->count; i++) {
        const uint64_t result = twk_slot->instruct(&args->list[i]);
        if (args->results_at != 0)
            twk_gm_set_word(args->results_at + (uint64_t)i * 8, result);
        if (!args->loose)
            twk_barrier(TWK_ALL);
    }
}

static list_args list;

static inline void list_begin(void)
{
    memset(&list, 0, sizeof(list));
}

/* The next instruction; its types are none until they are set. */
static inline twk_instruction *list_add(uint16_t number, uint8_t count, const uint64_t *arguments)
{
    twk_instruction *one = &list.list[list.count++];
    one->number = number;
    one->count = count;
    memset(one->types, TWK_NO_TYPE, sizeof(one->types));
    memcpy(one->arguments, arguments, count * sizeof(*arguments));
    return one;
}
#define LIST_COUNT(...) (sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define LIST_ADD(name, ...)                                                                        \
    list_add(TWK_INSTRUCTION_##name, (uint8_t)LIST_COUNT(__VA_ARGS__),                             \
             (const uint64_t[]){__VA_ARGS__})
#define LIST_ADD_PLAIN(name) list_add(TWK_INSTRUCTION_##name, 0, (const uint64_t[]){0})

/* The same numbers each time. */
static uint64_t list_state = 1;
static inline uint32_t random32(void)
{
    list_state = list_state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(list_state >> 32);
}
static inline uint32_t below(uint32_t most)
{
    return random32() % most;
}

#endif
