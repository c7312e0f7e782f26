/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_SIM_OBSERVE_JSON_ESCAPE_H
#define TWINRT_SIM_OBSERVE_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether a byte is in a JSON string as it is. */
static inline bool sim_json_plain(char byte)
{
    return (unsigned char)byte >= 0x20 && byte != '"' && byte != '\\';
}

/* What is there instead of another one. Returns its length. */
static inline size_t sim_json_escape(char byte, char out[8])
{
    const bool control = (unsigned char)byte < 0x20;
    return (size_t)snprintf(out, 8, control ? "\\u%04x" : "\\%c", (unsigned char)byte);
}

#endif
