// SPDX-License-Identifier: Apache-2.0
/// The files of one profile: itself and the bases that it builds on, each as a JSON tree.
#ifndef TWINSIM_CORE_PROFILE_PROFILE_FILE_H
#define TWINSIM_CORE_PROFILE_PROFILE_FILE_H

#include <cjson/cJSON.h>

#include <memory>
#include <string>
#include <vector>

namespace tsim
{

struct ProfileFile {
    struct Delete {
        void operator()(cJSON *gone) const { cJSON_Delete(gone); }
    };
    std::string path; ///< as messages name it
    std::string name; ///< the path without folders and .json: what `base` says of it
    std::string base; ///< empty: none
    std::unique_ptr<cJSON, Delete> root; ///< an object
};

/// The file and its bases, nearest first. A base is beside the file that names it, or else in
/// `folder` (empty: nowhere else). Throws FileError or ProfileError.
std::vector<ProfileFile> read_profile_files(const std::string &path, const std::string &folder);
/// The same for text that is not in a file; `path` is its name.
std::vector<ProfileFile> read_profile_text(const std::string &text, const std::string &path,
                                           const std::string &folder);

/// "an object", "a string": what a message calls an item.
const char *json_type_name(const cJSON *item);

} // namespace tsim

#endif
