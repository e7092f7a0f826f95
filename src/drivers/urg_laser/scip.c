/* SPDX-License-Identifier: BSD-3-Clause */
#include "scip.h"

#include <string.h>

char achi_scip_sum(const char *text, size_t size)
{
    unsigned sum = 0;

    while (size--)
        sum += (unsigned char)*text++;
    return (char)((sum & 0x3f) + 0x30);
}

bool achi_scip_decode(const char *text, unsigned chars, uint32_t *value)
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

void achi_scip_encode(uint32_t value, unsigned chars, char *text)
{
    while (chars--) {
        text[chars] = (char)((value & 0x3f) + 0x30);
        value >>= 6;
    }
}

bool achi_scip_line(struct achi_scip_text *rest, struct achi_scip_text *line)
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

/* Whether a byte ends the block. What is too long is forgotten up to its end. */
static bool add(struct achi_scip_reader *r, char c)
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

size_t achi_scip_read(struct achi_scip_reader *r, const char *bytes, size_t n,
                      struct achi_scip_text *block)
{
    size_t i = 0;

    block->size = 0;
    while (i < n) {
        if (r->ended) {
            r->ended = false;
            r->size = 0;
        }
        if (add(r, bytes[i++])) {
            *block = (struct achi_scip_text){r->bytes, r->size};
            break;
        }
    }
    return i;
}

/* Whether the last character is the checksum of all before it, but for so many between. */
static bool sound(const struct achi_scip_text *line, size_t between)
{
    return line->size > between + 1 &&
           line->at[line->size - 1] == achi_scip_sum(line->at, line->size - 1 - between);
}

bool achi_scip_answer(struct achi_scip_text block, struct achi_scip_answer *answer)
{
    struct achi_scip_text status;

    if (!achi_scip_line(&block, &answer->command) || !achi_scip_line(&block, &status) ||
        status.size != 3 || !sound(&status, 0))
        return false;
    memcpy(answer->status, status.at, 2);
    answer->status[2] = '\0';
    answer->rest = block;
    return true;
}

/* Numbers may be broken between lines: the rest of one is carried over. */
struct carry {
    char chars[4];
    unsigned size;
};

static bool add_ranges(struct achi_scip_text data, unsigned chars, struct carry *carry,
                       struct achi_scip_scan *scan)
{
    for (; data.size > 0; data.at++, data.size--) {
        carry->chars[carry->size++] = *data.at;
        if (carry->size < chars)
            continue;
        carry->size = 0;
        if (scan->count == ACHI_SCIP_STEPS_MAX ||
            !achi_scip_decode(carry->chars, chars, &scan->ranges[scan->count++]))
            return false;
    }
    return true;
}

bool achi_scip_scan(struct achi_scip_text rest, unsigned chars, struct achi_scip_scan *scan)
{
    struct carry carry = {.size = 0};
    struct achi_scip_text line;

    scan->count = 0;
    if (chars < 2 || chars > 3 || !achi_scip_line(&rest, &line) || line.size != 5 ||
        !sound(&line, 0) || !achi_scip_decode(line.at, 4, &scan->timestamp))
        return false;
    while (achi_scip_line(&rest, &line)) {
        if (!sound(&line, 0) || line.size > ACHI_SCIP_LINE_DATA + 1)
            return false;
        line.size--;
        if (!add_ranges(line, chars, &carry, scan))
            return false;
    }
    return carry.size == 0 && scan->count > 0;
}

/* NAME:VALUE;SUM, where the checksum leaves the semicolon out. */
bool achi_scip_field(struct achi_scip_text rest, const char *name, struct achi_scip_text *value)
{
    size_t n = strlen(name);
    struct achi_scip_text line;

    while (achi_scip_line(&rest, &line)) {
        if (line.size < n + 3 || memcmp(line.at, name, n) != 0 || line.at[n] != ':')
            continue;
        if (line.at[line.size - 2] != ';' || !sound(&line, 1))
            return false;
        *value = (struct achi_scip_text){line.at + n + 1, line.size - n - 3};
        return true;
    }
    return false;
}

bool achi_scip_number(struct achi_scip_text rest, const char *name, unsigned *value)
{
    struct achi_scip_text text;
    unsigned v = 0;

    if (!achi_scip_field(rest, name, &text) || text.size == 0 || text.size > 7)
        return false;
    for (; text.size > 0; text.at++, text.size--) {
        if (*text.at < '0' || *text.at > '9')
            return false;
        v = v * 10 + (unsigned)(*text.at - '0');
    }
    *value = v;
    return true;
}
