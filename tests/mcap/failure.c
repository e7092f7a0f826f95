/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * failure.c - writes that fail, and a writer that is killed
 *
 * In any case the file is readable up to its last whole chunk, and the writer tells its caller.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "check.h"
#include "sample.h"

#define EACH 25

static const struct sample failing = {.seed = 8, .count = 40 * EACH, .channels = 3, .flush = EACH};

static bool failure_lost(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                         size_t n)
{
    (void)pairs;
    *(bool *)context = name.size == 4 && n == 0;
    return true;
}

/* Read a file that has the messages up to the last flush, and metadata that was written after the failure. */
static enum mcap_result failure_read(int fd, uint64_t flushed, bool metadata)
{
    struct mcap_reader *r = mcap_reader_new(fd);
    struct mcap_statistics t = {0};
    enum mcap_result result;
    uint64_t count = 0;
    bool lost = false;

    REQUIRE(r != NULL);
    /* Channels of the chunk that was cut off are not in the file. */
    mcap_reader_statistics(r, &t);
    CHECK(t.messages == flushed || t.messages == 0);
    CHECK(t.channels == (t.messages ? failing.channels : 0));
    result = sample_read(&failing, r, &count);
    CHECK((result == MCAP_END || result == MCAP_CUT) && count == flushed);
    CHECK(mcap_reader_metadata(r, failure_lost, &lost) != MCAP_BAD && lost == metadata);
    mcap_reader_free(r);
    return result;
}

/* Write until it fails; the messages of whole chunks. The limit must not be reached by reading. */
static uint64_t failure_write(int fd, int error, bool *metadata)
{
    struct mcap_writer *w = sample_begin(&failing, fd);
    uint64_t flushed = 0, counted = 0;
    uint16_t id;

    *metadata = false;
    if (!w) {
        CHECK(errno == error);
        return 0;
    }
    errno = 0;
    while (flushed < failing.count && sample_write_messages(&failing, w, flushed, flushed + EACH))
        flushed += EACH;
    CHECK(flushed == failing.count || errno == error);
    CHECK(flushed == failing.count || (!mcap_writer_flush(w) && errno == error));
    for (id = 1; id <= failing.channels; id++)
        counted += mcap_writer_count(w, id);
    CHECK(counted == flushed);
    *metadata = mcap_writer_metadata(w, mcap_text("lost"), NULL, 0);
    CHECK(*metadata || errno == error);
    CHECK(!mcap_writer_finish(w) && errno == error);
    return flushed;
}

static void test_limit_of(struct rlimit limit, uint64_t bytes)
{
    struct mcap_repaired told;
    uint64_t flushed;
    bool metadata;
    rlim_t was = limit.rlim_cur;
    int fd = sample_memory("", 0);
    enum mcap_result result;

    limit.rlim_cur = bytes;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    flushed = failure_write(fd, EFBIG, &metadata);
    limit.rlim_cur = was;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    result = failure_read(fd, flushed, metadata);
    if (result == MCAP_CUT) {
        CHECK(mcap_repair(fd, &told) == MCAP_OK && told.removed + told.damaged == 0);
        CHECK(failure_read(fd, flushed, metadata) == MCAP_END);
    }
    close(fd);
}

/* A limit of the size of files, at any byte. */
static void test_limit(void)
{
    int fd = sample_file(&failing);
    uint64_t step = 1 + 20000 / check_scale(200), bytes;
    struct rlimit limit;
    size_t size;

    free(sample_bytes(fd, &size));
    close(fd);
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    for (bytes = 0; check_failures == 0 && bytes < size; bytes += step)
        test_limit_of(limit, bytes);
}

/* In a child, because it changes its name space. 77: it may not. */
static int failure_disk(void)
{
    char dir[] = "/tmp/mcap-full-XXXXXX", path[64];
    uint64_t flushed;
    bool metadata;
    int fd, r;

    if ((geteuid() == 0 ? unshare(CLONE_NEWNS) : unshare(CLONE_NEWUSER | CLONE_NEWNS)) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 || !mkdtemp(dir))
        return CHECK_SKIPPED;
    r = mount("none", dir, "tmpfs", 0, "size=64k");
    if (r == 0) {
        snprintf(path, sizeof(path), "%s/file", dir);
        fd = open(path, O_RDWR | O_CREAT, 0600);
        flushed = failure_write(fd, ENOSPC, &metadata);
        CHECK(flushed > 0 && flushed < failing.count);
        failure_read(fd, flushed, metadata);
        close(fd);
        umount(dir);
    }
    rmdir(dir);
    return r == 0 ? check_result() : CHECK_SKIPPED;
}

static void test_disk(void)
{
    pid_t pid = check_fork();
    int status = 0;

    if (pid == 0)
        exit(failure_disk());
    REQUIRE(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    if (WEXITSTATUS(status) == CHECK_SKIPPED)
        printf("no full disk: this user may not mount one\n");
    else
        CHECK(WEXITSTATUS(status) == 0);
}

/* The reader of a pipe goes away. */
static void test_broken_pipe(void)
{
    struct mcap_writer *w;
    int ends[2];

    signal(SIGPIPE, SIG_IGN);
    REQUIRE(pipe(ends) == 0);
    w = sample_begin(&failing, ends[1]);
    REQUIRE(w != NULL);
    CHECK(sample_write_messages(&failing, w, 0, EACH));
    close(ends[0]);
    CHECK(!sample_write_messages(&failing, w, EACH, 3 * EACH) && errno == EPIPE);
    CHECK(!mcap_writer_finish(w) && errno == EPIPE);
    close(ends[1]);
}

static void failure_tick(int signal)
{
    (void)signal;
}

static void failure_interrupt(bool on)
{
    struct sigaction act = {.sa_handler = failure_tick}; /* without SA_RESTART */
    struct itimerval tick = {{0, on ? 1000 : 0}, {0, on ? 1000 : 0}};

    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &tick, NULL);
}

static void failure_all(int fd)
{
    struct mcap_reader *r = mcap_reader_new(fd);
    uint64_t count = 0;

    REQUIRE(r != NULL);
    CHECK(sample_read(&failing, r, &count) == MCAP_END && count == failing.count);
    mcap_reader_free(r);
}

/* Read all of a pipe, slowly and in pieces. */
static int failure_drain(int fd)
{
    int copy = sample_memory("", 0), piece = 1;
    char bytes[5000];
    ssize_t n;

    while ((n = read(fd, bytes, (size_t)piece)) > 0) {
        REQUIRE(write(copy, bytes, (size_t)n) == n);
        piece = piece * 7 % 4999 + 1;
        if (piece % 5 == 0)
            check_sleep_ms(1);
    }
    failure_all(copy);
    close(copy);
    return check_result();
}

/* Read it while the writer sleeps between messages; signals interrupt reads. */
static int failure_await(int fd, int flags)
{
    REQUIRE(fcntl(fd, F_SETFL, flags) == 0);
    failure_interrupt(true);
    failure_all(fd);
    failure_interrupt(false);
    return check_result();
}

/* Signals interrupt writes; a pipe takes only parts, and may not block. */
static void test_pieces(bool slow, int flags)
{
    struct mcap_writer *w;
    uint64_t i;
    int ends[2];
    pid_t pid;

    REQUIRE(pipe(ends) == 0);
    pid = check_fork();
    if (pid == 0) {
        close(ends[1]);
        exit(slow ? failure_drain(ends[0]) : failure_await(ends[0], flags));
    }
    close(ends[0]);
    fcntl(ends[1], F_SETPIPE_SZ, 4096);
    REQUIRE(fcntl(ends[1], F_SETFL, flags) == 0);
    failure_interrupt(true);
    w = sample_begin(&failing, ends[1]);
    REQUIRE(w != NULL);
    for (i = 0; i < failing.count; i += EACH) {
        CHECK(sample_write_messages(&failing, w, i, i + EACH));
        check_sleep_ms(3);
    }
    CHECK(mcap_writer_finish(w));
    failure_interrupt(false);
    close(ends[1]);
    CHECK(check_child(pid, 60000));
}

static void failure_endless(int fd, volatile uint64_t *flushed)
{
    struct mcap_writer *w = sample_begin(&failing, fd);

    REQUIRE(w != NULL);
    while (sample_write_messages(&failing, w, *flushed, *flushed + EACH))
        *flushed += EACH;
    exit(1);
}

/* Kill a writer at any time: what it flushed is there, and no part of what it did not. */
static void test_kill(volatile uint64_t *flushed, uint64_t *state)
{
    int fd = sample_memory("", 0);
    uint64_t count = 0, again;
    struct mcap_repaired told;
    struct mcap_reader *r;
    pid_t pid;

    *flushed = 0;
    pid = check_fork();
    if (pid == 0)
        failure_endless(fd, flushed);
    while (*flushed == 0)
        check_sleep_ms(0);
    usleep((useconds_t)(check_random(state) % 3000));
    kill(pid, SIGKILL);
    REQUIRE(waitpid(pid, NULL, 0) == pid);
    r = mcap_reader_new(fd);
    REQUIRE(r != NULL);
    CHECK(sample_read(&failing, r, &count) == MCAP_CUT && count >= *flushed && count % EACH == 0);
    mcap_reader_free(r);
    CHECK(mcap_repair(fd, &told) == MCAP_OK);
    r = mcap_reader_new(fd);
    REQUIRE(r != NULL);
    CHECK(sample_read(&failing, r, &again) == MCAP_END && again == count && mcap_reader_indexed(r));
    mcap_reader_free(r);
    close(fd);
}

int main(void)
{
    uint64_t *flushed = check_shared(sizeof(*flushed)), state = 1, i;

    test_limit();
    test_disk();
    test_broken_pipe();
    test_pieces(true, 0);
    test_pieces(true, O_NONBLOCK);
    test_pieces(false, 0);
    test_pieces(false, O_NONBLOCK);
    for (i = 0; i < check_scale(100); i++)
        test_kill(flushed, &state);
    return check_result();
}
