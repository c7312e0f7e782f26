// SPDX-License-Identifier: Apache-2.0
// usage: reload_program [+]FILE...
// Loads one plug-in after the other at one address, each with its own stream; nothing orders their
// writes of one memory. "+": the file takes the name of the one before.
#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <vector>

#include "acl/acl.h"

using Upload = aclError (*)(void *, size_t, aclrtStream);

int main(int argc, char **argv)
{
    constexpr size_t bytes = 4096;
    std::vector<aclrtStream> streams(static_cast<size_t>(argc));
    void *memory = nullptr;
    if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS ||
        aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
        return 1;
    for (aclrtStream &stream : streams)
        if (aclrtCreateStream(&stream) != ACL_SUCCESS)
            return 1;
    std::string path;
    Upload place = nullptr;
    for (int i = 1; i < argc; i++) {
        const bool takes_name = argv[i][0] == '+';
        if (takes_name && std::rename(argv[i] + 1, path.c_str()) != 0)
            return 1;
        if (!takes_name)
            path = argv[i];
        void *plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        const auto upload = plugin ? reinterpret_cast<Upload>(dlsym(plugin, "upload")) : nullptr;
        if (!upload || (place && upload != place)) {
            std::fprintf(stderr, "%s: not loaded, or in another place\n", path.c_str());
            return 2;
        }
        place = upload;
        if (upload(memory, bytes, streams[static_cast<size_t>(i)]) != ACL_SUCCESS)
            return 1;
        (void)dlclose(plugin);
    }
    (void)aclrtSynchronizeDevice();
    (void)aclrtFree(memory);
    (void)aclFinalize();
    return 0;
}
