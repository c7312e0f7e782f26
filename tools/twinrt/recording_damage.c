/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing in a record. */
#include <inttypes.h>
#include <stdio.h>

#include "recording/reader.h"
#include "tool.h"

void twin_tool_report_damage(const twin_recording *recording, const char *path)
{
    const struct twin_record_header *header = twin_recording_header(recording);
    size_t damage = twin_recording_damage_count(recording);
    if (damage > 0)
        fprintf(stderr, "twinrt: %s: %zu damaged places are left out; the first: %s\n", path,
                damage, twin_recording_damage_at(recording, 0)->text);
    if (header->lost > 0 || header->state == TWIN_RECORD_CUT)
        fprintf(stderr,
                "twinrt: %s: the recording stopped before the program did: %" PRIu64
                " entries found no place\n",
                path, header->lost);
    else if (header->state != TWIN_RECORD_CLOSED)
        fprintf(stderr, "twinrt: %s: the process was killed, or still records\n", path);
}
