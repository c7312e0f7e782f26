/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of everyday shapes whose threads spend time outside the runtime. `rows NAME [NUMBER]`
 * runs one and prints its results as "name=value"; rows_test.py has the expected ones. */
#include <acl/acl.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S    INT64_C(1000000000)
#define NS_PER_MS   INT64_C(1000000)
#define COPY_BYTES  (64u << 20) /* some ms of the link */
#define SMALL_BYTES 4096u
#define TEAM        4
#define TEAM_STEPS  6

static aclrtStream stream;
static aclrtNotify notify;

#define NEED(call) need((call), #call)
static void need(aclError code, const char *what)
{
    if (code == ACL_SUCCESS)
        return;
    printf("failed=%s code=%d\n", what, code);
    exit(1);
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void sleep_ns(int64_t ns)
{
    struct timespec left = {.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
    while (nanosleep(&left, &left) != 0)
        continue;
}

static double ms_since(int64_t begin_ns)
{
    return (double)(now_ns() - begin_ns) / (double)NS_PER_MS;
}

/* A thread's first calls: it records the notify that main waits for. */
static void hand_over(void)
{
    aclrtStream own;
    NEED(aclrtSetDevice(0));
    NEED(aclrtCreateStream(&own));
    NEED(aclrtRecordNotify(notify, own));
    NEED(aclrtSynchronizeStream(own));
}

/* main waits for the device until another thread has recorded the notify. */
static void wait_for_notify(void)
{
    NEED(aclrtWaitAndResetNotify(notify, stream, 0));
    printf("code=%d\n", aclrtSynchronizeStream(stream));
}

static pthread_t start(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, function, argument) != 0)
        exit(1);
    return thread;
}

/* ---- row 1: a pool thread waits for its first job -------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool job;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};

static unsigned char job_data[32u << 20];

static void *pool_thread(void *unused)
{
    pthread_mutex_lock(&pool.lock);
    while (!pool.job)
        pthread_cond_wait(&pool.changed, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    memset(job_data, 1, sizeof(job_data)); /* the job begins with work of the host */
    hand_over();
    return unused;
}

static void row_pool(int64_t unused)
{
    (void)unused;
    pthread_t thread = start(pool_thread, NULL);
    aclrtStream blocked;
    aclrtNotify never;
    NEED(aclrtCreateStream(&blocked));
    NEED(aclrtCreateNotify(&never, 0));
    NEED(aclrtWaitAndResetNotify(never, blocked, 0));
    printf("timed=%d\n", aclrtSynchronizeStreamWithTimeout(blocked, 1000));
    pthread_mutex_lock(&pool.lock);
    pool.job = true;
    pthread_cond_signal(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    wait_for_notify();
    pthread_join(thread, NULL);
    NEED(aclrtRecordNotify(never, stream));
    NEED(aclrtSynchronizeStream(blocked));
}

/* ---- row 2: a worker that calls late --------------------------------------------------------- */

static void *sleeper(void *ms)
{
    sleep_ns(*(int64_t *)ms * NS_PER_MS);
    hand_over();
    return NULL;
}

static void row_sleep(int64_t ms)
{
    pthread_t thread = start(sleeper, &ms);
    wait_for_notify();
    pthread_join(thread, NULL);
}

/* An armed timer may act at any time; so main sleeps in real time, and the thread's sleep must come
 * to its end beside it. */
static void row_armed(int64_t ms)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec hour = {.it_value = {.tv_sec = 3600}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &hour, NULL) != 0)
        exit(1);
    row_sleep(ms);
    timer_delete(timer);
}

static void *computer(void *ms)
{
    volatile uint64_t sum = 0;
    for (int64_t end = now_ns() + *(int64_t *)ms * NS_PER_MS; now_ns() < end;)
        sum = sum + 1;
    hand_over();
    return NULL;
}

static void row_compute(int64_t ms)
{
    pthread_t thread = start(computer, &ms);
    wait_for_notify();
    pthread_join(thread, NULL);
}

static void *reader(void *descriptor)
{
    char byte;
    if (read(*(int *)descriptor, &byte, 1) != 1)
        exit(1);
    hand_over();
    return NULL;
}

/* The child is there before the runtime is: see main(). */
static int pipe_of_child;

static void make_child(int64_t ms)
{
    int ends[2];
    if (pipe(ends) != 0)
        exit(1);
    if (fork() == 0) {
        sleep_ns(ms * NS_PER_MS);
        _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
    }
    close(ends[1]);
    pipe_of_child = ends[0];
}

static void row_child(int64_t ms)
{
    (void)ms;
    pthread_t thread = start(reader, &pipe_of_child);
    wait_for_notify();
    pthread_join(thread, NULL);
}

/* The end of a child process is a signal, whose handler posts a semaphore. */
static sem_t child_over;

static void on_child(int number)
{
    (void)number;
    sem_post(&child_over);
}

static void make_short_child(int64_t ms)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    sem_init(&child_over, 0, 0);
    sigaction(SIGCHLD, &action, NULL);
    if (fork() == 0) {
        sleep_ns(ms * NS_PER_MS);
        _exit(0);
    }
}

static void *parent(void *unused)
{
    while (sem_wait(&child_over) != 0)
        continue;
    hand_over();
    return unused;
}

static void row_signal(int64_t ms)
{
    (void)ms;
    pthread_t thread = start(parent, NULL);
    wait_for_notify();
    pthread_join(thread, NULL);
}

static int listener;

static void *server(void *unused)
{
    int client = accept(listener, NULL, NULL);
    char byte;
    if (client < 0 || read(client, &byte, 1) != 1)
        exit(1);
    close(client);
    hand_over();
    return unused;
}

/* The client is a separate process; it connects after the given time. */
static void make_client(int64_t ms)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0)
        exit(1);
    if (fork() != 0)
        return;
    sleep_ns(ms * NS_PER_MS);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    _exit(connect(client, (struct sockaddr *)&address, length) == 0 && write(client, "x", 1) == 1
              ? 0
              : 1);
}

static void row_socket(int64_t ms)
{
    (void)ms;
    pthread_t thread = start(server, NULL);
    wait_for_notify();
    pthread_join(thread, NULL);
}

static sem_t timer_over;

static void on_timer(union sigval unused)
{
    (void)unused;
    hand_over();
    sem_post(&timer_over);
}

static void row_timer(int64_t ms)
{
    timer_t timer;
    sem_init(&timer_over, 0, 0);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
    struct itimerspec once = {.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * NS_PER_MS}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &once, NULL) != 0)
        exit(1);
    wait_for_notify();
    sem_wait(&timer_over);
    timer_delete(timer);
}

/* ---- rows 3 and 4: how long the host takes between calls ------------------------------------- */

static void *pinned;
static void *device_memory;

static void begin_copy(aclrtEvent event, aclrtMemcpyKind kind)
{
    NEED(aclrtMallocHost(&pinned, COPY_BYTES));
    NEED(aclrtMalloc(&device_memory, COPY_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    memset(pinned, 0, COPY_BYTES);
    if (kind == ACL_MEMCPY_DEVICE_TO_HOST) {
        NEED(aclrtMemset(device_memory, COPY_BYTES, 1, COPY_BYTES));
        NEED(aclrtMemcpyAsync(pinned, COPY_BYTES, device_memory, COPY_BYTES, kind, stream));
    } else {
        NEED(aclrtMemcpyAsync(device_memory, COPY_BYTES, pinned, COPY_BYTES, kind, stream));
    }
    if (event)
        NEED(aclrtRecordEvent(event, stream));
}

static bool is_complete(aclrtEvent event)
{
    aclrtEventRecordedStatus status;
    NEED(aclrtQueryEventStatus(event, &status));
    return status == ACL_EVENT_RECORDED_STATUS_COMPLETE;
}

static void row_poll(int64_t sleep_us)
{
    aclrtEvent event;
    NEED(aclrtCreateEvent(&event));
    begin_copy(event, ACL_MEMCPY_HOST_TO_DEVICE);
    int64_t begin = now_ns();
    unsigned polls = 1;
    for (; !is_complete(event); polls++)
        usleep((useconds_t)sleep_us);
    printf("polls=%u ms=%.0f\n", polls, ms_since(begin));
}

static void row_ask_once(int64_t ms)
{
    aclrtEvent event;
    NEED(aclrtCreateEvent(&event));
    begin_copy(event, ACL_MEMCPY_HOST_TO_DEVICE);
    sleep_ns(ms * NS_PER_MS);
    printf("complete=%d\n", is_complete(event));
}

static void row_spin(int64_t unused)
{
    (void)unused;
    begin_copy(NULL, ACL_MEMCPY_DEVICE_TO_HOST);
    int64_t begin = now_ns();
    const volatile unsigned char *last = (unsigned char *)pinned + COPY_BYTES - 1;
    while (*last != 1)
        continue;
    printf("ms=%.0f\n", ms_since(begin));
}

/* ---- row 5: fork and join -------------------------------------------------------------------- */

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned shared_sum; /* guarded by lock */

struct member {
    unsigned number;
    uint64_t times[TEAM_STEPS];
};

static void team_step(struct member *member, aclrtStream own, aclrtEvent event, void *memory,
                      int step)
{
    static unsigned char host[TEAM][SMALL_BYTES];
    volatile unsigned work = 0;
    for (unsigned i = 0; i < 20000 * (member->number + 1); i++)
        work = work + 1;
    pthread_mutex_lock(&lock);
    shared_sum += member->number;
    pthread_mutex_unlock(&lock);
    NEED(aclrtMemcpyAsync(memory, SMALL_BYTES, host[member->number], SMALL_BYTES,
                          ACL_MEMCPY_HOST_TO_DEVICE, own));
    NEED(aclrtRecordEvent(event, own));
    NEED(aclrtSynchronizeEvent(event));
    NEED(aclrtEventGetTimestamp(event, &member->times[step]));
    pthread_barrier_wait(&barrier);
}

static void *team_member(void *argument)
{
    struct member *member = argument;
    aclrtStream own;
    aclrtEvent event;
    void *memory;
    NEED(aclrtSetDevice(0));
    NEED(aclrtCreateStream(&own));
    NEED(aclrtCreateEventWithFlag(&event, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    NEED(aclrtMalloc(&memory, SMALL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int step = 0; step < TEAM_STEPS; step++)
        team_step(member, own, event, memory, step);
    NEED(aclrtFree(memory));
    NEED(aclrtDestroyStream(own));
    return NULL;
}

static void row_team(int64_t unused)
{
    (void)unused;
    struct member members[TEAM];
    pthread_t threads[TEAM];
    pthread_barrier_init(&barrier, NULL, TEAM);
    for (unsigned i = 0; i < TEAM; i++) {
        members[i] = (struct member){.number = i};
        threads[i] = start(team_member, &members[i]);
    }
    for (unsigned i = 0; i < TEAM; i++) {
        pthread_join(threads[i], NULL);
        for (int step = 0; step < TEAM_STEPS; step++)
            printf("t%u.%d=%llu\n", i, step, (unsigned long long)members[i].times[step]);
    }
}

/* ---- rows 10 to 14 --------------------------------------------------------------------------- */

static volatile bool idle_over;

static void *idle_thread(void *unused)
{
    int32_t device;
    NEED(aclrtSetDevice(0));
    NEED(aclrtGetDevice(&device));
    while (!idle_over)
        sleep_ns(NS_PER_MS);
    return unused;
}

static void row_reset(int64_t unused)
{
    (void)unused;
    pthread_t thread = start(idle_thread, NULL);
    NEED(aclrtWaitAndResetNotify(notify, stream, 0));
    sleep_ns(50 * NS_PER_MS);
    int64_t begin = now_ns();
    printf("code=%d ", aclrtResetDeviceForce(0));
    printf("ms=%.0f\n", ms_since(begin));
    idle_over = true;
    pthread_join(thread, NULL);
}

static void *short_lived(void *unused)
{
    return unused;
}

static void *factory(void *ms)
{
    for (int64_t end = now_ns() + *(int64_t *)ms * NS_PER_MS; now_ns() < end;) {
        pthread_join(start(short_lived, NULL), NULL);
        sleep_ns(5 * NS_PER_MS);
    }
    return NULL;
}

static void row_deadlock(int64_t ms)
{
    static int64_t duration;
    duration = ms;
    pthread_t thread = start(factory, &duration);
    NEED(aclrtWaitAndResetNotify(notify, stream, 0));
    int64_t begin = now_ns();
    printf("code=%d ", aclrtSynchronizeStream(stream));
    printf("ms=%.0f\n", ms_since(begin));
    pthread_join(thread, NULL);
}

static void row_report(int64_t ms)
{
    int64_t longer = ms + 500; /* alone, main would see time jump */
    pthread_t thread = start(sleeper, &longer);
    unsigned rounds = 0;
    int64_t begin = now_ns();
    NEED(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    for (; now_ns() < begin + ms * NS_PER_MS; rounds++)
        (void)aclrtProcessReport(1000);
    printf("rounds=%u ms=%.0f\n", rounds, ms_since(begin));
    pthread_join(thread, NULL);
}

static uint64_t copy_and_stamp(float *out_ms)
{
    aclrtEvent begin;
    aclrtEvent end;
    uint64_t stamp;
    static unsigned char host[SMALL_BYTES];
    NEED(aclrtCreateEventWithFlag(&begin, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    NEED(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE | ACL_EVENT_SYNC));
    NEED(aclrtRecordEvent(begin, stream));
    NEED(aclrtMemcpyAsync(device_memory, SMALL_BYTES, host, SMALL_BYTES, ACL_MEMCPY_HOST_TO_DEVICE,
                          stream));
    NEED(aclrtRecordEvent(end, stream));
    NEED(aclrtSynchronizeStream(stream));
    NEED(aclrtEventElapsedTime(out_ms, begin, end));
    NEED(aclrtEventGetTimestamp(end, &stamp));
    NEED(aclrtDestroyEvent(begin));
    NEED(aclrtDestroyEvent(end));
    return stamp;
}

/* Waits that run into their limits, of 24.8 days each. */
static void row_years(int64_t years)
{
    aclrtStream blocked;
    float first_ms;
    float last_ms;
    NEED(aclrtMalloc(&device_memory, SMALL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    NEED(aclrtCreateStream(&blocked));
    NEED(aclrtWaitAndResetNotify(notify, blocked, 0));
    uint64_t first = copy_and_stamp(&first_ms);
    uint64_t stamp = first;
    bool grows = true;
    int64_t waits = years * 365 * 86400 / (INT32_MAX / 1000) + 1;
    for (int64_t i = 0; i < waits; i++) {
        if (aclrtSynchronizeStreamWithTimeout(blocked, INT32_MAX) !=
            ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
            exit(1);
        uint64_t next = copy_and_stamp(&last_ms);
        grows = grows && next > stamp;
        stamp = next;
    }
    printf("years=%.1f grows=%d first_us=%.3f last_us=%.3f\n",
           (double)(stamp - first) / 1e6 / 86400 / 365, grows, (double)first_ms * 1e3,
           (double)last_ms * 1e3);
    NEED(aclrtRecordNotify(notify, stream));
    NEED(aclrtSynchronizeStream(blocked));
}

/* ---- main ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*run)(int64_t number);
    void (*before)(int64_t number); /* what has to fork before the runtime begins */
} rows[] = {
    {"armed", row_armed, NULL},       {"ask_once", row_ask_once, NULL},
    {"child", row_child, make_child}, {"compute", row_compute, NULL},
    {"deadlock", row_deadlock, NULL}, {"poll", row_poll, NULL},
    {"pool", row_pool, NULL},         {"report", row_report, NULL},
    {"reset", row_reset, NULL},       {"signal", row_signal, make_short_child},
    {"sleep", row_sleep, NULL},       {"socket", row_socket, make_client},
    {"spin", row_spin, NULL},         {"team", row_team, NULL},
    {"timer", row_timer, NULL},       {"years", row_years, NULL},
};

int main(int argc, char **argv)
{
    int64_t number = argc > 2 ? atoll(argv[2]) : 0;
    for (size_t i = 0; argc > 1 && i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcmp(rows[i].name, argv[1]) != 0)
            continue;
        if (rows[i].before)
            rows[i].before(number);
        NEED(aclInit(NULL));
        NEED(aclrtSetDevice(0));
        NEED(aclrtCreateStream(&stream));
        NEED(aclrtCreateNotify(&notify, 0));
        rows[i].run(number);
        printf("done=1\n");
        return 0;
    }
    fprintf(stderr, "usage: rows NAME [NUMBER]\n");
    return 2;
}
