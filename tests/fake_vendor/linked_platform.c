/* SPDX-License-Identifier: Apache-2.0 */
#include "linked.h"

int linked_platform(void)
{
    return LINKED_PLATFORM;
}
