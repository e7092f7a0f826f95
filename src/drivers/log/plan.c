/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <ach.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "plan_compile.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct drv_ops *compiled; /* one for each plan; never freed */

static void compile_plan(const struct drv_plan *plan, struct drv_ops *ops)
{
    const ach_interface_t *interf = ach_interface_find(plan->interf);
    uint8_t type = plan->type == ACH_MSG_ACK ? ACH_MSG_REQ : plan->type;

    ops->def = ach_interface_message_named(interf, type, plan->message);
    ops->interf = interf ? interf->code : 0;
    ops->type = plan->type;
    if (ops->def && ops->def->body)
        drv_plan_compile(plan->words, ops->def->body, ops);
}

static void compile(void)
{
    size_t i;

    compiled = calloc(drv_plan_count, sizeof(*compiled));
    for (i = 0; compiled && i < drv_plan_count; i++)
        compile_plan(&drv_plans[i], &compiled[i]);
}

const struct drv_ops *drv_plan_find(uint16_t interf, uint8_t type, uint8_t subtype)
{
    size_t i;

    pthread_once(&once, compile);
    for (i = 0; compiled && i < drv_plan_count; i++)
        if (compiled[i].interf == interf && compiled[i].type == type && compiled[i].ops &&
            compiled[i].def->subtype == subtype)
            return &compiled[i];
    return NULL;
}

static uint32_t load_u32(const char *at)
{
    uint32_t v;

    memcpy(&v, at, sizeof(v));
    return v;
}

static char *load_pointer(const char *at)
{
    char *p;

    memcpy(&p, at, sizeof(p));
    return p;
}

/* Base of an operation's offset: the struct or an element. NULL: this array has no element i. */
static const char *base_of(const struct drv_op *op, const char *body, uint32_t i)
{
    if (!op->element)
        return body;
    if (i >= load_u32(body + op->array.count))
        return NULL;
    return load_pointer(body + op->array.pointer) + (size_t)i * op->array.size;
}

static void write_bytes(struct drv_text *t, const struct drv_op *op, const char *base)
{
    uint32_t n = base ? load_u32(base + op->bytes.count) : 0;
    const char *at = base ? load_pointer(base + op->bytes.pointer) : NULL;

    if (op->what == DRV_TEXT)
        drv_text_quote(t, at, n ? strnlen(at, n) : 0);
    else
        drv_text_hex(t, at, n);
}

static void write_bits(struct drv_text *t, const struct drv_op *op, const char *body)
{
    uint32_t i, bits = load_u32(body + op->offset), n = load_u32(body + op->other);

    n = n < 32 ? n : 32;
    drv_text_format(t, " %04u", n);
    for (i = 0; i < n; i++)
        drv_text_format(t, " %u", bits >> i & 1);
}

static void write_time(struct drv_text *t, const struct drv_op *op, const char *body)
{
    uint64_t ms = (uint64_t)load_u32(body + op->offset) * 1000 +
                  ((uint64_t)load_u32(body + op->other) + 500) / 1000;

    drv_text_format(t, " %llu.%03u", (unsigned long long)(ms / 1000), (unsigned)(ms % 1000));
}

static void write_number(struct drv_text *t, const struct drv_op *op, const char *body,
                         const char *base)
{
    bool shown = base && (!op->bit || load_u32(body + op->other) & op->bit);

    drv_number_write(t, op->kind, shown ? base + op->offset : NULL, op->scale, &op->form);
}

static void write_one(struct drv_text *t, const struct drv_op *op, const char *body, uint32_t i)
{
    switch (op->what) {
    case DRV_NUMBER:
        write_number(t, op, body, base_of(op, body, i));
        break;
    case DRV_COUNT:
        drv_number_write(t, op->kind, body + op->array.count, 1, &op->form);
        break;
    case DRV_TEXT:
    case DRV_HEX:
        write_bytes(t, op, base_of(op, body, i));
        break;
    case DRV_BITS:
        write_bits(t, op, body);
        break;
    case DRV_TIME:
        write_time(t, op, body);
        break;
    case DRV_LOOP:
    case DRV_IF:
        break;
    }
}

static void write_ops(struct drv_text *t, const struct drv_op *op, uint32_t count, const char *body,
                      uint32_t element)
{
    uint32_t i, j, n = 0;

    for (i = 0; i < count; i += 1 + op[i].inside) {
        if (op[i].what == DRV_COUNT)
            n = load_u32(body + op[i].array.count);
        if (op[i].what == DRV_LOOP)
            for (j = 0; j < n; j++)
                write_ops(t, &op[i + 1], op[i].inside, body, j);
        else if (op[i].what == DRV_IF && body[op[i].offset])
            write_ops(t, &op[i + 1], op[i].inside, body, element);
        else
            write_one(t, &op[i], body, element);
    }
}

void drv_plan_write(struct drv_text *t, const struct drv_ops *ops, const void *body)
{
    write_ops(t, ops->ops, ops->count, body, 0);
}

static ach_status_t plan_too_many(uint32_t n)
{
    return ach_errstr_set(ACH_EINVAL, "%u elements are more than allowed", n);
}

static ach_status_t read_count(struct drv_words *w, const struct drv_op *op, uint32_t *n)
{
    ach_status_t status = drv_number_read(w, ACH_KIND_UINT32, n, 1, 10);

    if (status != ACH_OK)
        return status;
    return *n > op->array.limit ? plan_too_many(*n) : ACH_OK;
}

/* Allocate the arrays of a loop, with the count that was read before. */
static ach_status_t make_arrays(struct drv_words *w, const struct drv_op *loop, char *body,
                                uint32_t n)
{
    uint32_t i;

    if (n > (size_t)(w->end - w->at))
        return ach_errstr_set(ACH_EINVAL, "the line ends before %u elements", n);
    for (i = 1; i <= loop->inside; i++) {
        const struct drv_array *a = &loop[i].array;
        char *memory;

        if (!loop[i].element || load_pointer(body + a->pointer))
            continue;
        if (n > a->limit)
            return plan_too_many(n);
        memory = drv_words_memory(w, n, a->size);
        if (!memory)
            return ACH_FAILED_SYSCALL;
        memcpy(body + a->pointer, &memory, sizeof(memory));
        memcpy(body + a->count, &n, sizeof(n));
    }
    return ACH_OK;
}

/* A string of characters gets a NUL, which its count includes. */
static ach_status_t plan_read_bytes(struct drv_words *w, const struct drv_op *op, char *base)
{
    ach_status_t status;
    size_t length = 0;
    uint32_t n;
    char *at = NULL;

    if (op->what == DRV_HEX && !drv_words_left(w))
        return ACH_OK; /* the log omits the image */
    status =
        op->what == DRV_TEXT ? drv_words_quoted(w, &at, &length) : drv_words_hex(w, &at, &length);
    if (status != ACH_OK)
        return status;
    if (op->what == DRV_TEXT && op->kind == ACH_KIND_CHAR)
        at[length++] = '\0';
    if (length > op->bytes.limit)
        return plan_too_many((uint32_t)length);
    n = (uint32_t)length;
    memcpy(base + op->bytes.pointer, &at, sizeof(at));
    memcpy(base + op->bytes.count, &n, sizeof(n));
    return ACH_OK;
}

static ach_status_t read_bits(struct drv_words *w, const struct drv_op *op, char *body)
{
    uint32_t i, n, bit, bits = 0;
    ach_status_t status = drv_number_read(w, ACH_KIND_UINT32, &n, 1, 10);

    if (status != ACH_OK)
        return status;
    if (n > 32)
        return plan_too_many(n);
    for (i = 0; i < n; i++) {
        status = drv_number_read(w, ACH_KIND_UINT32, &bit, 1, 10);
        if (status != ACH_OK)
            return status;
        bits |= (uint32_t)(bit != 0) << i;
    }
    memcpy(body + op->offset, &bits, sizeof(bits));
    memcpy(body + op->other, &n, sizeof(n));
    return ACH_OK;
}

static ach_status_t read_time(struct drv_words *w, const struct drv_op *op, char *body)
{
    uint32_t sec, usec;
    double v;
    ach_status_t status = drv_number_read(w, ACH_KIND_DOUBLE, &v, 1, 10);

    if (status != ACH_OK)
        return status;
    if (!(v >= 0 && v < 4294967295.9995)) /* larger values could round up to 2^32 s */
        return ach_errstr_set(ACH_EINVAL, "%g is not a valid time", v);
    sec = (uint32_t)v;
    usec = (uint32_t)lround((v - sec) * 1e6);
    memcpy(body + op->offset, &sec, sizeof(sec));
    memcpy(body + op->other, &usec, sizeof(usec));
    return ACH_OK;
}

static ach_status_t read_one(struct drv_words *w, const struct drv_op *op, char *body, uint32_t i)
{
    char *base = (char *)(uintptr_t)base_of(op, body, i);

    if (!base)
        return ach_errstr_set(ACH_BUG, "a plan goes through an array twice");
    switch (op->what) {
    case DRV_NUMBER:
        if (op->optional && !drv_words_left(w))
            return ACH_OK;
        return drv_number_read(w, op->kind, base + op->offset, op->scale,
                               op->form.conversion == 'X' ? 16 : 10);
    case DRV_TEXT:
    case DRV_HEX:
        return plan_read_bytes(w, op, base);
    case DRV_BITS:
        return read_bits(w, op, body);
    case DRV_TIME:
        return read_time(w, op, body);
    default:
        return ACH_OK;
    }
}

static ach_status_t read_ops(struct drv_words *w, const struct drv_op *op, uint32_t count,
                             char *body, uint32_t element)
{
    ach_status_t status = ACH_OK;
    uint32_t i, j, n = 0;

    for (i = 0; i < count && status == ACH_OK; i += 1 + op[i].inside) {
        if (op[i].what == DRV_COUNT)
            status = read_count(w, &op[i], &n);
        else if (op[i].what == DRV_LOOP) {
            status = make_arrays(w, &op[i], body, n);
            for (j = 0; j < n && status == ACH_OK; j++)
                status = read_ops(w, &op[i + 1], op[i].inside, body, j);
        } else if (op[i].what == DRV_IF) {
            if (body[op[i].offset])
                status = read_ops(w, &op[i + 1], op[i].inside, body, element);
        } else
            status = read_one(w, &op[i], body, element);
    }
    return status;
}

ach_status_t drv_plan_read(struct drv_words *w, const struct drv_ops *ops, void *body)
{
    return read_ops(w, ops->ops, ops->count, body, 0);
}
