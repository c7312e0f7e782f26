// SPDX-License-Identifier: Apache-2.0
// Shapes of programs that use the threads of C++, OpenMP and TBB.
#include "shape.h"

#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <stop_token>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef TWIN_HAVE_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>
#endif

namespace shape
{

namespace
{

// Futures of functions that run beside main, some only when they are asked for.
void futures(Numbers &numbers, uint64_t seed)
{
    const unsigned count = numbers.between(2, 8);
    std::vector<std::future<unsigned>> results;
    for (unsigned i = 0; i < count; i++) {
        const auto how = numbers.between(0, 3) == 0 ? std::launch::deferred : std::launch::async;
        results.push_back(std::async(how, [i, seed] {
            Lane lane(i, seed);
            pause(lane.numbers);
            lane.item(i);
            return i;
        }));
    }
    unsigned sum = 0;
    for (auto &result : results) {
        while (numbers.between(0, 1) != 0 &&
               result.wait_for(std::chrono::milliseconds(2)) == std::future_status::timeout)
            continue;
        sum += result.get();
    }
    need(sum == count * (count - 1) / 2, "each future has its value");
}

// A promise goes from thread to thread.
void promises(Numbers &numbers, uint64_t seed)
{
    const unsigned count = numbers.between(2, 6);
    std::vector<std::promise<unsigned>> chain(count + 1);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; i++)
        threads.emplace_back([&chain, i, seed] {
            const unsigned value = chain[i].get_future().get();
            Lane lane(i, seed);
            lane.item(value);
            chain[i + 1].set_value(value + 1);
        });
    pause(numbers);
    chain[0].set_value(7);
    need(chain[count].get_future().get() == 7 + count, "the value at the end of the chain");
    for (auto &thread : threads)
        thread.join();
}

void latches(Numbers &numbers, uint64_t seed)
{
    const unsigned count = numbers.between(2, 5);
    const unsigned steps = numbers.between(1, 5);
    std::latch ready(count);
    std::latch go(1);
    std::barrier step_over(count);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; i++)
        threads.emplace_back([&, i] {
            Lane lane(i, seed);
            ready.count_down();
            go.wait();
            for (unsigned step = 0; step < steps; step++) {
                pause(lane.numbers);
                lane.item(step);
                step_over.arrive_and_wait();
            }
        });
    ready.wait();
    go.count_down();
    for (auto &thread : threads)
        thread.join();
}

// A pool of C++ threads, fed through a condition variable with time limits, stopped by a token.
void cpp_pool(Numbers &numbers, uint64_t seed)
{
    std::mutex lock;
    std::condition_variable_any changed;
    std::vector<unsigned> jobs;
    unsigned done = 0;
    const unsigned count = numbers.between(2, 16);
    const unsigned workers = numbers.between(1, 4);
    const bool timed = numbers.between(0, 1) != 0;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < workers; i++)
        threads.emplace_back([&, i](const std::stop_token &stop) {
            std::unique_ptr<Lane> lane;
            for (;;) {
                std::unique_lock<std::mutex> guard(lock);
                const auto any = [&jobs] { return !jobs.empty(); };
                bool got = timed ? changed.wait_for(guard, stop, std::chrono::milliseconds(1), any)
                                 : changed.wait(guard, stop, any);
                if (!got && stop.stop_requested())
                    return;
                if (!got)
                    continue;
                const unsigned job = jobs.back();
                jobs.pop_back();
                guard.unlock();
                if (!lane)
                    lane = std::make_unique<Lane>(i, seed);
                lane->item(job);
                guard.lock();
                done++;
                changed.notify_all();
            }
        });
    for (unsigned job = 0; job < count; job++) {
        pause(numbers);
        const std::lock_guard<std::mutex> guard(lock);
        jobs.push_back(job);
        changed.notify_one();
    }
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [&] { return done == count; });
    guard.unlock();
    for (auto &thread : threads)
        thread.request_stop();
}

void semaphores(Numbers &numbers, uint64_t seed)
{
    std::counting_semaphore<8> slots(static_cast<std::ptrdiff_t>(numbers.between(1, 3)));
    const unsigned count = numbers.between(2, 6);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; i++)
        threads.emplace_back([&, i] {
            Lane lane(i, seed);
            for (unsigned item = 0; item < 3; item++) {
                slots.acquire();
                lane.item(item);
                slots.release();
                std::this_thread::sleep_for(
                    std::chrono::microseconds(lane.numbers.between(1, 2000)));
            }
        });
    for (auto &thread : threads)
        thread.join();
}

#ifdef _OPENMP
void openmp(Numbers &numbers, uint64_t seed)
{
    const int team = static_cast<int>(numbers.between(2, 4));
    const int steps = static_cast<int>(numbers.between(1, 4));
    unsigned sum = 0;
    for (int step = 0; step < steps; step++) {
#pragma omp parallel for num_threads(team) reduction(+ : sum) schedule(static)
        for (int i = 0; i < 2 * team; i++) {
            Lane lane(static_cast<unsigned>(i), seed);
            pause(lane.numbers);
            lane.item(static_cast<unsigned>(step));
            sum += static_cast<unsigned>(i);
        }
    }
    need(sum == static_cast<unsigned>(steps * team * (2 * team - 1)),
         "each turn of the loop took place once");
}
#endif

#ifdef TWIN_HAVE_TBB
void tasks(Numbers &numbers, uint64_t seed)
{
    const unsigned count = numbers.between(2, 12);
    std::vector<unsigned> seen(count);
    tbb::parallel_for(0u, count, [&](unsigned i) {
        Lane lane(i, seed);
        lane.item(i);
        seen[i]++;
    });
    tbb::task_group group;
    for (unsigned i = 0; i < count; i++)
        group.run([&, i] {
            Lane lane(count + i, seed);
            pause(lane.numbers);
            lane.item(i);
            seen[i]++;
        });
    group.wait();
    need(std::accumulate(seen.begin(), seen.end(), 0u) == 2 * count, "each task ran once");
}
#endif

} // namespace

const std::vector<Family> cpp_families = {
    {"futures", futures, true},
    {"promises", promises, true},
    {"latches", latches, false},   // atomic words, not the C library's primitives
    {"cpp_pool", cpp_pool, false}, // wait_for() reads the system's clock after the wait
    {"semaphores", semaphores, false},
#ifdef _OPENMP
    {"openmp", openmp, false},
#endif
#ifdef TWIN_HAVE_TBB
    {"tbb", tasks, false},
#endif
};

} // namespace shape
