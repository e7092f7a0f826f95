/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.c - the native methods of channels */
#include "common.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* A message up to this size is copied on the stack. */
#define SMALL 1024

/* A buffer of Java reaches over 2 GiB. Windows begin at multiples of half of it. */
#define WINDOW_STEP ((size_t)1 << 30)

/* The bits of CreateOptions and OpenOptions */
enum {
    CREATE_TRUNCATE = 1,
    CREATE_REPLACE_CORRUPT = 2,
    CREATE_TIMESTAMPS = 4,
    CREATE_READONLY_WAKE = 8,
    CREATE_SINGLE_WRITER = 16,
    CREATE_RELAYED = 32,
    CREATE_ANTICIPATED = 64,
    OPEN_READONLY = 1,
    OPEN_SOURCE = 2
};

struct channel_handle {
    ach_channel_t chan;
    bool fixed; /* reservations stay where they are */
};

static ach_channel_t *channel_of(jlong handle)
{
    return &((struct channel_handle *)POINTER(handle))->chan;
}

/* A type of Java: NULL of null. Free it with type_free. */
struct type_copy {
    char *part[4];
    ach_channel_type_t type;
    const ach_channel_type_t *given;
};

static void type_copy(JNIEnv *env, jobjectArray array, struct type_copy *t)
{
    size_t size = 0;

    *t = (struct type_copy){0};
    if (!array)
        return;
    for (jsize i = 0; i < 4 && !(*env)->ExceptionCheck(env); i++) {
        jbyteArray part = (*env)->GetObjectArrayElement(env, array, i);

        t->part[i] = (*env)->ExceptionCheck(env) ? NULL : jni_bytes(env, part, &size);
    }
    t->type.name = t->part[0];
    t->type.encoding = t->part[1];
    t->type.schema_encoding = t->part[2];
    t->type.schema = t->part[3];
    t->type.schema_size = t->part[3] ? size : 0;
    t->given = &t->type;
}

static void type_free(struct type_copy *t)
{
    for (size_t i = 0; i < 4; i++)
        free(t->part[i]);
}

NATIVE(jint, create, jbyteArray name, jlong count, jlong size, jint flags, jint map, jint clock,
       jint mode, jobjectArray type, jlongArray memory)
{
    char *text = jni_text(env, name);
    enum ach_status r = ACH_FAILED_SYSCALL;
    ach_create_attr_t attr;
    struct type_copy t;
    jlong address;

    ach_create_attr_init(&attr);
    attr.map = (enum ach_map)map;
    if (clock >= 0)
        ach_create_attr_set_clock(&attr, clock);
    if (mode >= 0)
        ach_create_attr_set_mode(&attr, (mode_t)mode);
    ach_create_attr_set_truncate(&attr, flags & CREATE_TRUNCATE);
    ach_create_attr_set_replace_corrupt(&attr, flags & CREATE_REPLACE_CORRUPT);
    ach_create_attr_set_timestamps(&attr, flags & CREATE_TIMESTAMPS);
    ach_create_attr_set_readonly_wake(&attr, flags & CREATE_READONLY_WAKE);
    ach_create_attr_set_single_writer(&attr, flags & CREATE_SINGLE_WRITER);
    ach_create_attr_set_relayed(&attr, flags & CREATE_RELAYED);
    ach_create_attr_set_anticipated(&attr, flags & CREATE_ANTICIPATED);
    type_copy(env, type, &t);
    ach_create_attr_set_type(&attr, t.given);
    if (!(*env)->ExceptionCheck(env))
        r = ach_create(text, (size_t)count, (size_t)size, &attr);
    type_free(&t);
    free(text);
    if (r != ACH_OK)
        return (jint)r;
    address = map == ACH_MAP_ANON ? (jlong)(uintptr_t)attr.shm : 0;
    return jni_set_longs(env, memory, &address, 1, ACH_OK);
}

/* Open a handle in new memory. */
static enum ach_status handle_open(const char *name, ach_attr_t *attr, jlong opened[2])
{
    struct channel_handle *h = calloc(1, sizeof(*h));
    enum ach_status r;
    ach_info_t info;

    if (!h)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a handle");
    r = ach_open(&h->chan, name, attr);
    if (r != ACH_OK) {
        free(h);
        return r;
    }
    opened[0] = (jlong)(uintptr_t)h;
    /* If it is not known, the rules for a single writer are the safe ones. */
    opened[1] = ach_channel_info(&h->chan, &info) != ACH_OK || info.single_writer;
    return ACH_OK;
}

NATIVE(jint, open, jbyteArray name, jint flags, jint map, jlong memory, jlong spin,
       jlong lock_timeout, jobjectArray type, jlongArray opened)
{
    char *text = jni_text(env, name);
    enum ach_status r = ACH_FAILED_SYSCALL;
    jlong results[2];
    struct type_copy t;
    ach_attr_t attr;

    ach_attr_init(&attr);
    attr.map = (enum ach_map)map;
    if (memory)
        ach_attr_set_shm(&attr, POINTER(memory));
    ach_attr_set_readonly(&attr, flags & OPEN_READONLY);
    ach_attr_set_lock_source(&attr, flags & OPEN_SOURCE);
    ach_attr_set_spin(&attr, (uint64_t)spin);
    ach_attr_set_lock_timeout(&attr, (uint64_t)lock_timeout);
    type_copy(env, type, &t);
    ach_attr_set_type(&attr, t.given);
    if (!(*env)->ExceptionCheck(env))
        r = handle_open(text, &attr, results);
    type_free(&t);
    free(text);
    return r == ACH_OK ? jni_set_longs(env, opened, results, 2, ACH_OK) : (jint)r;
}

NATIVE(jint, close, jlong handle)
{
    enum ach_status r = ach_close(channel_of(handle));

    free(POINTER(handle));
    return (jint)r;
}

NATIVE(jint, free, jlong memory)
{
    free(POINTER(memory));
    return ACH_OK;
}

NATIVE(jint, unlink, jbyteArray name)
{
    char *text = jni_text(env, name);
    enum ach_status r = ach_unlink(text);

    free(text);
    return (jint)r;
}

static enum ach_status list_one(void *context, const char *name, enum ach_map map)
{
    (void)map;
    fwrite(name, 1, strlen(name) + 1, context);
    return ACH_OK;
}

NATIVE(jint, list, jobjectArray names)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    enum ach_status r;

    if (!to)
        return (jint)ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a list of channels");
    r = ach_list(list_one, to);
    fclose(to);
    if (r == ACH_OK)
        jni_set_bytes(env, names, 0, text, size, ACH_OK);
    free(text);
    return (jint)r;
}

NATIVE(jint, path, jbyteArray name, jobjectArray result)
{
    char *text = jni_text(env, name);
    char path[4096];
    enum ach_status r = ach_channel_path(text, path, sizeof(path));

    free(text);
    return r == ACH_OK ? jni_set_bytes(env, result, 0, path, strlen(path), ACH_OK) : (jint)r;
}

NATIVE(jint, chmod, jlong handle, jint mode)
{
    return (jint)ach_chmod(channel_of(handle), (mode_t)mode);
}

/* Where a message of that size is, or can be copied to; NULL and an exception: nowhere. */
static uint8_t *place_of(JNIEnv *env, jobject direct, jint from, jint size, uint8_t small[SMALL])
{
    uint8_t *place = direct         ? (*env)->GetDirectBufferAddress(env, direct)
                     : size > SMALL ? malloc((size_t)size)
                                    : small;

    if (!place) {
        jni_no_memory(env);
        return NULL;
    }
    return direct ? place + from : place;
}

static void place_free(uint8_t *place, jobject direct, const uint8_t small[SMALL])
{
    if (!direct && place != small)
        free(place);
}

/*
 * The bytes of an array are copied, because another writer may hold the lock for a second, and
 * a pinned array would keep the garbage collector waiting.
 */
NATIVE(jint, put, jlong handle, jbyteArray array, jobject direct, jint from, jint size)
{
    uint8_t small[SMALL];
    uint8_t *place = place_of(env, direct, from, size, small);
    enum ach_status r;

    if (!place)
        return ACH_FAILED_SYSCALL;
    if (!direct)
        (*env)->GetByteArrayRegion(env, array, from, size, (jbyte *)place);
    r = ach_put(channel_of(handle), place, (size_t)size);
    place_free(place, direct, small);
    return (jint)r;
}

NATIVE(jint, relay, jlong handle, jbyteArray message, jlong epoch, jlong seq, jlong stamp)
{
    ach_origin_t origin = {(uint64_t)epoch, (uint64_t)seq, (uint64_t)stamp};
    size_t size = 0;
    char *bytes = jni_bytes(env, message, &size);
    enum ach_status r = ach_put_relayed(channel_of(handle), bytes, size, &origin);

    free(bytes);
    return (jint)r;
}

/* Set place to an address that other places share, and the offset from there. */
static void place_set(jlong place[2], const ach_channel_t *chan, const void *at)
{
    uintptr_t base = (uintptr_t)chan->shm;
    size_t offset = (uintptr_t)at - base;

    place[0] = (jlong)(base + offset / WINDOW_STEP * WINDOW_STEP);
    place[1] = (jlong)(offset % WINDOW_STEP);
}

/*
 * Outside the channel, a reservation is memory of the handle that a larger one replaces. Buffers of
 * Java may still use it, so the first one is the largest.
 */
static enum ach_status reserve_fixed(struct channel_handle *h, size_t size, void **ptr)
{
    enum ach_status r;
    ach_info_t info;

    r = ach_channel_info(&h->chan, &info);
    if (r == ACH_OK && (!info.single_writer || info.map == ACH_MAP_KERNEL))
        r = ach_reserve(&h->chan, (size_t)info.capacity, ptr);
    if (r == ACH_OK)
        r = ach_reserve(&h->chan, size, ptr);
    h->fixed = r == ACH_OK;
    return r;
}

NATIVE(jint, reserve, jlong handle, jlong size, jlongArray result)
{
    struct channel_handle *h = POINTER(handle);
    jlong place[2] = {0};
    void *ptr = NULL;
    enum ach_status r = ach_reserve(&h->chan, (size_t)size, &ptr);

    if (r == ACH_OK && !h->fixed)
        r = reserve_fixed(h, (size_t)size, &ptr);
    if (r != ACH_OK)
        return (jint)r;
    place_set(place, &h->chan, ptr);
    return jni_set_longs(env, result, place, 2, ACH_OK);
}

NATIVE(jint, commit, jlong handle, jlong size)
{
    return (jint)ach_commit(channel_of(handle), (size_t)size);
}

NATIVE(jint, abort, jlong handle)
{
    return (jint)ach_abort(channel_of(handle));
}

/* The timeout of a get, and its options. */
static const struct timespec *limit_of(jlong limit, struct timespec *timeout)
{
    *timeout = (struct timespec){(time_t)(limit / 1000000000), (long)(limit % 1000000000)};
    return limit < 0 ? NULL : timeout;
}

static int options_of(jlong limit, jint options)
{
    return options | ACH_O_RELTIME | (limit != 0 ? ACH_O_WAIT : 0);
}

static bool delivered(enum ach_status status)
{
    return status == ACH_OK || status == ACH_MISSED_FRAME;
}

NATIVE(jint, get, jlong handle, jbyteArray array, jobject direct, jint from, jint room, jlong limit,
       jint options, jlongArray result)
{
    uint8_t small[SMALL];
    uint8_t *place = place_of(env, direct, from, room, small);
    struct timespec timeout;
    size_t size = 0;
    enum ach_status r;
    jlong number;

    if (!place)
        return ACH_FAILED_SYSCALL;
    r = ach_get(channel_of(handle), place, (size_t)room, &size, limit_of(limit, &timeout),
                options_of(limit, options));
    if (array && delivered(r))
        (*env)->SetByteArrayRegion(env, array, from, (jsize)size, (const jbyte *)place);
    place_free(place, direct, small);
    number = (jlong)size;
    return (*env)->ExceptionCheck(env) ? (jint)r : jni_set_longs(env, result, &number, 1, (jint)r);
}

NATIVE(jint, view, jlong handle, jlong limit, jint options, jlongArray result)
{
    ach_channel_t *chan = channel_of(handle);
    struct timespec timeout;
    const void *ptr = NULL;
    size_t size = 0;
    enum ach_status r =
        ach_view(chan, &ptr, &size, limit_of(limit, &timeout), options_of(limit, options));
    jlong place[3] = {0};

    if (!delivered(r))
        return (jint)r;
    if (size > WINDOW_STEP)
        return ACH_OVERFLOW;
    place_set(place, chan, ptr);
    place[2] = (jlong)size;
    return jni_set_longs(env, result, place, 3, (jint)r);
}

NATIVE(jint, viewCheck, jlong handle)
{
    return (jint)ach_view_check(channel_of(handle));
}

NATIVE(jobject, window, jlong address)
{
    return (*env)->NewDirectByteBuffer(env, POINTER(address), INT32_MAX);
}

NATIVE(jint, flush, jlong handle)
{
    return (jint)ach_flush(channel_of(handle));
}

NATIVE(jint, cancel, jlong handle)
{
    return (jint)ach_cancel(channel_of(handle), NULL);
}

NATIVE(jint, resume, jlong handle)
{
    channel_of(handle)->cancel = 0;
    return ACH_OK;
}

NATIVE(jint, seq, jlong handle, jlongArray result)
{
    uint64_t seq = 0;
    enum ach_status r = ach_channel_seq(channel_of(handle), &seq);
    jlong number = (jlong)seq;

    return jni_set_longs(env, result, &number, 1, (jint)r);
}

NATIVE(jint, missed, jlong handle, jlongArray result)
{
    uint64_t last = 0, total = 0;
    enum ach_status r = ach_channel_missed(channel_of(handle), &last, &total);
    jlong numbers[] = {(jlong)last, (jlong)total};

    return jni_set_longs(env, result, numbers, 2, (jint)r);
}

NATIVE(jint, timestamp, jlong handle, jlongArray result)
{
    struct timespec when = {0};
    enum ach_status r = ach_channel_timestamp(channel_of(handle), &when);
    jlong numbers[] = {(jlong)when.tv_sec, (jlong)when.tv_nsec};

    return jni_set_longs(env, result, numbers, 2, (jint)r);
}

NATIVE(jint, origin, jlong handle, jlongArray result)
{
    ach_origin_t o = {0};
    enum ach_status r = ach_channel_origin(channel_of(handle), &o);
    jlong numbers[] = {(jlong)o.epoch, (jlong)o.seq, (jlong)o.stamp};

    return jni_set_longs(env, result, numbers, 3, (jint)r);
}

NATIVE(jint, type, jlong handle, jobjectArray result)
{
    const ach_channel_type_t *t = NULL;
    enum ach_status r = ach_channel_type(channel_of(handle), &t);

    if (r != ACH_OK)
        return (jint)r;
    jni_set_bytes(env, result, 0, t->name, strlen(t->name), ACH_OK);
    jni_set_bytes(env, result, 1, t->encoding, strlen(t->encoding), ACH_OK);
    jni_set_bytes(env, result, 2, t->schema_encoding, strlen(t->schema_encoding), ACH_OK);
    return jni_set_bytes(env, result, 3, t->schema, t->schema_size, ACH_OK);
}

NATIVE(jlong, typeHash, jobjectArray type)
{
    struct type_copy t;
    jlong hash;

    type_copy(env, type, &t);
    hash = (jlong)ach_channel_type_hash(t.given);
    type_free(&t);
    return hash;
}

/* In the order of Info.java */
NATIVE(jint, info, jlong handle, jlongArray result)
{
    ach_info_t i;
    enum ach_status r = ach_channel_info(channel_of(handle), &i);

    if (r != ACH_OK)
        return (jint)r;
    jlong numbers[] = {
        i.map,
        i.clock,
        (jlong)i.frame_cnt,
        (jlong)i.frame_size,
        (jlong)i.capacity,
        (jlong)i.memory,
        (jlong)i.newest,
        (jlong)i.oldest,
        (jlong)i.recovered,
        (jlong)i.inode,
        i.mode,
        i.uid,
        i.gid,
        i.timestamps,
        i.single_writer,
        i.readonly_wake,
        i.unlinked,
        i.replaced,
        i.readonly,
        i.source,
        i.sourced,
        (jlong)i.seen,
        (jlong)i.received,
        (jlong)i.missed,
        (jlong)i.overtaken,
        (jlong)i.slept,
        i.ready,
        i.source_pid,
        (jlong)i.epoch,
        i.relayed,
        i.typed,
        i.anticipated,
    };
    return jni_set_longs(env, result, numbers, sizeof(numbers) / sizeof(numbers[0]), ACH_OK);
}

NATIVE(jint, descriptor, jlong handle, jlongArray result)
{
    int fd = -1;
    enum ach_status r = ach_channel_fd(channel_of(handle), &fd);
    jlong number = fd;

    return jni_set_longs(env, result, &number, 1, (jint)r);
}

NATIVE(jint, poll, jlong handle, jlong limit, jlongArray result)
{
    struct pollfd p = {.events = POLLIN};
    enum ach_status r = ach_channel_fd(channel_of(handle), &p.fd);
    struct timespec timeout;
    jlong number;

    if (r != ACH_OK)
        return (jint)r;
    number = ppoll(&p, 1, limit_of(limit, &timeout), NULL) == 1 && (p.revents & POLLIN);
    return jni_set_longs(env, result, &number, 1, ACH_OK);
}

NATIVE(jint, await, jlongArray handles, jlong limit, jintArray statuses)
{
    ach_wait_item_t items[ACH_WAIT_MAX] = {0};
    jlong address[ACH_WAIT_MAX];
    jint codes[ACH_WAIT_MAX];
    jsize n = (*env)->GetArrayLength(env, handles);
    struct timespec timeout;
    enum ach_status r;

    if (n > (jsize)ACH_WAIT_MAX)
        return ACH_EINVAL;
    (*env)->GetLongArrayRegion(env, handles, 0, n, address);
    for (jsize i = 0; i < n; i++)
        items[i].chan = channel_of(address[i]);
    r = ach_wait(items, (size_t)n, limit_of(limit, &timeout), ACH_O_RELTIME);
    for (jsize i = 0; i < n; i++)
        codes[i] = (jint)items[i].status;
    (*env)->SetIntArrayRegion(env, statuses, 0, n, codes);
    return (jint)r;
}

NATIVE(jint, periodInit, jlongArray period)
{
    ach_period_t p = {0};
    jlong numbers[2];
    enum ach_status r;

    (*env)->GetLongArrayRegion(env, period, 0, 2, numbers);
    r = ach_period_init(&p, numbers[0]);
    numbers[1] = p.next;
    return jni_set_longs(env, period, numbers, 2, (jint)r);
}

NATIVE(jint, periodWait, jlongArray period, jlongArray missed)
{
    jlong numbers[2], number;
    uint64_t count = 0;
    enum ach_status r;
    ach_period_t p;

    (*env)->GetLongArrayRegion(env, period, 0, 2, numbers);
    p = (ach_period_t){.length = numbers[0], .next = numbers[1]};
    r = ach_period_wait(&p, &count);
    numbers[1] = p.next;
    number = (jlong)count;
    jni_set_longs(env, missed, &number, 1, ACH_OK);
    return jni_set_longs(env, period, numbers, 2, (jint)r);
}
