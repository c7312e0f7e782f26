/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#include "memory/arena.h"
#include "memory/registered.h"
#include "memory/vmm_lookup.h"
#include "device/device.h"
#include "process/process.h"

/* A line put together without stdio: this runs inside a signal handler. */
struct line {
    char text[320];
    size_t length;
};

static void put(struct line *line, const char *text)
{
    while (*text != '\0' && line->length < sizeof(line->text))
        line->text[line->length++] = *text++;
}

static void put_number(struct line *line, uint64_t value, unsigned base)
{
    char digits[24];
    size_t at = sizeof(digits);
    digits[--at] = '\0';
    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    put(line, &digits[at]);
}

static void report(const twin_hw_device *device, uint64_t address)
{
    struct line line = {.length = 0};
    const struct sim_block *block = sim_arena_find(&device->memory, address);
    put(&line, "twinrt: host code touches device memory at 0x");
    put_number(&line, address, 16);
    put(&line, ": device ");
    put_number(&line, device->index, 10);
    if (block) {
        bool live = atomic_load_explicit(&block->state, memory_order_relaxed) == SIM_BLOCK_LIVE;
        put(&line, live ? ", allocation " : ", freed allocation ");
        put_number(&line, block->serial, 10);
        put(&line, " (");
        put_number(&line, block->bytes, 10);
        put(&line, " bytes at 0x");
        put_number(&line, block->base, 16);
        put(&line, ")");
    } else {
        put(&line, ", not allocated");
    }
    put(&line, "; copy it with aclrtMemcpy, or set TWINRT_DEVMEM=open\n");
    ssize_t ignored = write(STDERR_FILENO, line.text, line.length);
    (void)ignored;
}

static void report_mapped(uint64_t address, uint64_t host)
{
    struct line line = {.length = 0};
    put(&line, "twinrt: host code touches 0x");
    put_number(&line, address, 16);
    put(&line, ", where a device reaches registered host memory; the host's address of it is 0x");
    put_number(&line, host, 16);
    put(&line, "\n");
    ssize_t ignored = write(STDERR_FILENO, line.text, line.length);
    (void)ignored;
}

static void report_reservation(const struct sim_vmm_place *place, uint64_t address)
{
    struct line line = {.length = 0};
    put(&line, "twinrt: host code touches device memory at 0x");
    put_number(&line, address, 16);
    put(&line, ": reservation ");
    put_number(&line, place->reservation, 10);
    put(&line, " (");
    put_number(&line, place->bytes, 10);
    put(&line, " bytes at 0x");
    put_number(&line, place->base, 16);
    put(&line, place->mapped_bytes != 0 ? "), physical memory "
               : place->physical != 0   ? "), nothing mapped there, last physical memory "
                                        : "), nothing ever mapped there");
    if (place->physical != 0)
        put_number(&line, place->physical, 10);
    put(&line, place->mapped_bytes != 0 ? "; copy it with aclrtMemcpy, or set TWINRT_DEVMEM=open\n"
                                        : "; map memory with aclrtMapMem first\n");
    ssize_t ignored = write(STDERR_FILENO, line.text, line.length);
    (void)ignored;
}

void sim_access_guard_report(uint64_t address)
{
    uint64_t host;
    if (sim_registered_at(address, &host))
        report_mapped(address, host);
    for (uint32_t i = 0; !sim_process.open_memory && i < sim_process.device_count; i++) {
        const twin_hw_device *device =
            atomic_load_explicit(&sim_process.devices[i], memory_order_relaxed);
        if (device && sim_arena_contains(&device->memory, address))
            report(device, address);
    }
    const struct sim_vmm_place place = sim_vmm_look(address);
    if (!sim_process.open_memory && place.reservation != 0)
        report_reservation(&place, address);
}
