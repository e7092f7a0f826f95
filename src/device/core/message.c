/* SPDX-License-Identifier: BSD-3-Clause */
#include "message.h"

#include <ach.h>
#include <stdlib.h>
#include <string.h>

static ach_status_t no_memory(void)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message");
}

static struct dev_bytes *bytes_create(size_t size)
{
    struct dev_bytes *b = malloc(sizeof(*b) + size);

    if (b) {
        b->refs = 1;
        b->size = (uint32_t)size;
    }
    return b;
}

static struct dev_bytes *bytes_ref(struct dev_bytes *b)
{
    if (b)
        __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED);
    return b;
}

static void bytes_unref(struct dev_bytes *b)
{
    if (b && __atomic_fetch_sub(&b->refs, 1, __ATOMIC_ACQ_REL) == 1)
        free(b);
}

/* Takes over the caller's bytes, also when it fails. */
static ach_status_t make(const ach_header_t *header, struct dev_bytes *bytes, ach_message_t **out)
{
    ach_message_t *m = calloc(1, sizeof(*m));

    if (!m) {
        bytes_unref(bytes);
        return no_memory();
    }
    m->refs = 1;
    m->header = *header;
    m->bytes = bytes;
    *out = m;
    return ACH_OK;
}

static const ach_message_def_t *def_of(const ach_header_t *h)
{
    return ach_interface_message(ach_interface_by_code(h->address.interf), h->type, h->subtype);
}

static const ach_type_t *type_of(const ach_header_t *h)
{
    const ach_message_def_t *def = def_of(h);

    return def ? def->body : NULL;
}

ach_status_t ach_message_create(const ach_header_t *header, const void *body,
                                ach_message_t **message)
{
    const ach_type_t *type = body ? type_of(header) : NULL;
    struct dev_bytes *b;
    ach_status_t status;
    size_t size;

    if (!body)
        return make(header, NULL, message);
    if (!type)
        return ach_errstr_set(ACH_EINVAL, "interface %u has no message %u:%u with a body",
                              header->address.interf, header->type, header->subtype);
    status = ach_encoded_size(type, body, &size);
    if (status != ACH_OK)
        return status;
    if (size > ACH_BODY_MAX)
        return ach_errstr_set(ACH_OVERFLOW, "a body of %zu bytes is too long", size);
    b = bytes_create(size);
    if (!b)
        return no_memory();
    status = ach_encode(type, body, b->data, size, &size);
    if (status != ACH_OK) {
        bytes_unref(b);
        return status;
    }
    return make(header, b, message);
}

ach_status_t ach_message_wrap(const ach_header_t *header, const void *bytes, size_t size,
                              ach_message_t **message)
{
    struct dev_bytes *b = NULL;

    if (size > ACH_BODY_MAX)
        return ach_errstr_set(ACH_OVERFLOW, "a body of %zu bytes is too long", size);
    if (size) {
        b = bytes_create(size);
        if (!b)
            return no_memory();
        memcpy(b->data, bytes, size);
    }
    return make(header, b, message);
}

ach_status_t ach_message_again(const ach_message_t *message, const ach_header_t *header,
                               ach_message_t **again)
{
    return make(header, bytes_ref(message->bytes), again);
}

ach_status_t ach_message_check(const ach_message_t *m)
{
    const ach_header_t *h = &m->header;
    const ach_type_t *type = type_of(h);
    ach_status_t status;
    size_t room;

    if (!def_of(h))
        return ach_errstr_set(ACH_ENOENT, "interface %u has no message %u:%u", h->address.interf,
                              h->type, h->subtype);
    if (!m->bytes)
        return ACH_OK;
    if (!type)
        return ach_errstr_set(ACH_CORRUPT, "%u bytes for a message without a body", m->bytes->size);
    status = ach_decoded_size(type, m->bytes->data, m->bytes->size, &room);
    if (status == ACH_OK && !ach_message_body(m)) /* what only decoding finds */
        status = ach_errstr_set(ACH_CORRUPT, "%s: the two counts of an array differ", type->name);
    return status;
}

const ach_header_t *ach_message_header(const ach_message_t *message)
{
    return &message->header;
}

const void *ach_message_bytes(const ach_message_t *message, size_t *size)
{
    *size = message->bytes ? message->bytes->size : 0;
    return message->bytes ? message->bytes->data : NULL;
}

static void *decode(const ach_message_t *m, size_t *room)
{
    const ach_type_t *type = type_of(&m->header);
    void *body;

    if (!type || !m->bytes ||
        ach_decoded_size(type, m->bytes->data, m->bytes->size, room) != ACH_OK)
        return NULL;
    body = malloc(*room);
    if (body && ach_decode(type, m->bytes->data, m->bytes->size, body, *room) == ACH_OK)
        return body;
    free(body);
    return NULL;
}

/* Two threads may decode at once; the first one's struct is kept. */
const void *ach_message_body(const ach_message_t *message)
{
    ach_message_t *m = (ach_message_t *)(uintptr_t)message;
    void *body = __atomic_load_n(&m->body, __ATOMIC_ACQUIRE), *mine;
    size_t size;

    if (body)
        return body;
    mine = decode(m, &size);
    if (!mine)
        return NULL;
    if (__atomic_compare_exchange_n(&m->body, &body, mine, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        __atomic_store_n(&m->body_size, size, __ATOMIC_RELAXED);
        return mine;
    }
    free(mine);
    return body;
}

bool ach_message_is(const ach_message_t *message, const ach_address_t *address, uint8_t type,
                    uint8_t subtype)
{
    const ach_header_t *h = &message->header;

    return h->type == type && h->subtype == subtype &&
           (!address || ach_address_equal(address, &h->address));
}

ach_message_t *ach_message_ref(const ach_message_t *message)
{
    ach_message_t *m = (ach_message_t *)(uintptr_t)message;

    __atomic_fetch_add(&m->refs, 1, __ATOMIC_RELAXED);
    return m;
}

void dev_message_free(ach_message_t *m)
{
    bytes_unref(m->bytes);
    free(m->body);
    free(m);
}
