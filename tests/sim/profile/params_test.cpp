// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>
#include <string>

#include "core/profile/params.h"
#include "core/profile/params_schema.h"
#include "profile_path.h"
#include "rig.h"

using tsim::Profile;

static std::string shipped_text()
{
    std::ifstream in(shipped_profile_path());
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// The shipped profile with the first `from` replaced; the message that loading it gives, "" for
// none.
static std::string message_of(const std::string &from, const std::string &to)
{
    std::string text = shipped_text();
    const size_t at = text.find(from);
    if (at == std::string::npos)
        return "the test's own text '" + from + "' is not in the profile";
    text.replace(at, from.size(), to);
    try {
        Profile::from_text(text, "p.json");
    } catch (const tsim::ProfileError &error) {
        return error.what();
    }
    return "";
}

static void expect_message(const std::string &from, const std::string &to, const char *path,
                           const char *part)
{
    const std::string message = message_of(from, to);
    const bool good = message.find("profile p.json") == 0 &&
                      message.find(path) != std::string::npos &&
                      message.find(part) != std::string::npos;
    CU_assertImplementation(good ? CU_TRUE : CU_FALSE, __LINE__,
                            ("for '" + to + "' the message is: " + message).c_str(), __FILE__, "",
                            CU_FALSE);
}

static void test_every_parameter_has_its_marks()
{
    const Profile &profile = shipped_profile();
    EXPECT_EQ(profile.list().size(), tsim::kParamCount);
    for (const twinsim_parameter &p : profile.list()) {
        const std::string mark = p.mark;
        CU_ASSERT(mark == "known" || mark == "inferred" || mark == "assumed");
        CU_ASSERT(p.source[0] != '\0');
        CU_ASSERT(p.unit[0] != '\0');
        CU_ASSERT_PTR_EQUAL(profile.find(p.name), &p);
    }
    CU_ASSERT_PTR_NULL(profile.find("no.such_parameter"));
    CU_ASSERT_PTR_NULL(profile.find(""));
}

static void test_schema_is_sorted()
{
    for (size_t i = 1; i < tsim::kParamCount; ++i)
        CU_ASSERT(std::string(tsim::kParamSchema[i - 1].name) < tsim::kParamSchema[i].name);
}

static void test_values_and_indices()
{
    const Profile &profile = shipped_profile();
    CU_ASSERT_STRING_EQUAL(profile.find("soc_name")->text, "Ascend910B3");
    EXPECT_EQ(profile.find("limit.streams")->number, 1984);
    EXPECT_EQ(profile.find("counter_mhz")->number, 50);
    EXPECT_EQ(profile.find("link.pcie.to_device_mb_s")->number, 24900);
    EXPECT_EQ(profile.params().sdma_setup.value, profile.find("dma.sdma.setup_ns")->number);
    CU_ASSERT_STRING_EQUAL(profile.list()[profile.params().sdma_setup.index].name,
                           "dma.sdma.setup_ns");
}

// T-LNK-2.
static void test_hbm_rate()
{
    const Profile &profile = shipped_profile();
    EXPECT_EQ(profile.params().hbm_mb_s(), profile.find("link.hbm.peak_mb_s")->number *
                                               profile.find("link.hbm.effective_permille")->number /
                                               1000);
}

// Launch and synchronise of a 1.7 us kernel took 19-30 us on a 910B3: the one calibration of host
// costs.
static void test_launch_and_synchronise_is_calibrated()
{
    const Profile &profile = shipped_profile();
    uint64_t sum = 0;
    for (const char *name :
         {"host.submit_ns", "host.doorbell_ns", "swap_in.arbitration_ns", "swap_in.record_read_ns",
          "swap_in.slot_enable_ns", "fetch.read_ns", "sqe.decode_ns", "aicore.dispatch_ns",
          "aicore.core_init_ns", "aicore.software_init_ns", "aicore.report_ns", "sqe.retire_ns",
          "host.wake.stream_ns"})
        sum += profile.find(name)->number;
    CU_ASSERT(sum >= 19000 && sum <= 30000);
}

// T-TIM-2, T-TIM-5.
static void test_rounding()
{
    tsim::Params p;
    p.cycle_ns = 4;
    p.counter_mhz.value = 50;
    EXPECT_EQ(p.to_cycles(0), 0);
    EXPECT_EQ(p.to_cycles(1), 1);
    EXPECT_EQ(p.to_cycles(4), 1);
    EXPECT_EQ(p.to_cycles(5), 2);
    EXPECT_EQ(p.to_cycles(UINT64_MAX), tsim::kNever);
    EXPECT_EQ(p.to_ns(tsim::kNever), UINT64_MAX);
    EXPECT_EQ(p.to_ticks(4), 0);  // 16 ns
    EXPECT_EQ(p.to_ticks(5), 1);  // 20 ns
    EXPECT_EQ(p.to_ticks(9), 1);  // 36 ns
    EXPECT_EQ(p.to_ticks(10), 2); // 40 ns
}

static void test_missing()
{
    expect_message("\"read_ns\"", "\"reed_ns\"", "fetch.reed_ns", "fetch.read_ns");
    expect_message("\"counter_mhz\": {", "\"//\": {", "//", "not a parameter");
    expect_message(", \"unit\": \"MHz\"", "", "clock_mhz.unit", "missing");
    expect_message("\"value\": 1000, ", "", "clock_mhz.value", "missing");
    std::string text = shipped_text();
    const size_t from = text.find("  \"cq\": {");
    const size_t to = text.find("  \"dma\": {");
    text.erase(from, to - from);
    try {
        Profile::from_text(text, "p.json");
        CU_FAIL("a missing parameter was accepted");
    } catch (const tsim::ProfileError &error) {
        CU_ASSERT(std::string(error.what()).find("cq.write_ns is missing") != std::string::npos);
    }
}

static void test_unknown()
{
    expect_message("\"window\": {", "\"window\": {\"colour\": 1, ", "fetch.window.colour",
                   "unknown");
    expect_message("\"fetch\": {", "\"fetch\": {\"speed\": 3, ", "fetch.speed", "not a parameter");
    expect_message("\"fetch\": {", "\"swap_inn\": {}, \"fetch\": {", "swap_inn", "not a parameter");
}

static void test_mistyped()
{
    expect_message("\"value\": 1000", "\"value\": \"1000\"", "clock_mhz.value", "a string");
    expect_message("\"value\": 1000", "\"value\": true", "clock_mhz.value", "true or false");
    expect_message("\"value\": 1000", "\"value\": null", "clock_mhz.value", "null");
    expect_message("\"value\": \"Ascend910B3\"", "\"value\": 910", "soc_name.value", "a number");
    expect_message("\"value\": 1000", "\"value\": 999.5", "clock_mhz.value", "whole");
    expect_message("\"unit\": \"MHz\"", "\"unit\": \"GHz\"", "clock_mhz.unit", "\"MHz\"");
    expect_message("\"fetch\": {", "\"fetch\": 7, \"x\": {", "fetch", "a number");
}

static void test_out_of_range()
{
    expect_message("\"value\": 1000", "\"value\": 0", "clock_mhz.value", "between 250 and 1000");
    expect_message("\"value\": 1000", "\"value\": -4", "clock_mhz.value", "-4");
    expect_message("\"value\": 1000", "\"value\": 1e30", "clock_mhz.value", "whole");
    expect_message("\"value\": 1000", "\"value\": 300", "clock_mhz.value", "divide");
    expect_message("\"value\": 128", "\"value\": 129", "swap_in.slots.value", "between 1 and 128");
    expect_message("\"sq_depth\": {\"value\": 2048", "\"sq_depth\": {\"value\": 2047",
                   "limit.sq_depth.value", "power of two");
    expect_message("\"streams\": {\"value\": 1984", "\"streams\": {\"value\": 2039",
                   "limit.streams.value", "limit.queues");
}

static void test_duplicate_keys()
{
    expect_message("\"fetch\": {", "\"fetch\": {}, \"fetch\": {", "fetch", "twice");
    expect_message("\"value\": 1000", "\"value\": 1000, \"value\": 500", "clock_mhz.value",
                   "twice");
    // The same parameter by another way: a group's name and its own in one.
    const std::string again = "\"fetch.window\": {\"value\": 3, \"unit\": \"SQE\", \"mark\": "
                              "\"assumed\", \"source\": \"x\"}, ";
    expect_message("\"fetch\": {", again + "\"fetch\": {", "fetch.window", "twice");
}

static void test_marks()
{
    expect_message("\"mark\": \"known\"", "\"mark\": \"guessed\"", "soc_name.mark", "guessed");
    expect_message("\"mark\": \"known\"", "\"mark\": 1", "soc_name.mark", "a string");
    expect_message("\"source\": \"CANN runtime, platform_config/cann/Ascend910B3.ini\"",
                   "\"source\": \"\"", "soc_name.source", "empty");
}

static void test_not_json()
{
    for (const char *text : {"", "{", "[1, 2]", "{\"fetch\": }", "{} x", "\xff\xfe"}) {
        try {
            Profile::from_text(text, "p.json");
            CU_FAIL("broken text was accepted");
        } catch (const tsim::ProfileError &error) {
            CU_ASSERT(std::string(error.what()).find("profile p.json") == 0);
        }
    }
    expect_message("\"clock_mhz\": {", "\"clock_mhz\": {{", "not valid JSON", "line 4");
}

static void test_unreadable()
{
    for (const char *path : {"/nonexistent/p.json", "/"}) {
        try {
            Profile::from_file(path);
            CU_FAIL("an unreadable file was accepted");
        } catch (const tsim::FileError &error) {
            CU_ASSERT(std::string(error.what()).find(path) != std::string::npos);
        }
    }
}

// T-TIM-10: which parameters may have a range.
static void test_ranges_of_times()
{
    const std::string jitter = "\"jitter_permille\": 200, \"mark\": \"assumed\"";
    expect_message(jitter, "\"jitter_permille\": 901, \"mark\": \"assumed\"", ".jitter_permille",
                   "0 to 900");
    expect_message(jitter, "\"jitter_permille\": 1.5, \"mark\": \"assumed\"", ".jitter_permille",
                   "whole number");
    expect_message(jitter, "\"jitter_permille\": \"much\", \"mark\": \"assumed\"",
                   ".jitter_permille", "whole number");
    expect_message(jitter, "\"jitter_permille\": 200, \"mark\": \"known\"", ".jitter_permille",
                   "this one is known");
    expect_message("\"clock_mhz\": {", "\"clock_mhz\": {\"jitter_permille\": 0, ",
                   "clock_mhz.jitter_permille", "does not change with a seed");
    EXPECT_EQ(shipped_profile().params().fetch_read.jitter, 200);
    EXPECT_EQ(tsim::without_jitter(shipped_profile().params()).fetch_read.jitter, 0);
}

static const twin_test tests[] = {
    {"assumed times alone may have a range", test_ranges_of_times},
    {"every parameter has value, unit, mark and source", test_every_parameter_has_its_marks},
    {"the schema is sorted", test_schema_is_sorted},
    {"values reach the model and have their index in the list", test_values_and_indices},
    {"HBM runs at peak times effective fraction", test_hbm_rate},
    {"host costs fit the published launch and synchronise time",
     test_launch_and_synchronise_is_calibrated},
    {"times round up to cycles and down to ticks", test_rounding},
    {"missing members are named", test_missing},
    {"unknown members are named", test_unknown},
    {"a wrong type is named", test_mistyped},
    {"a value out of range is named with its range", test_out_of_range},
    {"a key given twice is named", test_duplicate_keys},
    {"a mark other than known, inferred, assumed, measured is refused", test_marks},
    {"text that is not JSON is refused with its line", test_not_json},
    {"a file that cannot be read is not a bad profile", test_unreadable},
};

int main(int argc, char **argv)
{
    return twin_run_suite("sim params", tests, TWIN_COUNT(tests), argc, argv);
}
