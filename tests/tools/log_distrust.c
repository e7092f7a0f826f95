/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log_distrust.c - logs damaged at random, also with valid checksums
 */
#include "log_record.h"
#include "logs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ROUNDS 20000
#define LARGEST 16384

struct seed {
    unsigned char bytes[LARGEST];
    size_t size;
    size_t header;
};

static void load(struct seed *s, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, s->bytes, sizeof(s->bytes));
    const char *end;

    REQUIRE(n > 0 && (size_t)n < sizeof(s->bytes));
    close(fd);
    s->size = (size_t)n;
    end = memmem(s->bytes, s->size, "\n\n", 2);
    s->header = end ? (size_t)(end + 2 - (const char *)s->bytes) : 0;
}

/* Boundary values of sizes and times. */
static uint64_t odd_number(uint64_t *state)
{
    static const uint64_t odd[] = {0,         1,          LOG_MESSAGE_MAX,     LOG_MESSAGE_MAX + 1,
                                   INT64_MAX, UINT64_MAX, (uint64_t)INT64_MIN, UINT32_MAX,
                                   65536};

    return odd[check_random(state) % (sizeof(odd) / sizeof(*odd))];
}

/* Change a number in the first record and correct its checksum. */
static void forge(struct seed *s, uint64_t *state)
{
    struct log_record raw;

    if (s->header == 0 || s->header + sizeof(raw) > s->size)
        return;
    memcpy(&raw, s->bytes + s->header, sizeof(raw));
    switch (check_random(state) % 3) {
    case 0:
        raw.size = htole64(odd_number(state));
        break;
    case 1:
        raw.time_ns = htole64(odd_number(state));
        break;
    default:
        raw.magic = htole32(LOG_MAGIC_END);
    }
    raw.crc = htole32(log_record_crc(&raw));
    memcpy(s->bytes + s->header, &raw, sizeof(raw));
}

static void damage(struct seed *s, uint64_t *state)
{
    uint64_t n = 1 + check_random(state) % 4, where;

    while (n-- > 0) {
        where = check_random(state) % s->size;
        switch (check_random(state) % 4) {
        case 0:
            s->bytes[where] = (unsigned char)check_random(state);
            break;
        case 1:
            s->bytes[where] ^= (unsigned char)(1u << check_random(state) % 8);
            break;
        case 2:
            s->size = where + 1;
            break;
        default:
            forge(s, state);
        }
    }
}

int main(void)
{
    static struct seed seeds[2], s;
    struct log_info info = logs_info("c");
    uint64_t state = 1, i;

    tool_enter();
    logs_write("plain", &info, false, 1, 9, 11 * SECOND_NS, 1000);
    logs_write("zipped", &info, gzip_available(), 1, 9, 11 * SECOND_NS, 1000);
    load(&seeds[0], "plain");
    load(&seeds[1], "zipped");
    for (i = 0; i < check_scale(ROUNDS); i++) {
        s = seeds[i % 2];
        damage(&s, &state);
        LLVMFuzzerTestOneInput(s.bytes, s.size);
    }
    return check_result();
}
