/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_text.h"

void json_string(FILE *f, const char *text)
{
    const unsigned char *p;

    putc('"', f);
    for (p = (const unsigned char *)(text ? text : ""); *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(f, "\\%c", *p);
        else if (*p < ' ')
            fprintf(f, "\\u%04x", *p);
        else
            putc(*p, f);
    }
    putc('"', f);
}

void json_member(FILE *f, const char *key, const char *text)
{
    fprintf(f, "\"%s\": ", key);
    json_string(f, text);
    fputs(", ", f);
}
