/* SPDX-License-Identifier: BSD-3-Clause */
/* config_wrong.c - errors for values that a driver cannot use, warnings for values it never read */
#include "config.h"

static void check_wrong(const char *text, void (*read)(ach_section_t *), const char *want)
{
    ach_config_t *config = config_of(text);
    ach_section_t *root = ach_config_root(config);

    CHECK(!ach_section_failed(root));
    read(root);
    check_text(ach_config_errors(config), want, __FILE__, __LINE__, text);
    CHECK(ach_section_failed(root) == (*want != '\0'));
    /* A second read must not report the error again. */
    read(root);
    check_text(ach_config_errors(config), want, __FILE__, __LINE__, text);
    ach_config_destroy(config);
}

static void read_string(ach_section_t *s)
{
    CHECK_TEXT(ach_section_string(s, "a", "other"), "other");
}

static void read_path(ach_section_t *s)
{
    CHECK_TEXT(ach_section_path(s, "a", "other"), "other");
}

static void read_int(ach_section_t *s)
{
    CHECK(ach_section_int(s, "a", 77) == 77);
}

static void read_double(ach_section_t *s)
{
    CHECK(ach_section_double(s, "a", 77) == 77);
}

static void read_bool(ach_section_t *s)
{
    CHECK(ach_section_bool(s, "a", true));
}

static void read_length(ach_section_t *s)
{
    CHECK(ach_section_length(s, "a", 77) == 77);
}

static void read_second(ach_section_t *s)
{
    CHECK(ach_section_tuple_double(s, "a", 1, 77) == 77);
}

static void refuse(ach_section_t *s)
{
    ach_section_refuse(s, "a", 0, "a rate above 0");
}

static void refuse_all(ach_section_t *s)
{
    ach_section_refuse(s, "a", 0, "an address");
    ach_section_refuse(s, "a", 1, "an address");
    ach_section_refuse(s, "a", 2, "an address");
}

#define TRUTH "expected true, false, yes, no, 1 or 0\n"

static const struct {
    const char *text;
    void (*read)(ach_section_t *);
    const char *want;
} wrong[] = {
    {"a 5", read_string, "t:1:3: a: found the number 5, expected a string\n"},
    {"a yes", read_string, "t:1:3: a: found 'yes', expected a string\n"},
    {"a [\"x\" \"y\"]", read_string, "t:1:1: a: found 2 values, expected a string\n"},
    {"a []", read_string, "t:1:1: a: found no value, expected a string\n"},
    {"a 5", read_path, "t:1:3: a: found the number 5, expected the name of a file, as a string\n"},
    {"a \"\"", read_path, "t:1:3: a: found the string \"\", expected the name of a file\n"},
    {"a 1.5", read_int, "t:1:3: a: found the number 1.5, expected a whole number\n"},
    {"a \"5\"", read_int, "t:1:3: a: found the string \"5\", expected a whole number\n"},
    {"a 2147483648", read_int,
     "t:1:3: a: found the number 2147483648, expected a whole number of 32 bits\n"},
    {"a 99999999999999999999", read_int,
     "t:1:3: a: found the number 99999999999999999999, expected a whole number of 32 bits\n"},
    {"a 1e30", read_int, "t:1:3: a: found the number 1e30, expected a whole number of 32 bits\n"},
    {"\n  a no", read_double, "t:2:5: a: found 'no', expected a number\n"},
    {"a \"1 m\"", read_length, "t:1:3: a: found the string \"1 m\", expected a number\n"},
    {"a 2", read_bool, "t:1:3: a: found the number 2, " TRUTH},
    {"a \"true\"", read_bool, "t:1:3: a: found the string \"true\", " TRUTH},
    {"a [yes no]", read_bool, "t:1:1: a: found 2 values, " TRUTH},
    {"a [1 0]", read_bool, "t:1:1: a: found 2 values, " TRUTH},
    {"a [1 \"x\"]", read_second, "t:1:6: a: found the string \"x\", expected a number\n"},
    {"a [1]", read_second, ""},
    {"a 1", read_second, ""},
    {"a -5", refuse, "t:1:3: a: found the number -5, expected a rate above 0\n"},
    {"a [\"x\" \"y\"]", refuse_all,
     "t:1:4: a: found the string \"x\", expected an address\n"
     "t:1:8: a: found the string \"y\", expected an address\n"
     "t:1:1: a: found 2 values, expected an address\n"},
};

static void test_wrong(void)
{
    size_t i;

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        check_wrong(wrong[i].text, wrong[i].read, wrong[i].want);
}

static void test_refuse(void)
{
    ach_config_t *config = config_of("\n driver (name \"p2os\")\ndriver ()");
    ach_section_t *root = ach_config_root(config), *s = ach_section_next(root, "driver", NULL);

    ach_section_refuse(s, "port", 0, "the name of a serial port");
    CHECK(ach_section_failed(s) && !ach_section_failed(root));
    s = ach_section_next(root, "driver", s);
    CHECK(!ach_section_failed(s));
    ach_section_refuse(s, NULL, 0, "only one driver");
    CHECK_TEXT(ach_config_errors(config),
               "t:2:2: driver \"p2os\": found no 'port', expected the name of a serial port\n"
               "t:3:1: driver: expected only one driver\n");
    ach_config_destroy(config);
}

/* An error in a template is reported once, though every section made from it fails. */
static void test_wrong_template(void)
{
    ach_config_t *config = config_of("define p s (a 1) p () p ()");
    ach_section_t *root = ach_config_root(config), *s = NULL;

    while ((s = ach_section_next(root, "s", s))) {
        CHECK_TEXT(ach_section_string(s, "a", ""), "");
        CHECK(ach_section_failed(s));
    }
    CHECK_TEXT(ach_config_errors(config), "t:1:15: a: found the number 1, expected a string\n");
    ach_config_destroy(config);
}

/* At most 100 errors are reported. */
static void test_many_wrong(void)
{
    char text[2000] = "a [";
    ach_config_t *config;
    const char *at;
    int lines = 0;
    size_t i;

    for (i = 0; i < 500; i++)
        strcat(text, "1 ");
    config = config_of(strcat(text, "]"));
    for (i = 0; i < 500; i++)
        ach_section_tuple_string(ach_config_root(config), "a", i, NULL);
    for (at = ach_config_errors(config); (at = strchr(at, '\n')); at++)
        lines++;
    CHECK(lines == 101);
    CHECK(strstr(ach_config_errors(config), "\nt: more than 100 errors\n") != NULL);
    ach_config_destroy(config);
}

static void test_warnings(void)
{
    ach_config_t *config = config_of("define base driver (prot 1 rate 5)\n"
                                     "base (name \"x\" rate 6 rate 7)\n"
                                     "base (name \"y\")\n"
                                     "drvier (a 1)\n"
                                     "colour 3");
    ach_section_t *root = ach_config_root(config), *s = NULL;
    const char *file = NULL;
    int line = 0;

    while ((s = ach_section_next(root, "driver", s))) {
        CHECK(ach_section_string(s, "name", NULL) != NULL);
        CHECK(ach_section_int(s, "port", 5) == 5);
    }
    CHECK_TEXT(ach_config_warnings(config),
               "t:2:23: 'rate' is already in line 2 of t; this one is used\n"
               "t:5:1: unused field 'colour' of the file\n"
               "t:1:21: unused field 'prot' of driver \"x\"; was 'port' meant?\n"
               "t:2:23: unused field 'rate' of driver \"x\"\n"
               "t:1:28: unused field 'rate' of driver \"y\"\n"
               "t:4:1: unused section 'drvier'\n");
    s = ach_section_next(root, "driver", NULL);
    CHECK(ach_section_int(s, "rate", 0) == 7);
    CHECK_TEXT(ach_section_unused(s, 0, &file, &line), "prot");
    CHECK_TEXT(file, "t");
    CHECK(line == 1);
    CHECK(ach_section_unused(s, 1, &file, &line) == NULL);
    CHECK_TEXT(ach_section_unused(root, 0, NULL, NULL), "colour");
    ach_section_tuple_count(root, "colour");
    CHECK(ach_section_unused(root, 0, NULL, NULL) == NULL);
    CHECK(strstr(ach_config_warnings(config), "colour") == NULL);
    ach_config_destroy(config);
}

/* A warning suggests a name only if it is similar. */
static void test_meant(void)
{
    static const struct {
        const char *has, *asked, *want;
    } pairs[] = {
        {"speed_max 1", "max_speed", "t:1:1: unused field 'speed_max' of the file\n"},
        {"baudrte 1", "baudrate",
         "t:1:1: unused field 'baudrte' of the file; was 'baudrate' meant?\n"},
        {"x 1", "y", "t:1:1: unused field 'x' of the file; was 'y' meant?\n"},
        {"ab 1", "xy", "t:1:1: unused field 'ab' of the file\n"},
    };
    size_t i;

    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        ach_config_t *config = config_of(pairs[i].has);

        ach_section_int(ach_config_root(config), pairs[i].asked, 0);
        CHECK_TEXT(ach_config_warnings(config), pairs[i].want);
        ach_config_destroy(config);
    }
}

int main(void)
{
    test_wrong();
    test_refuse();
    test_wrong_template();
    test_many_wrong();
    test_warnings();
    test_meant();
    return check_result();
}
