/* SPDX-License-Identifier: Apache-2.0 */
#include "linked.h"

int linked_profapi(void)
{
    return LINKED_PROFAPI;
}
