/* SPDX-License-Identifier: Apache-2.0 */
/* Buffered, formatted output of the timeline's text. */
#define _GNU_SOURCE /* strchrnul */
#include "observe/timeline_print.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "observe/json_escape.h"

static char buffer[1u << 16]; /* drawing is done by one thread at a time */

void timeline_flush(struct printer *printer)
{
    if (fwrite(buffer, 1, printer->used, printer->file) != printer->used && !printer->error)
        printer->error = -errno;
    printer->used = 0;
}

static void put_bytes(struct printer *printer, const char *bytes, size_t count)
{
    while (count > sizeof(buffer) - printer->used) {
        const size_t part = sizeof(buffer) - printer->used;
        memcpy(buffer + printer->used, bytes, part);
        printer->used += part;
        timeline_flush(printer);
        bytes += part;
        count -= part;
    }
    memcpy(buffer + printer->used, bytes, count);
    printer->used += count;
}

static void put_number(struct printer *printer, uint64_t number, size_t digits_least)
{
    char text[20];
    size_t at = sizeof(text);
    do {
        text[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || sizeof(text) - at < digits_least);
    put_bytes(printer, text + at, sizeof(text) - at);
}

void timeline_print(struct printer *printer, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    for (;;) {
        const char *end = strchrnul(format, '%');
        put_bytes(printer, format, (size_t)(end - format));
        if (*end == '\0')
            break;
        format = end + 1;
        const size_t digits_least = *format == '0' ? 3 : 1; /* %03u */
        format += *format == '0' ? 2 : 0;
        const bool is_long = *format == 'l' || *format == 'z';
        format += is_long;
        const char conversion = *format++;
        if (conversion == 's') {
            const char *text = va_arg(values, const char *);
            put_bytes(printer, text, strlen(text));
        } else if (conversion == 'd') {
            const int number = va_arg(values, int);
            put_bytes(printer, "-", number < 0);
            put_number(printer, number < 0 ? -(uint64_t)number : (uint64_t)number, 1);
        } else {
            put_number(printer, is_long ? va_arg(values, uint64_t) : va_arg(values, unsigned),
                       digits_least);
        }
    }
    va_end(values);
}

/* With the escapes of a JSON string. */
static void put_escaped(struct printer *printer, const char *text)
{
    for (const char *plain = text;; text++) {
        if (sim_json_plain(*text))
            continue;
        put_bytes(printer, plain, (size_t)(text - plain));
        if (*text == '\0')
            break;
        char escape[8];
        put_bytes(printer, escape, sim_json_escape(*text, escape));
        plain = text + 1;
    }
}

void timeline_put_text(struct printer *printer, const char *before, const char *text)
{
    put_bytes(printer, before, strlen(before));
    put_escaped(printer, text);
    put_bytes(printer, "\"", 1);
}

void timeline_begin_slice(struct printer *printer, const char *category, const char *noun,
                          uint32_t number, const struct timeline_event *event,
                          struct timeline_place place)
{
    timeline_print(printer, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"", category);
    put_escaped(printer, noun);
    if (number != TIMELINE_NONE)
        timeline_print(printer, " %" PRIu32, number);
    timeline_print(printer,
                   "\",\"ts\":" TIMELINE_US ",\"dur\":" TIMELINE_US ",\"pid\":%" PRIu32
                   ",\"tid\":%" PRIu32 ",\"args\":{",
                   TIMELINE_US_OF(event->at_ns), TIMELINE_US_OF(event->length_ns), place.pid,
                   place.tid);
}

void timeline_next_line(struct printer *printer)
{
    timeline_print(printer, printer->first ? "\n" : ",\n");
    printer->first = false;
}
