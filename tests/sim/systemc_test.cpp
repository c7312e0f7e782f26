// SPDX-License-Identifier: Apache-2.0
/// A program with its own SystemC model: the runtime refuses to start beside it, and the model
/// stays intact.
///   systemc_test none | time | module | started
#include <cstdio>
#include <cstring>
#include <string>
#include <systemc>

#include "acl/acl.h"

namespace
{

class Counter : public sc_core::sc_module
{
  public:
    explicit Counter(const sc_core::sc_module_name &name) : sc_core::sc_module(name)
    {
        SC_METHOD(step);
    }
    unsigned steps = 0;

    SC_HAS_PROCESS(Counter);

  private:
    void step()
    {
        ++steps;
        next_trigger(sc_core::sc_time(10, sc_core::SC_PS));
    }
};

bool expect(bool holds, const char *what)
{
    if (!holds)
        std::fprintf(stderr, "not so: %s\n", what);
    return holds;
}

bool device_is_refused()
{
    const aclError code = aclrtSetDevice(0);
    const char *text = aclGetRecentErrMsg();
    if (text)
        std::printf("%s\n", text);
    return expect(code == 507033, "the device is refused") &&
           expect(text && std::strstr(text, "SystemC"), "the message names SystemC");
}

/// Ten steps of 10 ps each, with the program's own unit of time.
bool model_runs(const Counter &counter)
{
    const unsigned before = counter.steps;
    sc_core::sc_start(100, sc_core::SC_PS);
    return expect(counter.steps >= before + 10 && counter.steps <= before + 11,
                  "the program's model runs as before");
}

bool run(const std::string &how)
{
    if (how == "none")
        return expect(aclrtSetDevice(0) == ACL_SUCCESS, "without SystemC the device opens") &&
               expect(aclrtResetDevice(0) == ACL_SUCCESS, "and closes");
    const sc_core::sc_time unit(1, sc_core::SC_PS);
    if (how == "time")
        return device_is_refused() && expect(unit.value() == 1, "a picosecond is one unit still");
    Counter counter("counter");
    if (how == "started" && !model_runs(counter))
        return false;
    return device_is_refused() && model_runs(counter) && device_is_refused();
}

} // namespace

extern "C" __attribute__((visibility("default"))) int sc_main(int, char **)
{
    return 1; // never called: this program has its own main()
}

int main(int argc, char **argv)
{
    const std::string how = argc > 1 ? argv[1] : "none";
    const bool good = expect(aclInit(nullptr) == ACL_SUCCESS, "aclInit") && run(how);
    std::printf("%s: %s\n", how.c_str(), good ? "passed" : "failed");
    return good ? 0 : 1;
}
