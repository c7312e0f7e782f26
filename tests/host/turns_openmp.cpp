// SPDX-License-Identifier: Apache-2.0
// OpenMP loops, critical sections, barriers and tasks; built with clang, whose OpenMP library waits
// through pthreads. Prints the times of all events.
#include <omp.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"

namespace
{

constexpr int kThreads = 4;
constexpr int kRounds = 6;
constexpr size_t kBytes = 1 << 16;

void check(aclError code, const char *what)
{
    if (code == ACL_SUCCESS)
        return;
    std::fprintf(stderr, "%s answers %d: %s\n", what, code, aclGetRecentErrMsg());
    std::_Exit(1);
}
#define OK(call) check((call), #call)

struct Lane {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void *memory = nullptr;

    void open()
    {
        OK(aclrtSetDevice(0));
        OK(aclrtCreateStream(&stream));
        OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
        OK(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    uint64_t run(size_t bytes) const
    {
        uint64_t time = 0;
        OK(aclrtMemsetAsync(memory, kBytes, 1, bytes, stream));
        OK(aclrtRecordEvent(event, stream));
        OK(aclrtSynchronizeEvent(event));
        OK(aclrtEventGetTimestamp(event, &time));
        return time;
    }
};

std::array<Lane, kThreads> lanes;
std::array<uint64_t, 4 * kThreads * kRounds> times;
size_t used; // by all threads, in a critical section

void note(uint64_t time)
{
#pragma omp critical
    times[used++] = time;
}

void loops()
{
#pragma omp parallel num_threads(kThreads)
    {
        const Lane &lane = lanes[static_cast<size_t>(omp_get_thread_num())];
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < kThreads * kRounds; i++)
            note(lane.run(kBytes >> (i % 5)));
#pragma omp barrier
#pragma omp for schedule(static)
        for (int i = 0; i < kThreads * kRounds; i++)
            note(lane.run(kBytes >> (i % 3)));
    }
}

void tasks()
{
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    for (int i = 0; i < 2 * kRounds; i++) {
#pragma omp task firstprivate(i)
        note(lanes[static_cast<size_t>(omp_get_thread_num())].run(kBytes >> (i % 4)));
    }
}

} // namespace

int main()
{
    OK(aclInit(nullptr));
#pragma omp parallel num_threads(kThreads)
    lanes[static_cast<size_t>(omp_get_thread_num())].open();
    loops();
    tasks();
    for (size_t i = 0; i < used; i++)
        std::printf("%llu ", static_cast<unsigned long long>(times[i]));
    std::printf("\n");
    OK(aclrtSetDevice(0));
    OK(aclrtResetDeviceForce(0));
    OK(aclFinalize());
    return 0;
}
