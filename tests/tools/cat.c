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
}

static void complaints(void)
{
    CHECK(TOOL_RUN(achcat) == 2);
    CHECK(TOOL_RUN(achcat, "--no-such-option", "c") == 2);
    CHECK(TOOL_RUN(achcat, "c") == 1);
    CHECK(strstr(tool_read("err"), "'c'") != NULL);
    REQUIRE_OK(ach_create("c", 1, 4, NULL));
    write_file("in", "too long\n");
    CHECK(TOOL_RUN(achcat, "-p", "c", "in") == 1);
    CHECK(strstr(tool_read("err"), "does not fit") != NULL);
    CHECK(TOOL_RUN(achcat, "-p", "c", "no-such-file") == 1);
    CHECK_OK(ach_unlink("c"));
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    achcat = tool_path(argv[1]);
    tool_enter();
    lines_and_messages();
    follows();
    complaints();
    return check_result();
}
