// SPDX-License-Identifier: Apache-2.0
// Shapes of programs that use the system's own threads, timers and descriptors.
#include "shape.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>

namespace shape
{

namespace
{

class Lock
{
  public:
    void take() { pthread_mutex_lock(&mutex); }
    void drop() { pthread_mutex_unlock(&mutex); }
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

// A thread of the C library that runs a function object.
class Thread
{
  public:
    explicit Thread(std::function<void()> work)
        : work_(std::make_unique<std::function<void()>>(std::move(work)))
    {
        need(pthread_create(&thread_, nullptr, &Thread::run, work_.get()) == 0, "a thread");
    }
    void join() { pthread_join(thread_, nullptr); }

  private:
    static void *run(void *work)
    {
        (*static_cast<std::function<void()> *>(work))();
        return nullptr;
    }
    std::unique_ptr<std::function<void()>> work_;
    pthread_t thread_{};
};

// A bounded queue; -1 ends the thread that takes it.
class Queue
{
  public:
    explicit Queue(size_t room) : room_(room) {}
    void put(int value)
    {
        pthread_mutex_lock(&lock_);
        while (values_.size() >= room_)
            pthread_cond_wait(&changed_, &lock_);
        values_.push_back(value);
        pthread_cond_broadcast(&changed_);
        pthread_mutex_unlock(&lock_);
    }
    // us: 0 waits without a limit.
    int take(unsigned us = 0)
    {
        pthread_mutex_lock(&lock_);
        while (values_.empty()) {
            if (us == 0) {
                pthread_cond_wait(&changed_, &lock_);
                continue;
            }
            timespec at{};
            clock_gettime(CLOCK_REALTIME, &at);
            at.tv_nsec += static_cast<long>(us) * 1000;
            at.tv_sec += at.tv_nsec / 1000000000;
            at.tv_nsec %= 1000000000;
            pthread_cond_timedwait(&changed_, &lock_, &at);
        }
        int value = values_.front();
        values_.pop_front();
        pthread_cond_broadcast(&changed_);
        pthread_mutex_unlock(&lock_);
        return value;
    }

  private:
    size_t room_;
    std::deque<int> values_;
    pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_ = PTHREAD_COND_INITIALIZER;
};

using Threads = std::vector<std::unique_ptr<Thread>>;

void join(Threads &threads)
{
    for (auto &thread : threads)
        thread->join();
}

void pool(Numbers &numbers, uint64_t seed)
{
    Queue jobs(numbers.between(1, 8));
    Queue done(64);
    Threads threads;
    const unsigned workers = numbers.between(1, 5);
    const int count = static_cast<int>(numbers.between(2, 24));
    const bool timed = numbers.between(0, 1) != 0;
    for (unsigned i = 0; i < workers; i++)
        threads.push_back(std::make_unique<Thread>([&, i] {
            int job = jobs.take(timed ? 700 : 0);
            if (job < 0)
                return;
            Lane lane(i, seed);
            for (; job >= 0; job = jobs.take(timed ? 700 : 0)) {
                pause(lane.numbers);
                lane.item(static_cast<unsigned>(job));
                done.put(job);
            }
        }));
    Thread feeder([&] {
        for (int job = 0; job < count; job++)
            jobs.put(job);
        for (unsigned i = 0; i < workers; i++)
            jobs.put(-1);
    });
    int sum = 0;
    for (int job = 0; job < count; job++)
        sum += done.take();
    need(sum == count * (count - 1) / 2, "each job is done once");
    feeder.join();
    join(threads);
}

// Each stage hands its item on with an event, which the next stage's stream waits for.
void pipeline(Numbers &numbers, uint64_t seed)
{
    const unsigned stages = numbers.between(2, 5);
    const int count = static_cast<int>(numbers.between(2, 10));
    std::vector<std::unique_ptr<Queue>> between;
    std::vector<aclrtEvent> events(static_cast<size_t>(stages) * static_cast<size_t>(count));
    for (aclrtEvent &event : events)
        SHAPE_NEED(aclrtCreateEvent(&event));
    for (unsigned i = 0; i < stages; i++)
        between.push_back(std::make_unique<Queue>(numbers.between(1, 3)));
    Threads threads;
    for (unsigned stage = 0; stage < stages; stage++)
        threads.push_back(std::make_unique<Thread>([&, stage] {
            Lane lane(stage, seed);
            for (int number = 0; number < count; number++) {
                const int item = stage == 0 ? number : between[stage - 1]->take();
                need(item == number, "items keep their order");
                const size_t own = static_cast<size_t>(stage) * static_cast<size_t>(count) +
                                   static_cast<size_t>(item);
                if (stage > 0)
                    SHAPE_NEED(aclrtStreamWaitEvent(lane.stream(),
                                                    events[own - static_cast<size_t>(count)]));
                pause(lane.numbers);
                lane.begin(static_cast<unsigned>(item), events[own]);
                between[stage]->put(item);
                if (stage + 1 == stages || lane.numbers.between(0, 1) != 0)
                    lane.wait(events[own]);
                else
                    SHAPE_NEED(aclrtSynchronizeStream(lane.stream()));
                lane.finish(static_cast<unsigned>(item));
            }
        }));
    for (int number = 0; number < count; number++)
        need(between[stages - 1]->take() == number, "what comes out keeps its order");
    join(threads);
    for (aclrtEvent event : events)
        SHAPE_NEED(aclrtDestroyEvent(event));
}

void rpc(Numbers &numbers, uint64_t seed)
{
    const unsigned clients = numbers.between(1, 4);
    const unsigned calls = numbers.between(1, 8);
    const bool pipes = numbers.between(0, 1) != 0;
    Threads threads;
    for (unsigned i = 0; i < clients; i++) {
        int ends[4]; // request: read, write; reply: read, write
        if (pipes) {
            need(pipe(ends) == 0 && pipe(ends + 2) == 0, "pipes");
        } else {
            int pair[2];
            need(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0, "a pair of sockets");
            ends[0] = pair[0];
            ends[1] = pair[1];
            ends[2] = dup(pair[1]);
            ends[3] = dup(pair[0]);
        }
        const int request_in = ends[0], request_out = ends[1], reply_in = ends[2],
                  reply_out = ends[3];
        threads.push_back(std::make_unique<Thread>([=] {
            std::unique_ptr<Lane> lane;
            unsigned item = 0;
            while (read(request_in, &item, sizeof(item)) == sizeof(item) && item != ~0u) {
                if (!lane)
                    lane = std::make_unique<Lane>(i, seed);
                lane->item(item);
                need(write(reply_out, &item, sizeof(item)) == sizeof(item), "a reply");
            }
            close(request_in);
            close(reply_out);
        }));
        threads.push_back(std::make_unique<Thread>([=] {
            Numbers own(seed + i);
            for (unsigned call = 0; call < calls; call++) {
                unsigned answer = 0;
                pause(own);
                need(write(request_out, &call, sizeof(call)) == sizeof(call), "a request");
                need(read(reply_in, &answer, sizeof(answer)) == sizeof(answer) && answer == call,
                     "the reply to a request");
            }
            const unsigned end = ~0u;
            need(write(request_out, &end, sizeof(end)) == sizeof(end), "the end");
            close(request_out);
            close(reply_in);
        }));
    }
    join(threads);
}

struct Ticks {
    Gate *gate;
    uint64_t seed;
    std::atomic<unsigned> count{0};
    std::atomic<unsigned> done{0};
    unsigned wanted;
};

void tick(sigval value)
{
    auto *ticks = static_cast<Ticks *>(value.sival_ptr);
    const unsigned number = ticks->count.fetch_add(1);
    if (number >= ticks->wanted)
        return;
    {
        Lane lane(number, ticks->seed);
        lane.item(number);
    }
    if (ticks->done.fetch_add(1) + 1 == ticks->wanted)
        ticks->gate->open(nullptr); // the last of this thread's calls: main ends the device then
}

void timer_thread(Numbers &numbers, uint64_t seed)
{
    Gate gate;
    static Ticks ticks; // a late tick may come after the end of this function
    ticks.gate = &gate;
    ticks.seed = seed;
    ticks.wanted = numbers.between(1, 4);
    timer_t timer{};
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = tick;
    event.sigev_value.sival_ptr = &ticks;
    need(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "a timer");
    const long first = static_cast<long>(numbers.between(1, 900)) * 1000000;
    const itimerspec times{{0, 20000000}, {0, first}};
    need(timer_settime(timer, 0, &times, nullptr) == 0, "the timer's times");
    gate.wait();
    timer_delete(timer);
}

void timer_descriptor(Numbers &numbers, uint64_t seed)
{
    Gate gate;
    const unsigned wanted = numbers.between(1, 6);
    const long first = static_cast<long>(numbers.between(1, 900)) * 1000000;
    Thread ticker([&] {
        uint64_t expired = 0;
        const itimerspec times{{0, 5000000}, {0, first}};
        const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
        timerfd_settime(timer, 0, &times, nullptr);
        std::unique_ptr<Lane> lane;
        for (unsigned i = 0; i < wanted; i++) {
            need(read(timer, &expired, sizeof(expired)) == sizeof(expired), "a tick");
            if (!lane)
                lane = std::make_unique<Lane>(0, seed);
            lane->item(i);
        }
        gate.open(lane->stream());
        close(timer);
    });
    gate.wait();
    ticker.join();
}

void fork_join(Numbers &numbers, uint64_t seed)
{
    const unsigned team = numbers.between(2, 5);
    const unsigned steps = numbers.between(1, 6);
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, team + 1);
    Threads threads;
    for (unsigned i = 0; i < team; i++)
        threads.push_back(std::make_unique<Thread>([&, i] {
            Lane lane(i, seed);
            for (unsigned step = 0; step < steps; step++) {
                pthread_barrier_wait(&barrier);
                pause(lane.numbers);
                lane.item(step);
                pthread_barrier_wait(&barrier);
            }
        }));
    Numbers own(seed);
    for (unsigned step = 0; step < steps; step++) {
        pthread_barrier_wait(&barrier);
        pause(own);
        pthread_barrier_wait(&barrier);
    }
    join(threads);
    pthread_barrier_destroy(&barrier);
}

void producers(Numbers &numbers, uint64_t seed)
{
    sem_t filled;
    sem_t room;
    Lock lock;
    std::deque<unsigned> items;
    const unsigned makers = numbers.between(1, 3);
    const unsigned takers = numbers.between(1, 3);
    const unsigned each = numbers.between(1, 6);
    std::atomic<unsigned> taken{0};
    sem_init(&filled, 0, 0);
    sem_init(&room, 0, numbers.between(1, 4));
    Threads threads;
    for (unsigned i = 0; i < makers; i++)
        threads.push_back(std::make_unique<Thread>([&, i] {
            Numbers own(seed + 100 + i);
            for (unsigned item = 0; item < each; item++) {
                pause(own);
                sem_wait(&room);
                lock.take();
                items.push_back(item);
                lock.drop();
                sem_post(&filled);
            }
        }));
    for (unsigned i = 0; i < takers; i++)
        threads.push_back(std::make_unique<Thread>([&, i] {
            Lane lane(i, seed);
            while (taken.fetch_add(1) < makers * each) {
                sem_wait(&filled);
                lock.take();
                const unsigned item = items.front();
                items.pop_front();
                lock.drop();
                sem_post(&room);
                lane.item(item);
            }
        }));
    join(threads);
    need(items.empty(), "all items are taken");
    sem_destroy(&filled);
    sem_destroy(&room);
}

// A thread that never calls looks after the others.
void watchdog(Numbers &numbers, uint64_t seed)
{
    std::atomic<unsigned> beats{0};
    std::atomic<bool> over{false};
    Thread dog([&] {
        int64_t fed = now_ns();
        for (unsigned seen = 0; !over.load();) {
            usleep(5000);
            if (beats.load() != seen)
                fed = now_ns();
            seen = beats.load();
            need(now_ns() - fed < INT64_C(20000000000), "the watchdog is fed");
        }
    });
    Threads threads;
    const unsigned workers = numbers.between(1, 4);
    const unsigned each = numbers.between(2, 12);
    for (unsigned i = 0; i < workers; i++)
        threads.push_back(std::make_unique<Thread>([&, i] {
            Lane lane(i, seed);
            for (unsigned item = 0; item < each; item++) {
                lane.item(item);
                beats++;
                pause(lane.numbers);
            }
        }));
    join(threads);
    over = true;
    dog.join();
}

// Workers whose first call comes late, while main waits without a limit.
void lazy(Numbers &numbers, uint64_t seed)
{
    Gate gate;
    const unsigned workers = numbers.between(1, 4);
    std::atomic<unsigned> left{workers};
    Threads threads;
    for (unsigned i = 0; i < workers; i++) {
        const unsigned ms = numbers.between(100, 1100);
        const bool computes = numbers.between(0, 2) == 0;
        threads.push_back(std::make_unique<Thread>([&, i, ms, computes] {
            if (computes)
                compute(static_cast<int64_t>(ms) * 1000000);
            else
                usleep(ms * 1000);
            Lane lane(i, seed);
            lane.item(i);
            if (left.fetch_sub(1) == 1)
                gate.open(lane.stream());
        }));
    }
    gate.wait();
    join(threads);
}

// Threads that live for one item, and others that never call.
void come_and_go(Numbers &numbers, uint64_t seed)
{
    const unsigned rounds = numbers.between(3, 15);
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned many = numbers.between(1, 4);
        Threads threads;
        for (unsigned i = 0; i < many; i++) {
            if (numbers.between(0, 2) == 0)
                threads.push_back(std::make_unique<Thread>([seed, round, i] {
                    Numbers own(seed + round + i);
                    pause(own);
                }));
            else
                threads.push_back(std::make_unique<Thread>([seed, round, i] {
                    Lane lane(round * 8 + i, seed);
                    lane.item(round);
                }));
        }
        join(threads);
    }
}

void wake_loop(void *descriptor)
{
    const uint64_t one = 1;
    need(write(*static_cast<int *>(descriptor), &one, sizeof(one)) == sizeof(one), "a wake-up");
}

// One thread with a loop over descriptors: host functions of the device write to one of them.
void event_loop(Numbers &numbers, uint64_t seed)
{
    int wake = eventfd(0, EFD_CLOEXEC);
    const int loop = epoll_create1(EPOLL_CLOEXEC);
    epoll_event event{};
    event.events = EPOLLIN;
    need(epoll_ctl(loop, EPOLL_CTL_ADD, wake, &event) == 0, "epoll_ctl");
    aclrtEvent done;
    SHAPE_NEED(aclrtCreateEvent(&done));
    {
        Lane lane(0, seed);
        const unsigned items = numbers.between(1, 8);
        for (unsigned item = 0; item < items; item++) {
            uint64_t count = 0;
            lane.begin(item, done);
            SHAPE_NEED(aclrtLaunchHostFunc(lane.stream(), wake_loop, &wake));
            while (count == 0) {
                const int ready = epoll_wait(loop, &event, 1, numbers.between(0, 1) != 0 ? -1 : 10);
                if (ready == 1)
                    need(read(wake, &count, sizeof(count)) == sizeof(count), "the wake-up");
            }
            lane.finish(item);
        }
    }
    SHAPE_NEED(aclrtDestroyEvent(done));
    close(loop);
    close(wake);
}

std::atomic<unsigned> reports;

void reported(void *unused)
{
    (void)unused;
    reports++;
}

// A thread of the program takes the reports of callbacks.
void report_thread(Numbers &numbers, uint64_t seed)
{
    std::atomic<bool> over{false};
    std::atomic<uint64_t> id{0};
    reports = 0;
    Thread reporter([&] {
        SHAPE_NEED(aclrtSetDevice(0));
        id = static_cast<uint64_t>(pthread_self());
        while (!over.load())
            (void)aclrtProcessReport(static_cast<int32_t>(50));
    });
    while (id.load() == 0)
        usleep(100);
    {
        Lane lane(0, seed);
        aclrtEvent done;
        SHAPE_NEED(aclrtCreateEvent(&done));
        SHAPE_NEED(aclrtSubscribeReport(id.load(), lane.stream()));
        const unsigned items = numbers.between(1, 8);
        for (unsigned item = 0; item < items; item++) {
            lane.begin(item, done);
            SHAPE_NEED(aclrtLaunchCallback(reported, nullptr, ACL_CALLBACK_BLOCK, lane.stream()));
            pause(lane.numbers);
            SHAPE_NEED(aclrtSynchronizeStream(lane.stream()));
            lane.finish(item);
        }
        need(reports.load() == items, "each callback is called once");
        SHAPE_NEED(aclrtUnSubscribeReport(id.load(), lane.stream()));
        SHAPE_NEED(aclrtDestroyEvent(done));
    }
    over = true;
    reporter.join();
}

// Readers of a table that one thread writes.
void readers(Numbers &numbers, uint64_t seed)
{
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    unsigned table = 0;
    const unsigned threads_wanted = numbers.between(2, 4);
    const unsigned each = numbers.between(1, 6);
    Threads threads;
    for (unsigned i = 0; i < threads_wanted; i++)
        threads.push_back(std::make_unique<Thread>([&, i] {
            Lane lane(i, seed);
            for (unsigned item = 0; item < each; item++) {
                pthread_rwlock_rdlock(&lock);
                const unsigned value = table;
                lane.item(value);
                need(value == table, "no writer beside a reader");
                pthread_rwlock_unlock(&lock);
                pause(lane.numbers);
            }
        }));
    Numbers own(seed + 9);
    for (unsigned i = 0; i < 5; i++) {
        pthread_rwlock_wrlock(&lock);
        table++;
        pthread_rwlock_unlock(&lock);
        pause(own);
    }
    join(threads);
}

} // namespace

const std::vector<Family> c_families = {
    {"pool", pool, true},
    {"pipeline", pipeline, true},
    {"rpc", rpc, false}, // threads block in read()
    {"timer_thread", timer_thread, false},
    {"timer_descriptor", timer_descriptor, false},
    {"fork_join", fork_join, true},
    {"producers", producers, false}, // an atomic counter assigns the items to threads
    {"watchdog", watchdog, false},   // its loop depends on real time
    {"lazy", lazy, false},
    {"come_and_go", come_and_go, true},
    {"event_loop", event_loop, false},
    {"report_thread", report_thread, false},
    {"readers", readers, false},
};

} // namespace shape
