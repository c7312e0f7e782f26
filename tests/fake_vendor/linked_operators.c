/* SPDX-License-Identifier: Apache-2.0 */
#include "linked.h"

int linked_operators(void)
{
    return linked_profapi();
}
