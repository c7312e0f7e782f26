// SPDX-License-Identifier: Apache-2.0
#include "core/profile/profile_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/profile/params.h"

namespace tsim
{

namespace
{

constexpr size_t kBytesMost = 1 << 20;
constexpr int kDepthMost = 16; // a parameter is at most five levels deep
constexpr size_t kFilesMost = 8;
constexpr size_t kNameMost = 64;

[[noreturn]] void fail(const std::string &path, const std::string &what)
{
    throw ProfileError("profile " + path + ": " + what);
}

std::string folder_of(const std::string &path)
{
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string name_of(const std::string &path)
{
    const size_t slash = path.rfind('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    const size_t ending = name.rfind(".json");
    if (ending != std::string::npos && ending + 5 == name.size())
        name.erase(ending);
    return name;
}

std::string line_of(const std::string &text, size_t at)
{
    const auto from = text.begin();
    const auto to = from + static_cast<long>(std::min(at, text.size()));
    return std::to_string(1 + std::count(from, to, '\n'));
}

// The bytes of the character of UTF-8 that begins there; 0: it is none (RFC 3629: no longer than
// needed, no surrogates).
size_t utf8_length(const std::string &text, size_t at)
{
    const auto byte = [&](size_t i) -> uint32_t {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    const uint32_t first = byte(at);
    if (first < 0x80)
        return 1;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    uint32_t character = first & (0x7fu >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xc0u) != 0x80)
            return 0;
        character = character << 6 | (byte(at + i) & 0x3fu);
    }
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool good = first >= 0xc0 && first < 0xf8 && character >= kLeast[length] &&
                      character <= 0x10ffff && (character < 0xd800 || character > 0xdfff);
    return good ? length : 0;
}

// What the parser does not refuse by itself, or only after it has gone deep into its own calls.
void check_text(const std::string &text, const std::string &path)
{
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\0')
            fail(path, "not valid JSON: a byte of value 0 in line " + line_of(text, i));
        const size_t length = utf8_length(text, i);
        if (length == 0) // names and sources go into files that are UTF-8 too
            fail(path, "not valid JSON: line " + line_of(text, i) + " is not UTF-8");
        if (length > 1) {
            i += length - 1;
            continue;
        }
        if (quoted) {
            if (text.compare(i, 6, "\\u0000") == 0)
                fail(path, "a character of value 0 in line " + line_of(text, i) +
                               ": a text would end there");
            i += c == '\\';
            quoted = c != '"';
            continue;
        }
        quoted = c == '"';
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth > kDepthMost)
            fail(path, "line " + line_of(text, i) + " is more than " + std::to_string(kDepthMost) +
                           " levels deep; a profile has groups, parameters and their fields");
    }
}

std::string read_text(const std::string &path)
{
    errno = 0;
    const std::unique_ptr<FILE, int (*)(FILE *)> in(std::fopen(path.c_str(), "rb"), &std::fclose);
    std::string text;
    char piece[4096];
    while (in && text.size() <= kBytesMost) {
        const size_t got = std::fread(piece, 1, sizeof(piece), in.get());
        text.append(piece, got);
        if (got < sizeof(piece))
            break;
    }
    if (!in || std::ferror(in.get()))
        throw FileError("profile " + path + ": cannot be read: " + std::strerror(errno));
    return text;
}

bool is_name(const std::string &base)
{
    return !base.empty() && base.size() <= kNameMost &&
           std::all_of(base.begin(), base.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '_' || c == '-';
           });
}

ProfileFile parse(const std::string &text, const std::string &path)
{
    if (text.size() > kBytesMost)
        fail(path, "is larger than " + std::to_string(kBytesMost) + " bytes; no profile is");
    check_text(text, path);
    const char *end = nullptr;
    ProfileFile file{path, name_of(path), "", {}};
    file.root.reset(cJSON_ParseWithLengthOpts(text.c_str(), text.size() + 1, &end, 1));
    if (!file.root)
        fail(path, "not valid JSON, see line " +
                       line_of(text, end ? static_cast<size_t>(end - text.c_str()) : 0));
    if (!cJSON_IsObject(file.root.get()))
        fail(path, std::string("the file must hold one JSON object, not ") +
                       json_type_name(file.root.get()));
    const cJSON *base = cJSON_GetObjectItemCaseSensitive(file.root.get(), "base");
    if (!base)
        return file;
    if (!cJSON_IsString(base))
        fail(path, std::string("base must be the name of a profile, not ") + json_type_name(base));
    file.base = base->valuestring;
    if (!is_name(file.base))
        fail(path, "base is \"" + file.base +
                       "\"; give the name of a profile without folder and .json, of letters, "
                       "digits, _ and -");
    return file;
}

bool is_there(const std::string &path)
{
    const std::unique_ptr<FILE, int (*)(FILE *)> in(std::fopen(path.c_str(), "rb"), &std::fclose);
    return in != nullptr;
}

// "; expected 310b1, 310p3, 950": what may be named of a folder.
std::string names_in(const std::string &folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; at != end && !error;
         at.increment(error))
        if (at->path().extension() == ".json")
            names.push_back(at->path().stem().string());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string &name : names)
        text += (text.empty() ? "; expected " : ", ") + name;
    return text.empty() ? ", which has no profiles" : text;
}

// A file in the folder of named profiles is one that was named.
void check_named(const std::string &path, const std::string &folder)
{
    std::error_code error;
    if (folder.empty() || folder_of(path) != folder || std::filesystem::exists(path, error) ||
        error)
        return;
    const std::string name = name_of(path);
    throw FileError("there is no profile " + name + " in " + folder + names_in(folder) +
                    "; a file of your own is named with a \"/\" (./" + name + ".json)");
}

std::string path_of_base(const ProfileFile &file, const std::string &folder)
{
    const std::string beside = folder_of(file.path);
    for (const std::string &place : {beside, folder}) {
        std::string path = place + "/" + file.base + ".json";
        if (!place.empty() && is_there(path))
            return path;
    }
    fail(file.path, "base is \"" + file.base + "\", and there is no " + file.base + ".json in " +
                        beside + (folder.empty() || folder == beside ? "" : " or " + folder) +
                        names_in(folder.empty() ? beside : folder));
}

std::vector<ProfileFile> follow(ProfileFile first, const std::string &folder)
{
    std::vector<ProfileFile> files;
    files.push_back(std::move(first));
    std::string chain = files[0].name;
    while (!files.back().base.empty()) {
        const std::string path = path_of_base(files.back(), folder);
        chain += " -> " + files.back().base;
        if (std::any_of(files.begin(), files.end(),
                        [&](const ProfileFile &file) { return file.path == path; }))
            fail(files[0].path, "base goes round in a circle: " + chain);
        if (files.size() == kFilesMost)
            fail(files[0].path, "base: more than " + std::to_string(kFilesMost) +
                                    " files build on each other: " + chain);
        files.push_back(parse(read_text(path), path));
    }
    return files;
}

} // namespace

const char *json_type_name(const cJSON *item)
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

std::vector<ProfileFile> read_profile_files(const std::string &path, const std::string &folder)
{
    check_named(path, folder);
    return follow(parse(read_text(path), path), folder);
}

std::vector<ProfileFile> read_profile_text(const std::string &text, const std::string &path,
                                           const std::string &folder)
{
    return follow(parse(text, path), folder);
}

} // namespace tsim
