/* SPDX-License-Identifier: Apache-2.0 */
/* The floor under P7: a plain C event loop that does three timed events per task (arrival, start,
 * completion) for 64 streams of tasks, with a binary heap and nothing else: no rings, no
 * scheduler. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

enum { STREAMS = 64, TASKS = 200000, HEAP = 256 };

struct event {
    uint64_t time;
    uint64_t order;
    uint32_t stream;
    uint32_t step;
};

static struct event heap[HEAP];
static size_t heap_count;
static uint64_t next_order;

static int before(const struct event *a, const struct event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void push(uint64_t time, uint32_t stream, uint32_t step)
{
    size_t i = heap_count++;
    struct event event = {time, next_order++, stream, step};
    while (i > 0 && before(&event, &heap[(i - 1) / 2])) {
        heap[i] = heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap[i] = event;
}

static struct event pop(void)
{
    struct event top = heap[0];
    struct event last = heap[--heap_count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= heap_count)
            break;
        if (child + 1 < heap_count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return top;
}

int main(int argc, char **argv)
{
    long repeats = argc > 1 ? strtol(argv[1], NULL, 10) : 11;
    struct bench_samples loop = {.name = "event loop task", .unit = "ns"};
    uint64_t checksum = 0;
    for (long i = 0; i < repeats; i++) {
        uint32_t left[STREAMS];
        uint64_t begin = bench_now_ns();
        for (uint32_t s = 0; s < STREAMS; s++) {
            left[s] = TASKS / STREAMS;
            push(s, s, 0);
        }
        while (heap_count > 0) {
            struct event event = pop();
            checksum = checksum * 31 + event.time + event.stream;
            if (event.step < 2)
                push(event.time + 100 + 37 * event.step + event.stream, event.stream,
                     event.step + 1);
            else if (--left[event.stream] > 0)
                push(event.time + 10, event.stream, 0);
        }
        bench_add(&loop, (double)(bench_now_ns() - begin) / TASKS);
    }
    bench_print(&loop);
    fprintf(stderr, "checksum %llx\n", (unsigned long long)checksum);
    return 0;
}
