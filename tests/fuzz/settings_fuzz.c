/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that people write: files of faults, configurations of aclInit, lists of visible devices.
 * The first byte says which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/config.h"
#include "core/backend/thread_state.h"
#include "core/backend/fault_file.h"
#include "core/init.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define DEVICES 16u

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

static void try_faults(const char *text, size_t bytes)
{
    static twin_fault list[TWIN_FAULT_FILE_MOST];
    char message[256] = "";
    size_t count = 0;
    if (twin_fault_file_parse(text, bytes, list, &count, message, sizeof(message)) !=
        TWIN_FAULT_FILE_GOOD) {
        must(message[0] != '\0', "a refusal has a reason");
        return;
    }
    must(count <= TWIN_FAULT_FILE_MOST, "there are as many as fit");
    for (size_t i = 0; i < count; i++) {
        must((unsigned)list[i].kind < TWIN_FAULT_KINDS, "a fault has a kind");
        must((unsigned)list[i].task < TWIN_FAULT_TASKS, "a fault hits a known task");
        must(list[i].first > 0, "the first is counted from 1");
    }
}

static void try_devices(const char *text)
{
    uint32_t list[DEVICES];
    uint32_t count = 0;
    if (!twin_device_list_parse(text, DEVICES, list, &count))
        return;
    must(count <= DEVICES, "no more devices than there are");
    for (uint32_t i = 0; i < count; i++)
        must(list[i] < DEVICES, "a device that exists");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (bytes == 0)
        return 0;
    char *text = malloc(bytes); /* without the first byte, with an end */
    must(text != NULL, "memory for a text");
    memcpy(text, data + 1, bytes - 1);
    text[bytes - 1] = '\0';
    twin_init_config config;
    switch (data[0] % 3) {
    case 0:
        try_faults(text, bytes - 1);
        break;
    case 1:
        (void)twin_init_parse(text, bytes - 1, &config);
        break;
    default:
        try_devices(text);
        break;
    }
    (void)twin_messages_take();
    free(text);
    return 0;
}
