// SPDX-License-Identifier: Apache-2.0
#include "core/profile/params.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <sstream>

#include "core/profile/params_schema.h"
#include "core/profile/profile_file.h"

namespace tsim
{

namespace
{

constexpr const char *kLeafKeys[] = {"jitter_permille", "mark", "parts", "source", "unit", "value"};
// The first three by certainty; what was measured is as certain as what is known, of the part it
// was measured on.
constexpr const char *kMarks[] = {"known", "inferred", "assumed", "measured"};
constexpr size_t kCertainties = 3;
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

// How many letters must be put in, left out or changed to make one name of the other.
size_t distance(const std::string &a, const std::string &b)
{
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t corner = row[0]++;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t change = corner + (a[i] != b[j]);
            corner = row[j + 1];
            row[j + 1] = std::min({change, row[j] + 1, corner + 1});
        }
    }
    return row[b.size()];
}

// The schema's name that is nearest to a wrong one: what was perhaps meant.
std::string nearest(const std::string &name)
{
    constexpr size_t kNameMost = 64; // a longer name is not a typing mistake
    size_t best = name.size() / 2 + 1;
    const char *found = nullptr;
    for (size_t i = 0; i < kParamCount && name.size() <= kNameMost; ++i) {
        const size_t apart = distance(name, kParamSchema[i].name);
        if (apart < best) {
            best = apart;
            found = kParamSchema[i].name;
        }
    }
    return found ? std::string("; is '") + found + "' meant?" : std::string();
}

// A value of another part is one step less certain.
const char *lowered(const std::string &mark, size_t steps)
{
    const auto given = std::find(std::begin(kMarks), std::end(kMarks), mark);
    const auto at = static_cast<size_t>(given - std::begin(kMarks));
    if (steps == 0)
        return kMarks[at];
    return kMarks[std::min((at < kCertainties ? at : 0) + steps, kCertainties - 1)];
}

} // namespace

Params without_jitter(const Params &params)
{
    Params plain = params;
    for (size_t i = 0; i < kParamCount; ++i) {
        if (kParamSchema[i].field)
            (plain.*kParamSchema[i].field).jitter = 0;
    }
    return plain;
}

/// Walks the JSON tree of each file once and fills a Profile.
class ProfileReader
{
  public:
    ProfileReader(Profile &profile, const std::vector<ProfileFile> &files)
        : profile_(profile), files_(files), seen_(kParamCount, nullptr), from_(kParamCount, 0)
    {
    }

    void read()
    {
        for (at_ = 0; at_ < files_.size(); ++at_)
            read_group(files_[at_].root.get(), "");
        at_ = 0;
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
        throw ProfileError("profile " + files_[at_].path + ": " + (path.empty() ? "" : path + " ") +
                           what);
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
            if (name == "base") // profile_file has followed it
                continue;
            if (const ParamSpec *spec = spec_of(name)) {
                read_leaf(child, *spec);
                continue;
            }
            if (!is_group(name))
                fail(name, "is not a parameter of this model" + nearest(name));
            if (!cJSON_IsObject(child))
                fail(name, std::string("must be an object that holds parameters, not ") +
                               json_type_name(child));
            read_group(child, name);
        }
    }

    void read_leaf(const cJSON *leaf, const ParamSpec &spec)
    {
        const std::string name = spec.name;
        const auto i = static_cast<size_t>(&spec - kParamSchema);
        // Names with dots lead to the same place by more than one way.
        if (seen_[i] && from_[i] == at_)
            fail(name, "is given twice; keep one");
        if (!cJSON_IsObject(leaf))
            fail(name, std::string("must be an object with value, unit, mark and source, not ") +
                           json_type_name(leaf));
        check_keys(leaf, name);
        for (const cJSON *child = leaf->child; child; child = child->next) {
            if (std::none_of(std::begin(kLeafKeys), std::end(kLeafKeys),
                             [&](const char *key) { return std::strcmp(key, child->string) == 0; }))
                fail(name + "." + child->string,
                     "is unknown; a parameter has value, unit, mark and source, and may have "
                     "parts and jitter_permille");
        }
        const std::string unit = text_of(leaf, name, "unit");
        if (unit != spec.unit)
            fail(name + ".unit",
                 "must be \"" + std::string(spec.unit) + "\", not \"" + unit + "\"");
        const std::string mark = text_of(leaf, name, "mark");
        if (std::none_of(std::begin(kMarks), std::end(kMarks),
                         [&](const char *known) { return mark == known; }))
            fail(name + ".mark",
                 "must be \"known\", \"inferred\", \"assumed\" or \"measured\", not \"" + mark +
                     "\"");
        if (text_of(leaf, name, "source").empty())
            fail(name + ".source", "is empty; say where the value comes from");
        if (cJSON_GetObjectItemCaseSensitive(leaf, "parts") && text_of(leaf, name, "parts").empty())
            fail(name + ".parts", "is empty; give the beginnings of names of parts that the source "
                                  "speaks of, or leave it out");
        check_value(cJSON_GetObjectItemCaseSensitive(leaf, "value"), spec);
        check_jitter(leaf, spec, mark);
        if (seen_[i]) // a file nearer to the profile has its own
            return;
        seen_[i] = leaf;
        from_[i] = at_;
    }

    // T-TIM-10: only an assumed time has a range.
    void check_jitter(const cJSON *leaf, const ParamSpec &spec, const std::string &mark) const
    {
        const cJSON *jitter = cJSON_GetObjectItemCaseSensitive(leaf, "jitter_permille");
        if (!jitter)
            return;
        const std::string name = std::string(spec.name) + ".jitter_permille";
        if (!spec.varies)
            fail(name, "is of no use: this parameter does not change with a seed");
        if (mark != "assumed")
            fail(name, "is for assumed times alone, this one is " + mark);
        if (!cJSON_IsNumber(jitter) || std::floor(jitter->valuedouble) != jitter->valuedouble ||
            jitter->valuedouble < 0 || jitter->valuedouble > 900)
            fail(name, "must be a whole number from 0 to 900");
    }

    std::string text_of(const cJSON *leaf, const std::string &name, const char *key) const
    {
        const cJSON *item = cJSON_GetObjectItemCaseSensitive(leaf, key);
        if (!item)
            fail(name + "." + key, "is missing");
        if (!cJSON_IsString(item))
            fail(name + "." + key, std::string("must be a string, not ") + json_type_name(item));
        return item->valuestring;
    }

    void check_value(const cJSON *value, const ParamSpec &spec) const
    {
        const std::string name = spec.name;
        if (!value)
            fail(name + ".value", "is missing");
        if (spec.kind == ParamKind::kText) {
            if (!cJSON_IsString(value))
                fail(name + ".value",
                     std::string("must be a string, not ") + json_type_name(value));
            if (value->valuestring[0] == '\0')
                fail(name + ".value", "is empty");
            return;
        }
        if (!cJSON_IsNumber(value))
            fail(name + ".value", std::string("must be a number, not ") + json_type_name(value));
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
        const uint64_t sector = number_of("link.l2.sector_bytes");
        if ((sector & (sector - 1)) != 0)
            fail("link.l2.sector_bytes.value", "must be a power of two");
        if (number_of("limit.sq_reserve") >= number_of("limit.sq_depth"))
            fail("limit.sq_reserve.value", "must be less than limit.sq_depth");
        if (number_of("firmware.reports.go_at") >= number_of("firmware.reports.stop_at"))
            fail("firmware.reports.go_at.value", "must be less than firmware.reports.stop_at");
        if (number_of("firmware.reports.stop_at") > number_of("firmware.reports.depth"))
            fail("firmware.reports.stop_at.value", "must not exceed firmware.reports.depth");
        if (number_of("firmware.reports.batch") > number_of("firmware.reports.depth"))
            fail("firmware.reports.batch.value", "must not exceed firmware.reports.depth");
        if (number_of("limit.streams") > number_of("limit.queues"))
            fail("limit.streams.value", "must not exceed limit.queues: each stream has a queue");
        if (number_of("limit.streams") > number_of("limit.stream_ids"))
            fail("limit.streams.value", "must not exceed limit.stream_ids: each stream has an id");
        if (number_of("table.event_mode") == 0 &&
            number_of("limit.events") > number_of("table.event_cached"))
            fail("limit.events.value", "must not exceed table.event_cached in table mode "
                                       "(table.event_mode 0): there are no other entries");
        if (number_of("link.hbm.peak_mb_s") * number_of("link.hbm.effective_permille") < 1000)
            fail("link.hbm.peak_mb_s.value",
                 "times link.hbm.effective_permille leaves no bandwidth");
    }

    // How many times the part changes on the way from the profile to each of its files.
    [[nodiscard]] std::vector<size_t> steps() const
    {
        std::vector<size_t> steps(files_.size(), 0);
        const char *here = nullptr;
        for (size_t file = files_.size(); file-- > 0;) {
            const cJSON *soc =
                cJSON_GetObjectItemCaseSensitive(files_[file].root.get(), "soc_name");
            const char *name =
                soc ? cJSON_GetObjectItemCaseSensitive(soc, "value")->valuestring : here;
            if (here && std::strcmp(name, here) != 0) {
                for (size_t later = file + 1; later < files_.size(); ++later)
                    ++steps[later];
            }
            here = name;
        }
        return steps;
    }

    // Whether the source of a parameter speaks of the profile's own part too.
    [[nodiscard]] bool covers(const cJSON *leaf, const std::string &soc_name) const
    {
        const cJSON *parts = cJSON_GetObjectItemCaseSensitive(leaf, "parts");
        std::istringstream words(parts ? parts->valuestring : "");
        for (std::string word; words >> word;) {
            if (soc_name.compare(0, word.size(), word) == 0)
                return true;
        }
        return false;
    }

    void build()
    {
        check_together();
        const size_t soc = static_cast<size_t>(spec_of("soc_name") - kParamSchema);
        const std::string soc_name =
            cJSON_GetObjectItemCaseSensitive(seen_[soc], "value")->valuestring;
        const std::vector<size_t> steps = this->steps();
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
            strings.base = from_[i] > 0 ? files_[from_[i]].name : "";
            out.name = spec.name;
            out.text = strings.text.c_str();
            out.unit = spec.unit;
            out.mark = lowered(text_of(seen_[i], spec.name, "mark"),
                               covers(seen_[i], soc_name) ? 0 : steps[from_[i]]);
            out.base = strings.base.c_str();
            out.source = strings.source.c_str();
            if (spec.field) {
                const bool time = std::strcmp(spec.unit, "ns") == 0;
                Setting &field = params.*spec.field;
                field.value = time ? params.to_cycles(out.number) : out.number;
                field.index = static_cast<uint32_t>(i);
                const cJSON *jitter = cJSON_GetObjectItemCaseSensitive(seen_[i], "jitter_permille");
                field.jitter = jitter ? static_cast<uint32_t>(jitter->valuedouble) : 0;
            }
        }
        const std::string peer_link = profile_.find("identity.peer_link")->text;
        params.peers_at_host = peer_link == "PHB" || peer_link == "PIX" || peer_link == "SYS";
    }

    Profile &profile_;
    const std::vector<ProfileFile> &files_;
    size_t at_ = 0;                   // the file being read
    std::vector<const cJSON *> seen_; // by schema index
    std::vector<size_t> from_;        // the file of each
};

Profile Profile::from_file(const std::string &path, const std::string &folder)
{
    Profile profile;
    const std::vector<ProfileFile> files = read_profile_files(path, folder);
    ProfileReader(profile, files).read();
    return profile;
}

Profile Profile::from_text(const std::string &text, const std::string &path,
                           const std::string &folder)
{
    Profile profile;
    const std::vector<ProfileFile> files = read_profile_text(text, path, folder);
    ProfileReader(profile, files).read();
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
