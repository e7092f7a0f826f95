/* SPDX-License-Identifier: BSD-3-Clause */
#include "type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fault.h"

enum { NAME, ENCODING, SCHEMA_ENCODING, SCHEMA, PARTS };

struct achi_type_head {
    uint32_t size[PARTS]; /* of each part, without its NUL */
};

/* A checked copy of a channel's type. */
struct achi_type {
    ach_channel_type_t type;
    unsigned char bytes[];
};

_Static_assert(sizeof(ach_channel_type_t) == 16 * sizeof(uint64_t), "public layout");

/* A word that programs may print: no spaces, no control characters. */
static bool is_word(const char *text, size_t size)
{
    size_t i;

    for (i = 0; i < size; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    return size < ACH_TYPE_NAME_MAX;
}

static size_t length(const char *text)
{
    return text ? strnlen(text, ACH_TYPE_NAME_MAX) : 0;
}

enum ach_status achi_type_size(const ach_channel_type_t *type, uint32_t *size)
{
    size_t name = length(type->name), encoding = length(type->encoding);
    size_t schema_encoding = length(type->schema_encoding);

    if (name == 0 || !is_word(type->name, name))
        return achi_fail(ACH_EINVAL, "the name of a type is a word of 1 to %d characters",
                         ACH_TYPE_NAME_MAX - 1);
    if (encoding == 0 || !is_word(type->encoding, encoding) ||
        !is_word(type->schema_encoding, schema_encoding))
        return achi_fail(ACH_EINVAL, "type '%s': an encoding is a word of at most %d characters",
                         type->name, ACH_TYPE_NAME_MAX - 1);
    if (type->schema_size ? !type->schema || !schema_encoding : schema_encoding)
        return achi_fail(ACH_EINVAL, "type '%s': a schema and its encoding belong together",
                         type->name);
    if (type->schema_size > ACH_TYPE_SCHEMA_MAX)
        return achi_fail(ACH_EINVAL, "type '%s': the schema has %zu bytes, the limit is %d",
                         type->name, type->schema_size, ACH_TYPE_SCHEMA_MAX);
    *size = (uint32_t)(sizeof(struct achi_type_head) + name + encoding + schema_encoding +
                       type->schema_size + PARTS);
    return ACH_OK;
}

_Static_assert(sizeof(struct achi_type_head) + 3 * (size_t)ACH_TYPE_NAME_MAX + ACH_TYPE_SCHEMA_MAX +
                       1 <=
                   ACHI_TYPE_MAX,
               "every valid type fits");

static unsigned char *pack(unsigned char *to, const void *part, size_t size)
{
    if (size)
        memcpy(to, part, size);
    to[size] = '\0';
    return to + size + 1;
}

void achi_type_pack(unsigned char *bytes, const ach_channel_type_t *type)
{
    const struct achi_type_head head = {
        {(uint32_t)length(type->name), (uint32_t)length(type->encoding),
         (uint32_t)length(type->schema_encoding), (uint32_t)type->schema_size}};
    unsigned char *to = bytes + sizeof(head);

    memcpy(bytes, &head, sizeof(head));
    to = pack(to, type->name, head.size[NAME]);
    to = pack(to, type->encoding, head.size[ENCODING]);
    to = pack(to, type->schema_encoding, head.size[SCHEMA_ENCODING]);
    pack(to, type->schema, head.size[SCHEMA]);
}

void achi_type_store(struct ach_header *hdr, const struct achi_geometry *g,
                     const ach_channel_type_t *type)
{
    if (type)
        achi_type_pack((unsigned char *)hdr + g->type_off, type);
}

/* Find the parts in a private copy of size bytes. False: it is not a type. */
static bool unpack(struct achi_type *t, size_t size)
{
    struct achi_type_head head;
    const char *part[PARTS];
    uint32_t again;
    size_t at = sizeof(head);
    int i;

    if (size < sizeof(head))
        return false;
    memcpy(&head, t->bytes, sizeof(head));
    for (i = 0; i < PARTS; i++) {
        if (head.size[i] >= size - at)
            return false;
        part[i] = (const char *)t->bytes + at;
        at += head.size[i];
        if (t->bytes[at++] != '\0' || (i < SCHEMA && strlen(part[i]) != head.size[i]))
            return false;
    }
    t->type = (ach_channel_type_t){.name = part[NAME],
                                   .encoding = part[ENCODING],
                                   .schema_encoding = part[SCHEMA_ENCODING],
                                   .schema = part[SCHEMA],
                                   .schema_size = head.size[SCHEMA]};
    return achi_type_size(&t->type, &again) == ACH_OK && again == size;
}

/* Copy the type and check it. */
static enum ach_status take(const struct achi_handle *h, struct achi_type **copy)
{
    struct achi_type *t = malloc(sizeof(*t) + h->type_size);
    enum ach_status r = ACH_OK;

    if (!t)
        return achi_fail(ACH_FAILED_SYSCALL, "no memory for a type");
    memcpy(t->bytes, (const unsigned char *)h->view.hdr + h->type_off, h->type_size);
    if (achi_area_lost(h->area))
        r = achi_fail(ACH_BAD_SHM_FILE, "the file of the channel was cut short");
    else if (!unpack(t, h->type_size))
        r = achi_fail(ACH_CORRUPT, "the channel's type is damaged");
    if (r == ACH_OK)
        *copy = t;
    else
        free(t);
    return r;
}

/*
 * The handle's copy, made when first asked for; copies of the handle in other threads may ask too.
 * NULL with the status.
 */
static const ach_channel_type_t *type_of(struct achi_handle *h, enum ach_status *r)
{
    struct achi_type *old = __atomic_load_n(&h->type, __ATOMIC_ACQUIRE), *t = NULL;

    *r = ACH_OK;
    if (old)
        return &old->type;
    if (h->type_size)
        *r = take(h, &t);
    else
        *r = achi_fail(ACH_ENOTSUP, "the channel has no type");
    if (!t)
        return NULL;
    if (!__atomic_compare_exchange_n(&h->type, &old, t, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(t);
        t = old;
    }
    return &t->type;
}

enum ach_status ach_channel_type(const ach_channel_t *chan, const ach_channel_type_t **type)
{
    const ach_channel_type_t *has;
    struct achi_handle *h;
    enum ach_status r;

    if (!chan || !type)
        return ACH_EINVAL;
    h = achi_handle_in(chan);
    if (!h)
        return ACH_CLOSED;
    has = type_of(h, &r);
    if (has)
        *type = has;
    return r;
}

/* FNV-1a, 64 bits. The NUL behind each part keeps "ab" "c" apart from "a" "bc". */
static uint64_t hash_add(uint64_t hash, const void *part, size_t size)
{
    const unsigned char *p = part;
    size_t i;

    for (i = 0; i < size; i++)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash * 0x100000001b3ull;
}

uint64_t ach_channel_type_hash(const ach_channel_type_t *type)
{
    uint64_t hash = 0xcbf29ce484222325ull;

    if (!type)
        return 0;
    hash = hash_add(hash, type->name, length(type->name));
    hash = hash_add(hash, type->encoding, length(type->encoding));
    hash = hash_add(hash, type->schema_encoding, length(type->schema_encoding));
    return hash_add(hash, type->schema, type->schema_size);
}

/* A line of a schema in text, without the space around it. */
struct line {
    const char *text;
    int size;
};

static bool is_text(const ach_channel_type_t *type)
{
    const char *schema = type->schema;
    size_t i;

    for (i = 0; i < type->schema_size; i++)
        if ((schema[i] < ' ' && schema[i] != '\n' && schema[i] != '\t') || schema[i] > '~')
            return false;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* The next line that is not empty, from *at on. */
static bool next_line(const ach_channel_type_t *type, size_t *at, struct line *line)
{
    const char *schema = type->schema;

    while (*at < type->schema_size) {
        size_t from = *at, to;

        while (*at < type->schema_size && schema[*at] != '\n')
            ++*at;
        to = *at;
        ++*at;
        while (from < to && is_space(schema[from]))
            from++;
        while (to > from && is_space(schema[to - 1]))
            to--;
        *line = (struct line){schema + from, (int)(to - from)};
        if (to > from)
            return true;
    }
    return false;
}

static bool has_line(const ach_channel_type_t *type, const struct line *line)
{
    struct line other;
    size_t at = 0;

    while (next_line(type, &at, &other))
        if (other.size == line->size && !memcmp(other.text, line->text, (size_t)line->size))
            return true;
    return false;
}

/* Append the lines of one schema that the other one does not have: its other fields. */
static void list_fields(char *out, size_t room, const ach_channel_type_t *type,
                        const ach_channel_type_t *other)
{
    struct line line;
    const char *between = " ";
    size_t at = 0, used = strlen(out);

    while (next_line(type, &at, &line) && used < room) {
        if (has_line(other, &line))
            continue;
        used +=
            (size_t)snprintf(out + used, room - used, "%s'%.*s'", between, line.size, line.text);
        between = ", ";
    }
    if (used < room && *between == ' ')
        snprintf(out + used, room - used, " no others");
}

static enum ach_status other_schema(const char *name, const ach_channel_type_t *has,
                                    const ach_channel_type_t *wanted)
{
    char here[120] = "", there[120] = "";

    if (strcmp(has->encoding, wanted->encoding) != 0)
        return achi_fail(ACH_BAD_TYPE,
                         "channel '%s' has messages of type '%s' in encoding '%s', not '%s'", name,
                         has->name, has->encoding, wanted->encoding);
    if (!is_text(has) || !is_text(wanted))
        return achi_fail(ACH_BAD_TYPE, "channel '%s' has another schema of type '%s'", name,
                         has->name);
    list_fields(here, sizeof(here), has, wanted);
    list_fields(there, sizeof(there), wanted, has);
    return achi_fail(ACH_BAD_TYPE,
                     "channel '%s' has other fields of type '%s': the channel has%s; "
                     "the program expects%s",
                     name, has->name, here, there);
}

enum ach_status achi_type_check(struct achi_handle *h, const char *name,
                                const ach_channel_type_t *wanted)
{
    const ach_channel_type_t *has;
    uint32_t size;
    enum ach_status r = achi_type_size(wanted, &size);

    name = name ? name : "";
    if (r != ACH_OK)
        return r;
    if (!h->type_size)
        return achi_fail(ACH_BAD_TYPE, "channel '%s' has no type; the program expects '%s'", name,
                         wanted->name);
    has = type_of(h, &r);
    if (!has)
        return r;
    if (ach_channel_type_hash(has) == ach_channel_type_hash(wanted))
        return ACH_OK;
    if (strcmp(has->name, wanted->name) == 0)
        return other_schema(name, has, wanted);
    return achi_fail(ACH_BAD_TYPE,
                     "channel '%s' has messages of type '%s'; the program expects '%s'", name,
                     has->name, wanted->name);
}

void achi_type_drop(struct achi_handle *h)
{
    free(h->type);
}
