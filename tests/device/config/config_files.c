/* SPDX-License-Identifier: BSD-3-Clause */
/* config_files.c - files that include files, the resolution of paths, and limits */
#include <pthread.h>
#include <sys/stat.h>

#include "config.h"

static void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

static void check_load(const char *path, enum ach_status want, const char *errors)
{
    ach_config_t *config = NULL;

    CHECK_STATUS(ach_config_load(path, &config), want);
    CHECK((config != NULL) == (want == ACH_OK));
    if (want != ACH_OK)
        CHECK_TEXT(ach_config_errors(NULL), errors);
    ach_config_destroy(config);
}

static void test_include(void)
{
    ach_config_t *config = NULL;
    ach_section_t *root, *s;
    char *text;

    write_text("robot.cfg", "include \"sub/base.inc\"\nbase (port \"usb\")\nlog \"log\"\n"
                            "s (include \"sub/fields.inc\" b 2)\n");
    write_text("sub/base.inc",
               "include \"more.inc\"\ndefine base driver (map \"map.png\" port \"x\")");
    write_text("sub/more.inc", "map \"more.png\" plugin \"./p.so\" unit_length \"cm\" abs \"/m\"");
    write_text("sub/fields.inc", "a 1");
    REQUIRE_OK(ach_config_load("robot.cfg", &config));
    root = ach_config_root(config);
    s = ach_section_next(root, "driver", NULL);
    CHECK_TEXT(ach_section_path(s, "map", ""), "sub/map.png");
    CHECK_TEXT(ach_section_string(s, "map", ""), "map.png");
    CHECK(ach_section_path(s, "map", "") == ach_section_path(s, "map", ""));
    CHECK_TEXT(ach_section_path(s, "port", ""), "usb");
    CHECK_TEXT(ach_section_file(s), "robot.cfg");
    CHECK_TEXT(ach_section_path(root, "map", ""), "sub/more.png");
    CHECK_TEXT(ach_section_path(root, "log", ""), "log");
    CHECK_TEXT(ach_section_path(root, "abs", ""), "/m");
    CHECK_TEXT(ach_section_path(root, "absent", "as it is"), "as it is");
    CHECK_TEXT(ach_section_tuple_path(root, "plugin", 0, ""), "sub/./p.so");
    CHECK(ach_section_length(root, "absent", 1) == 1);
    text = printed(config);
    CHECK(strstr(text, "s\n(\n  a 1\n  b 2\n)\n") != NULL);
    free(text);
    ach_config_destroy(config);
}

/* A text in memory may include, too. */
static void test_include_in_text(void)
{
    static const char text[] = "include \"fields.inc\"";
    ach_config_t *config = NULL;

    REQUIRE_OK(ach_config_parse(text, strlen(text), "sub/text", &config));
    CHECK(ach_section_int(ach_config_root(config), "a", 0) == 1);
    ach_config_destroy(config);
}

static void test_include_errors(void)
{
    write_text("a.cfg", "include \"b.cfg\"\na (");
    write_text("b.cfg", "b )\n");
    check_load("a.cfg", ACH_EINVAL,
               "b.cfg:1:3: found ')', expected after 'b' a number, a \"string\", true, false, yes, "
               "no, '[' or '('\n"
               "a.cfg:2:4: found the end of the file, expected ')' for the 'a' of line 2\n");
    write_text("a.cfg", "s (\ninclude \"b.cfg\")");
    write_text("b.cfg", "b 1)\n");
    check_load("a.cfg", ACH_EINVAL,
               "b.cfg:1:4: found ')', expected the name of a field or section, or the end of the "
               "file\n");
    write_text("a.cfg", "include \"a.cfg\"");
    check_load("a.cfg", ACH_EINVAL, "a.cfg:1:9: a file includes itself: a.cfg includes a.cfg\n");
    write_text("a.cfg", "include \"sub/c.cfg\"");
    write_text("sub/c.cfg", "\n include \"../a.cfg\" x 1");
    check_load("a.cfg", ACH_EINVAL,
               "sub/c.cfg:2:10: a file includes itself: a.cfg includes sub/c.cfg includes "
               "sub/../a.cfg\n");
    REQUIRE(mkfifo("pipe", 0600) == 0);
    write_text("a.cfg", "include \"pipe\"");
    check_load("a.cfg", ACH_EINVAL, "a.cfg:1:9: cannot include pipe: it is not a regular file\n");
}

static void test_include_depth(void)
{
    char name[20], text[40];
    int i;

    for (i = 0; i < 20; i++) {
        sprintf(name, "d%d", i);
        sprintf(text, "include \"d%d\"", i + 1);
        write_text(name, text);
    }
    check_load("d0", ACH_EINVAL, "d16:1:9: more than 16 files that include files\n");
    write_text("d16", "a 1");
    check_load("d0", ACH_OK, NULL);
}

static void test_no_file(void)
{
    check_load("absent.cfg", ACH_ENOENT, "absent.cfg: No such file or directory\n");
    check_load("sub", ACH_EINVAL, "sub: it is a directory\n");
    write_text("secret.cfg", "a 1");
    chmod("secret.cfg", 0);
    if (geteuid() != 0)
        check_load("secret.cfg", ACH_EACCES, "secret.cfg: Permission denied\n");
}

/* A text of @copies times @part, followed by @rest. */
static char *repeat(const char *part, size_t copies, const char *rest)
{
    size_t n = strlen(part), i;
    char *text = malloc(n * copies + strlen(rest) + 1);

    REQUIRE(text != NULL);
    for (i = 0; i < copies; i++)
        memcpy(text + n * i, part, n);
    strcpy(text + n * copies, rest);
    return text;
}

static void check_parse(char *text, enum ach_status want, const char *errors)
{
    ach_config_t *config = NULL;

    CHECK_STATUS(ach_config_parse(text, strlen(text), "t", &config), want);
    if (want != ACH_OK)
        CHECK_TEXT(ach_config_errors(NULL), errors);
    ach_config_destroy(config);
    free(text);
}

static void test_size(void)
{
    char *text = repeat(" ", ACH_CONFIG_FILE_MAX, "");

    write_text("big.cfg", text);
    check_load("big.cfg", ACH_OK, NULL);
    check_parse(text, ACH_OK, NULL);
    text = repeat(" ", ACH_CONFIG_FILE_MAX + 1, "");
    write_text("larger.cfg", text);
    check_load("larger.cfg", ACH_OVERFLOW, "larger.cfg: it is larger than 1048576 bytes\n");
    check_parse(text, ACH_OVERFLOW, "t: it is larger than 1048576 bytes\n");
    check_load("/dev/zero", ACH_OVERFLOW, "/dev/zero: it is larger than 1048576 bytes\n");
    check_parse(repeat("include \"larger.cfg\"", 1, ""), ACH_EINVAL,
                "t:1:9: cannot include larger.cfg: it is larger than 1048576 bytes\n");
    check_parse(repeat("include \"big.cfg\"\n", 7, ""), ACH_OK, NULL);
    check_parse(repeat("include \"big.cfg\"\n", 9, ""), ACH_EINVAL,
                "t:8:9: all files together are larger than 8388608 bytes\n");
}

static void test_limits(void)
{
    char *text, *at;
    int i;

    check_parse(repeat("s(", 64, ""), ACH_EINVAL,
                "t:1:129: found the end of the file, expected ')' for the 's' of line 1\n");
    check_parse(repeat("s(", 65, ""), ACH_EINVAL,
                "t:1:129: sections are nested more than 64 deep\n");
    check_parse(repeat("s(", 500000, ""), ACH_EINVAL,
                "t:1:129: sections are nested more than 64 deep\n");
    text = at = malloc(20000);
    REQUIRE(text != NULL);
    for (i = 0; i <= ACH_CONFIG_FIELDS_MAX; i++)
        at += sprintf(at, "a%d 1\n", i);
    check_parse(text, ACH_EINVAL, "t:1001:1: more than 1000 fields in a section\n");
    check_parse(repeat("define a b()\n", 1000, ""), ACH_OK, NULL);
    check_parse(repeat("define a b()\n", 1001, ""), ACH_EINVAL,
                "t:1001:10: more than 1000 templates\n");
    check_parse(repeat("plugin\"\"\n", 1000, ""), ACH_OK, NULL);
    check_parse(repeat("plugin\"\"\n", 1001, ""), ACH_EINVAL, "t:1001:1: more than 1000 plugins\n");
    check_parse(repeat("s()", 349525, ""), ACH_OK, NULL);
    check_parse(repeat("w", 255, " 1"), ACH_OK, NULL);
    check_parse(repeat("w", 256, " 1"), ACH_EINVAL,
                "t:1:1: found 'wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww...', "
                "expected a word of at most 255 letters\n");
}

/* Templates that double at each level are refused before they exhaust the memory. */
static void test_doubling(void)
{
    char text[4000] = "define t0 s (a 1)\n", *at = text + strlen(text);
    int i;

    for (i = 1; i <= 25; i++)
        at += sprintf(at, "define t%d s (t%d () t%d ())\n", i, i - 1, i - 1);
    check_parse(strdup(text), ACH_EINVAL,
                "t:19:15: 't17' is too large: it nests sections more than 64 deep, or has more "
                "than 1000000 items\n");
    at = text + sprintf(text, "define t0 s (a 1)\n");
    for (i = 1; i <= 70; i++)
        at += sprintf(at, "define t%d s (t%d ())\n", i, i - 1);
    check_parse(strdup(text), ACH_EINVAL,
                "t:65:15: 't63' is too large: it nests sections more than 64 deep, or has more "
                "than 1000000 items\n");
}

/* Errors of a failed load belong to the thread. */
static void *other_thread(void *arg)
{
    ach_config_t *config = NULL;

    CHECK_TEXT(ach_config_errors(NULL), "");
    CHECK_STATUS(ach_config_load("other.cfg", &config), ACH_ENOENT);
    CHECK_TEXT(ach_config_errors(NULL), "other.cfg: No such file or directory\n");
    return arg;
}

static void test_threads(void)
{
    ach_config_t *config = NULL;
    pthread_t thread;

    CHECK_STATUS(ach_config_load("mine.cfg", &config), ACH_ENOENT);
    REQUIRE(pthread_create(&thread, NULL, other_thread, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK_TEXT(ach_config_errors(NULL), "mine.cfg: No such file or directory\n");
}

static void enter(char *directory)
{
    REQUIRE(mkdtemp(directory) && chdir(directory) == 0 && mkdir("sub", 0700) == 0);
}

int main(void)
{
    char directory[] = "/tmp/ach-config.XXXXXX", command[100];

    enter(directory);
    test_include();
    test_include_in_text();
    test_include_errors();
    test_include_depth();
    test_no_file();
    test_size();
    test_limits();
    test_doubling();
    test_threads();
    sprintf(command, "rm -rf %s", directory);
    CHECK(chdir("/") == 0 && system(command) == 0);
    return check_result();
}
