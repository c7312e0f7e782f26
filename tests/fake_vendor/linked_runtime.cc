/* SPDX-License-Identifier: Apache-2.0 */
#include <iostream>
#include <sstream>

#include "linked.h"

int linked_runtime_begin()
{
    std::ostringstream line;
    line << "the vendor's runtime begins";
    std::cout << line.str() << std::endl;
    return linked_platform() + linked_driver();
}
