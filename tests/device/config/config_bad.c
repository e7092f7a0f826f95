/* SPDX-License-Identifier: BSD-3-Clause */
/* config_bad.c - invalid files and their exact error messages */
#include "config.h"

#define VALUE(word)                                                                                \
    "expected after '" word "' a number, a \"string\", true, false, yes, no, '[' or '('\n"
#define NAME_OR_END "expected the name of a field or section, or the end of the file\n"
#define NAME_OR_CLOSE "expected the name of a field or section, or ')'\n"
#define IN_TUPLE "expected a value or ']'; spaces separate values\n"
#define NUMBER "expected a number, or a string in quotes\n"

static const struct {
    const char *text;
    size_t size;
    const char *want;
} bad[] = {
    /* fields */
    {BYTES("a"), "t:1:2: found the end of the file, " VALUE("a")},
    {BYTES("a b"), "t:1:3: found 'b', " VALUE("a")},
    {BYTES("a\nb 1"), "t:2:1: found 'b', " VALUE("a")},
    {BYTES("a )"), "t:1:3: found ')', " VALUE("a")},
    {BYTES("a ]"), "t:1:3: found ']', " VALUE("a")},
    {BYTES("a = 5\nb )"), "t:1:3: found '=', " VALUE("a") "t:2:3: found ')', " VALUE("b")},
    {BYTES("s (a /dev/x\nb /dev/y (c)\n d 1)"),
     "t:1:6: found '/', " VALUE("a") "t:2:3: found '/', " VALUE(
         "b") "t:2:10: found '(', " NAME_OR_CLOSE "t:2:12: found ')', " VALUE("c")},
    {BYTES("5"), "t:1:1: found '5', " NAME_OR_END},
    {BYTES("\"x\" 5"), "t:1:1: found the string \"x\", " NAME_OR_END},
    {BYTES("a 1 2"), "t:1:5: found '2', " NAME_OR_END},
    {BYTES("s (a 1 2)"), "t:1:8: found '2', " NAME_OR_CLOSE},
    /* numbers */
    {BYTES("a 127.0.0.1"), "t:1:3: found '127.0.0.1', " NUMBER},
    {BYTES("a 12cm"), "t:1:3: found '12cm', " NUMBER},
    {BYTES("a -"), "t:1:3: found '-', " NUMBER},
    {BYTES("a ."), "t:1:3: found '.', " NUMBER},
    {BYTES("a -inf"), "t:1:3: found '-inf', " NUMBER},
    {BYTES("a 1e999"), "t:1:3: found '1e999', " NUMBER},
    {BYTES("a 1e"), "t:1:3: found '1e', " NUMBER},
    {BYTES("a 1,5"), "t:1:4: found ',', " NAME_OR_END},
    /* strings */
    {BYTES("a \"x"),
     "t:1:3: found the string \"x\", expected a quote that ends it in the same line\n"},
    {BYTES("a \"x\nb \"y\"\n"),
     "t:1:3: found the string \"x\", expected a quote that ends it in the same line\n"},
    {BYTES("a \"x\0y\""), "t:1:3: found a string with a NUL byte, expected text\n"},
    {BYTES("a 'x'"), "t:1:3: found ''', " VALUE("a")},
    {BYTES("\"1234567890123456789012345678901234567890123456789012345678901234567890\""),
     "t:1:1: found the string "
     "\"123456789012345678901234567890123456789012345678901234567890...\", " NAME_OR_END},
    {BYTES("\"\033[2J\""), "t:1:1: found the string \"?[2J\", " NAME_OR_END},
    /* tuples */
    {BYTES("a ["), "t:1:4: found the end of the file, " IN_TUPLE},
    {BYTES("a [1, 2, 3]"), "t:1:5: found ',', " IN_TUPLE},
    {BYTES("a [x]"), "t:1:4: found 'x', " IN_TUPLE},
    {BYTES("s (a [1 2)"), "t:1:10: found ')', " IN_TUPLE},
    {BYTES("s (a [1 2\nb 3\n)"), "t:2:1: found 'b', " IN_TUPLE},
    {BYTES("a [[1]"), "t:1:7: found the end of the file, " IN_TUPLE},
    {BYTES("a [1]]"), "t:1:6: found ']', " NAME_OR_END},
    {BYTES("[1 2] a 1"), "t:1:1: found '[', " NAME_OR_END},
    /* sections */
    {BYTES("s ("), "t:1:4: found the end of the file, expected ')' for the 's' of line 1\n"},
    {BYTES("s (\na 1\nt (\n"),
     "t:4:1: found the end of the file, expected ')' for the 't' of line 3\n"},
    {BYTES(")"), "t:1:1: found ')', " NAME_OR_END},
    {BYTES("s () )\na 1"), "t:1:6: found ')', " NAME_OR_END},
    {BYTES("s \"x\" (a 1 b)"), "t:1:7: found '(', " NAME_OR_END "t:1:13: found ')', " VALUE("b")},
    {BYTES("(a 1)"), "t:1:1: found '(', " NAME_OR_END},
    {BYTES("s { a 1 }"), "t:1:3: found '{', " VALUE("s")},
    /* templates and includes */
    {BYTES("define"),
     "t:1:7: found the end of the file, expected the name of a template after 'define'\n"},
    {BYTES("define p"),
     "t:1:9: found the end of the file, expected the section that 'p' stands for\n"},
    {BYTES("define p (a 1)"), "t:1:10: found '(', expected the section that 'p' stands for\n"},
    {BYTES("define p s\na 1"), "t:2:1: found 'a', expected '(' after 'define p s'\n"},
    {BYTES("s (define p t ())"), "t:1:4: found 'define' in a section, expected it outside\n"},
    {BYTES("include"),
     "t:1:8: found the end of the file, expected the name of a file, in quotes, after 'include'\n"},
    {BYTES("include x"),
     "t:1:9: found 'x', expected the name of a file, in quotes, after 'include'\n"
     "t:1:10: found the end of the file, " VALUE("x")},
    {BYTES("include \"\""), "t:1:9: found the string \"\", expected the name of a file, in quotes, "
                            "after 'include'\n"},
    {BYTES("include \"/nowhere/x\"\na )"),
     "t:1:9: cannot include /nowhere/x: No such file or directory\n"
     "t:2:3: found ')', " VALUE("a")},
    {BYTES("include \"\033\""), "t:1:9: found the string \"?\", expected the name of a file, in "
                                "quotes, after 'include'\n"},
    {BYTES("include \"/\""), "t:1:9: cannot include /: it is a directory\n"},
    {BYTES("include \"/dev/null\""), "t:1:9: cannot include /dev/null: it is not a regular file\n"},
    /* bytes */
    {BYTES("a 1\n\0\0\0b 2"), "t:2:1: found the byte 0x00, " NAME_OR_END},
    {BYTES("a 1 \377\376"), "t:1:5: found the byte 0xff, " NAME_OR_END},
    {BYTES("a \"\303\274\303\274\" )"), "t:1:8: found ')', " NAME_OR_END},
    {BYTES("\357\273\277)"), "t:1:1: found ')', " NAME_OR_END},
    {BYTES("a 1\r\n\r\n)"), "t:3:1: found ')', " NAME_OR_END},
    {BYTES("a 1\r\r)"), "t:3:1: found ')', " NAME_OR_END},
    /* units */
    {BYTES("unit_length \"km\""),
     "t:1:13: unit_length: found the string \"km\", expected \"m\", \"cm\" or \"mm\"\n"},
    {BYTES("unit_angle \"rad\""),
     "t:1:12: unit_angle: found the string \"rad\", expected \"degrees\" or \"radians\"\n"},
    {BYTES("unit_length 5"), "t:1:13: unit_length: found the number 5, expected a string\n"},
};

static void test_bad(void)
{
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ach_config_t *config = NULL;

        CHECK_STATUS(ach_config_parse(bad[i].text, bad[i].size, "t", &config), ACH_EINVAL);
        CHECK(config == NULL);
        check_text(ach_config_errors(NULL), bad[i].want, __FILE__, __LINE__, bad[i].text);
        ach_config_destroy(config);
    }
}

/* One run reports several errors, at most ACH_CONFIG_ERRORS_MAX. */
static void test_many(void)
{
    char text[100], want[6000] = "";
    ach_config_t *config = NULL;
    int i;

    memset(text, '\n', sizeof(text));
    for (i = 0; i < 25; i++) {
        text[4 * i] = ')';
        if (i < ACH_CONFIG_ERRORS_MAX)
            sprintf(want + strlen(want), "t:%d:1: found ')', " NAME_OR_END, 3 * i + 1);
    }
    strcat(want, "t: gave up after 20 errors\n");
    CHECK_STATUS(ach_config_parse(text, sizeof(text), "t", &config), ACH_EINVAL);
    CHECK_TEXT(ach_config_errors(NULL), want);
}

static void test_arguments(void)
{
    ach_config_t *config = NULL;

    CHECK_STATUS(ach_config_load(NULL, &config), ACH_EINVAL);
    CHECK_STATUS(ach_config_load("x", NULL), ACH_EINVAL);
    CHECK_STATUS(ach_config_parse(NULL, 0, "t", &config), ACH_EINVAL);
    CHECK_STATUS(ach_config_parse("", 0, NULL, &config), ACH_EINVAL);
    CHECK_STATUS(ach_config_parse("", 0, "t", NULL), ACH_EINVAL);
    CHECK_TEXT(ach_config_errors(NULL), "t: an argument is NULL\n");
    CHECK(config == NULL);
}

int main(void)
{
    CHECK_TEXT(ach_config_errors(NULL), "");
    test_bad();
    test_many();
    test_arguments();
    return check_result();
}
