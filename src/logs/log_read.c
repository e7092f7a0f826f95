/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "log.h"
#include "log_record.h"

/* First size of the buffer. It doubles only after the file has filled it. */
#define GROW_FIRST ((size_t)1 << 16)

__attribute__((format(printf, 2, 3))) static enum log_result bad(struct log_reader *r,
                                                                 const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsnprintf(r->error, sizeof(r->error), format, ap);
    va_end(ap);
    return LOG_BAD;
}

static enum log_result damaged(struct log_reader *r, const char *what)
{
    return bad(r, "damaged before byte %" PRIu64 ", after %" PRIu64 " messages: %s", r->offset,
               r->messages, what);
}

/* Read n bytes: LOG_OK, LOG_CUT if there are fewer, LOG_END if there are none. */
static enum log_result read_bytes(struct log_reader *r, void *p, size_t n)
{
    ssize_t got = source_read(&r->source, p, n);

    if (got == SOURCE_BAD)
        return damaged(r, "the compressed data is wrong");
    if (got < 0 && errno == ENOTSUP)
        return bad(r, "compressed, and this program was built without zlib");
    if (got < 0)
        return bad(r, "unreadable: %s", strerror(errno));
    r->offset += (uint64_t)got;
    if ((size_t)got == n)
        return LOG_OK;
    return got == 0 ? LOG_END : LOG_CUT;
}

static bool parse_u64(const char *s, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(s, &end, 10);
    return !errno && end != s && !*end && *s >= '0' && *s <= '9';
}

static bool parse_i64(const char *s, int64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoll(s, &end, 10);
    return !errno && end != s && !*end && (*s == '-' || (*s >= '0' && *s <= '9'));
}

static bool parse_channel(const char *s, char *channel)
{
    char path[4096];

    if (ach_channel_path(s, path, sizeof(path)) == ACH_INVALID_NAME ||
        strlen(s) >= ACH_CHAN_NAME_MAX)
        return false;
    strcpy(channel, s);
    return true;
}

static bool parse_stamps(const char *s, bool *stamped)
{
    *stamped = strcmp(s, "put") == 0;
    return *stamped || strcmp(s, "read") == 0;
}

/* Linux has far fewer clocks than this; CPU-time clocks of processes are negative. */
#define CLOCKS_MAX 32

static bool is_clock(int64_t clock)
{
    return clock >= 0 && clock < CLOCKS_MAX;
}

enum key {
    KEY_CHANNEL,
    KEY_COUNT,
    KEY_SIZE,
    KEY_CLOCK,
    KEY_STAMPS,
    KEY_REALTIME,
    KEY_CLOCK_NS,
    KEY_NEEDED, /* keys from here on are optional: older versions did not write them */
    KEY_HELD = KEY_NEEDED,
    KEY_MAX
};

static const char *const keys[KEY_MAX] = {"channel", "frame-count", "frame-size", "clock",
                                          "stamps",  "realtime-ns", "clock-ns",   "held-seq"};

static bool set_key(struct log_info *info, enum key key, const char *value)
{
    switch (key) {
    case KEY_CHANNEL:
        return parse_channel(value, info->channel);
    case KEY_COUNT:
        return parse_u64(value, &info->frame_cnt) && info->frame_cnt > 0;
    case KEY_SIZE:
        return parse_u64(value, &info->frame_size) && info->frame_size > 0;
    case KEY_CLOCK:
        return parse_i64(value, &info->clock) && is_clock(info->clock);
    case KEY_STAMPS:
        return parse_stamps(value, &info->stamped);
    case KEY_REALTIME:
        return parse_i64(value, &info->realtime_ns);
    case KEY_CLOCK_NS:
        return parse_i64(value, &info->clock_ns);
    case KEY_HELD:
        return info->held_known = parse_u64(value, &info->held_seq);
    default:
        return false;
    }
}

/* Parse one line of the header. Unknown keys are ignored: later versions may add some. */
static bool parse_line(struct log_info *info, char *line, unsigned *have)
{
    char *value = strstr(line, ": ");
    unsigned k;

    if (!value)
        return false;
    *value = '\0';
    for (k = 0; k < KEY_MAX; k++) {
        if (strcmp(line, keys[k]) != 0)
            continue;
        *have |= 1u << k;
        return set_key(info, (enum key)k, value + 2);
    }
    return true;
}

/* Read one line without its newline. *room is the space left, and is reduced by the line. */
static enum log_result read_line(struct log_reader *r, char *line, size_t *room)
{
    size_t n;

    for (n = 0; n < *room; n++) {
        enum log_result got = read_bytes(r, &line[n], 1);

        if (got == LOG_BAD)
            return got;
        if (got != LOG_OK)
            return bad(r, "not a recording: it is empty, or cut short in its header");
        if (line[n] == '\0')
            return bad(r, "not a log: its header is not text");
        if (line[n] == '\n') {
            line[n] = '\0';
            *room -= n + 1;
            return LOG_OK;
        }
    }
    return bad(r, "not a log of a channel, or its header is damaged");
}

static enum log_result read_first_line(struct log_reader *r)
{
    char line[16];
    size_t room = sizeof(line);
    enum log_result result = read_line(r, line, &room);

    if (result != LOG_OK)
        return result;
    if (strcmp(line, "ACHLOG 1") != 0)
        return bad(r, strncmp(line, "ACHLOG ", 7) == 0
                          ? "a log of another version; this program reads version 1"
                          : "not a log of a channel");
    return LOG_OK;
}

enum log_result log_reader_init(struct log_reader *r, int fd)
{
    char line[LOG_HEADER_MAX];
    size_t room = sizeof(line);
    enum log_result result;
    unsigned have = 0, k;

    source_init(&r->source, fd);
    r->info = (struct log_info){0};
    r->offset = 0;
    r->messages = 0;
    r->untimed = 0;
    r->buf = NULL;
    r->room = 0;
    r->error[0] = '\0';
    result = read_first_line(r);
    if (result != LOG_OK)
        return result;
    for (;;) {
        result = read_line(r, line, &room);
        if (result != LOG_OK)
            return result;
        if (!*line)
            break;
        if (!parse_line(&r->info, line, &have))
            return bad(r, "damaged: its header has a bad line before byte %" PRIu64, r->offset);
    }
    for (k = 0; k < KEY_NEEDED; k++)
        if (!(have & 1u << k))
            return bad(r, "damaged: its header lacks '%s'", keys[k]);
    return LOG_OK;
}

static bool grow(struct log_reader *r, size_t room)
{
    unsigned char *p;

    if (room <= r->room)
        return true;
    p = realloc(r->buf, room);
    if (!p)
        return false;
    r->buf = p;
    r->room = room;
    return true;
}

static enum log_result read_data(struct log_reader *r, size_t size)
{
    size_t done = 0;

    while (done < size) {
        size_t room = r->room > done ? r->room : 2 * done;
        enum log_result result;

        room = room < GROW_FIRST ? GROW_FIRST : room;
        room = room > size ? size : room;
        if (!grow(r, room))
            return bad(r, "too large: no memory for a message of %zu bytes", size);
        result = read_bytes(r, r->buf + done, room - done);
        if (result != LOG_OK)
            return result == LOG_END ? LOG_CUT : result;
        done = room;
    }
    return LOG_OK;
}

static enum log_result check_end(struct log_reader *r, const struct log_record *raw)
{
    enum log_result result;
    char more;

    if (le64toh(raw->seq) != r->messages)
        return damaged(r, "its end mark has a wrong message count");
    result = read_bytes(r, &more, 1);
    return result == LOG_OK ? damaged(r, "other data follows its end mark") : result;
}

/* Read and check the record in front of a message. */
static enum log_result read_record(struct log_reader *r, struct log_record *raw)
{
    enum log_result result = read_bytes(r, raw, sizeof(*raw));

    if (result == LOG_END)
        return LOG_CUT;
    if (result != LOG_OK)
        return result;
    if (le32toh(raw->magic) != LOG_MAGIC_MESSAGE && le32toh(raw->magic) != LOG_MAGIC_END)
        return damaged(r, "no record begins there");
    if (le32toh(raw->crc) != log_record_crc(raw))
        return damaged(r, "a record's checksum is wrong");
    if (le32toh(raw->magic) == LOG_MAGIC_END)
        return check_end(r, raw);
    if (le64toh(raw->size) == 0 || le64toh(raw->size) > LOG_MESSAGE_MAX)
        return damaged(r, "a record has an impossible size");
    return LOG_OK;
}

/* Logs without held_seq: messages read this soon after the start were in the channel before. */
#define OLD_FIRST_READ_NS 100000000ll

/* Without timestamps, the put time of a message from before the recording is unknown. */
static bool is_untimed(const struct log_reader *r, uint64_t seq, int64_t time_ns)
{
    int64_t since_start;

    if (r->info.stamped)
        return false;
    if (r->info.held_known)
        return seq <= r->info.held_seq;
    return r->messages == r->untimed && r->messages < r->info.frame_cnt &&
           !__builtin_sub_overflow(time_ns, r->info.clock_ns, &since_start) &&
           since_start < OLD_FIRST_READ_NS;
}

enum log_result log_reader_next(struct log_reader *r, struct log_message *msg)
{
    struct log_record raw;
    enum log_result result = read_record(r, &raw);
    size_t size;

    if (result != LOG_OK)
        return result;
    size = (size_t)le64toh(raw.size);
    result = read_data(r, size);
    if (result != LOG_OK)
        return result;
    if (le32toh(raw.data_crc) != crc32_of(0, r->buf, size))
        return damaged(r, "a message's checksum is wrong");
    *msg = (struct log_message){.time_ns = (int64_t)le64toh(raw.time_ns),
                                .seq = le64toh(raw.seq),
                                .missed = le64toh(raw.missed),
                                .size = size,
                                .data = r->buf};
    msg->untimed = is_untimed(r, msg->seq, msg->time_ns);
    r->messages++;
    r->untimed += msg->untimed;
    return LOG_OK;
}

void log_reader_finish(struct log_reader *r)
{
    source_finish(&r->source);
    free(r->buf);
    r->buf = NULL;
    r->room = 0;
}

bool log_realtime(const struct log_info *info, int64_t time_ns, int64_t *realtime_ns)
{
    int64_t passed;

    return !__builtin_sub_overflow(time_ns, info->clock_ns, &passed) &&
           !__builtin_add_overflow(info->realtime_ns, passed, realtime_ns);
}
