// SPDX-License-Identifier: Apache-2.0
#include "core/params.h"

#include <cjson/cJSON.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>

#include "core/params_schema.h"

namespace tsim
{

namespace
{

constexpr const char *kLeafKeys[] = {"mark", "source", "unit", "value"};
constexpr const char *kMarks[] = {"assumed", "inferred", "known"};
constexpr double kExactMost = 9007199254740992.0; // 2^53: beyond, a JSON number is not exact

const ParamSpec *spec_of(const std::string &name)
{
    const ParamSpec *end = kParamSchema + kParamCount;
    const ParamSpec *it =
        std::lower_bound(kParamSchema, end, name,
                         [](const ParamSpec &a, const std::string &b) { return a.name < b; });
    return it != end && name == it->name ? it : nullptr;
}

bool is_group(const std::string &name)
{
    const std::string prefix = name + ".";
    return std::any_of(kParamSchema, kParamSchema + kParamCount, [&](const ParamSpec &spec) {
        return std::strncmp(spec.name, prefix.c_str(), prefix.size()) == 0;
    });
}

// The schema's name that shares the most of its head with a wrong one: what was perhaps meant.
std::string nearest(const std::string &name)
{
    size_t best = 0;
    const char *found = nullptr;
    for (size_t i = 0; i < kParamCount; ++i) {
        const char *known = kParamSchema[i].name;
        size_t same = 0;
        while (same < name.size() && known[same] != '\0' && known[same] == name[same])
            ++same;
        if (same > best) {
            best = same;
            found = known;
        }
    }
    return found && best >= 3 ? std::string("; is '") + found + "' meant?" : std::string();
}

const char *type_name(const cJSON *item)
{
    if (cJSON_IsObject(item))
        return "an object";
    if (cJSON_IsArray(item))
        return "an array";
    if (cJSON_IsString(item))
        return "a string";
    if (cJSON_IsNumber(item))
        return "a number";
    if (cJSON_IsBool(item))
        return "true or false";
    return "null";
}

} // namespace

/// Walks the JSON tree once and fills a Profile.
class ProfileReader
{
  public:
    ProfileReader(Profile &profile, const std::string &file)
        : profile_(profile), file_(file), seen_(kParamCount, nullptr)
    {
    }

    void read(const cJSON *root)
    {
        if (!cJSON_IsObject(root))
            fail("", std::string("the file must hold one JSON object, not ") + type_name(root));
        read_group(root, "");
        for (size_t i = 0; i < kParamCount; ++i) {
            if (!seen_[i])
                fail(kParamSchema[i].name, std::string("is missing; add it with a value, unit \"") +
                                               kParamSchema[i].unit + "\", mark and source");
        }
        build();
    }

  private:
    [[noreturn]] void fail(const std::string &path, const std::string &what) const
    {
        throw ProfileError("profile " + file_ + ": " + (path.empty() ? "" : path + " ") + what);
    }

    void check_keys(const cJSON *object, const std::string &path) const
    {
        for (const cJSON *a = object->child; a; a = a->next) {
            for (const cJSON *b = a->next; b; b = b->next) {
                if (std::strcmp(a->string, b->string) == 0)
                    fail(path.empty() ? a->string : path + "." + a->string,
                         "is given twice; keep one");
            }
        }
    }

    void read_group(const cJSON *object, const std::string &path)
    {
        check_keys(object, path);
        for (const cJSON *child = object->child; child; child = child->next) {
            const std::string name = path.empty() ? child->string : path + "." + child->string;
            if (const ParamSpec *spec = spec_of(name)) {
                read_leaf(child, *spec);
                continue;
            }
            if (!is_group(name))
                fail(name, "is not a parameter of this model" + nearest(name));
            if (!cJSON_IsObject(child))
                fail(name, std::string("must be an object that holds parameters, not ") +
                               type_name(child));
            read_group(child, name);
        }
    }

    void read_leaf(const cJSON *leaf, const ParamSpec &spec)
    {
        const std::string name = spec.name;
        if (!cJSON_IsObject(leaf))
            fail(name, std::string("must be an object with value, unit, mark and source, not ") +
                           type_name(leaf));
        check_keys(leaf, name);
        for (const cJSON *child = leaf->child; child; child = child->next) {
            if (std::none_of(std::begin(kLeafKeys), std::end(kLeafKeys),
                             [&](const char *key) { return std::strcmp(key, child->string) == 0; }))
                fail(name + "." + child->string,
                     "is unknown; a parameter has value, unit, mark and source");
        }
        const std::string unit = text_of(leaf, name, "unit");
        if (unit != spec.unit)
            fail(name + ".unit",
                 "must be \"" + std::string(spec.unit) + "\", not \"" + unit + "\"");
        const std::string mark = text_of(leaf, name, "mark");
        if (std::none_of(std::begin(kMarks), std::end(kMarks),
                         [&](const char *known) { return mark == known; }))
            fail(name + ".mark",
                 "must be \"known\", \"inferred\" or \"assumed\", not \"" + mark + "\"");
        if (text_of(leaf, name, "source").empty())
            fail(name + ".source", "is empty; say where the value comes from");
        check_value(cJSON_GetObjectItemCaseSensitive(leaf, "value"), spec);
        seen_[static_cast<size_t>(&spec - kParamSchema)] = leaf;
    }

    std::string text_of(const cJSON *leaf, const std::string &name, const char *key) const
    {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(leaf, key);
        if (!item)
            fail(name + "." + key, "is missing");
        if (!cJSON_IsString(item))
            fail(name + "." + key, std::string("must be a string, not ") + type_name(item));
        return item->valuestring;
    }

    void check_value(const cJSON *value, const ParamSpec &spec) const
    {
        const std::string name = spec.name;
        if (!value)
            fail(name + ".value", "is missing");
        if (spec.kind == ParamKind::kText) {
            if (!cJSON_IsString(value))
                fail(name + ".value", std::string("must be a string, not ") + type_name(value));
            if (value->valuestring[0] == '\0')
                fail(name + ".value", "is empty");
            return;
        }
        if (!cJSON_IsNumber(value))
            fail(name + ".value", std::string("must be a number, not ") + type_name(value));
        const double number = value->valuedouble;
        if (std::floor(number) != number || std::fabs(number) > kExactMost)
            fail(name + ".value", "must be a whole number");
        if (number < static_cast<double>(spec.least) || number > static_cast<double>(spec.most)) {
            std::ostringstream text;
            text << "is " << static_cast<int64_t>(number) << "; it must lie between " << spec.least
                 << " and " << spec.most;
            fail(name + ".value", text.str());
        }
    }

    [[nodiscard]] uint64_t number_of(const char *name) const
    {
        const size_t i = static_cast<size_t>(spec_of(name) - kParamSchema);
        return static_cast<uint64_t>(
            cJSON_GetObjectItemCaseSensitive(seen_[i], "value")->valuedouble);
    }

    void check_together() const
    {
        if (1000 % number_of("clock_mhz") != 0)
            fail("clock_mhz.value", "must divide 1000, so that a cycle is whole nanoseconds");
        for (const char *name : {"limit.sq_depth", "limit.cq_depth"}) {
            const uint64_t depth = number_of(name);
            if ((depth & (depth - 1)) != 0)
                fail(std::string(name) + ".value", "must be a power of two");
        }
        if (number_of("limit.sq_reserve") >= number_of("limit.sq_depth"))
            fail("limit.sq_reserve.value", "must be less than limit.sq_depth");
        if (number_of("limit.streams") > number_of("limit.queues"))
            fail("limit.streams.value", "must not exceed limit.queues: each stream has a queue");
        if (number_of("link.hbm.peak_mb_s") * number_of("link.hbm.effective_permille") < 1000)
            fail("link.hbm.peak_mb_s.value",
                 "times link.hbm.effective_permille leaves no bandwidth");
    }

    void build()
    {
        check_together();
        Params &params = profile_.params_;
        params.cycle_ns = 1000 / number_of("clock_mhz");
        profile_.strings_.resize(kParamCount);
        profile_.list_.resize(kParamCount);
        for (size_t i = 0; i < kParamCount; ++i) {
            const ParamSpec &spec = kParamSchema[i];
            const cJSON *value = cJSON_GetObjectItemCaseSensitive(seen_[i], "value");
            Profile::Strings &strings = profile_.strings_[i];
            twinsim_parameter &out = profile_.list_[i];
            out = twinsim_parameter{};
            if (spec.kind == ParamKind::kText) {
                strings.text = value->valuestring;
            } else {
                out.number = static_cast<uint64_t>(value->valuedouble);
                out.real = value->valuedouble;
                strings.text = std::to_string(out.number);
            }
            strings.source = text_of(seen_[i], spec.name, "source");
            const std::string mark = text_of(seen_[i], spec.name, "mark");
            out.name = spec.name;
            out.text = strings.text.c_str();
            out.unit = spec.unit;
            for (const char *known : kMarks) { // the list's text outlives the JSON tree
                if (mark == known)
                    out.mark = known;
            }
            out.source = strings.source.c_str();
            if (spec.field) {
                const bool time = std::strcmp(spec.unit, "ns") == 0;
                Setting &field = params.*spec.field;
                field.value = time ? params.to_cycles(out.number) : out.number;
                field.index = static_cast<uint32_t>(i);
            }
        }
    }

    Profile &profile_;
    const std::string &file_;
    std::vector<const cJSON *> seen_; // by schema index
};

Profile Profile::from_file(const std::string &path)
{
    errno = 0;
    const std::unique_ptr<FILE, int (*)(FILE *)> in(std::fopen(path.c_str(), "rb"), &std::fclose);
    std::string text;
    char piece[4096];
    while (in) {
        const size_t got = std::fread(piece, 1, sizeof(piece), in.get());
        text.append(piece, got);
        if (got < sizeof(piece))
            break;
    }
    if (!in || std::ferror(in.get()))
        throw FileError("profile " + path + ": cannot be read: " + std::strerror(errno));
    return from_text(text, path);
}

Profile Profile::from_text(const std::string &text, const std::string &name)
{
    const char *end = nullptr;
    const std::unique_ptr<cJSON, decltype(&cJSON_Delete)> root(
        cJSON_ParseWithLengthOpts(text.c_str(), text.size() + 1, &end, 1), &cJSON_Delete);
    if (!root) {
        const auto at =
            std::min<size_t>(end ? static_cast<size_t>(end - text.c_str()) : 0, text.size());
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
        throw ProfileError("profile " + name + ": not valid JSON, see line " +
                           std::to_string(line));
    }
    Profile profile;
    ProfileReader(profile, name).read(root.get());
    return profile;
}

const twinsim_parameter *Profile::find(const char *name) const
{
    const auto it = std::lower_bound(
        list_.begin(), list_.end(), name,
        [](const twinsim_parameter &a, const char *b) { return std::strcmp(a.name, b) < 0; });
    return it != list_.end() && std::strcmp(it->name, name) == 0 ? &*it : nullptr;
}

} // namespace tsim
