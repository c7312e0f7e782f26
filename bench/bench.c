/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include "device_below.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

uint64_t bench_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void bench_add(struct bench_samples *samples, double value)
{
    if (samples->count < BENCH_MAX_SAMPLES)
        samples->value[samples->count++] = value;
}

void bench_print(const struct bench_samples *samples)
{
    static const char *const clocks[] = {"host", "virtual", "count"};
    if (samples->count == 0)
        return;
    printf("{\"name\": \"%s\", \"unit\": \"%s\", \"clock\": \"%s\", ", samples->name, samples->unit,
           clocks[samples->clock]);
    if (samples->bytes != 0)
        printf("\"bytes\": %llu, ", (unsigned long long)samples->bytes);
    if (samples->parameters)
        bench_print_marks(samples->parameters);
    printf("\"samples\": [");
    for (size_t i = 0; i < samples->count; i++)
        printf("%s%.12g", i ? ", " : "", samples->value[i]);
    printf("]}\n");
    fflush(stdout);
}

void bench_measure(struct bench_samples *host, size_t repeats, size_t rounds, void (*once)(void))
{
    struct bench_samples lived = *host;
    lived.clock = BENCH_VIRTUAL;
    host->parameters = NULL;
    for (size_t i = 0; i < repeats + 1; i++) {
        uint64_t before = 0;
        uint64_t after = 0;
        const bool simulated = bench_virtual_ns(&before);
        const uint64_t begin = bench_now_ns();
        for (size_t round = 0; round < rounds; round++)
            once();
        const uint64_t end = bench_now_ns();
        (void)bench_virtual_ns(&after);
        if (i > 0)
            bench_add(host, (double)(end - begin) / (double)rounds / 1e3);
        if (i > 0 && simulated)
            bench_add(&lived, (double)(after - before) / (double)rounds / 1e3);
    }
    bench_print(host);
    bench_print(&lived);
}

void bench_print_value(const char *name, const char *unit, enum bench_clock clock, double value)
{
    struct bench_samples samples = {.name = name, .unit = unit, .clock = clock};
    bench_add(&samples, value);
    bench_print(&samples);
}

aclError bench_load_kernels(const char *file, aclrtBinHandle *out_binary)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length <= 0)
        return ACL_ERROR_FAILURE;
    path[length] = '\0';
    char *name = strrchr(path, '/') + 1;
    (void)snprintf(name, sizeof(path) - (size_t)(name - path), "%s", file);
    return aclrtBinaryLoadFromFile(path, NULL, out_binary);
}

uint64_t bench_resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long total = 0;
    unsigned long resident = 0;
    if (!file)
        return 0;
    if (fscanf(file, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    fclose(file);
    return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

void bench_must(int code, const char *what)
{
    if (code == 0)
        return;
    const char *text = aclGetRecentErrMsg();
    fprintf(stderr, "bench: %s gave %d: %s\n", what, code, text ? text : "no message");
    exit(2);
}
