/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of programs of everyday shapes: numbers of a seed, pauses of the host, pieces of
 * device work that check their bytes. */
#ifndef TWINRT_TESTS_SHAPE_H
#define TWINRT_TESTS_SHAPE_H

#include <acl/acl.h>

#include <cstdint>
#include <vector>

namespace shape
{

/* A seed's numbers; each thread has its own, so that they do not depend on the threads' order. */
class Numbers
{
  public:
    explicit Numbers(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint64_t next();
    /* least to most, both included. */
    unsigned between(unsigned least, unsigned most)
    {
        return least + static_cast<unsigned>(next() % (most - least + 1));
    }

  private:
    uint64_t state_;
};

/* Ends the program with a message unless it is so. */
void need(bool good, const char *what);
void need(aclError code, const char *what);
#define SHAPE_NEED(call) ::shape::need((call), #call)

int64_t now_ns();
void compute(int64_t ns);
/* One of the ways in which threads of the host spend up to some ms outside the runtime. */
void pause(Numbers &numbers);

/* A thread's own stream, event and memory. `number`: which of the program's lanes; its event times
 * are printed under it. */
class Lane
{
  public:
    Lane(unsigned number, uint64_t seed);
    ~Lane();
    Lane(const Lane &) = delete;
    Lane &operator=(const Lane &) = delete;

    Numbers numbers;
    /* Copies a pattern to the device and back, waits for it in one of the ways there are, and
     * checks each byte. */
    void item(unsigned item);
    /* Queues the same and records `done` after it; finish() checks the bytes, after a thread has
     * waited. */
    void begin(unsigned item, aclrtEvent done);
    void finish(unsigned item);
    /* Waits until `event`, recorded on this stream as the newest, is complete. */
    void wait(aclrtEvent event);
    [[nodiscard]] aclrtStream stream() const { return stream_; }

  private:
    static constexpr size_t bytes_most = 1u << 16;
    unsigned number_;
    size_t bytes_;
    aclrtStream stream_ = nullptr;
    aclrtEvent event_ = nullptr;
    void *device_ = nullptr;
    unsigned char *there_ = nullptr; /* page-locked */
    unsigned char *back_ = nullptr;
    std::vector<uint64_t> times_;
};

/* The lanes' event times, as far as they have ended, are printed at the end of the program. */
void print_times();

/* One flag of the device that main, or another thread, waits for without a limit. */
class Gate
{
  public:
    Gate();
    ~Gate();
    Gate(const Gate &) = delete;
    Gate &operator=(const Gate &) = delete;
    void open(aclrtStream stream);
    void wait();

  private:
    aclrtNotify notify_ = nullptr;
    aclrtStream stream_ = nullptr;
};

struct Family {
    const char *name;
    void (*run)(Numbers &numbers, uint64_t seed);
    bool ordered; /* its event times are the same in each run of the deterministic mode */
};
extern const std::vector<Family> c_families;
extern const std::vector<Family> cpp_families;

} // namespace shape

#endif
