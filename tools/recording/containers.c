/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/containers.h"

#include <stdint.h>
#include <string.h>

bool twin_list_grow(void *items, size_t count, size_t *room, size_t item_bytes)
{
    size_t wanted = count < 8 ? 8 : 2 * count;
    void *old = NULL;
    if (wanted >= UINT32_MAX)
        return false;
    memcpy(&old, items, sizeof(old));
    void *grown = realloc(old, wanted * item_bytes);
    if (!grown)
        return false;
    memcpy(items, &grown, sizeof(grown));
    *room = wanted;
    return true;
}
