/* SPDX-License-Identifier: BSD-3-Clause */
#include "scip.h"

#include <string.h>

char drv_scip_sum(const char *text, size_t size)
{
    unsigned sum = 0;

    while (size--)
        sum += (unsigned char)*text++;
    return (char)((sum & 0x3f) + 0x30);
}

bool drv_scip_decode(const char *text, unsigned chars, uint32_t *value)
{
    uint32_t v = 0;

    while (chars--) {
        unsigned c = (unsigned char)*text++;

        if (c < 0x30 || c > 0x6f)
            return false;
        v = v << 6 | (c - 0x30);
    }
    *value = v;
    return true;
}

void drv_scip_encode(uint32_t value, unsigned chars, char *text)
{
    while (chars--) {
        text[chars] = (char)((value & 0x3f) + 0x30);
        value >>= 6;
    }
}

/* Remove the next line from rest, without its line feed. False: rest is empty. */
static bool scip_line(struct drv_scip_text *rest, struct drv_scip_text *line)
{
    const char *end;

    if (rest->size == 0)
        return false;
    end = memchr(rest->at, '\n', rest->size);
    line->at = rest->at;
    line->size = end ? (size_t)(end - rest->at) : rest->size;
    rest->at += line->size + (end != NULL);
    rest->size -= line->size + (end != NULL);
    return true;
}

/* Add a byte. True: it completes a block. A block that is too long is skipped to its end. */
static bool scip_add(struct drv_scip_reader *r, char c)
{
    if (c == '\n' && r->size > 0 && r->bytes[r->size - 1] == '\n') {
        bool whole = !r->skip;

        r->skip = false;
        r->ended = true;
        return whole;
    }
    if (c == '\n' && r->size == 0)
        return false;
    if (r->size == sizeof(r->bytes)) {
        r->skip = true;
        r->size = 0;
    }
    r->bytes[r->size++] = c;
    return false;
}

size_t drv_scip_read(struct drv_scip_reader *r, const char *bytes, size_t n,
                     struct drv_scip_text *block)
{
    size_t i = 0;

    block->size = 0;
    while (i < n) {
        if (r->ended) {
            r->ended = false;
            r->size = 0;
        }
        if (scip_add(r, bytes[i++])) {
            *block = (struct drv_scip_text){r->bytes, r->size};
            break;
        }
    }
    return i;
}

/* Is the last character the checksum of the line, without the last `between` characters? */
static bool sound(const struct drv_scip_text *line, size_t between)
{
    return line->size > between + 1 &&
           line->at[line->size - 1] == drv_scip_sum(line->at, line->size - 1 - between);
}

bool drv_scip_answer(struct drv_scip_text block, struct drv_scip_answer *answer)
{
    struct drv_scip_text status;

    if (!scip_line(&block, &answer->command) || !scip_line(&block, &status) || status.size != 3 ||
        !sound(&status, 0))
        return false;
    memcpy(answer->status, status.at, 2);
    answer->status[2] = '\0';
    answer->rest = block;
    return true;
}

/* A number may be split between two lines: its first part is kept here. */
struct carry {
    char chars[4];
    unsigned size;
};

static bool add_ranges(struct drv_scip_text data, unsigned chars, struct carry *carry,
                       struct drv_scip_scan *scan)
{
    for (; data.size > 0; data.at++, data.size--) {
        carry->chars[carry->size++] = *data.at;
        if (carry->size < chars)
            continue;
        carry->size = 0;
        if (scan->count == DRV_SCIP_STEPS_MAX ||
            !drv_scip_decode(carry->chars, chars, &scan->ranges[scan->count++]))
            return false;
    }
    return true;
}

bool drv_scip_scan(struct drv_scip_text rest, unsigned chars, struct drv_scip_scan *scan)
{
    struct carry carry = {.size = 0};
    struct drv_scip_text line;

    scan->count = 0;
    if (chars < 2 || chars > 3 || !scip_line(&rest, &line) || line.size != 5 || !sound(&line, 0) ||
        !drv_scip_decode(line.at, 4, &scan->timestamp))
        return false;
    while (scip_line(&rest, &line)) {
        if (!sound(&line, 0) || line.size > DRV_SCIP_LINE_DATA + 1)
            return false;
        line.size--;
        if (!add_ranges(line, chars, &carry, scan))
            return false;
    }
    return carry.size == 0 && scan->count > 0;
}

/* NAME:VALUE;SUM, where the checksum does not include the semicolon. */
bool drv_scip_field(struct drv_scip_text rest, const char *name, struct drv_scip_text *value)
{
    size_t n = strlen(name);
    struct drv_scip_text line;

    while (scip_line(&rest, &line)) {
        if (line.size < n + 3 || memcmp(line.at, name, n) != 0 || line.at[n] != ':')
            continue;
        if (line.at[line.size - 2] != ';' || !sound(&line, 1))
            return false;
        *value = (struct drv_scip_text){line.at + n + 1, line.size - n - 3};
        return true;
    }
    return false;
}

bool drv_scip_number(struct drv_scip_text rest, const char *name, unsigned *value)
{
    struct drv_scip_text text;
    unsigned v = 0;

    if (!drv_scip_field(rest, name, &text) || text.size == 0 || text.size > 7)
        return false;
    for (; text.size > 0; text.at++, text.size--) {
        if (*text.at < '0' || *text.at > '9')
            return false;
        v = v * 10 + (unsigned)(*text.at - '0');
    }
    *value = v;
    return true;
}
