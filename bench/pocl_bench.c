/* SPDX-License-Identifier: Apache-2.0 */
/* The same questions asked of an OpenCL runtime on the CPU (pocl): enqueue of an empty kernel,
 * enqueue and wait, and a two-queue event hop. POCL_DEVICES=basic executes in the caller, =pthread
 * in threads. The two-queue hop is left out for basic, where a gated chain of queues is not
 * asynchronous. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { BATCH = 1900, BATCHES = 12, ROUNDS = 1000 };

int main(int argc, char **argv)
{
    long repeats = argc > 1 ? strtol(argv[1], NULL, 10) : 11;
    const char *source = "__kernel void empty(void) {}";
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    BENCH_MUST(clGetPlatformIDs(1, &platform, NULL));
    BENCH_MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    bench_must(error, "clCreateContext");
    cl_command_queue first = clCreateCommandQueue(context, device, 0, &error);
    bench_must(error, "clCreateCommandQueue");
    cl_command_queue second = clCreateCommandQueue(context, device, 0, &error);
    bench_must(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    bench_must(error, "clCreateProgramWithSource");
    BENCH_MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "empty", &error);
    bench_must(error, "clCreateKernel");

    struct bench_samples submit = {.name = "submit", .unit = "ns"};
    struct bench_samples task = {.name = "task and wait", .unit = "us"};
    struct bench_samples hop = {.name = "two-queue hop", .unit = "us"};
    const size_t one = 1;
    for (long i = 0; i < repeats + 1; i++) {
        const double enqueue = BENCH_BATCHES_NS(
            BATCHES, BATCH,
            BENCH_MUST(clEnqueueNDRangeKernel(first, kernel, 1, NULL, &one, &one, 0, NULL, NULL)),
            BENCH_MUST(clFinish(first)));
        const double wait = BENCH_MEAN_NS(
            ROUNDS,
            BENCH_MUST(clEnqueueNDRangeKernel(first, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
            BENCH_MUST(clFinish(first)));
        cl_event event;
        const double two =
            BENCH_MEAN_NS(ROUNDS, BENCH_MUST(clEnqueueMarkerWithWaitList(first, 0, NULL, &event));
                          BENCH_MUST(clFlush(first)); BENCH_MUST(clEnqueueNDRangeKernel(
                              second, kernel, 1, NULL, &one, &one, 1, &event, NULL));
                          BENCH_MUST(clFinish(second)); BENCH_MUST(clReleaseEvent(event)));
        if (i == 0)
            continue; /* warm-up */
        bench_add(&submit, enqueue);
        bench_add(&task, wait / 1e3);
        bench_add(&hop, two / 1e3);
    }
    bench_print(&submit);
    bench_print(&task);
    bench_print(&hop);
    return 0;
}
