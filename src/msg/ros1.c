/* SPDX-License-Identifier: BSD-3-Clause */
/* ros1.c - messages in the encoding of ROS 1, and the sums of their definitions */
#include <ach/ros1.h>

#include <stdlib.h>
#include <string.h>

#include "dialect.h"
#include "md5.h"
#include "serial.h"
#include "tables.h"

static struct msg_serial_form ros1_form(const struct ach_definition *d)
{
    int header = msg_dialect_header(&d->text);

    return (struct msg_serial_form){.packed = true,
                                    .header = header < 0 ? NULL : &d->types[header]};
}

enum ach_status ach_ros1_encode(const ach_definition_t *d, const void *body, void *buffer,
                                size_t room, size_t *size)
{
    return msg_serial_encode(ros1_form(d), ach_definition_type(d), body, buffer, room, size);
}

enum ach_status ach_ros1_encoded_size(const ach_definition_t *d, const void *body, size_t *size)
{
    return msg_serial_size(ros1_form(d), ach_definition_type(d), body, size);
}

enum ach_status ach_ros1_decode_new(const ach_definition_t *d, const void *bytes, size_t n,
                                    void **body)
{
    return msg_serial_decode_new(ros1_form(d), ach_definition_type(d), bytes, n, body);
}

/* The sums of all sections that are known so far; a text is empty if it is not. */
struct ros1_sums {
    const struct msg_text *text;
    char (*sums)[ACH_ROS1_MD5];
};

static enum ach_status ros1_sum(const struct ros1_sums *s, unsigned section);

/* A field as it is in the text that is summed: the sum of a message stands for its type. */
static enum ach_status ros1_sum_field(const struct ros1_sums *s, const struct msg_section *section,
                                      const struct msg_field *f, FILE *to)
{
    struct msg_reference r = msg_dialect_resolve(s->text, f, section);
    enum ach_status status;

    if (r.meaning != MSG_SECTION) {
        msg_dialect_field(s->text, section, f, 1, to);
        return ACH_OK;
    }
    status = ros1_sum(s, r.section);
    fprintf(to, "%s %s\n", s->sums[r.section], f->name);
    return status;
}

/* Constants come first, and there is no newline at the end. */
static enum ach_status ros1_sum_text(const struct ros1_sums *s, unsigned section, FILE *to)
{
    const struct msg_section *which = &s->text->sections[section];
    const struct msg_field *fields = s->text->fields + which->first;
    enum ach_status status = ACH_OK;
    unsigned i;

    for (i = 0; i < which->count; i++)
        if (fields[i].constant)
            msg_dialect_field(s->text, which, &fields[i], 1, to);
    if (msg_dialect_header(s->text) == (int)section)
        fputs("uint32 seq\n", to);
    for (i = 0; status == ACH_OK && i < which->count; i++)
        if (!fields[i].constant)
            status = ros1_sum_field(s, which, &fields[i], to);
    return status;
}

static enum ach_status ros1_sum(const struct ros1_sums *s, unsigned section)
{
    enum ach_status status;
    char *text = NULL;
    size_t size;
    FILE *to;

    if (*s->sums[section])
        return ACH_OK;
    to = open_memstream(&text, &size);
    if (!to)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    status = ros1_sum_text(s, section, to);
    if (fclose(to) != 0 && status == ACH_OK)
        status = ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");
    if (status == ACH_OK)
        msg_md5(text, size ? size - 1 : 0, s->sums[section]);
    free(text);
    return status;
}

enum ach_status ach_ros1_md5(const ach_definition_t *d, char *md5)
{
    struct ros1_sums s = {&d->text, calloc(d->text.section_count, sizeof(*s.sums))};
    enum ach_status status =
        s.sums ? ros1_sum(&s, 0) : ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a definition");

    if (status == ACH_OK)
        memcpy(md5, s.sums[0], ACH_ROS1_MD5);
    free(s.sums);
    return status;
}
