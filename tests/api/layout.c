/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Print a channel's layout: where each field is, and the bytes of a new
 * channel and of one with messages. Bytes that depend on the machine's page
 * size or on the PID namespace are shown as dots.
 */
#include "check.h"

#include "layout.h"

#include <fcntl.h>
#include <sys/stat.h>

#define NAME "layout"
#define LINE 16
#define TYPE_SIZE 64

struct area {
    size_t off, size;
};

#define HEADER_AREA(member)                                                                        \
    {                                                                                              \
        offsetof(struct ach_header, member), sizeof(((struct ach_header *)0)->member)              \
    }

static const struct area masked[] = {
    HEADER_AREA(data_off), HEADER_AREA(data_size),  HEADER_AREA(memory), HEADER_AREA(pidns),
    HEADER_AREA(page),     HEADER_AREA(wake_inode), HEADER_AREA(epoch),
};

static void print_fields(void)
{
    printf("versions %u %u\nmagic %016llx\nheader room %u\ninline %u %u\nalign %u\n", ACHI_VERSION,
           ACHI_VERSION_TYPED, ACHI_MAGIC, ACHI_HEADER_SIZE, ACHI_INLINE_MAX,
           ACHI_INLINE_MAX_ORIGINS, ACHI_ALIGN);
    printf("flags %d %d %d %d\nstates %d %d %d\n\n", ACHI_F_TIMESTAMPS, ACHI_F_SINGLE_WRITER,
           ACHI_F_MIRRORED, ACHI_F_ORIGINS, ACHI_LIVE, ACHI_UNLINKED, ACHI_REPLACED);
#define FIELD(type, member)                                                                        \
    printf("%-10s %-13s %3zu %3zu\n", #type, #member, offsetof(struct type, member),               \
           sizeof(((struct type *)0)->member));
#include "fields.h"
    printf("%-10s %-13s %3zu\n", "ach_header", "size", sizeof(struct ach_header));
    printf("%-10s %-13s %3zu\n", "achi_entry", "size", sizeof(struct achi_entry));
}

static bool is_masked(size_t off)
{
    size_t i;

    for (i = 0; i < sizeof(masked) / sizeof(masked[0]); i++)
        if (off >= masked[i].off && off < masked[i].off + masked[i].size)
            return true;
    return false;
}

static bool all_zero(const unsigned char *p, size_t n)
{
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n == 0;
}

/* Lines of zeros are left out. */
static void print_bytes(const unsigned char *mem, size_t off, size_t end)
{
    size_t i;

    for (; off < end; off += LINE) {
        if (all_zero(mem + off, LINE))
            continue;
        printf("%04zx ", off);
        for (i = off; i < off + LINE; i++) {
            if (is_masked(i))
                printf(" ..");
            else
                printf(" %02x", mem[i]);
        }
        printf("\n");
    }
}

static void print_channel(const char *title)
{
    char path[256];
    struct stat st;
    unsigned char *mem;
    int fd;

    REQUIRE_OK(ach_channel_path(NAME, path, sizeof(path)));
    fd = open(path, O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0 && fstat(fd, &st) == 0);
    mem = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    REQUIRE(mem != MAP_FAILED);
    close(fd);
    printf("\n%s\n", title);
    print_bytes(mem, 0, ACHI_HEADER_SIZE + 8 * sizeof(struct achi_entry) + TYPE_SIZE);
    munmap(mem, (size_t)st.st_size);
}

static void print_channels(void)
{
    ach_create_attr_t attr;
    ach_channel_t chan;
    char large[ACHI_INLINE_MAX + 1];

    memset(large, 'x', sizeof(large));
    ach_create_attr_init(&attr);
    ach_create_attr_set_readonly_wake(&attr, 1);
    REQUIRE_OK(ach_create(NAME, 5, 100, &attr));
    print_channel("a new channel, 5 messages of 100 bytes");
    REQUIRE_OK(ach_open(&chan, NAME, NULL));
    REQUIRE_OK(ach_put(&chan, large, sizeof(large)));
    REQUIRE_OK(ach_put(&chan, "small", 5));
    print_channel("after a put of 81 bytes and one of 5");
    REQUIRE_OK(ach_close(&chan));
    REQUIRE_OK(ach_unlink(NAME));
}

static void print_typed(void)
{
    const ach_channel_type_t type = {.name = "demo/msg/Pair",
                                     .encoding = "cdr",
                                     .schema_encoding = "ros2msg",
                                     .schema = "float64 x\nfloat64 y\n",
                                     .schema_size = 20};
    const ach_origin_t origin = {0x1111, 0x2222, 0x3333};
    ach_create_attr_t attr;
    ach_channel_t chan;

    ach_create_attr_init(&attr);
    ach_create_attr_set_type(&attr, &type);
    ach_create_attr_set_relayed(&attr, 1);
    REQUIRE_OK(ach_create(NAME, 5, 100, &attr));
    REQUIRE_OK(ach_open(&chan, NAME, NULL));
    REQUIRE_OK(ach_put_relayed(&chan, "relayed", 7, &origin));
    print_channel("a channel with a type, and a message with an origin");
    REQUIRE_OK(ach_close(&chan));
    REQUIRE_OK(ach_unlink(NAME));
}

int main(void)
{
    const uint32_t one = 1;
    unsigned char low;

    memcpy(&low, &one, 1);
    if (low != 1)
        check_skip("the golden listing is of a little-endian machine");
    print_fields();
    print_channels();
    print_typed();
    return check_result();
}
