/* SPDX-License-Identifier: Apache-2.0 */
/* A program in C++ on the public interface that uses iostreams. */
#include <dlfcn.h>

#include <iostream>
#include <string>

#include "acl/acl.h"
#include "acl/acl_rt.h"
#ifdef WITH_OPERATORS
#include "linked.h"
#endif

namespace
{

bool say(const char *call, aclError code)
{
    std::cout << call << "() " << code << std::endl;
    if (code != ACL_SUCCESS) {
        const char *text = aclGetRecentErrMsg();
        std::cout << (text ? std::string(text) : std::string()) << std::endl;
    }
    return code == ACL_SUCCESS;
}

/* The answer of a function that both libraries have, looked up in one of them, for device 0; -1: it
 * is not there. */
int physical(const char *library)
{
    unsigned number = 99;
    void *handle = dlopen(library, RTLD_NOW);
    void *address = handle ? dlsym(handle, "rtGetDevicePhyIdByIndex") : nullptr;
    auto function = reinterpret_cast<int (*)(unsigned, unsigned *)>(address);
    return function && function(0, &number) == 0 ? static_cast<int>(number) : -1;
}

} // namespace

int main()
{
    uint32_t count = 0;
    aclrtStream stream = nullptr;
    say("aclInit", aclInit(nullptr));
    say("aclrtGetDeviceCount", aclrtGetDeviceCount(&count));
    if (say("aclrtSetDevice", aclrtSetDevice(0))) {
        say("aclrtCreateStream", aclrtCreateStream(&stream));
        say("aclrtSynchronizeStream", aclrtSynchronizeStream(stream));
        say("aclrtDestroyStream", aclrtDestroyStream(stream));
        say("aclrtResetDevice", aclrtResetDevice(0));
    }
    std::cout << "physical " << physical("libascendcl.so") << " " << physical("libruntime.so")
              << std::endl;
    say("aclFinalize", aclFinalize());
#ifdef WITH_OPERATORS
    std::cout << "operators " << linked_operators() << std::endl;
#endif
    std::cout << "devices " << count << "\nthrough" << std::endl;
    return 0;
}
