/* SPDX-License-Identifier: Apache-2.0 */
#include "output/picture.h"

#include "output/xml.h"

#define FONT "font-family='DejaVu Sans,Helvetica,Arial,sans-serif'"
#define STYLE                                                                                      \
    "<style>.page{fill:#ffffff}.ink{fill:#22303c}.pale{fill:#68757f}"                              \
    "line.pale{stroke:#68757f}.grid{stroke:#e3e6ea}\n"                                             \
    "@media (prefers-color-scheme:dark){.page{fill:#0d1117}.ink{fill:#e6edf3}.pale{fill:#9aa6b2}"  \
    "line.pale{stroke:#9aa6b2}.grid{stroke:#2b3440}}</style>\n"

const char *const picture_colours[PICTURE_COLOURS] = {"#3d8bd4", "#e07b39", "#2a9d8f", "#9b6fc4",
                                                      "#d1567a", "#8ab543", "#b8860b", "#6f7fd8"};

void picture_begin(FILE *out, int width, int height, const char *title, const char *description)
{
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
            "role='img' aria-labelledby='title description'>\n"
            "<!-- SPDX-License-Identifier: Apache-2.0 -->\n<title id='title'>",
            width, height, width, height);
    xml_put(title, out);
    fputs("</title>\n<desc id='description'>", out);
    xml_put(description, out);
    fputs("</desc>\n" STYLE "<rect width='100%' height='100%' class='page'/>\n", out);
}

void picture_text(FILE *out, double x, double y, int size, const char *anchor, const char *kind,
                  const char *text)
{
    fprintf(out, "<text x='%.1f' y='%.1f' " FONT " font-size='%d' text-anchor='%s' class='%s'>", x,
            y, size, anchor, kind);
    xml_put(text, out);
    fputs("</text>\n", out);
}

void picture_line(FILE *out, double x1, double y1, double x2, double y2, const char *kind,
                  const char *more)
{
    fprintf(out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='%s'%s/>\n", x1, y1, x2, y2,
            kind, more);
}
