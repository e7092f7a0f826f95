/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cat.c - achcat: lines in, messages out
 */
#include "tool.h"

static const char *achcat;

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");

    REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void lines_and_messages(void)
{
    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    write_file("in", "one\n\ntwo words\nno end");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    CHECK(TOOL_RUN(achcat, "-xL", "c", "out") == 0);
    CHECK(strcmp(tool_read("out"), "one\ntwo words\nno end\n") == 0);
    CHECK(TOOL_RUN(achcat, "-x", "c", "out") == 0);
    CHECK(strcmp(tool_read("out"), "onetwo wordsno end") == 0);
    CHECK(TOOL_RUN(achcat, "-n", "2", "-L", "c", "out") == 0);
    CHECK(strcmp(tool_read("out"), "one\ntwo words\n") == 0);
    CHECK(TOOL_RUN(achcat, "--last", "--exit", "c", "out") == 0);
    CHECK(strcmp(tool_read("out"), "no end") == 0);
    CHECK(TOOL_RUN(achcat, "--new", "--time", "0.01", "c", "out") == 0);
    CHECK(tool_size("out") == 0);
}

/* It follows the channel until the channel goes away, or a signal comes. */
static void follows(void)
{
    pid_t pid = TOOL_START(achcat, "-L", "c", "out");

    TOOL_UNTIL(strstr(tool_read("out"), "no end") != NULL);
    write_file("in", "more\n");
    CHECK(TOOL_RUN(achcat, "--put", "c", "in") == 0);
    TOOL_UNTIL(strstr(tool_read("out"), "more\n") != NULL);
    tool_kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 0);
    pid = TOOL_START(achcat, "c", "out2");
    TOOL_UNTIL(tool_size("out2") > 0);
    CHECK_OK(ach_unlink("c"));
    CHECK(tool_wait(pid) == 0);
    CHECK(strstr(tool_read("err"), "the channel 'c' was removed") != NULL);
}

/* A new channel of the same name is not the one that it reads. */
static void replaced(void)
{
    ach_create_attr_t attr;
    pid_t pid;

    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    write_file("in", "one\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    pid = TOOL_START(achcat, "c", "out3");
    TOOL_UNTIL(tool_size("out3") > 0);
    CHECK_OK(ach_create("c", 16, 64, &attr));
    CHECK(tool_wait(pid) == 1);
    CHECK(strstr(tool_read("err"), "the channel was replaced") != NULL);
    CHECK_OK(ach_unlink("c"));
}

/* What was overwritten after it began is told; what was gone before that is not missed. */
static void missed(void)
{
    pid_t pid;
    int status;

    REQUIRE_OK(ach_create("c", 1, 64, NULL));
    write_file("in", "one\ntwo\nthree\nfour\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    CHECK(TOOL_RUN(achcat, "-x", "c", "out4") == 0);
    CHECK(strstr(tool_read("err"), "missed") == NULL);
    unlink("out4");
    pid = TOOL_START(achcat, "c", "out4");
    TOOL_UNTIL(strcmp(tool_read("out4"), "four") == 0);
    kill(pid, SIGSTOP);
    REQUIRE(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    kill(pid, SIGCONT);
    TOOL_UNTIL(strcmp(tool_read("out4"), "fourfour") == 0);
    tool_kill(pid, SIGTERM);
    CHECK(tool_wait(pid) == 0);
    CHECK(strstr(tool_read("err"), "3 messages of 'c' were missed") != NULL);
    CHECK(TOOL_RUN(achcat, "-x", "-l", "c", "out4") == 0);
    CHECK(strstr(tool_read("err"), "missed") == NULL);
    CHECK_OK(ach_unlink("c"));
}

static void complaints(void)
{
    CHECK(TOOL_RUN(achcat) == 2);
    CHECK(TOOL_RUN(achcat, "--no-such-option", "c") == 2);
    CHECK(TOOL_RUN(achcat, "-n", "0", "c") == 2);
    CHECK(TOOL_RUN(achcat, "c") == 1);
    CHECK(strstr(tool_read("err"), "'c'") != NULL);
    REQUIRE_OK(ach_create("c", 1, 4, NULL));
    write_file("in", "too long\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 1);
    CHECK(strstr(tool_read("err"), "does not fit") != NULL);
    CHECK(TOOL_RUN(achcat, "-p", "c", "no-such-file") == 1);
    CHECK_OK(ach_unlink("c"));
}

/* A closed descriptor is not where a channel's file ends up, to be written into. */
static void closed_streams(void)
{
    char command[512];
    ach_channel_t chan;
    char buf[64];
    size_t size;

    REQUIRE_OK(ach_create("c", 16, 64, NULL));
    write_file("in", "one\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 0);
    snprintf(command, sizeof(command), "exec %s -x c >&-", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    CHECK(strstr(tool_read("err"), "cannot write") != NULL);
    snprintf(command, sizeof(command), "exec %s -x c <&- >&- 2>&-", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    snprintf(command, sizeof(command), "exec %s -p c <&-", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    snprintf(command, sizeof(command), "exec %s --help >&-", achcat);
    CHECK(TOOL_RUN("/bin/sh", "-c", command) == 1);
    REQUIRE_OK(ach_open(&chan, "c", NULL));
    CHECK_OK(ach_get(&chan, buf, sizeof(buf), &size, NULL, 0));
    CHECK(size == 3 && memcmp(buf, "one", 3) == 0);
    CHECK(ach_get(&chan, buf, sizeof(buf), &size, NULL, 0) == ACH_EAGAIN);
    ach_close(&chan);
    CHECK_OK(ach_unlink("c"));
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    achcat = tool_path(argv[1]);
    tool_enter();
    lines_and_messages();
    follows();
    replaced();
    missed();
    complaints();
    closed_streams();
    return check_result();
}
