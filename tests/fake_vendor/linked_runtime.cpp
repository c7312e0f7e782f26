/* SPDX-License-Identifier: Apache-2.0 */
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "linked.h"

int linked_runtime_begin()
{
    std::ostringstream line;
    line << "the vendor's runtime begins";
    for (const char *name : {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"})
        if (const char *home = std::getenv(name))
            line << "\n" << name << " is " << home;
    std::cout << line.str() << std::endl;
    return linked_platform() + linked_driver();
}

int rtGetDevicePhyIdByIndex(unsigned index, unsigned *out_physical)
{
    (void)index;
    *out_physical = LINKED_PHYSICAL;
    return 0;
}
