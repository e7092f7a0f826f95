/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cdr.h - what the headers that `ach gen` writes are made of
 *
 * `ach gen` makes a C header of the definition of a message: a struct and calls that put and get it
 * as CDR; see ach-gen(1). Programs use the types of this header as members of such structs. The
 * functions whose names begin with achi_ are for the generated code.
 *
 * A struct for encoding points to the caller's strings and arrays. A decoded struct points into the
 * bytes of the message, so decoding copies no arrays. Only a sequence whose elements differ from
 * their encoding, such as string[], needs memory, and the caller provides it. Every count is
 * read once and checked before it is used: bytes that change during decoding give an error or a
 * mixture of old and new values, never a memory error.
 *
 * CDR is little-endian here, so the generated code is for little-endian machines.
 */
#ifndef ACH_CDR_H
#define ACH_CDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ach.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "headers of ach gen need a little-endian machine; ach/definition.h works on all"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A string, which need not end in NUL. */
typedef struct ach_cdr_string {
    const char *text;
    uint32_t length; /* bytes, without a NUL */
} ach_cdr_string_t;

/* builtin_interfaces/Time and Duration, and time and duration of ROS 1. */
typedef struct ach_cdr_time {
    int32_t sec;
    uint32_t nanosec;
} ach_cdr_time_t;

/* The caller's memory for a decoded message. */
typedef struct ach_cdr_memory {
    void *base;    /* aligned to 8 bytes */
    size_t size;   /* its bytes */
    size_t needed; /* out: how many of them the last message needed */
} ach_cdr_memory_t;

/**
 * ach_cdr_text - a string of C as a member of a message
 * @text: the string; it must stay valid until the message is encoded
 *
 * Allocates: no. Blocks: no. Real-time: yes. Signal handler: yes.
 *
 * Returns: the string with its length.
 *
 * Since: 3.1
 */
static inline ach_cdr_string_t ach_cdr_text(const char *text)
{
    ach_cdr_string_t s;

    s.text = text;
    s.length = (uint32_t)strlen(text);
    return s;
}

#define ACHI_CDR_ANY 0xfffffffeu     /* the limit of a sequence or string that has none */
#define ACHI_CDR_SIZE_MAX 0x40000000 /* of a message */
#define ACHI_CDR_PADDING_MAX 7       /* bytes behind a message: some programs pad it */
#define ACHI_CDR_ATTEMPTS 16         /* to read a message before a writer overwrites it */

#ifdef __cplusplus
#define ACHI_CDR_ASSERT(condition) static_assert(condition, "the layout of CDR")
#else
#define ACHI_CDR_ASSERT(condition) _Static_assert(condition, "the layout of CDR")
#endif

static inline uint64_t achi_cdr_align(uint64_t at, size_t align)
{
    return (at + align - 1) & ~(uint64_t)(align - 1);
}

static inline bool achi_cdr_all_booleans(const void *values, size_t n)
{
    const uint8_t *at = (const uint8_t *)values;
    size_t i;

    for (i = 0; i < n; i++)
        if (at[i] > 1)
            return false;
    return true;
}

/* Encoding. The first error stays; calls after it do nothing. */

struct achi_cdr_writer {
    uint8_t *to; /* NULL: only count */
    uint64_t used, room;
    enum ach_status status;
};

typedef void achi_cdr_write_fn(struct achi_cdr_writer *w, const void *message);

static inline void achi_cdr_write_fail(struct achi_cdr_writer *w, const char *field,
                                       const char *why)
{
    if (w->status == ACH_OK)
        w->status = ach_errstr_set(ACH_EINVAL, "%s: %s", field, why);
}

/* Write zeros up to a multiple of align, then the bytes. */
static inline void achi_cdr_write(struct achi_cdr_writer *w, const void *from, size_t align,
                                  uint64_t n)
{
    uint64_t at = achi_cdr_align(w->used, align);

    if (w->status != ACH_OK)
        return;
    if (at > w->room || n > w->room - at) {
        w->status = ach_errstr_set(ACH_OVERFLOW, "the message is larger than %llu bytes",
                                   (unsigned long long)w->room);
        return;
    }
    if (w->to) {
        if (at != w->used)
            memset(w->to + w->used, 0, (size_t)(at - w->used));
        memcpy(w->to + at, from, (size_t)n);
    }
    w->used = at + n;
}

static inline void achi_cdr_write_bools(struct achi_cdr_writer *w, const void *from, size_t n,
                                        const char *field)
{
    if (!achi_cdr_all_booleans(from, n))
        achi_cdr_write_fail(w, field, "a boolean is neither 0 nor 1");
    achi_cdr_write(w, from, 1, n);
}

/* Write the count of a sequence. True: its elements follow. */
static inline bool achi_cdr_write_count(struct achi_cdr_writer *w, const void *data, uint32_t count,
                                        uint32_t limit, const char *field)
{
    if (count > limit)
        achi_cdr_write_fail(w, field, "its count is over the limit");
    if (count && !data)
        achi_cdr_write_fail(w, field, "its count is not 0, but there are no elements");
    achi_cdr_write(w, &count, sizeof(count), sizeof(count));
    return count && w->status == ACH_OK;
}

static inline void achi_cdr_write_string(struct achi_cdr_writer *w, const ach_cdr_string_t *s,
                                         uint32_t limit, const char *field)
{
    uint32_t count = s->length + 1;

    if (s->length > limit)
        achi_cdr_write_fail(w, field, "the string is longer than its limit");
    if (s->length && !s->text)
        achi_cdr_write_fail(w, field, "its length is not 0, but there is no text");
    achi_cdr_write(w, &count, sizeof(count), sizeof(count));
    if (s->length)
        achi_cdr_write(w, s->text, 1, s->length);
    achi_cdr_write(w, "", 1, 1);
}

/* Encode a message; buffer NULL: only compute its size. */
static inline enum ach_status achi_cdr_encode(const void *message, achi_cdr_write_fn *writer,
                                              void *buffer, size_t room, size_t *size)
{
    struct achi_cdr_writer w;

    w.to = (uint8_t *)buffer;
    w.used = 0;
    w.room = buffer ? room : ACHI_CDR_SIZE_MAX;
    w.status = ACH_OK;
    writer(&w, message);
    *size = (size_t)w.used;
    return w.status;
}

/* Encode a message into a reservation. */
static inline enum ach_status achi_cdr_put(ach_channel_t *chan, const void *message,
                                           achi_cdr_write_fn *writer)
{
    void *room;
    size_t size, written;
    enum ach_status status = achi_cdr_encode(message, writer, NULL, 0, &size);

    if (status == ACH_OK)
        status = ach_reserve(chan, size, &room);
    if (status != ACH_OK)
        return status;
    status = achi_cdr_encode(message, writer, room, size, &written);
    if (status == ACH_OK)
        status = ach_commit(chan, written);
    if (status != ACH_OK)
        ach_abort(chan);
    return status;
}

/* Decoding. The first error stays; calls after it do nothing. */

struct achi_cdr_reader {
    const uint8_t *bytes;
    size_t at, size;
    uint8_t *memory;
    uint64_t needed, room; /* of the memory */
    enum ach_status status;
};

typedef void achi_cdr_read_fn(struct achi_cdr_reader *r, void *message);

static inline void achi_cdr_read_fail(struct achi_cdr_reader *r, const char *field, const char *why)
{
    if (r->status == ACH_OK)
        r->status = ach_errstr_set(ACH_CORRUPT, "%s: %s", field, why);
}

/* Skip to a multiple of align, and take n bytes. NULL: there are not so many. */
static inline const void *achi_cdr_read_here(struct achi_cdr_reader *r, size_t align, uint64_t n,
                                             const char *field)
{
    uint64_t at = achi_cdr_align(r->at, align);

    if (r->status != ACH_OK)
        return NULL;
    if (at > r->size || n > r->size - at) {
        achi_cdr_read_fail(r, field, "the message ends before it");
        return NULL;
    }
    r->at = (size_t)(at + n);
    return r->bytes + at;
}

static inline void achi_cdr_read(struct achi_cdr_reader *r, void *to, size_t align, size_t n,
                                 const char *field)
{
    const void *from = achi_cdr_read_here(r, align, n, field);

    if (from)
        memcpy(to, from, n);
}

static inline void achi_cdr_check_bools(struct achi_cdr_reader *r, const void *values, size_t n,
                                        const char *field)
{
    if (r->status == ACH_OK && !achi_cdr_all_booleans(values, n))
        achi_cdr_read_fail(r, field, "a boolean is neither 0 nor 1");
}

static inline void achi_cdr_read_bools(struct achi_cdr_reader *r, void *to, size_t n,
                                       const char *field)
{
    achi_cdr_read(r, to, 1, n, field);
    achi_cdr_check_bools(r, to, n, field);
}

/* The count of a sequence; 0 after an error. Every element has at least one byte. */
static inline uint32_t achi_cdr_read_count(struct achi_cdr_reader *r, uint32_t limit,
                                           const char *field)
{
    uint32_t n = 0;

    achi_cdr_read(r, &n, sizeof(n), sizeof(n), field);
    if (n > limit)
        achi_cdr_read_fail(r, field, "its count is over the limit");
    else if (n > r->size - r->at)
        achi_cdr_read_fail(r, field, "the message is too short for its count");
    return r->status == ACH_OK ? n : 0;
}

/* A sequence in place: the elements are in the message as they are in memory. */
static inline const void *achi_cdr_read_sequence(struct achi_cdr_reader *r, uint32_t limit,
                                                 size_t align, size_t size, uint32_t *count,
                                                 const char *field)
{
    uint32_t n = achi_cdr_read_count(r, limit, field);
    const void *data = n ? achi_cdr_read_here(r, align, (uint64_t)size * n, field) : NULL;

    *count = data ? n : 0;
    return data;
}

/* Some programs write an empty string without its NUL. */
static inline void achi_cdr_read_string(struct achi_cdr_reader *r, ach_cdr_string_t *s,
                                        uint32_t limit, const char *field)
{
    uint32_t count;
    const char *text = (const char *)achi_cdr_read_sequence(r, limit + 1, 1, 1, &count, field);

    s->text = "";
    s->length = 0;
    if (!text)
        return;
    if (text[count - 1] != '\0') {
        achi_cdr_read_fail(r, field, "the string does not end in NUL");
        return;
    }
    s->text = text;
    s->length = count - 1;
}

/* Room for n elements in the memory. NULL if it is too small; reading goes on to find its size. */
static inline void *achi_cdr_take(struct achi_cdr_reader *r, uint32_t n, size_t size)
{
    uint64_t from = achi_cdr_align(r->needed, 8);

    if (!n)
        return NULL;
    r->needed = from + (uint64_t)size * n;
    return r->needed <= r->room ? r->memory + from : NULL;
}

static inline enum ach_status achi_cdr_decode(void *message, size_t message_size,
                                              achi_cdr_read_fn *reader, const void *bytes, size_t n,
                                              ach_cdr_memory_t *memory)
{
    struct achi_cdr_reader r;

    memset(&r, 0, sizeof(r));
    r.bytes = (const uint8_t *)bytes;
    r.size = n;
    if (memory) {
        r.memory = (uint8_t *)memory->base;
        r.room = memory->size;
    }
    if (((uintptr_t)r.bytes | (uintptr_t)r.memory) % 8)
        r.status = ach_errstr_set(ACH_EINVAL, "a message and its memory are aligned to 8 bytes");
    else if (n > ACHI_CDR_SIZE_MAX)
        r.status = ach_errstr_set(ACH_CORRUPT, "a message of %zu bytes; the limit is %d", n,
                                  ACHI_CDR_SIZE_MAX);
    reader(&r, message);
    if (r.status == ACH_OK && r.size - r.at > ACHI_CDR_PADDING_MAX)
        r.status = ach_errstr_set(ACH_CORRUPT, "the message has %zu bytes too many", n - r.at);
    if (memory)
        memory->needed = (size_t)r.needed;
    if (r.status == ACH_OK && r.needed > r.room)
        r.status = ach_errstr_set(ACH_OVERFLOW, "the message needs %llu bytes of memory, not %llu",
                                  (unsigned long long)r.needed, (unsigned long long)r.room);
    if (r.status != ACH_OK)
        memset(message, 0, message_size);
    return r.status;
}

static inline bool achi_cdr_got(enum ach_status status)
{
    return status == ACH_OK || status == ACH_MISSED_FRAME;
}

/*
 * View a message and decode it. If a writer overwrites it meanwhile, view the next one. With copied
 * true, the decoded struct does not point into the channel, so it is valid if this succeeds.
 */
static inline enum ach_status achi_cdr_view(ach_channel_t *chan, const void **bytes, void *message,
                                            size_t message_size, achi_cdr_read_fn *reader,
                                            ach_cdr_memory_t *memory, bool copied,
                                            const struct timespec *timeout, int options)
{
    enum ach_status status, decoded;
    size_t n;
    int i;

    for (i = 0; i < ACHI_CDR_ATTEMPTS; i++) {
        status = ach_view(chan, bytes, &n, timeout, options);
        if (!achi_cdr_got(status))
            return status;
        decoded = achi_cdr_decode(message, message_size, reader, *bytes, n, memory);
        if ((decoded == ACH_OK && !copied) || ach_view_check(chan) == ACH_OK)
            return decoded == ACH_OK ? status : decoded;
    }
    return ACH_EAGAIN;
}

/*
 * View a message whose bytes are the struct. Only booleans can have wrong values; for messages that
 * have some, the writer finds them, without writing anything.
 */
static inline enum ach_status achi_cdr_view_fixed(ach_channel_t *chan, const void **bytes,
                                                  size_t size, achi_cdr_write_fn *writer,
                                                  const struct timespec *timeout, int options)
{
    enum ach_status status;
    size_t n = 0, same;
    int i;

    for (i = 0; i < ACHI_CDR_ATTEMPTS; i++) {
        status = ach_view(chan, bytes, &n, timeout, options);
        if (!achi_cdr_got(status))
            return status;
        if (n < size || n - size > ACHI_CDR_PADDING_MAX)
            return ach_errstr_set(ACH_CORRUPT, "a message of %zu bytes, not %zu", n, size);
        if (!writer || achi_cdr_encode(*bytes, writer, NULL, 0, &same) == ACH_OK)
            return status;
        if (ach_view_check(chan) == ACH_OK)
            return ACH_CORRUPT;
    }
    return ACH_EAGAIN;
}

/* Get a message whose struct has no pointers. */
static inline enum ach_status achi_cdr_get_fixed(ach_channel_t *chan, void *message,
                                                 size_t message_size, achi_cdr_read_fn *reader,
                                                 const struct timespec *timeout, int options)
{
    const void *bytes;

    return achi_cdr_view(chan, &bytes, message, message_size, reader, NULL, true, timeout, options);
}

/* Get a message into the memory, and decode it there. The rest of the memory is for the decoder. */
static inline enum ach_status achi_cdr_get(ach_channel_t *chan, void *message, size_t message_size,
                                           achi_cdr_read_fn *reader, ach_cdr_memory_t *memory,
                                           const struct timespec *timeout, int options)
{
    ach_cdr_memory_t rest;
    size_t n = 0, used;
    enum ach_status decoded,
        status = ach_get(chan, memory->base, memory->size, &n, timeout, options);

    used = (size_t)achi_cdr_align(n, 8);
    memory->needed = used;
    if (!achi_cdr_got(status))
        return status;
    if (used > memory->size)
        used = memory->size; /* nothing is left */
    memset(&rest, 0, sizeof(rest));
    rest.size = memory->size - used;
    rest.base = rest.size ? (uint8_t *)memory->base + used : NULL;
    decoded = achi_cdr_decode(message, message_size, reader, memory->base, n, &rest);
    memory->needed += rest.needed;
    return decoded == ACH_OK ? status : decoded;
}

/* Set the type in the attributes, and create the channel. */
static inline enum ach_status achi_cdr_create(const char *name, size_t frames, size_t size,
                                              ach_create_attr_t *attr,
                                              const ach_channel_type_t *type)
{
    ach_create_attr_t defaults;

    if (!attr) {
        ach_create_attr_init(&defaults);
        attr = &defaults;
    }
    ach_create_attr_set_type(attr, type);
    return ach_create(name, frames, size, attr);
}

/* Set the type in the attributes, and open the channel. */
static inline enum ach_status achi_cdr_open(ach_channel_t *chan, const char *name, ach_attr_t *attr,
                                            const ach_channel_type_t *type)
{
    ach_attr_t defaults;

    if (!attr) {
        ach_attr_init(&defaults);
        attr = &defaults;
    }
    ach_attr_set_type(attr, type);
    return ach_open(chan, name, attr);
}

#ifdef __cplusplus
}
#endif

#endif
