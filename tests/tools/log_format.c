/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log_format.c - logs are read back as written, truncated ones up to the truncation
 */
#include "crc32.h"
#include "logs.h"

#define MESSAGES 20

/* Read a log to its end. Counts the good messages; a wrong one fails the test. */
static enum log_result read_all(int fd, uint64_t *n)
{
    struct log_reader *r = malloc(sizeof(*r));
    struct log_message msg;
    enum log_result result;

    REQUIRE(r != NULL);
    *n = 0;
    result = log_reader_init(r, fd);
    while (result == LOG_OK && (result = log_reader_next(r, &msg)) == LOG_OK) {
        CHECK(msg.seq == *n + 1 && msg.size == logs_size(*n + 1));
        CHECK(msg.time_ns == 11 * SECOND_NS + (int64_t)*n * 1000);
        CHECK(logs_same(msg.data, msg.size, *n + 1));
        ++*n;
    }
    CHECK((result == LOG_BAD) == (r->error[0] != '\0'));
    log_reader_finish(r);
    free(r);
    return result;
}

static void comes_back(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t n;

    REQUIRE(fd >= 0);
    CHECK(read_all(fd, &n) == LOG_END);
    CHECK(n == MESSAGES);
    close(fd);
}

/* Truncate at every length: no wrong message, and no fewer messages than in a shorter file. */
static void cut_everywhere(const char *path)
{
    off_t size = tool_size(path), at;
    uint64_t n, before = 0;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    unsigned char *all = malloc((size_t)size);

    REQUIRE(fd >= 0 && all && pread(fd, all, (size_t)size, 0) == size);
    REQUIRE(ftruncate(fd, 0) == 0);
    for (at = 0; at < size; at++) {
        enum log_result result;

        lseek(fd, 0, SEEK_SET);
        result = read_all(fd, &n);
        CHECK(result == LOG_CUT || result == LOG_END || (result == LOG_BAD && n == 0));
        CHECK(n >= before);
        before = n;
        REQUIRE(pwrite(fd, all + at, 1, at) == 1);
    }
    CHECK(before == MESSAGES);
    close(fd);
    free(all);
}

/* An uncompressed log loses only the message that was truncated. */
static void cut_in_last_message(const char *path)
{
    uint64_t n;
    int fd = open(path, O_RDWR | O_CLOEXEC);

    REQUIRE(fd >= 0 && ftruncate(fd, tool_size(path) - (off_t)LOG_RECORD_SIZE - 1) == 0);
    CHECK(read_all(fd, &n) == LOG_CUT);
    CHECK(n == MESSAGES - 1);
    close(fd);
}

/* Corrupt each byte once: the reader reports it, and returns no wrong message before. */
static void flip_everywhere(const char *path, off_t header)
{
    off_t size = tool_size(path), at;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    unsigned char c;
    uint64_t n;

    REQUIRE(fd >= 0);
    for (at = header; at < size; at++) {
        REQUIRE(pread(fd, &c, 1, at) == 1);
        c ^= 0x10;
        REQUIRE(pwrite(fd, &c, 1, at) == 1);
        lseek(fd, 0, SEEK_SET);
        CHECK(read_all(fd, &n) == LOG_BAD);
        c ^= 0x10;
        REQUIRE(pwrite(fd, &c, 1, at) == 1);
    }
    close(fd);
}

static off_t header_size(const char *path)
{
    return (off_t)(strstr(tool_read(path), "\n\n") + 2 - tool_read(path));
}

static void bad_header(const char *text, const char *error)
{
    struct log_reader *r = malloc(sizeof(*r));
    int fd = open("bad", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    REQUIRE(r && fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    lseek(fd, 0, SEEK_SET);
    CHECK(log_reader_init(r, fd) == LOG_BAD);
    CHECK(strstr(r->error, error) != NULL);
    log_reader_finish(r);
    close(fd);
    free(r);
}

#define HEADER_REST                                                                                \
    "frame-size: 1\nclock: 1\nstamps: put\nrealtime-ns: 1\nclock-ns: 1\nlater: yes\n\n"

static void bad_headers(void)
{
    bad_header("", "it is empty");
    bad_header("hello\n", "not a log");
    bad_header("a long line that is no header of any log\n", "not a log");
    bad_header("ACHLOG 2\n\n", "another version");
    bad_header("ACHLOG 1\n\n", "lacks 'channel'");
    bad_header("ACHLOG 1\nchannel: ../a\nframe-count: 1\n" HEADER_REST, "bad line");
    bad_header("ACHLOG 1\nchannel: a\nframe-count: -1\n" HEADER_REST, "bad line");
    bad_header("ACHLOG 1\nchannel: a\nframe-count: 99999999999999999999\n" HEADER_REST, "bad line");
    bad_header("ACHLOG 1\nchannel\n", "bad line");
    bad_header("ACHLOG 1\nframe-count: 0\n", "bad line");
    bad_header("ACHLOG 1\nframe-size: 0\n", "bad line");
    bad_header("ACHLOG 1\nclock: 99\n", "bad line");
    bad_header("ACHLOG 1\nclock: -1\n", "bad line");
}

int main(void)
{
    struct log_info info = logs_info("c");

    tool_enter();
    CHECK(crc32_of(0, "123456789", 9) == 0xcbf43926u);
    logs_write("plain", &info, false, 1, MESSAGES, 11 * SECOND_NS, 1000);
    comes_back("plain");
    flip_everywhere("plain", header_size("plain"));
    cut_everywhere("plain");
    logs_write("plain", &info, false, 1, MESSAGES, 11 * SECOND_NS, 1000);
    cut_in_last_message("plain");
    bad_headers();
    if (gzip_available()) {
        logs_write("zipped", &info, true, 1, MESSAGES, 11 * SECOND_NS, 1000);
        comes_back("zipped");
        cut_everywhere("zipped");
    }
    return check_result();
}
