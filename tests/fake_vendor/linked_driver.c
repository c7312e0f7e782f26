/* SPDX-License-Identifier: Apache-2.0 */
#include "linked.h"

int linked_driver(void)
{
    return 0;
}
