/* SPDX-License-Identifier: Apache-2.0 */
#include "output/layout.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NARROWEST 60u
#define WIDEST    120u

unsigned layout_width(FILE *file)
{
    struct winsize size;
    int descriptor = fileno(file);
    if (descriptor < 0 || !isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0 ||
        size.ws_col == 0)
        return LAYOUT_PIPED;
    return size.ws_col < NARROWEST ? NARROWEST : size.ws_col > WIDEST ? WIDEST : size.ws_col;
}

void layout_print(FILE *out, unsigned width, unsigned indent, const char *label, const char *text)
{
    unsigned column = (unsigned)fprintf(out, "%-*s", (int)indent, label);
    for (bool first = true; *text; first = false) {
        const size_t length = strcspn(text, " ");
        if (!first && column + 1 + length > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)length, text);
        column += (unsigned)length;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}

void layout_item(FILE *out, unsigned indent, const char *text)
{
    char label[64];
    const int word = (int)strcspn(text, " ") + 1;
    (void)snprintf(label, sizeof(label), "%*s%.*s", (int)indent, "", word, text);
    text += strlen(label) - indent;
    layout_print(out, layout_width(out), indent + 2, label, text);
}

const char *layout_bytes(uint64_t bytes, char text[LAYOUT_BYTES])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    for (; unit + 1 < sizeof(units) / sizeof(units[0]) && bytes != 0 && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    (void)snprintf(text, LAYOUT_BYTES, "%" PRIu64 " %s", bytes, units[unit]);
    return text;
}

const char *layout_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
