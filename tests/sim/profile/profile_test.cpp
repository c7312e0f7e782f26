// SPDX-License-Identifier: Apache-2.0
// The files of profiles: their bases, and invalid text.
#include <stdlib.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/profile/params.h"
#include "core/profile/params_schema.h"
#include "profile_path.h"
#include "rig.h"

using tsim::Profile;

namespace
{

const std::string kShipped =
    std::string(shipped_profile_path()).substr(0, std::string(shipped_profile_path()).rfind('/'));

// A folder of profiles that is gone after the test.
class Folder
{
  public:
    Folder()
    {
        char name[] = "/tmp/profile-XXXXXX";
        path_ = mkdtemp(name) ? name : "";
    }
    ~Folder()
    {
        for (const std::string &file : files_)
            (void)std::remove(file.c_str());
        (void)std::remove(path_.c_str());
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    std::string write(const std::string &name, const std::string &text)
    {
        files_.push_back(path_ + "/" + name + ".json");
        std::ofstream(files_.back()) << text;
        return files_.back();
    }
    [[nodiscard]] const std::string &path() const { return path_; }

  private:
    std::string path_;
    std::vector<std::string> files_;
};

std::string leaf(const std::string &value, const char *unit, const char *mark)
{
    return "{\"value\": " + value + ", \"unit\": \"" + unit + "\", \"mark\": \"" + mark +
           "\", \"source\": \"the test\"}";
}

std::string soc(const char *name)
{
    return "\"soc_name\": " + leaf(std::string("\"") + name + "\"", "text", "known");
}

std::string message_of(const std::function<void()> &body)
{
    try {
        body();
    } catch (const std::runtime_error &error) {
        return error.what();
    }
    return "";
}

std::string message_of_text(const std::string &text)
{
    return message_of([&] { Profile::from_text(text, kShipped + "/p.json"); });
}

void expect_parts(const std::string &message, const std::vector<std::string> &parts)
{
    for (const std::string &part : parts) {
        std::string text = "no '";
        text.append(part).append("' in: ").append(message);
        CU_assertImplementation(message.find(part) != std::string::npos ? CU_TRUE : CU_FALSE,
                                __LINE__, text.c_str(), __FILE__, "", CU_FALSE);
    }
}

const char *lowered(const std::string &mark)
{
    return mark == "known" ? "inferred" : "assumed";
}

// Another part takes over value and source; what was known of the base is inferred of it, and so
// on.
void test_another_part_is_less_certain()
{
    const Profile &base = shipped_profile();
    const Profile other =
        Profile::from_text("{\"base\": \"910b3\", " + soc("AscendOther") + ", \"fetch\": {" +
                               "\"window\": " + leaf("8", "SQE", "known") + "}}",
                           kShipped + "/other.json");
    EXPECT_EQ(other.list().size(), tsim::kParamCount);
    for (size_t i = 0; i < tsim::kParamCount; ++i) {
        const twinsim_parameter &mine = other.list()[i], &theirs = base.list()[i];
        const std::string name = mine.name;
        if (name == "soc_name" || name == "fetch.window") {
            CU_ASSERT_STRING_EQUAL(mine.base, "");
            CU_ASSERT_STRING_EQUAL(mine.mark, "known");
            CU_ASSERT_STRING_EQUAL(mine.source, "the test");
            continue;
        }
        CU_ASSERT_STRING_EQUAL(mine.base, "910b3");
        CU_ASSERT_STRING_EQUAL(theirs.base, "");
        CU_ASSERT_STRING_EQUAL(mine.text, theirs.text);
        CU_ASSERT_STRING_EQUAL(mine.source, theirs.source);
        CU_ASSERT_STRING_EQUAL(mine.mark, lowered(theirs.mark));
    }
    EXPECT_EQ(other.params().fetch_window.value, 8);
    CU_ASSERT_STRING_EQUAL(other.find("soc_name")->text, "AscendOther");
}

// A variant of the same part: without a name, or with the same one.
void test_the_same_part_keeps_its_marks()
{
    for (const std::string &name : {std::string(), soc("Ascend910B3") + ", "}) {
        const Profile same =
            Profile::from_text("{\"base\": \"910b3\", " + name +
                                   "\"fetch\": {\"window\": " + leaf("8", "SQE", "assumed") + "}}",
                               kShipped + "/same.json");
        for (size_t i = 0; i < tsim::kParamCount; ++i) {
            if (*same.list()[i].base)
                CU_ASSERT_STRING_EQUAL(same.list()[i].mark, shipped_profile().list()[i].mark);
        }
    }
}

// What was measured on one part is a guess of another, as what is known is.
void test_measured_marks()
{
    Folder folder;
    folder.write("m", "{\"base\": \"910b3\", \"fetch\": {\"window\": " +
                          leaf("8", "SQE", "measured") + "}}");
    const std::string same = folder.write("same", "{\"base\": \"m\"}");
    const std::string other =
        folder.write("other", "{\"base\": \"m\", " + soc("AscendOther") + "}");
    CU_ASSERT_STRING_EQUAL(Profile::from_file(same, kShipped).find("fetch.window")->mark,
                           "measured");
    CU_ASSERT_STRING_EQUAL(Profile::from_file(other, kShipped).find("fetch.window")->mark,
                           "inferred");
}

// What the source says of other parts too keeps its mark there, and nowhere else.
void test_a_source_of_several_parts()
{
    const std::string mine = "{\"value\": 8, \"unit\": \"SQE\", \"mark\": \"known\", \"source\": "
                             "\"s\", \"parts\": \"Xy Ascend7\"}";
    Folder folder;
    folder.write("b", "{\"base\": \"910b3\", \"fetch\": {\"window\": " + mine + "}}");
    static const struct {
        const char *soc, *mark;
    } rows[] = {{"Ascend7A", "known"}, {"Xy", "known"}, {"Ascend8", "inferred"}, {"X", "inferred"}};
    for (const auto &row : rows) {
        const std::string path =
            folder.write(row.soc, std::string("{\"base\": \"b\", ") + soc(row.soc) + "}");
        const Profile profile = Profile::from_file(path, kShipped);
        CU_ASSERT_STRING_EQUAL(profile.find("fetch.window")->mark, row.mark);
        CU_ASSERT_STRING_EQUAL(profile.find("fetch.window")->base, "b");
    }
    expect_parts(
        message_of_text("{\"base\": \"910b3\", \"fetch\": {\"window\": {\"parts\": \"\", " +
                        mine.substr(1, mine.find(", \"parts") - 1) + "}}}"),
        {"fetch.window.parts is empty"});
}

// Certainty sinks once for each change of part on the way, not for each file.
void test_marks_along_a_chain()
{
    const Folder none;
    Folder folder;
    folder.write("b", "{\"base\": \"910b3\", " + soc("B") + "}");
    folder.write("c", "{\"base\": \"b\"}");
    const std::string d = folder.write("d", "{\"base\": \"c\", " + soc("D") + "}");
    const Profile profile = Profile::from_file(d, kShipped);
    for (size_t i = 0; i < tsim::kParamCount; ++i) {
        const twinsim_parameter &mine = profile.list()[i];
        if (std::string(mine.name) == "soc_name")
            continue;
        CU_ASSERT_STRING_EQUAL(mine.base, "910b3");
        CU_ASSERT_STRING_EQUAL(mine.mark, lowered(lowered(shipped_profile().list()[i].mark)));
    }
    // b's own values have sunk once
    CU_ASSERT_STRING_EQUAL(
        Profile::from_file(folder.path() + "/c.json", kShipped).find("soc_name")->base, "b");
}

// The nearest file wins; a base beside the file comes before one in the other folder.
void test_where_a_base_is()
{
    Folder folder;
    const std::string a = folder.write("a", "{\"base\": \"910b3\"}");
    CU_ASSERT_STRING_EQUAL(Profile::from_file(a, kShipped).find("soc_name")->text, "Ascend910B3");
    expect_parts(message_of([&] { Profile::from_file(a); }),
                 {a, "base is \"910b3\"", "there is no 910b3.json in " + folder.path()});
    expect_parts(message_of([&] { Profile::from_file(a, "/nonexistent"); }),
                 {" or /nonexistent, which has no profiles"});

    folder.write("x", "{\"base\": \"910b3\", " + soc("Beside") + "}");
    const std::string b = folder.write("b", "{\"base\": \"x\"}");
    CU_ASSERT_STRING_EQUAL(Profile::from_file(b, kShipped).find("soc_name")->text, "Beside");
}

// A message about a name that is not there lists those that are.
void test_a_name_that_is_not_there()
{
    Folder names;
    Folder mine;
    const std::string user = mine.write("user", "{\"base\": \"c\"}");
    const std::string missing = names.path() + "/c.json";
    const std::string own = mine.path() + "/own.json";
    const auto message = [&](const std::string &path) {
        return message_of([&] { Profile::from_file(path, names.path()); });
    };
    expect_parts(message(missing), {"no profile c in " + names.path() + ", which has no profiles"});
    names.write("b", "{}");
    names.write("a", "{}");
    expect_parts(message(missing), {"there is no profile c in " + names.path() + "; expected a, b;",
                                    "is named with a \"/\" (./c.json)"});
    expect_parts(message(user), {"base is \"c\"", " or " + names.path() + "; expected a, b"});
    expect_parts(message(own), {"profile " + own + ": cannot be read: No such file"});
}

void test_base_is_a_name()
{
    for (const char *base : {"", "../910b3", "/etc/passwd", "910b3.json", "a b", "a/b", "."})
        expect_parts(message_of_text(std::string("{\"base\": \"") + base + "\"}"),
                     {"p.json: base is \"" + std::string(base) + "\"", "without folder and .json"});
    expect_parts(message_of_text("{\"base\": \"" + std::string(65, 'a') + "\"}"),
                 {"without folder"});
    expect_parts(message_of_text("{\"base\": 910}"), {"p.json: base must be the name", "a number"});
    expect_parts(message_of_text("{\"base\": {}}"), {"an object"});
    expect_parts(message_of_text("{\"base\": \"910b3\", \"base\": \"950\"}"), {"base", "twice"});
    expect_parts(message_of_text("{\"fetch\": {\"base\": \"910b3\"}}"),
                 {"fetch.base is not a parameter"});
}

void test_circles_and_towers()
{
    Folder folder;
    const std::string self = folder.write("self", "{\"base\": \"self\"}");
    expect_parts(message_of([&] { Profile::from_file(self); }), {self, "circle: self -> self"});
    const std::string a = folder.write("a", "{\"base\": \"b\"}");
    folder.write("b", "{\"base\": \"c\"}");
    folder.write("c", "{\"base\": \"a\"}");
    expect_parts(message_of([&] { Profile::from_file(a); }), {a, "circle: a -> b -> c -> a"});

    folder.write("t0", "{\"base\": \"910b3\"}");
    for (int i = 1; i < 8; ++i)
        folder.write("t" + std::to_string(i), "{\"base\": \"t" + std::to_string(i - 1) + "\"}");
    // eight files with the base: t0 to t6 and 910b3
    CU_ASSERT_STRING_EQUAL(
        Profile::from_file(folder.path() + "/t6.json", kShipped).find("soc_name")->base, "910b3");
    expect_parts(message_of([&] { Profile::from_file(folder.path() + "/t7.json", kShipped); }),
                 {"t7.json: base: more than 8 files", "t1 -> t0"});
}

// A message about a mistake in a base names the base, one about a changed value the file itself.
void test_whose_mistake()
{
    Folder folder;
    const std::string broken = folder.write(
        "broken",
        "{\"base\": \"910b3\", \"fetch\": {\"window\": " + leaf("8", "MHz", "known") + "}}");
    const std::string user = folder.write("user", "{\"base\": \"broken\"}");
    expect_parts(message_of([&] { Profile::from_file(user, kShipped); }),
                 {"profile " + broken + ": fetch.window.unit"});
    // even where a nearer file overrides the value
    const std::string covers = folder.write(
        "covers",
        "{\"base\": \"broken\", \"fetch\": {\"window\": " + leaf("8", "SQE", "known") + "}}");
    expect_parts(message_of([&] { Profile::from_file(covers, kShipped); }), {broken});
    expect_parts(message_of_text("{\"base\": \"910b3\", \"limit\": {\"streams\": " +
                                 leaf("2039", "1", "known") + "}}"),
                 {"p.json: limit.streams", "limit.queues"});
    const std::string half = folder.write("half", "{" + soc("Half") + "}");
    expect_parts(message_of([&] { Profile::from_file(half, kShipped); }),
                 {half, "is missing", "unit"});
}

std::string text_of(const std::string &path)
{
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Cut off anywhere, a profile is refused with its file; never taken, never anything else thrown.
void test_every_truncation()
{
    const std::string text = text_of(kShipped + "/950.json");
    const size_t end = text.rfind('}');
    for (size_t bytes = 0; bytes <= end; ++bytes) {
        const std::string message = message_of_text(text.substr(0, bytes));
        if (message.find("p.json: not valid JSON, see line ") == std::string::npos)
            CU_FAIL("a truncated profile has no good message");
    }
}

// What a profile says is repeated in files of JSON.
void test_encoding()
{
    for (const char *good :
         {"\x7f", "\xc2\x80", "\xc3\xa9", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
          "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
        CU_ASSERT_STRING_EQUAL(
            message_of_text("{\"base\": \"910b3\", " + soc((std::string("A") + good).c_str()) + "}")
                .c_str(),
            "");
    // a tail alone, heads without tails, too long for what they say, surrogates, beyond the last
    // character
    for (const char *bad :
         {"\x80", "\xbf", "\xff", "\xfe", "\xc3", "\xc3(", "\xe2\x82", "\xe2(\xa1", "\xf0\x90\x80",
          "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80",
          "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"}) {
        expect_parts(message_of_text("{\"base\": \"910b3\",\n" +
                                     soc((std::string("A") + bad).c_str()) + "}"),
                     {"p.json: not valid JSON: line 2 is not UTF-8"});
        expect_parts(message_of_text(std::string("{}\n\n") + bad), {"line 3 is not UTF-8"});
    }
}

void test_hostile_text()
{
    std::string zero = "{\"base\": \"910b3\"}";
    CU_ASSERT_STRING_EQUAL(message_of_text(zero).c_str(), "");
    expect_parts(message_of_text(zero + std::string(1, '\0') + "x"),
                 {"p.json: not valid JSON", "byte of value 0"});
    // written as an escape it would cut the text short; after an escaped backslash it is text
    expect_parts(message_of_text("{\n" + soc("Ascend\\u0000910") + "}"),
                 {"p.json: a character of value 0 in line 2"});
    CU_ASSERT_STRING_EQUAL(
        message_of_text("{\"base\": \"910b3\", " + soc("A\\\\u0000") + "}").c_str(), "");
    expect_parts(message_of_text("{\n" + std::string(100000, '[')),
                 {"p.json: line 2", "16 levels"});
    std::string deep = "{\"fetch\": ";
    for (int i = 0; i < 100; ++i)
        deep += "{\"a\": ";
    expect_parts(message_of_text(deep), {"levels deep"});
    // brackets inside a text do not count
    expect_parts(message_of_text("{\"base\": \"" + std::string(20, '{') + "\\\"" +
                                 std::string(20, '[') + "\"}"),
                 {"base is"});
    expect_parts(message_of_text("{}" + std::string(1 << 20, ' ')), {"larger than 1048576 bytes"});
    CU_ASSERT(message_of([] { Profile::from_file("/dev/zero"); }).find("larger than") !=
              std::string::npos);
}

// A name that is wrong by a letter brings the right one, wherever the letter is.
void test_nearest_name()
{
    static const struct {
        const char *wrong, *right;
    } rows[] = {{"limit.evnets", "limit.events"},
                {"imit.events", "limit.events"},
                {"dma.sdma.setup", "dma.sdma.setup_ns"},
                {"clockmhz", "clock_mhz"}};
    for (const auto &row : rows) {
        std::string text = "{\"base\": \"910b3\"";
        std::string name = row.wrong, close;
        text += ", ";
        for (size_t dot; (dot = name.find('.')) != std::string::npos; name = name.substr(dot + 1)) {
            text.append("\"").append(name, 0, dot).append("\": {");
            close += "}";
        }
        text.append("\"").append(name).append("\": {}").append(close).append("}");
        const std::string message = message_of_text(text);
        // a wrong group is named before what is in it
        if (std::string(row.wrong) != "imit.events")
            expect_parts(message, {std::string(row.wrong) + " is not a parameter",
                                   "is '" + std::string(row.right) + "' meant?"});
        else
            expect_parts(message, {"imit is not a parameter"});
    }
    expect_parts(message_of_text("{\"" + std::string(100000, 'a') + "\": {}}"),
                 {"not a parameter"});
}

const twin_test tests[] = {
    {"values that another part inherits are one step less certain",
     test_another_part_is_less_certain},
    {"measured values keep their mark on their part, and are inferred on another",
     test_measured_marks},
    {"a source that speaks of several parts counts for all of them",
     test_a_source_of_several_parts},
    {"a variant of the same part keeps its marks", test_the_same_part_keeps_its_marks},
    {"certainty sinks with each change of part", test_marks_along_a_chain},
    {"a base is beside the file or in the other folder", test_where_a_base_is},
    {"a name that is not there", test_a_name_that_is_not_there},
    {"a base is a name, no path", test_base_is_a_name},
    {"circles and towers of bases are refused", test_circles_and_towers},
    {"a message names the file that has the mistake", test_whose_mistake},
    {"a profile cut off at any byte is refused", test_every_truncation},
    {"a profile is UTF-8", test_encoding},
    {"deep, large and binary text is refused", test_hostile_text},
    {"a wrong name brings the nearest right one", test_nearest_name},
};

} // namespace

int main(int argc, char **argv)
{
    return twin_run_suite("sim profile", tests, TWIN_COUNT(tests), argc, argv);
}
