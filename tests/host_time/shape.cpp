// SPDX-License-Identifier: Apache-2.0
#include "shape.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>

namespace shape
{

static std::mutex times_lock;
static std::map<unsigned, std::vector<uint64_t>> all_times; // by lane

uint64_t Numbers::next()
{
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1du >> 16;
}

void need(bool good, const char *what)
{
    if (good)
        return;
    printf("failed=%s\n", what);
    fflush(stdout);
    _exit(1);
}

void need(aclError code, const char *what)
{
    if (code == ACL_SUCCESS)
        return;
    const char *text = aclGetRecentErrMsg();
    printf("failed=%s code=%d\n%s\n", what, code, text ? text : "");
    fflush(stdout);
    _exit(1);
}

int64_t now_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void compute(int64_t ns)
{
    volatile uint64_t sum = 0;
    for (int64_t end = now_ns() + ns; now_ns() < end;)
        sum = sum + 1;
}

static timespec deadline(clockid_t clock, unsigned us)
{
    timespec at{};
    clock_gettime(clock, &at);
    at.tv_nsec += static_cast<long>(us) * 1000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

void pause(Numbers &numbers)
{
    const unsigned us = numbers.between(1, 3000);
    const timespec time{0, static_cast<long>(us) * 1000};
    switch (numbers.between(0, 9)) {
    case 0:
        usleep(us);
        break;
    case 1:
        nanosleep(&time, nullptr);
        break;
    case 2: {
        timespec at = deadline(CLOCK_MONOTONIC, us);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
        break;
    }
    case 3:
        ::poll(nullptr, 0, static_cast<int>(us / 1000));
        break;
    case 4: {
        pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t never = PTHREAD_COND_INITIALIZER;
        timespec at = deadline(CLOCK_REALTIME, us);
        pthread_mutex_lock(&lock);
        while (pthread_cond_timedwait(&never, &lock, &at) == 0)
            continue;
        pthread_mutex_unlock(&lock);
        break;
    }
    case 5: {
        sem_t never;
        sem_init(&never, 0, 0);
        timespec at = deadline(CLOCK_REALTIME, us);
        while (sem_timedwait(&never, &at) != 0 && errno == EINTR)
            continue;
        sem_destroy(&never);
        break;
    }
    case 6:
        compute(static_cast<int64_t>(us) * 300);
        break;
    case 7:
        sched_yield();
        break;
    default:
        break;
    }
}

// ---- lanes -------------------------------------------------------------------------------------

Lane::Lane(unsigned number, uint64_t seed)
    : numbers(seed * 1000 + number + 1), number_(number), bytes_(numbers.between(1, bytes_most))
{
    void *pinned = nullptr;
    SHAPE_NEED(aclrtSetDevice(0));
    SHAPE_NEED(aclrtCreateStream(&stream_));
    SHAPE_NEED(aclrtCreateEventWithFlag(&event_, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    SHAPE_NEED(aclrtMalloc(&device_, bytes_most, ACL_MEM_MALLOC_HUGE_FIRST));
    SHAPE_NEED(aclrtMallocHost(&pinned, 2 * bytes_most));
    there_ = static_cast<unsigned char *>(pinned);
    back_ = there_ + bytes_most;
}

Lane::~Lane()
{
    SHAPE_NEED(aclrtSynchronizeStream(stream_));
    SHAPE_NEED(aclrtDestroyEvent(event_));
    SHAPE_NEED(aclrtDestroyStream(stream_));
    SHAPE_NEED(aclrtFree(device_));
    SHAPE_NEED(aclrtFreeHost(there_));
    const std::lock_guard<std::mutex> guard(times_lock);
    auto &mine = all_times[number_];
    mine.insert(mine.end(), times_.begin(), times_.end());
}

void Lane::begin(unsigned item, aclrtEvent done)
{
    for (size_t i = 0; i < bytes_; i++)
        there_[i] = static_cast<unsigned char>(i * 7 + item * 13 + number_);
    memset(back_, 0xa5, bytes_);
    SHAPE_NEED(
        aclrtMemcpyAsync(device_, bytes_most, there_, bytes_, ACL_MEMCPY_HOST_TO_DEVICE, stream_));
    SHAPE_NEED(
        aclrtMemcpyAsync(back_, bytes_most, device_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST, stream_));
    SHAPE_NEED(aclrtRecordEvent(done, stream_));
}

void Lane::finish(unsigned item)
{
    for (size_t i = 0; i < bytes_; i++)
        need(back_[i] == static_cast<unsigned char>(i * 7 + item * 13 + number_),
             "bytes of an item");
}

struct Called {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    bool done = false;
};

static void called(void *argument)
{
    auto *call = static_cast<Called *>(argument);
    pthread_mutex_lock(&call->lock);
    call->done = true;
    pthread_cond_signal(&call->changed);
    pthread_mutex_unlock(&call->lock);
}

void Lane::wait(aclrtEvent event)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    switch (numbers.between(0, 5)) {
    case 0:
        SHAPE_NEED(aclrtSynchronizeEvent(event));
        break;
    case 1:
        while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) {
            SHAPE_NEED(aclrtQueryEventStatus(event, &status));
            if (status != ACL_EVENT_RECORDED_STATUS_COMPLETE)
                usleep(numbers.between(20, 500));
        }
        break;
    case 2:
        while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) {
            SHAPE_NEED(aclrtQueryEventStatus(event, &status));
            sched_yield();
        }
        break;
    case 3:
        for (aclError code = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT; code != ACL_SUCCESS;) {
            code = aclrtSynchronizeStreamWithTimeout(stream_, 1);
            need(code == ACL_SUCCESS || code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                 "a wait with a limit");
        }
        break;
    case 4: {
        Called call;
        SHAPE_NEED(aclrtLaunchHostFunc(stream_, called, &call));
        pthread_mutex_lock(&call.lock);
        while (!call.done)
            pthread_cond_wait(&call.changed, &call.lock);
        pthread_mutex_unlock(&call.lock);
        break;
    }
    default:
        SHAPE_NEED(aclrtSynchronizeStream(stream_));
        break;
    }
}

void Lane::item(unsigned item)
{
    uint64_t time = 0;
    begin(item, event_);
    wait(event_);
    finish(item);
    SHAPE_NEED(aclrtEventGetTimestamp(event_, &time));
    times_.push_back(time);
}

void print_times()
{
    for (const auto &[lane, times] : all_times)
        for (size_t i = 0; i < times.size(); i++)
            printf("t%u.%zu=%llu\n", lane, i, static_cast<unsigned long long>(times[i]));
}

// ---- gates -------------------------------------------------------------------------------------

Gate::Gate()
{
    SHAPE_NEED(aclrtSetDevice(0));
    SHAPE_NEED(aclrtCreateNotify(&notify_, 0));
    SHAPE_NEED(aclrtCreateStream(&stream_));
    SHAPE_NEED(aclrtWaitAndResetNotify(notify_, stream_, 0));
}

Gate::~Gate()
{
    SHAPE_NEED(aclrtDestroyStream(stream_));
    SHAPE_NEED(aclrtDestroyNotify(notify_));
}

void Gate::open(aclrtStream stream)
{
    SHAPE_NEED(aclrtRecordNotify(notify_, stream));
}

void Gate::wait()
{
    SHAPE_NEED(aclrtSynchronizeStream(stream_));
}

} // namespace shape

int main(int argc, char **argv)
{
    using namespace shape;
    std::vector<Family> families = c_families;
    families.insert(families.end(), cpp_families.begin(), cpp_families.end());
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (const Family &family : families)
            printf("%s %d\n", family.name, family.ordered);
        return 0;
    }
    const auto found = std::find_if(families.begin(), families.end(), [&](const Family &family) {
        return argc == 3 && strcmp(family.name, argv[1]) == 0;
    });
    if (found == families.end()) {
        fprintf(stderr, "usage: shapes --list | FAMILY SEED\n");
        return 2;
    }
    const uint64_t seed = strtoull(argv[2], nullptr, 10);
    Numbers numbers(seed);
    SHAPE_NEED(aclInit(nullptr));
    SHAPE_NEED(aclrtSetDevice(0));
    found->run(numbers, seed);
    print_times();
    SHAPE_NEED(aclrtResetDevice(0));
    SHAPE_NEED(aclFinalize());
    printf("done=1\n");
    return 0;
}
