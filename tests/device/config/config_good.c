/* SPDX-License-Identifier: BSD-3-Clause */
/* config_good.c - valid files: their values, and how they are printed */
#include <limits.h>
#include <locale.h>
#include <math.h>

#include "config.h"

/* A text, and how it is printed once templates are expanded. */
static const struct {
    const char *text;
    size_t size;
    const char *want;
} good[] = {
    {BYTES(""), ""},
    {BYTES("# nothing"), ""},
    {BYTES("a 1"), "a 1\n"},
    {BYTES("a 1 b 2"), "a 1\nb 2\n"},
    {BYTES("a 1e3 b -2.5E-1 c .5 d 5. e +7 f 0x1F"),
     "a 1e3\nb -2.5E-1\nc .5\nd 5.\ne +7\nf 0x1F\n"},
    {BYTES("a true b false c yes d no"), "a true\nb false\nc yes\nd no\n"},
    {BYTES("a \"\" b \"x # y\" c \"\\n\""), "a \"\"\nb \"x # y\"\nc \"\\n\"\n"},
    {BYTES("a \"\303\274ber\" # \303\274"), "a \"\303\274ber\"\n"},
    {BYTES("a [] b [1] c [1 \"x\" yes]"), "a [ ]\nb [ 1 ]\nc [ 1 \"x\" yes ]\n"},
    {BYTES("a[[1 2][3 4]]b[\n1\n]"), "a [ 1 2 3 4 ]\nb [ 1 ]\n"},
    {BYTES("s()"), "s\n(\n)\n"},
    {BYTES("s(a 1 t(b 2)c 3)d 4"), "d 4\ns\n(\n  a 1\n  c 3\n  t\n  (\n    b 2\n  )\n)\n"},
    {BYTES("s (a 1) s (a 2)"), "s\n(\n  a 1\n)\ns\n(\n  a 2\n)\n"},
    {BYTES("a 1 # x\r\nb 2\r\n"), "a 1\nb 2\n"},
    {BYTES("a 1 # x\rb 2\r"), "a 1\nb 2\n"},
    {BYTES("\357\273\277a 1"), "a 1\n"},
    {BYTES("a 1 # \0 \001\nb 2"), "a 1\nb 2\n"},
    {BYTES("a\t1\v\f"), "a 1\n"},
    {BYTES("word.with-all_1 2"), "word.with-all_1 2\n"},
    {BYTES("color[0] [255 0 0] a[12]b:c 1 d[\"x\"]"),
     "color[0] [ 255 0 0 ]\na[12]b:c 1\nd [ \"x\" ]\n"},
    {BYTES("position:0 (driver \"x\")"), "position:0\n(\n  driver \"x\"\n)\n"},
    {BYTES("plugin \"a\" plugin \"b\" plugin [\"c\" \"d\"]"),
     "plugin [ \"a\" \"b\" \"c\" \"d\" ]\n"},
    {BYTES("s (plugin \"a\")"), "s\n(\n  plugin \"a\"\n)\n"},
    /* templates */
    {BYTES("define p s (a 1 b 2)"), ""},
    {BYTES("define p s (a 1 b 2) p ()"), "s\n(\n  a 1\n  b 2\n)\n"},
    {BYTES("define p s (a 1 b 2) p (b [3] c 4) p (a 5)"),
     "s\n(\n  a 1\n  b [ 3 ]\n  c 4\n)\ns\n(\n  a 5\n  b 2\n)\n"},
    {BYTES("define p s (a 1 b 2) define q p (b 3 c 4) q (c 5)"), "s\n(\n  a 1\n  b 3\n  c 5\n)\n"},
    {BYTES("define p s (t (a 1)) p (t (a 2))"),
     "s\n(\n  t\n  (\n    a 1\n  )\n  t\n  (\n    a 2\n  )\n)\n"},
    {BYTES("define p s (a 1) u (p (a 2))"), "u\n(\n  s\n  (\n    a 2\n  )\n)\n"},
    {BYTES("define s s (a 1) s (b 2)"), "s\n(\n  a 1\n  b 2\n)\n"},
    {BYTES("define p s (a 1) define p t (b 1) p ()"), "t\n(\n  b 1\n)\n"},
    {BYTES("define p s (a 1) p 3"), "p 3\n"},
};

static void test_good(void)
{
    size_t i;

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ach_config_t *config = NULL, *again = NULL;
        char *once, *twice;

        if (!CHECK_OK(ach_config_parse(good[i].text, good[i].size, "t", &config))) {
            fprintf(stderr, "%s: %s", good[i].text, ach_config_errors(NULL));
            continue;
        }
        once = printed(config);
        check_text(once, good[i].want, __FILE__, __LINE__, good[i].text);
        REQUIRE_OK(ach_config_parse(once, strlen(once), "t", &again));
        twice = printed(again);
        check_text(twice, once, __FILE__, __LINE__, good[i].text);
        free(once);
        free(twice);
        ach_config_destroy(config);
        ach_config_destroy(again);
    }
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-12;
}

static void test_types(void)
{
    ach_config_t *config =
        config_of("d (s \"text\" i -12 h 0x10 k 1e3 x 2.5 y yes n no one 1 zero 0\n"
                  "single [7] largest 2147483647 smallest -2147483648)");
    ach_section_t *d = ach_section_next(ach_config_root(config), "d", NULL);

    REQUIRE(d != NULL);
    CHECK_TEXT(ach_section_string(d, "s", "other"), "text");
    CHECK_TEXT(ach_section_string(d, "absent", "other"), "other");
    CHECK(ach_section_string(d, "absent", NULL) == NULL);
    CHECK(ach_section_int(d, "i", 0) == -12 && ach_section_int(d, "h", 0) == 16);
    CHECK(ach_section_int(d, "k", 0) == 1000 && ach_section_int(d, "absent", 5) == 5);
    CHECK(ach_section_int(d, "largest", 0) == INT_MAX);
    CHECK(ach_section_int(d, "smallest", 0) == INT_MIN);
    CHECK(ach_section_double(d, "x", 0) == 2.5 && ach_section_double(d, "i", 0) == -12);
    CHECK(ach_section_double(d, "absent", 0.5) == 0.5);
    CHECK(ach_section_bool(d, "y", false) && !ach_section_bool(d, "n", true));
    CHECK(ach_section_bool(d, "one", false) && !ach_section_bool(d, "zero", true));
    CHECK(ach_section_bool(d, "absent", true) && !ach_section_bool(d, "absent", false));
    CHECK(ach_section_int(d, "single", 0) == 7);
    CHECK(ach_section_has(d, "s") && !ach_section_has(d, "absent"));
    CHECK(!ach_section_failed(d));
    CHECK_TEXT(ach_config_errors(config), "");
    CHECK_TEXT(ach_config_warnings(config), "");
    ach_config_destroy(config);
}

static void test_tuples(void)
{
    ach_config_t *config = config_of("provides [\"laser:0\" \"sonar:0\"] requires \"power:0\"\n"
                                     "pose [1 2 90] mixed [\"a\" 3 yes 2.5] empty []");
    ach_section_t *r = ach_config_root(config);

    CHECK(ach_section_tuple_count(r, "provides") == 2);
    CHECK_TEXT(ach_section_tuple_string(r, "provides", 1, NULL), "sonar:0");
    CHECK(ach_section_tuple_string(r, "provides", 2, NULL) == NULL);
    CHECK(ach_section_tuple_count(r, "requires") == 1);
    CHECK_TEXT(ach_section_tuple_string(r, "requires", 0, NULL), "power:0");
    CHECK(near(ach_section_tuple_length(r, "pose", 1, 0), 2));
    CHECK(near(ach_section_tuple_angle(r, "pose", 2, 0), M_PI / 2));
    CHECK(near(ach_section_tuple_angle(r, "pose", 3, 0.25), 0.25));
    CHECK(ach_section_tuple_double(r, "pose", 2, 0) == 90);
    CHECK_TEXT(ach_section_tuple_string(r, "mixed", 0, ""), "a");
    CHECK(ach_section_tuple_int(r, "mixed", 1, 0) == 3);
    CHECK(ach_section_tuple_bool(r, "mixed", 2, false));
    CHECK(ach_section_tuple_double(r, "mixed", 3, 0) == 2.5);
    CHECK(ach_section_tuple_count(r, "empty") == 0 && ach_section_tuple_count(r, "absent") == 0);
    CHECK(!ach_section_failed(r));
    ach_config_destroy(config);
}

/* Units apply to the whole file, also to values before them, but not to defaults. */
static void test_units(void)
{
    static const struct {
        const char *text;
        double length, angle;
    } units[] = {{"", 5, 5 * M_PI / 180},
                 {"unit_length \"m\" unit_angle \"degrees\"", 5, 5 * M_PI / 180},
                 {"unit_length \"cm\"", 0.05, 5 * M_PI / 180},
                 {"unit_length \"mm\" unit_angle \"radians\"", 0.005, 5}};
    size_t i;

    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        char text[100];
        ach_config_t *config;
        ach_section_t *s;

        snprintf(text, sizeof(text), "s (v 5 t [5]) %s", units[i].text);
        config = config_of(text);
        s = ach_section_next(ach_config_root(config), NULL, NULL);
        CHECK(near(ach_section_length(s, "v", 0), units[i].length));
        CHECK(near(ach_section_angle(s, "v", 0), units[i].angle));
        CHECK(near(ach_section_tuple_length(s, "t", 0, 0), units[i].length));
        CHECK(near(ach_section_tuple_angle(s, "t", 0, 0), units[i].angle));
        CHECK(ach_section_length(s, "absent", 2) == 2 && ach_section_angle(s, "absent", 2) == 2);
        CHECK_TEXT(ach_config_warnings(config), "");
        ach_config_destroy(config);
    }
}

static void test_sections(void)
{
    ach_config_t *config = config_of("driver (name \"a\")\nother ()\n\n driver (name \"b\")");
    ach_section_t *root = ach_config_root(config), *s;

    CHECK_TEXT(ach_section_name(root), "");
    CHECK_TEXT(ach_section_file(root), "t");
    CHECK(ach_section_line(root) == 1);
    s = ach_section_next(root, "driver", NULL);
    CHECK_TEXT(ach_section_string(s, "name", ""), "a");
    CHECK_TEXT(ach_section_name(s), "driver");
    s = ach_section_next(root, "driver", s);
    CHECK_TEXT(ach_section_string(s, "name", ""), "b");
    CHECK_TEXT(ach_section_file(s), "t");
    CHECK(ach_section_line(s) == 4);
    CHECK(ach_section_next(root, "driver", s) == NULL);
    CHECK(ach_section_next(root, "none", NULL) == NULL);
    CHECK(ach_section_next(s, NULL, NULL) == NULL);
    ach_config_destroy(config);
}

/* The decimal separator is a point in every locale. */
static void test_locale(void)
{
    ach_config_t *config;

    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        printf("there is no German locale here to read numbers in\n");
    config = config_of("a 2.5");
    CHECK(ach_section_double(ach_config_root(config), "a", 0) == 2.5);
    ach_config_destroy(config);
    setlocale(LC_NUMERIC, "C");
}

static void test_long_comment(void)
{
    char text[6000];
    ach_config_t *config;

    memset(text, '#', 5000);
    strcpy(text + 5000, "\na 1");
    config = config_of(text);
    CHECK(ach_section_int(ach_config_root(config), "a", 0) == 1);
    ach_config_destroy(config);
}

static void test_huge_tuple(void)
{
    size_t n = 100000, i;
    char *text = malloc(n * 8 + 10), *at = text;
    ach_config_t *config;
    ach_section_t *root;

    REQUIRE(text != NULL);
    at += sprintf(at, "t [");
    for (i = 0; i < n; i++)
        at += sprintf(at, " %zu", i);
    sprintf(at, "]");
    config = config_of(text);
    root = ach_config_root(config);
    CHECK(ach_section_tuple_count(root, "t") == n);
    for (i = 0; i < n; i += 97)
        CHECK(ach_section_tuple_int(root, "t", i, -1) == (int)i);
    ach_config_destroy(config);
    free(text);
}

int main(void)
{
    test_good();
    test_types();
    test_tuples();
    test_units();
    test_sections();
    test_locale();
    test_long_comment();
    test_huge_tuple();
    ach_config_destroy(NULL);
    return check_result();
}
