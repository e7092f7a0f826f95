/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.c - playing logs made for the purpose: speed, merging, limits, loops
 */
#include "logs.h"

static const char *replay;

/* Get the numbers of the messages in a channel, then remove the channel. */
static int take(const char *name, uint64_t *numbers, int max)
{
    ach_channel_t chan;
    unsigned char buf[256];
    size_t size;
    int n;

    REQUIRE_OK(ach_open(&chan, name, NULL));
    for (n = 0; n < max && ach_get(&chan, buf, sizeof(buf), &size, NULL, 0) == ACH_OK; n++)
        for (numbers[n] = 1; numbers[n] < 1000; numbers[n]++)
            if (logs_size(numbers[n]) == size && logs_same(buf, size, numbers[n]))
                break;
    ach_close(&chan);
    CHECK_OK(ach_unlink(name));
    return n;
}

static void check_numbers(const char *name, const uint64_t *want, int n)
{
    uint64_t got[100];
    int i, have = take(name, got, 100);

    CHECK(have == n);
    for (i = 0; i < n && i < have; i++)
        CHECK(got[i] == want[i]);
}

/* A minute of log takes 60 ms at a thousand times the speed, and certainly no minute. */
static void speed(void)
{
    const uint64_t want[] = {1, 2, 3, 4, 5, 6, 7};
    struct log_info info = logs_info("c");
    uint64_t begin;

    logs_write("log", &info, false, 1, 7, 11 * SECOND_NS, 10 * SECOND_NS);
    begin = check_now_ns();
    CHECK(TOOL_RUN(replay, "--create", "--speed", "1000", "log") == 0);
    CHECK(check_now_ns() - begin >= 60000000u);
    CHECK(check_now_ns() - begin < 40000000000u);
    check_numbers("c", want, 7);
    begin = check_now_ns();
    CHECK(TOOL_RUN(replay, "--create", "--max", "log") == 0);
    CHECK(check_now_ns() - begin < 40000000000u);
    check_numbers("c", want, 7);
}

/* Replay takes at least as long as the recording, at speed 2 at least half as long. */
static void double_speed(void)
{
    struct log_info info = logs_info("c");
    uint64_t begin, numbers[10];

    logs_write("log", &info, false, 1, 2, 11 * SECOND_NS, SECOND_NS / 2);
    begin = check_now_ns();
    CHECK(TOOL_RUN(replay, "--create", "--speed", "2", "log") == 0);
    CHECK(check_now_ns() - begin >= 250000000u);
    CHECK(take("c", numbers, 10) == 2);
    begin = check_now_ns();
    CHECK(TOOL_RUN(replay, "--create", "log") == 0);
    CHECK(check_now_ns() - begin >= 500000000u);
    CHECK(take("c", numbers, 10) == 2);
}

/* Logs of two channels whose messages alternate and whose clocks differ by 100 s. */
static void merges(void)
{
    const uint64_t want[] = {1, 11, 2, 12, 3, 13}, one[] = {1, 2, 3}, two[] = {11, 12, 13};
    struct log_info a = logs_info("a"), b = logs_info("b");

    b.clock_ns += 100 * SECOND_NS;
    logs_write("a", &a, false, 1, 3, 11 * SECOND_NS, 1000000);
    logs_write("b", &b, gzip_available(), 11, 3, 111 * SECOND_NS + 500000, 1000000);
    CHECK(TOOL_RUN(replay, "--create", "--to", "all", "b", "a") == 0);
    check_numbers("all", want, 6);
    CHECK(TOOL_RUN(replay, "--create", "--map", "b=c", "a", "b") == 0);
    check_numbers("a", one, 3);
    check_numbers("c", two, 3);
}

static void limits_and_loops(void)
{
    const uint64_t middle[] = {3, 4, 5}, twice[] = {1, 2, 1, 2};
    struct log_info info = logs_info("c");

    logs_write("log", &info, false, 1, 9, 11 * SECOND_NS, 1000000);
    CHECK(TOOL_RUN(replay, "--create", "--start", "0.0015", "--end", "0.0045", "log") == 0);
    check_numbers("c", middle, 3);
    CHECK(TOOL_RUN(replay, "--create", "--max", "--loop", "2", "--end", "0.0015", "log") == 0);
    check_numbers("c", twice, 4);
    CHECK(TOOL_RUN(replay, "--create", "--max", "--start", "5", "--loop", "0", "log") == 0);
    check_numbers("c", NULL, 0);
}

/* Times that run backwards keep the order of the messages. */
static void backwards(void)
{
    const uint64_t want[] = {1, 2, 3};
    struct log_info info = logs_info("c");

    logs_write("log", &info, false, 1, 3, 11 * SECOND_NS, -5 * SECOND_NS);
    CHECK(TOOL_RUN(replay, "--create", "log") == 0);
    check_numbers("c", want, 3);
}

static void tells(void)
{
    struct log_info info = logs_info("c");
    char command[512];

    logs_write("log", &info, false, 1, 5, 11 * SECOND_NS, SECOND_NS / 2);
    snprintf(command, sizeof(command), "%s --info --json log > out", replay);
    CHECK(system(command) == 0);
    CHECK(strstr(tool_read("out"), "\"messages\": 5,") != NULL);
    CHECK(strstr(tool_read("out"), "\"span\": 2,") != NULL);
    CHECK(strstr(tool_read("out"), "\"rate\": 2,") != NULL);
    CHECK(strstr(tool_read("out"), "\"start\": \"1970-01-01T00:16:41.000000000Z\"") != NULL);
    CHECK(strstr(tool_read("out"), "\"state\": \"complete\"") != NULL);
    CHECK(truncate("log", tool_size("log") - 1) == 0);
    snprintf(command, sizeof(command), "%s --info log > out", replay);
    CHECK(system(command) == 0);
    CHECK(strstr(tool_read("out"), "cut short") != NULL);
}

static void expect_info(const char *option, const char *want)
{
    char command[512];

    snprintf(command, sizeof(command), "%s --info %s log > out", replay, option);
    CHECK(system(command) == 0);
    if (!CHECK(strstr(tool_read("out"), want) != NULL))
        fprintf(stderr, "%s is not in:\n%s", want, tool_read("out"));
}

/* Messages put before recording began have no times: replay does not wait for them. */
static void untimed(void)
{
    const uint64_t want[] = {1, 2};
    struct log_info info = logs_info("c");

    info.held_known = true;
    info.held_seq = 3;
    logs_write("log", &info, false, 1, 5, 10 * SECOND_NS, SECOND_NS / 2);
    expect_info("--json", "\"untimed\": 3,");
    expect_info("--json", "\"span\": 0.5,");
    expect_info("--json", "\"rate\": 2,");
    expect_info("--json", "\"start\": \"1970-01-01T00:16:41.500000000Z\"");
    expect_info("", "untimed   3 in the channel before recording began\n");
    info.held_seq = 1;
    logs_write("log", &info, false, 1, 2, 10 * SECOND_NS, 9990 * SECOND_NS);
    CHECK(TOOL_RUN(replay, "--create", "log") == 0);
    check_numbers("c", want, 2);
    info.stamped = true; /* the channel knew when its messages were put */
    expect_info("--json", "\"untimed\": 1,");
    logs_write("log", &info, false, 1, 2, 10 * SECOND_NS, 9990 * SECOND_NS);
    expect_info("--json", "\"untimed\": 0,");
    expect_info("--json", "\"span\": 9990,");
}

/* Older logs lack the number of untimed messages: estimate it by those read at once. */
static void untimed_old(void)
{
    struct log_info info = logs_info("c");

    logs_write("log", &info, false, 1, 5, 10 * SECOND_NS, 180);
    expect_info("--json", "\"untimed\": 5,");
    expect_info("--json", "\"rate\": 0,");
    expect_info("", "untimed   5 in the channel before recording began (estimated");
    info.frame_cnt = 3; /* a channel cannot have held more */
    logs_write("log", &info, false, 1, 5, 10 * SECOND_NS, 180);
    expect_info("--json", "\"untimed\": 3,");
    logs_write("log", &info, false, 1, 5, 11 * SECOND_NS, 180);
    expect_info("--json", "\"untimed\": 0,");
    expect_info("", "untimed   unknown");
}

/* Data after the end mark of a log is an error. The messages before it are played. */
static void something_follows(bool compress)
{
    const uint64_t want[] = {1, 2, 3};
    struct log_info info = logs_info("c");
    char command[512];

    logs_write("log", &info, compress, 1, 3, 11 * SECOND_NS, 1000);
    CHECK(system("cat log log > both") == 0);
    snprintf(command, sizeof(command), "%s --info both > out 2> err", replay);
    CHECK(system(command) != 0);
    CHECK(strstr(tool_read("out"), "complete") == NULL);
    CHECK(strstr(tool_read("out"), "other data follows its end mark") != NULL);
    CHECK(TOOL_RUN(replay, "--create", "both") == 1);
    CHECK(strstr(tool_read("err"), "other data follows its end mark") != NULL);
    check_numbers("c", want, 3);
    CHECK(system("cp log both && printf x >> both") == 0);
    CHECK(TOOL_RUN(replay, "--create", "both") == 1);
    check_numbers("c", want, 3);
}

/* Replay fails if its channel is removed, because no reader can open it. */
static void removed_channel(void)
{
    struct log_info info = logs_info("c");
    ach_channel_t chan;
    pid_t pid;

    logs_write("log", &info, false, 1, 200, 11 * SECOND_NS, SECOND_NS / 10);
    pid = TOOL_START(replay, "--create", "log");
    TOOL_UNTIL(ach_open(&chan, "c", NULL) == ACH_OK);
    ach_close(&chan);
    check_sleep_ms(50);
    CHECK_OK(ach_unlink("c"));
    CHECK(tool_wait(pid) == 1);
    CHECK(strstr(tool_read("err"), "'c'") != NULL);
}

/* Errors are reported. Exit status 1: failure; 2: wrong usage. */
static void complaints(void)
{
    static const char *const speeds[] = {"0", "-1", "nan", "inf", "abc", "2x", ""};
    struct log_info info = logs_info("c");
    char said[100];
    size_t i;

    logs_write("log", &info, false, 1, 5, 11 * SECOND_NS, 1000);
    CHECK(TOOL_RUN(replay, "log") == 1);
    CHECK(strstr(tool_read("err"), "replay: there is no channel 'c'") != NULL);
    CHECK(strstr(tool_read("err"), "--create or 'ach mk c' creates it") != NULL);
    REQUIRE_OK(ach_create("c", 1, 16, NULL));
    CHECK(TOOL_RUN(replay, "log") == 1);
    CHECK(strstr(tool_read("err"), "does not fit") != NULL);
    CHECK_OK(ach_unlink("c"));
    CHECK(TOOL_RUN(replay, "/dev/null") == 1);
    CHECK(TOOL_RUN(replay, "no-such-file") == 1);
    CHECK(TOOL_RUN(replay, "/tmp") == 1);
    CHECK(strstr(tool_read("err"), "'/tmp' is unreadable: Is a directory") != NULL);
    CHECK(TOOL_RUN(replay, "--info", "/tmp") == 1);
    CHECK(strstr(tool_read("err"), "'/tmp' is unreadable: Is a directory") != NULL);
    CHECK(TOOL_RUN(replay) == 2);
    for (i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        CHECK(TOOL_RUN(replay, "--speed", speeds[i], "log") == 2);
        snprintf(said, sizeof(said), "the speed cannot be '%s': give a factor from 0.000001 to",
                 speeds[i]);
        CHECK(strstr(tool_read("err"), said) != NULL);
    }
    CHECK(TOOL_RUN(replay, "--json", "log") == 2);
    CHECK(TOOL_RUN(replay, "--max", "--speed", "2", "log") == 2);
    CHECK(TOOL_RUN(replay, "--speed", "2", "--max", "log") == 2);
    info.frame_cnt = UINT64_MAX;
    logs_write("log", &info, false, 1, 5, 11 * SECOND_NS, 1000);
    CHECK(TOOL_RUN(replay, "--create", "log") == 1);
    CHECK(strstr(tool_read("err"), "very large") != NULL);
    info = logs_info("c");
    info.clock_ns = INT64_MIN;
    logs_write("log", &info, false, 1, 5, 11 * SECOND_NS, 1000);
    CHECK(TOOL_RUN(replay, "--create", "log") == 1);
    CHECK(strstr(tool_read("err"), "impossible time") != NULL);
    CHECK_OK(ach_unlink("c"));
}

/* A --map that matches no log is an error, and nothing is played. */
static void stray_map(void)
{
    struct log_info info = logs_info("c");

    logs_write("log", &info, false, 1, 2, 11 * SECOND_NS, 1000);
    REQUIRE_OK(ach_create("c", 16, 256, NULL));
    CHECK(TOOL_RUN(replay, "--map", "zz=qq", "log") == 2);
    CHECK(strstr(tool_read("err"), "'zz'") != NULL);
    CHECK(TOOL_RUN(replay, "--create", "--map", "c=d", "--map", "cc=e", "log") == 2);
    check_numbers("c", NULL, 0);
    CHECK(ach_unlink("d") == ACH_ENOENT);
}

/* Replay into a channel for a single writer. */
static void single_writer(void)
{
    const uint64_t want[] = {1, 2};
    struct log_info info = logs_info("c");
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_single_writer(&attr, 1);
    REQUIRE_OK(ach_create("c", 16, 256, &attr));
    logs_write("log", &info, false, 1, 2, 11 * SECOND_NS, 1000);
    CHECK(TOOL_RUN(replay, "log") == 0);
    check_numbers("c", want, 2);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    replay = tool_path(argv[1]);
    tool_enter();
    speed();
    double_speed();
    merges();
    limits_and_loops();
    backwards();
    tells();
    untimed();
    untimed_old();
    something_follows(false);
    if (gzip_available())
        something_follows(true);
    removed_channel();
    complaints();
    stray_map();
    single_writer();
    return check_result();
}
