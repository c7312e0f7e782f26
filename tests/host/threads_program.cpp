/* SPDX-License-Identifier: Apache-2.0 */
// Every interposed primitive under contention, and cancellation; prints results that no order of
// threads changes.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <thread>
#include <vector>

namespace
{

constexpr int kThreads = 4;
constexpr int kRounds = 2000;

template <typename Body>
void on_threads(int count, Body body)
{
    std::vector<std::thread> threads;
    threads.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; i++)
        threads.emplace_back(body, i);
    for (std::thread &thread : threads)
        thread.join();
}

long queue_sum()
{
    std::mutex mutex;
    std::condition_variable filled;
    std::condition_variable drained;
    std::queue<int> queue;
    long sum = 0;
    int left = kRounds;
    bool stop = false;
    std::vector<std::thread> workers;
    workers.reserve(kThreads);
    for (int i = 0; i < kThreads; i++)
        workers.emplace_back([&] {
            std::unique_lock<std::mutex> lock(mutex);
            for (;;) {
                filled.wait(lock, [&] { return stop || !queue.empty(); });
                if (queue.empty())
                    return;
                sum += queue.front();
                queue.pop();
                if (--left == 0)
                    drained.notify_one();
            }
        });
    for (int i = 0; i < kRounds; i++) {
        {
            std::lock_guard<std::mutex> lock(mutex);
            queue.push(i);
        }
        filled.notify_one();
    }
    {
        std::unique_lock<std::mutex> lock(mutex);
        drained.wait(lock, [&] { return left == 0; });
        stop = true;
    }
    filled.notify_all();
    for (std::thread &worker : workers)
        worker.join();
    return sum;
}

long shared_count()
{
    std::shared_mutex mutex;
    long value = 0;
    on_threads(kThreads, [&](int number) {
        for (int i = 0; i < kRounds; i++) {
            if (number % 2 == 0) {
                std::unique_lock<std::shared_mutex> lock(mutex);
                value++;
            } else {
                std::shared_lock<std::shared_mutex> lock(mutex);
                if (value < 0)
                    std::abort();
            }
        }
    });
    return value;
}

int ping_pong()
{
    sem_t there;
    sem_t back;
    sem_init(&there, 0, 0);
    sem_init(&back, 0, 0);
    int count = 0;
    std::thread other([&] {
        for (int i = 0; i < kRounds; i++) {
            sem_wait(&there);
            count++;
            sem_post(&back);
        }
    });
    for (int i = 0; i < kRounds; i++) {
        sem_post(&there);
        sem_wait(&back);
    }
    other.join();
    sem_destroy(&there);
    sem_destroy(&back);
    return count;
}

int serial_threads()
{
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, kThreads);
    std::atomic<int> serial{0};
    on_threads(kThreads, [&](int) {
        for (int i = 0; i < kRounds; i++)
            serial += static_cast<int>(pthread_barrier_wait(&barrier) != 0);
    });
    pthread_barrier_destroy(&barrier);
    return serial;
}

struct Cancelled {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    bool cleaned = false;
};

void clean_up(void *argument)
{
    auto *cancelled = static_cast<Cancelled *>(argument);
    cancelled->cleaned = true;
    pthread_mutex_unlock(&cancelled->mutex);
}

void *wait_for_ever(void *argument)
{
    auto *cancelled = static_cast<Cancelled *>(argument);
    pthread_mutex_lock(&cancelled->mutex);
    pthread_cleanup_push(clean_up, cancelled);
    for (;;)
        pthread_cond_wait(&cancelled->cond, &cancelled->mutex);
    pthread_cleanup_pop(0);
    return nullptr;
}

bool cancel()
{
    Cancelled cancelled;
    pthread_t thread;
    pthread_create(&thread, nullptr, wait_for_ever, &cancelled);
    pthread_cancel(thread);
    void *result = nullptr;
    pthread_join(thread, &result);
    /* Cancelled before it came to its cleanup, or in its wait. */
    bool free = pthread_mutex_trylock(&cancelled.mutex) == 0;
    pthread_mutex_unlock(&cancelled.mutex);
    pthread_mutex_destroy(&cancelled.mutex);
    pthread_cond_destroy(&cancelled.cond);
    return result == PTHREAD_CANCELED && free;
}

} // namespace

int main()
{
    std::printf("%ld\n%ld\n%d\n%d\n", queue_sum(), shared_count(), ping_pong(), serial_threads());
    std::future<int> later = std::async(std::launch::async, [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return 7;
    });
    std::printf("%d\n", later.get());
    std::mutex mutex;
    std::condition_variable never;
    std::unique_lock<std::mutex> lock(mutex);
    bool late = never.wait_for(lock, std::chrono::milliseconds(2)) == std::cv_status::timeout;
    std::printf("%d\n", static_cast<int>(late));
    bool all = true;
    for (int i = 0; i < 20; i++)
        all = cancel() && all;
    std::printf("%d\n", static_cast<int>(all));
    return 0;
}
