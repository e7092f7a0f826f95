/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * roundtrip.c - what achlog records, replay plays: messages, sizes, order, times
 */
#include "logs.h"

static const char *achlog, *replay;

#define COUNT 24
#define GAP_MS 10

struct stamped {
    int64_t at_ns[COUNT];
};

static void make(const char *name, size_t frames, size_t size, bool stamps)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_timestamps(&attr, stamps);
    REQUIRE_OK(ach_create(name, frames, size, &attr));
}

/* The channel must hold exactly messages 1 to n. Gets their times unless times is NULL. */
static void expect(const char *name, const size_t *sizes, uint64_t n, struct stamped *times)
{
    unsigned char *buf = malloc(4 << 20);
    ach_channel_t chan;
    struct timespec when;
    size_t size;
    uint64_t i;

    REQUIRE(buf != NULL);
    REQUIRE_OK(ach_open(&chan, name, NULL));
    for (i = 0; i < n; i++) {
        REQUIRE_OK(ach_get(&chan, buf, 4 << 20, &size, NULL, 0));
        CHECK(size == sizes[i]);
        CHECK(logs_same(buf, size, i + 1));
        if (times && CHECK_OK(ach_channel_timestamp(&chan, &when)))
            times->at_ns[i] = when.tv_sec * SECOND_NS + when.tv_nsec;
    }
    CHECK_STATUS(ach_get(&chan, buf, 4 << 20, &size, NULL, 0), ACH_EAGAIN);
    ach_close(&chan);
    free(buf);
}

static void put_all(const char *name, const size_t *sizes, uint64_t n, long gap_ms)
{
    unsigned char *buf = malloc(4 << 20);
    ach_channel_t chan;
    uint64_t i;

    REQUIRE(buf != NULL);
    REQUIRE_OK(ach_open(&chan, name, NULL));
    for (i = 0; i < n; i++) {
        logs_fill(buf, sizes[i], i + 1);
        REQUIRE_OK(ach_put(&chan, buf, sizes[i]));
        check_sleep_ms(gap_ms);
    }
    ach_close(&chan);
    free(buf);
}

/* A message is never played before its time; how much later is up to the machine. */
static void check_times(const struct stamped *was, const struct stamped *is, uint64_t begin_ns,
                        double speed)
{
    int i;

    for (i = 0; i < COUNT; i++) {
        double due = (double)(was->at_ns[i] - was->at_ns[0]) / speed;

        CHECK((double)(is->at_ns[i] - (int64_t)begin_ns) >= due - 1000);
    }
}

static void remove_all(const char *a, const char *b, const char *path)
{
    CHECK_OK(ach_unlink(a));
    CHECK_OK(ach_unlink(b));
    CHECK(unlink(path) == 0);
}

static void plays_as_recorded(bool compress)
{
    const char *path = compress ? "imu.achlog.gz" : "imu.achlog";
    size_t sizes[COUNT];
    struct stamped was, is;
    uint64_t begin_ns, i;

    for (i = 0; i < COUNT; i++)
        sizes[i] = logs_size(i + 1);
    make("imu", 64, 256, true);
    make("copy", 64, 256, true);
    put_all("imu", sizes, COUNT, GAP_MS);
    CHECK(TOOL_RUN(achlog, "-n", "24", compress ? "-z" : "-q", "imu") == 0);
    expect("imu", sizes, COUNT, &was);
    begin_ns = check_now_ns();
    CHECK(TOOL_RUN(replay, "--map", "imu=copy", path) == 0);
    expect("copy", sizes, COUNT, &is);
    check_times(&was, &is, begin_ns, 1);
    remove_all("imu", "copy", path);
}

/* Record messages while they are put, and end the recorder by a signal. */
static void records_live(bool stamps)
{
    size_t sizes[COUNT];
    uint64_t i;
    pid_t pid;

    for (i = 0; i < COUNT; i++)
        sizes[i] = logs_size(i + 1);
    make("imu", 64, 256, stamps);
    make("copy", 64, 256, true);
    pid = TOOL_START(achlog, "-o", "log", "imu");
    TOOL_UNTIL(tool_size("log") > 0);
    put_all("imu", sizes, COUNT, 1);
    check_sleep_ms(20);
    kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 0);
    CHECK(strstr(tool_read("err"), "24 messages") != NULL);
    CHECK(strstr(tool_read("err"), " 0 missed") != NULL);
    CHECK(TOOL_RUN(replay, "--max", "--to", "copy", "log") == 0);
    expect("copy", sizes, COUNT, NULL);
    remove_all("imu", "copy", "log");
}

/* Messages put before recording began have known times only if the channel has timestamps. */
static void records_held(bool stamps)
{
    const size_t sizes[] = {8, 8, 8, 8, 8};
    char command[512];
    pid_t pid;

    make("imu", 64, 256, stamps);
    put_all("imu", sizes, 4, 0);
    pid = TOOL_START(achlog, "-o", "log", "-n", "5", "imu");
    TOOL_UNTIL(tool_size("log") > 0);
    put_all("imu", sizes, 1, 0);
    CHECK(tool_wait(pid) == 0);
    CHECK((strstr(tool_read("err"), "first 4 messages are unknown") != NULL) == !stamps);
    snprintf(command, sizeof(command), "%s --info --json log > out", replay);
    CHECK(system(command) == 0);
    CHECK(strstr(tool_read("out"), stamps ? "\"untimed\": 0," : "\"untimed\": 4,") != NULL);
    CHECK((strstr(tool_read("out"), "\"rate\": 0,") != NULL) == !stamps);
    CHECK(unlink("out") == 0 && unlink("log") == 0);
    CHECK_OK(ach_unlink("imu"));
}

static void large_messages(bool compress)
{
    const size_t sizes[3] = {(1 << 20) + 1, 3 << 20, 5};

    make("camera", 8, 1 << 20, false);
    make("copy", 8, 1 << 20, false);
    put_all("camera", sizes, 3, 0);
    CHECK(TOOL_RUN(achlog, "-n", "3", compress ? "-zo" : "-qo", "log", "camera") == 0);
    CHECK(TOOL_RUN(replay, "--max", "--to", "copy", "log") == 0);
    expect("copy", sizes, 3, NULL);
    remove_all("camera", "copy", "log");
}

static void counts_missed(void)
{
    size_t sizes[100];
    uint64_t i;

    for (i = 0; i < 100; i++)
        sizes[i] = 8;
    make("fast", 16, 8, false);
    put_all("fast", sizes, 100, 0);
    CHECK(TOOL_RUN(achlog, "-n", "16", "fast") == 0);
    /* Messages overwritten before the recorder began are not missed. */
    CHECK(strstr(tool_read("err"), "16 messages, 128 bytes, 0 missed") != NULL);
    /* It overwrites an existing log only with -f. */
    CHECK(TOOL_RUN(achlog, "-n", "1", "fast") == 1);
    CHECK(TOOL_RUN(achlog, "-n", "1", "-f", "--last", "fast") == 0);
    CHECK(strstr(tool_read("err"), "1 messages, 8 bytes, 15 missed") != NULL);
    CHECK(TOOL_RUN(achlog, "-t", "0.01", "-f", "--new", "fast") == 0);
    CHECK(strstr(tool_read("err"), "0 messages") != NULL);
    CHECK(TOOL_RUN(achlog, "-n", "1", "fast", "no-such-channel") == 1);
    CHECK_OK(ach_unlink("fast"));
}

/* Messages overwritten while the recorder runs are missed. */
static void counts_overtaken(void)
{
    size_t sizes[100];
    uint64_t i;
    int status;
    pid_t pid;

    for (i = 0; i < 100; i++)
        sizes[i] = 8;
    make("fast", 16, 8, false);
    put_all("fast", sizes, 20, 0);
    pid = TOOL_START(achlog, "-o", "log", "-N", "fast");
    TOOL_UNTIL(tool_size("log") > 0);
    kill(pid, SIGSTOP);
    REQUIRE(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
    put_all("fast", sizes, 100, 0);
    kill(pid, SIGCONT);
    kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 0);
    CHECK(strstr(tool_read("err"), "16 messages, 128 bytes, 84 missed") != NULL);
    CHECK(unlink("log") == 0);
    CHECK_OK(ach_unlink("fast"));
}

/* How many messages are in a log that is being written. */
static uint64_t count_messages(const char *path)
{
    struct log_reader *r = malloc(sizeof(*r));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct log_message msg;
    uint64_t n = 0;

    REQUIRE(r && fd >= 0);
    if (log_reader_init(r, fd) == LOG_OK)
        while (log_reader_next(r, &msg) == LOG_OK)
            n++;
    log_reader_finish(r);
    close(fd);
    free(r);
    return n;
}

/* A recorder that is killed leaves what it flushed. */
static void killed_recorder(bool compress)
{
    size_t sizes[COUNT];
    uint64_t i;
    pid_t pid;

    for (i = 0; i < COUNT; i++)
        sizes[i] = 200;
    make("imu", 64, 256, true);
    pid = TOOL_START(achlog, compress ? "-zo" : "-qo", "log", "imu");
    TOOL_UNTIL(tool_size("log") > 0);
    put_all("imu", sizes, COUNT, 0);
    TOOL_UNTIL(count_messages("log") == COUNT);
    kill(pid, SIGKILL);
    CHECK(tool_wait(pid) == 128 + SIGKILL);
    CHECK(TOOL_RUN(replay, "--max", "--create", "--to", "copy", "log") == 0);
    CHECK(strstr(tool_read("err"), "cut short") != NULL);
    expect("copy", sizes, COUNT, NULL);
    remove_all("imu", "copy", "log");
}

/* A removed channel ends its log; the other recording continues. */
static void removed_channel(void)
{
    const size_t sizes[1] = {8};
    pid_t pid;

    make("gone", 16, 8, false);
    make("stays", 16, 8, false);
    pid = TOOL_START(achlog, "gone", "stays");
    TOOL_UNTIL(tool_size("stays.achlog") > 0);
    CHECK_OK(ach_unlink("gone"));
    TOOL_UNTIL(strstr(tool_read("err"), "removed") != NULL);
    put_all("stays", sizes, 1, 0);
    check_sleep_ms(20);
    kill(pid, SIGINT);
    CHECK(tool_wait(pid) == 0);
    CHECK(strstr(tool_read("err"), "stays: 1 messages") != NULL);
    CHECK_OK(ach_unlink("stays"));
}

/* A replaced channel ends its log with a failure: messages of the new one are not recorded. */
static void replaced_channel(void)
{
    const size_t sizes[1] = {8};
    ach_create_attr_t attr;
    char command[512];
    pid_t pid;

    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    make("twice", 16, 8, false);
    put_all("twice", sizes, 1, 0);
    pid = TOOL_START(achlog, "-o", "log", "twice");
    TOOL_UNTIL(tool_size("log") > 0);
    TOOL_UNTIL(count_messages("log") == 1);
    CHECK_OK(ach_create("twice", 16, 8, &attr));
    CHECK(tool_wait(pid) == 1);
    CHECK(strstr(tool_read("err"), "replaced") != NULL);
    snprintf(command, sizeof(command), "%s --info log > out", replay);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 0);
    CHECK(strstr(tool_read("out"), "complete") != NULL);
    CHECK_OK(ach_unlink("twice"));
    CHECK(unlink("log") == 0);
}

/* A log that reaches the file size limit ends; the other recording continues. */
static void limited_file(void)
{
    size_t sizes[COUNT];
    char command[512];
    uint64_t i;
    pid_t pid;

    for (i = 0; i < COUNT; i++)
        sizes[i] = 512;
    make("big", 64, 512, false);
    make("small", 16, 8, false);
    snprintf(command, sizeof(command), "ulimit -f 8 && exec %s big small", achlog);
    pid = TOOL_START("/bin/sh", "-c", command);
    TOOL_UNTIL(tool_size("small.achlog") > 0);
    put_all("big", sizes, COUNT, 0);
    TOOL_UNTIL(strstr(tool_read("err"), strerror(EFBIG)) != NULL);
    sizes[0] = 8;
    put_all("small", sizes, 1, 0);
    kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 1);
    CHECK(strstr(tool_read("err"), "small: 1 messages") != NULL);
    CHECK_OK(ach_unlink("big"));
    CHECK_OK(ach_unlink("small"));
    CHECK(unlink("big.achlog") == 0 && unlink("small.achlog") == 0);
}

static void complaints(void)
{
    char command[512];

    make("c", 16, 8, false);
    CHECK(TOOL_RUN(achlog, "-t", "0.01", "c", "c") == 2);
    CHECK(strstr(tool_read("err"), "'c' is named twice") != NULL);
    CHECK(TOOL_RUN(achlog, "-n", "0", "c") == 2);
    CHECK(TOOL_RUN(achlog, "-t", "0", "c") == 2);
    CHECK(strstr(tool_read("err"), "more than 0 seconds") != NULL);
    CHECK(TOOL_RUN(achlog, "-t", "0.01", "-o", "log", "-d", "/tmp", "c") == 2);
    CHECK(tool_size("c.achlog") < 0);
    snprintf(command, sizeof(command), "exec %s -t 0.01 -o - c >&-", achlog);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    CHECK_OK(ach_unlink("c"));
}

/* One file takes one recording at a time. */
static void one_recorder_per_file(void)
{
    const size_t sizes[1] = {8};
    pid_t pid;

    make("c", 16, 8, false);
    put_all("c", sizes, 1, 0);
    pid = TOOL_START(achlog, "-o", "log", "c");
    TOOL_UNTIL(tool_size("log") > 0);
    TOOL_UNTIL(count_messages("log") == 1);
    CHECK(TOOL_RUN(achlog, "-f", "-t", "0.01", "-o", "log", "c") == 1);
    CHECK(strstr(tool_read("err"), "another achlog") != NULL);
    CHECK(count_messages("log") == 1);
    kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 0);
    CHECK(TOOL_RUN(achlog, "-f", "-t", "0.01", "-o", "log", "c") == 0);
    CHECK(unlink("log") == 0);
    CHECK_OK(ach_unlink("c"));
}

/* A process with read permission on a log cannot lock out the next recording. */
static void readers_lock_nobody_out(void)
{
    const size_t sizes[1] = {8};
    int reader;

    make("c", 16, 8, false);
    put_all("c", sizes, 1, 0);
    CHECK(TOOL_RUN(achlog, "-t", "0.01", "-o", "log", "c") == 0);
    reader = tool_lock_as_reader("log");
    CHECK(TOOL_RUN(achlog, "-f", "-t", "0.01", "-o", "log", "c") == 0);
    CHECK(count_messages("log") == 1);
    close(reader);
    CHECK(unlink("log") == 0);
    CHECK_OK(ach_unlink("c"));
}

/* A log that was removed or not fully written is reported as an error. */
static void lost_logs(void)
{
    const size_t sizes[1] = {8};
    char command[512];
    pid_t pid;

    make("c", 16, 8, false);
    put_all("c", sizes, 1, 0);
    pid = TOOL_START(achlog, "-o", "log", "c");
    TOOL_UNTIL(tool_size("log") > 0);
    CHECK(unlink("log") == 0);
    kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 1);
    CHECK(strstr(tool_read("err"), "'log' was removed") != NULL);
    CHECK(strstr(tool_read("err"), "in log") == NULL);
    snprintf(command, sizeof(command), "(%s -t 1 -o - c; echo $? > status) | head -c 20 > out",
             achlog);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 0);
    CHECK(strcmp(tool_read("status"), "1\n") == 0);
    CHECK(strstr(tool_read("err"), "Broken pipe") != NULL);
    CHECK(strstr(tool_read("err"), "in -") == NULL);
    CHECK_OK(ach_unlink("c"));
}

/* A signal also ends the wait for a reader of a pipe. */
static void unread_pipe(void)
{
    uint64_t end = check_now_ns() + TOOL_LIMIT_MS * 1000000ull;
    int status = -1;
    pid_t pid;

    make("c", 16, 8, false);
    REQUIRE(mkfifo("fifo", 0666) == 0);
    pid = TOOL_START(achlog, "-f", "-o", "fifo", "c");
    /* A signal may come before it waits; then the next one ends it. */
    do {
        check_sleep_ms(20);
        kill(pid, SIGTERM);
    } while (waitpid(pid, &status, WNOHANG) == 0 && check_now_ns() < end);
    CHECK(WIFEXITED(status) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
    CHECK(unlink("fifo") == 0);
    CHECK_OK(ach_unlink("c"));
}

/* More channels than one ach_wait accepts. */
static void many_channels(void)
{
    enum { MANY = ACH_WAIT_MAX + 6 };
    const char *argv[MANY + 5] = {achlog, "-n", "1", "-f"};
    static char names[MANY][16];
    const size_t sizes[1] = {8};
    char path[32];
    pid_t pid;
    int i;

    for (i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof(names[i]), "many-%d", i);
        argv[4 + i] = names[i];
        make(names[i], 4, 8, false);
    }
    pid = tool_start(argv);
    for (i = 0; i < MANY; i++)
        put_all(names[i], sizes, 1, 0);
    CHECK(tool_wait(pid) == 0);
    for (i = 0; i < MANY; i++) {
        snprintf(path, sizeof(path), "many-%d.achlog", i);
        CHECK(tool_size(path) > 0);
        CHECK_OK(ach_unlink(names[i]));
    }
    CHECK(strstr(tool_read("err"), "many-69: 1 messages") != NULL);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 3);
    achlog = tool_path(argv[1]);
    replay = tool_path(argv[2]);
    tool_enter();
    plays_as_recorded(false);
    records_live(true);
    records_live(false);
    records_held(true);
    records_held(false);
    large_messages(false);
    counts_missed();
    counts_overtaken();
    killed_recorder(false);
    removed_channel();
    replaced_channel();
    complaints();
    limited_file();
    one_recorder_per_file();
    readers_lock_nobody_out();
    lost_logs();
    unread_pipe();
    many_channels();
    if (gzip_available()) {
        plays_as_recorded(true);
        large_messages(true);
        killed_recorder(true);
    }
    return check_result();
}
