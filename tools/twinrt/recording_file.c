/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a recording, and what is missing in it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "recording/reader.h"
#include "tool.h"

twin_recording *twin_tool_read_recording(const char *path)
{
    char error[512];
    twin_recording *recording = NULL;
    if (twin_recording_read(path, &recording, error, sizeof(error)) == TWIN_RECORDING_OK)
        return recording;
    fprintf(stderr, "twinrt: %s\n", error);
    return NULL;
}

bool twin_tool_recorded_program(const char *path, char *out, size_t bytes)
{
    struct twin_record_header header = {0};
    FILE *file = fopen(path, "re");
    const bool read = file && fread(&header, sizeof(header), 1, file) == 1 &&
                      memcmp(header.magic, TWIN_RECORD_MAGIC, sizeof(header.magic)) == 0;
    if (file)
        (void)fclose(file);
    header.program[sizeof(header.program) - 1] = '\0';
    (void)snprintf(out, bytes, "%s", header.program);
    return read && header.program[0] != '\0';
}

void twin_tool_report_damage(const twin_recording *recording, const char *path)
{
    const struct twin_record_header *header = twin_recording_header(recording);
    size_t damage = twin_recording_damage_count(recording);
    if (damage > 0)
        fprintf(stderr, "twinrt: %s: %zu damaged place%s left out; the first: %s\n", path, damage,
                damage == 1 ? " is" : "s are", twin_recording_damage_at(recording, 0)->text);
    if (header->lost > 0 || header->state == TWIN_RECORD_CUT)
        fprintf(stderr,
                "twinrt: %s: the recording ended before the program: %" PRIu64
                " entries were lost\n",
                path, header->lost);
    else if (header->state != TWIN_RECORD_CLOSED)
        fprintf(stderr, "twinrt: %s: the process was killed, or is still recording\n", path);
}
