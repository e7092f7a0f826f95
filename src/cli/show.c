/* SPDX-License-Identifier: BSD-3-Clause */
#include "show.h"

#include <stdio.h>

#include "printable.h"

#define DUMP_WIDTH 16

static bool consists_of_text(const char *text, size_t len, bool newlines)
{
    size_t i = 0;

    if (len > 1 && (text[len - 1] == '\n' || text[len - 1] == '\0'))
        len--;
    while (i < len) {
        bool blank = text[i] == '\t' || (newlines && text[i] == '\n');
        size_t n = blank ? 1 : printable_length(text + i, len - i);

        if (n == 0)
            return false;
        i += n;
    }
    return true;
}

bool is_text(const char *text, size_t len)
{
    return consists_of_text(text, len, false);
}

bool is_lines(const char *text, size_t len)
{
    return consists_of_text(text, len, true);
}

static void print_escaped(unsigned char c)
{
    if (c == '\n')
        fputs("\\n", stdout);
    else if (c == '\t')
        fputs("\\t", stdout);
    else if (c == '\\')
        fputs("\\\\", stdout);
    else
        printf("\\x%02x", c);
}

void print_text(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len) {
        size_t n = text[i] == '\\' ? 0 : printable_length(text + i, len - i);

        if (n)
            fwrite(text + i, 1, n, stdout);
        else
            print_escaped((unsigned char)text[i]);
        i += n ? n : 1;
    }
    putchar('\n');
}

static void print_dump_line(const unsigned char *data, size_t offset, size_t n)
{
    size_t i;

    printf("  %08zx ", offset);
    for (i = 0; i < DUMP_WIDTH; i++) {
        if (i < n)
            printf(" %02x", data[i]);
        else
            fputs("   ", stdout);
    }
    fputs("  |", stdout);
    for (i = 0; i < n; i++)
        putchar(data[i] >= 0x20 && data[i] < 0x7f ? data[i] : '.');
    puts("|");
}

void print_dump(const unsigned char *data, size_t len)
{
    size_t i;

    for (i = 0; i < len; i += DUMP_WIDTH)
        print_dump_line(data + i, i, len - i < DUMP_WIDTH ? len - i : DUMP_WIDTH);
}
