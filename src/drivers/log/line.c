/* SPDX-License-Identifier: BSD-3-Clause */
#include "line.h"

#include <ach.h>
#include <math.h>
#include <string.h>

#include "generic.h"
#include "number.h"
#include "plan.h"

/*
 * The beginning of a message that Player has no format for. It makes the line a comment, which
 * Player skips without an error.
 */
#define FOR_ACH "# ach "

void drv_line_head(struct drv_text *t)
{
    static const char head[] = "## Ach version 3\n"
                               "## File version 0.3.0\n"
                               "## Format:\n"
                               "## - a line for each message, which begins with\n"
                               "##   time     host   robot  interface index  type   subtype\n"
                               "##   (double) (uint) (uint) (string)  (uint) (uint) (uint)\n"
                               "## - behind that, the body of the message\n";

    drv_text_add(t, head, sizeof(head) - 1);
}

ach_status_t drv_line_write(struct drv_text *t, const ach_message_t *message, uint32_t robot)
{
    const ach_header_t *h = ach_message_header(message);
    const ach_interface_t *interf = ach_interface_by_code(h->address.interf);
    const ach_message_def_t *def = ach_interface_message(interf, h->type, h->subtype);
    const void *body = ach_message_body(message);
    const struct drv_ops *plan = drv_plan_find(h->address.interf, h->type, h->subtype);
    size_t before = t->size;

    if (!interf || !def || (def->body && !body))
        return ach_errstr_set(ACH_EINVAL, "a body does not match its header");
    if (!isfinite(h->timestamp))
        return ach_errstr_set(ACH_EINVAL, "its time is not a number");
    drv_text_format(t, "%s%014.6f %u %u %s %02u %03u %03u", plan ? "" : FOR_ACH, h->timestamp,
                    h->address.host, h->address.robot ? h->address.robot : robot, interf->name,
                    h->address.index, h->type, h->subtype);
    if (plan)
        drv_plan_write(t, plan, body);
    else if (def->body)
        drv_generic_write(t, def->body, body);
    drv_text_add(t, "\n", 1);
    if (!t->failed)
        return ACH_OK;
    t->failed = false;
    t->size = before;
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a line");
}

static ach_status_t read_interface(struct drv_words *w, uint16_t *code)
{
    const char *name = drv_words_next(w);
    const ach_interface_t *interf = name ? ach_interface_find(name) : NULL;

    if (!name)
        return ach_errstr_set(ACH_EINVAL, "the line ends before the interface");
    if (!interf)
        return ach_errstr_set(ACH_EINVAL, "there is no interface \"%.40s\"", name);
    *code = interf->code;
    return ACH_OK;
}

/* Read only the words before the body; @w is then at the body. */
static ach_status_t line_header(struct drv_words *w, ach_header_t *header)
{
    ach_header_t h = {.sequence = 0};
    ach_status_t status = drv_number_read(w, ACH_KIND_DOUBLE, &h.timestamp, 1, 10);

    if (status == ACH_OK)
        status = drv_number_read(w, ACH_KIND_UINT32, &h.address.host, 1, 10);
    if (status == ACH_OK)
        status = drv_number_read(w, ACH_KIND_UINT32, &h.address.robot, 1, 10);
    if (status == ACH_OK)
        status = read_interface(w, &h.address.interf);
    if (status == ACH_OK)
        status = drv_number_read(w, ACH_KIND_UINT16, &h.address.index, 1, 10);
    if (status == ACH_OK)
        status = drv_number_read(w, ACH_KIND_UINT8, &h.type, 1, 10);
    if (status == ACH_OK)
        status = drv_number_read(w, ACH_KIND_UINT8, &h.subtype, 1, 10);
    if (status != ACH_OK)
        return status;
    if (!isfinite(h.timestamp))
        return ach_errstr_set(ACH_EINVAL, "its time is not a number");
    *header = h;
    return ACH_OK;
}

static ach_status_t line_read_body(struct drv_words *w, const ach_header_t *h,
                                   const ach_type_t *type, void **body)
{
    const struct drv_ops *plan = drv_plan_find(h->address.interf, h->type, h->subtype);
    ach_status_t status;

    *body = drv_words_memory(w, 1, type->body_size);
    if (!*body)
        return ACH_FAILED_SYSCALL;
    status = plan ? drv_plan_read(w, plan, *body) : drv_generic_read(w, type, *body);
    if (status == ACH_OK && drv_words_left(w))
        return ach_errstr_set(ACH_EINVAL, "found \"%.40s\" after the end of the message", w->at);
    return status;
}

static ach_status_t line_read_message(struct drv_words *w, ach_message_t **message)
{
    const ach_message_def_t *def;
    void *body = NULL;
    ach_header_t h;
    ach_status_t status = line_header(w, &h);

    if (status != ACH_OK)
        return status;
    def = ach_interface_message(ach_interface_by_code(h.address.interf), h.type, h.subtype);
    if (!def)
        return ach_errstr_set(ACH_EINVAL, "the interface has no message %u:%u", h.type, h.subtype);
    if (def->body)
        status = line_read_body(w, &h, def->body, &body);
    return status == ACH_OK ? ach_message_create(&h, body, message) : status;
}

ach_status_t drv_line_read(char *line, size_t size, ach_message_t **message)
{
    struct drv_words w = {.at = line, .end = line + size};
    ach_status_t status;

    if (strncmp(line, FOR_ACH, strlen(FOR_ACH)) == 0)
        w.at += strlen(FOR_ACH);
    if (!drv_words_left(&w) || *w.at == '#')
        return ACH_EAGAIN;
    status = line_read_message(&w, message);
    drv_words_free(&w);
    return status;
}
