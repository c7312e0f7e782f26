// SPDX-License-Identifier: Apache-2.0
// Everyday shapes of threaded programs with the C++ library: each prints the times that its events
// measured, and in which order its threads came.
//
//   turns_shapes fork_join|pipeline|pool|spin
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"

namespace
{

constexpr int kThreads = 4;
constexpr size_t kBytes = 1 << 20;

void check(aclError code, const char *what)
{
    if (code == ACL_SUCCESS)
        return;
    std::fprintf(stderr, "%s answers %d: %s\n", what, code, aclGetRecentErrMsg());
    std::_Exit(1);
}
#define OK(call) check((call), #call)

/// A stream with its own memory and two events.
class Lane
{
  public:
    Lane()
    {
        OK(aclrtSetDevice(0));
        OK(aclrtCreateStream(&stream_));
        OK(aclrtCreateEvent(&begin_));
        OK(aclrtCreateEvent(&end_));
        OK(aclrtMalloc(&memory_, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    float run(size_t bytes, int times)
    {
        float ms = 0;
        OK(aclrtRecordEvent(begin_, stream_));
        for (int i = 0; i < times; i++)
            OK(aclrtMemsetAsync(memory_, kBytes, 1, bytes, stream_));
        OK(aclrtRecordEvent(end_, stream_));
        OK(aclrtSynchronizeStream(stream_));
        OK(aclrtEventElapsedTime(&ms, begin_, end_));
        return ms;
    }

  private:
    aclrtStream stream_ = nullptr;
    aclrtEvent begin_ = nullptr;
    aclrtEvent end_ = nullptr;
    void *memory_ = nullptr;
};

std::mutex log_lock;
std::string journal;

void note(int who, float ms)
{
    char text[48];
    std::snprintf(text, sizeof(text), "%d:%.5f ", who, static_cast<double>(ms));
    std::lock_guard<std::mutex> guard(log_lock);
    journal += text;
}

size_t bytes_of(int who, int step)
{
    return 1 + static_cast<size_t>(who * 7919 + step * 104729 + static_cast<int>(journal.size())) %
                   kBytes;
}

void fork_join()
{
    for (int round = 0; round < 4; round++) {
        std::vector<std::thread> threads;
        threads.reserve(kThreads);
        for (int i = 0; i < kThreads; i++)
            threads.emplace_back([i, round] {
                Lane lane;
                for (int step = 0; step < 3; step++)
                    note(i, lane.run(bytes_of(i, round + step), 2 + i));
            });
        for (auto &thread : threads)
            thread.join();
    }
}

/// A queue between two stages; an empty function ends it.
class Channel
{
  public:
    void put(int item)
    {
        std::unique_lock<std::mutex> lock(mutex_);
        room_.wait(lock, [this] { return items_.size() < 2; });
        items_.push_back(item);
        filled_.notify_one();
    }
    int take()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        while (!filled_.wait_for(lock, std::chrono::milliseconds(1),
                                 [this] { return !items_.empty(); }))
            waits_++;
        int item = items_.front();
        items_.pop_front();
        room_.notify_one();
        return item;
    }

  private:
    std::mutex mutex_;
    std::condition_variable filled_, room_;
    std::deque<int> items_;
    int waits_ = 0;
};

void pipeline()
{
    Channel channels[kThreads];
    std::vector<std::thread> stages;
    for (int i = 0; i + 1 < kThreads; i++)
        stages.emplace_back([i, &channels] {
            Lane lane;
            for (int item; (item = channels[i].take()) >= 0;) {
                note(i, lane.run(bytes_of(i, item), 1 + item % 5));
                channels[i + 1].put(item);
            }
            channels[i + 1].put(-1);
        });
    std::thread sink([&channels] {
        while (channels[kThreads - 1].take() >= 0)
            continue;
    });
    for (int item = 0; item < 12; item++)
        channels[0].put(item);
    channels[0].put(-1);
    for (auto &stage : stages)
        stage.join();
    sink.join();
}

void pool()
{
    std::mutex mutex;
    std::condition_variable changed;
    std::shared_mutex table;
    std::once_flag once;
    std::deque<std::packaged_task<float(Lane &)>> tasks;
    bool stop = false;
    std::vector<std::thread> workers;
    workers.reserve(kThreads);
    for (int i = 0; i < kThreads; i++)
        workers.emplace_back([&] {
            Lane lane;
            std::call_once(once, [&lane] { note(-1, lane.run(kBytes, 4)); });
            for (;;) {
                std::unique_lock<std::mutex> lock(mutex);
                changed.wait(lock, [&] { return stop || !tasks.empty(); });
                if (tasks.empty())
                    return;
                auto task = std::move(tasks.front());
                tasks.pop_front();
                lock.unlock();
                task(lane);
            }
        });
    std::vector<std::future<float>> results;
    for (int i = 0; i < 16; i++) {
        std::packaged_task<float(Lane &)> task([i, &table](Lane &lane) {
            std::shared_lock<std::shared_mutex> shared(table);
            float ms = lane.run(bytes_of(i, i), 1 + i % 3);
            note(i, ms);
            return ms;
        });
        results.push_back(task.get_future());
        {
            std::lock_guard<std::mutex> guard(mutex);
            tasks.push_back(std::move(task));
        }
        changed.notify_one();
        if (i % 5 == 4) {
            std::unique_lock<std::shared_mutex> alone(table);
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            note(100 + i, 0);
        }
    }
    for (auto &result : results)
        note(200, result.get());
    {
        std::lock_guard<std::mutex> guard(mutex);
        stop = true;
    }
    changed.notify_all();
    for (auto &worker : workers)
        worker.join();
}

/// Threads that wait for each other by giving the processor away.
void spin()
{
    std::atomic<int> turn{0};
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; i++)
        threads.emplace_back([i, &turn] {
            Lane lane;
            for (int round = 0; round < 3; round++) {
                while (turn.load() % kThreads != i)
                    std::this_thread::yield();
                note(i, lane.run(bytes_of(i, round), 3));
                turn++;
            }
        });
    for (auto &thread : threads)
        thread.join();
}

} // namespace

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)();
    } shapes[] = {{"fork_join", fork_join}, {"pipeline", pipeline}, {"pool", pool}, {"spin", spin}};
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
    for (const auto &shape : shapes)
        if (argc > 1 && std::strcmp(argv[1], shape.name) == 0)
            shape.run();
    std::printf("%s\n", journal.c_str());
    OK(aclrtResetDeviceForce(0));
    OK(aclFinalize());
    return journal.empty() ? 2 : 0;
}
