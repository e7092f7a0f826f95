/* SPDX-License-Identifier: BSD-3-Clause */
#include "rawtype.h"

#include <dds/ddsi/q_radmin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rawtype {
    struct ddsi_sertype c;
    size_t payload_max;      /* of larger ones, the size is kept and nothing else */
    atomic_ullong *arrivals; /* samples that came from the network */
};

static struct achdds_sample *sample_alloc(const struct ddsi_sertype *type,
                                          enum ddsi_serdata_kind kind, size_t size)
{
    struct achdds_sample *s = malloc(sizeof(*s) + size);

    if (s) {
        ddsi_serdata_init(&s->c, type, kind);
        s->arrived = size;
        s->size = (uint32_t)size;
    }
    return s;
}

struct achdds_sample *achdds_sample_new(const struct ddsi_sertype *type, size_t room)
{
    return room <= UINT32_MAX ? sample_alloc(type, SDK_DATA, room) : NULL;
}

static const struct achdds_sample *sample_of(const struct ddsi_serdata *d)
{
    return (const struct achdds_sample *)d;
}

static void sample_free(struct ddsi_serdata *d)
{
    free(d);
}

static uint32_t sample_size(const struct ddsi_serdata *d)
{
    return sample_of(d)->size;
}

/* A sample for bytes that arrived, without them. */
static struct achdds_sample *sample_arrived(const struct ddsi_sertype *type,
                                            enum ddsi_serdata_kind kind, size_t size)
{
    const struct rawtype *t = (const struct rawtype *)type;
    struct achdds_sample *s = sample_alloc(type, kind, size <= t->payload_max ? size : 0);

    if (s)
        s->arrived = size;
    if (kind == SDK_DATA)
        atomic_fetch_add_explicit(t->arrivals, 1, memory_order_relaxed);
    return s;
}

/* Fragments are in order and may overlap. */
static struct ddsi_serdata *sample_from_ser(const struct ddsi_sertype *type,
                                            enum ddsi_serdata_kind kind,
                                            const struct nn_rdata *fragment, size_t size)
{
    struct achdds_sample *s = sample_arrived(type, kind, size);
    uint32_t at = 0;

    for (; s && fragment; fragment = fragment->nextfrag) {
        const unsigned char *from =
            NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
        uint32_t end = fragment->maxp1 < s->size ? fragment->maxp1 : s->size;

        if (end <= at || fragment->min > at)
            continue;
        memcpy(s->payload + at, from + (at - fragment->min), end - at);
        at = end;
    }
    if (s && at < s->size)
        memset(s->payload + at, 0, s->size - at);
    return s ? &s->c : NULL;
}

static struct ddsi_serdata *sample_from_iov(const struct ddsi_sertype *type,
                                            enum ddsi_serdata_kind kind, ddsrt_msg_iovlen_t n,
                                            const ddsrt_iovec_t *parts, size_t size)
{
    struct achdds_sample *s = sample_arrived(type, kind, size);
    size_t at = 0;
    ddsrt_msg_iovlen_t i;

    for (i = 0; s && s->size && i < n; i++) {
        memcpy(s->payload + at, parts[i].iov_base, parts[i].iov_len);
        at += parts[i].iov_len;
    }
    return s ? &s->c : NULL;
}

/* There is no key, so every key is the same. */
static struct ddsi_serdata *sample_key(const struct ddsi_sertype *type)
{
    struct achdds_sample *s = sample_alloc(type, SDK_KEY, 0);

    return s ? &s->c : NULL;
}

static struct ddsi_serdata *sample_from_keyhash(const struct ddsi_sertype *type,
                                                const struct ddsi_keyhash *hash)
{
    (void)hash;
    return sample_key(type);
}

static struct ddsi_serdata *sample_to_untyped(const struct ddsi_serdata *d)
{
    struct ddsi_serdata *key = sample_key(d->type);

    if (key)
        key->type = NULL;
    return key;
}

static bool sample_equal_keys(const struct ddsi_serdata *a, const struct ddsi_serdata *b)
{
    (void)a;
    (void)b;
    return true;
}

static void sample_keyhash(const struct ddsi_serdata *d, struct ddsi_keyhash *hash, bool md5)
{
    (void)d;
    (void)md5;
    memset(hash, 0, sizeof(*hash));
}

static void sample_to_ser(const struct ddsi_serdata *d, size_t at, size_t size, void *to)
{
    memcpy(to, sample_of(d)->payload + at, size);
}

static struct ddsi_serdata *sample_to_ser_ref(const struct ddsi_serdata *d, size_t at, size_t size,
                                              ddsrt_iovec_t *part)
{
    part->iov_base = (void *)(uintptr_t)(sample_of(d)->payload + at);
    part->iov_len = size;
    return ddsi_serdata_ref(d);
}

static void sample_to_ser_unref(struct ddsi_serdata *d, const ddsrt_iovec_t *part)
{
    (void)part;
    ddsi_serdata_unref(d);
}

/* Structs of programs are not supported: use dds_forwardcdr and dds_takecdr. */
static struct ddsi_serdata *sample_from_struct(const struct ddsi_sertype *type,
                                               enum ddsi_serdata_kind kind, const void *from)
{
    (void)from;
    return kind == SDK_KEY ? sample_key(type) : NULL;
}

static bool sample_to_struct(const struct ddsi_serdata *d, void *to, void **buffer, void *end)
{
    (void)d;
    (void)to;
    (void)buffer;
    (void)end;
    return false;
}

static bool sample_key_to_struct(const struct ddsi_sertype *type, const struct ddsi_serdata *d,
                                 void *to, void **buffer, void *end)
{
    (void)type;
    return sample_to_struct(d, to, buffer, end);
}

static size_t sample_print(const struct ddsi_sertype *type, const struct ddsi_serdata *d, char *to,
                           size_t size)
{
    (void)type;
    return (size_t)snprintf(to, size, "%zu bytes", sample_of(d)->arrived);
}

static const struct ddsi_serdata_ops sample_ops = {
    .eqkey = sample_equal_keys,
    .get_size = sample_size,
    .from_ser = sample_from_ser,
    .from_ser_iov = sample_from_iov,
    .from_keyhash = sample_from_keyhash,
    .from_sample = sample_from_struct,
    .to_ser = sample_to_ser,
    .to_ser_ref = sample_to_ser_ref,
    .to_ser_unref = sample_to_ser_unref,
    .to_sample = sample_to_struct,
    .to_untyped = sample_to_untyped,
    .untyped_to_sample = sample_key_to_struct,
    .free = sample_free,
    .print = sample_print,
    .get_keyhash = sample_keyhash,
};

static void rawtype_free(struct ddsi_sertype *type)
{
    ddsi_sertype_fini(type);
    free(type);
}

static void rawtype_zero(const struct ddsi_sertype *type, void *samples, size_t n)
{
    (void)type;
    (void)samples;
    (void)n;
}

static void rawtype_realloc(void **samples, const struct ddsi_sertype *type, void *old,
                            size_t old_n, size_t n)
{
    (void)samples;
    (void)type;
    (void)old;
    (void)old_n;
    (void)n;
}

static void rawtype_free_samples(const struct ddsi_sertype *type, void **samples, size_t n,
                                 dds_free_op_t op)
{
    (void)type;
    (void)samples;
    (void)n;
    (void)op;
}

/* Each topic has a type of its own, because each counts its arrivals. */
static bool rawtype_equal(const struct ddsi_sertype *a, const struct ddsi_sertype *b)
{
    return a == b;
}

static uint32_t rawtype_hash(const struct ddsi_sertype *type)
{
    return (uint32_t)((uintptr_t)type >> 4);
}

static const struct ddsi_sertype_ops rawtype_ops = {
    .version = ddsi_sertype_v0,
    .free = rawtype_free,
    .zero_samples = rawtype_zero,
    .realloc_samples = rawtype_realloc,
    .free_samples = rawtype_free_samples,
    .equal = rawtype_equal,
    .hash = rawtype_hash,
};

struct ddsi_sertype *achdds_rawtype_new(const char *name, size_t payload_max,
                                        atomic_ullong *arrivals)
{
    struct rawtype *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    ddsi_sertype_init_flags(&t->c, name, &rawtype_ops, &sample_ops,
                            DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
    t->c.allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
    t->payload_max = payload_max;
    t->arrivals = arrivals;
    return &t->c;
}
