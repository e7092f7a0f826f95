/* SPDX-License-Identifier: BSD-3-Clause */
/* definition.c - texts that are definitions, and texts that are not */
#include "msg.h"

static const ach_field_t *field(const ach_type_t *type, const char *name)
{
    uint32_t i;

    for (i = 0; i < type->field_count; i++)
        if (strcmp(type->fields[i].name, name) == 0)
            return &type->fields[i];
    return NULL;
}

static bool is(const ach_type_t *type, const char *name, unsigned kind, unsigned array,
               uint32_t limit)
{
    const ach_field_t *f = field(type, name);

    return f && f->kind == kind && f->array == array && f->limit == limit;
}

static void fields(void)
{
    ach_definition_t *d = define("demo/msg/Everything", everything);
    const ach_type_t *type = ach_definition_type(d), *inner;

    CHECK(strcmp(type->name, "Everything") == 0 && !type->fixed && type->depth == 2);
    CHECK(is(type, "yes", ACH_KIND_BOOL, ACH_ARRAY_NONE, 1));
    CHECK(is(type, "c", ACH_KIND_UINT8, ACH_ARRAY_NONE, 1));
    CHECK(is(type, "u64", ACH_KIND_UINT64, ACH_ARRAY_NONE, 1));
    CHECK(is(type, "text", ACH_KIND_CHAR, ACH_ARRAY_VARIABLE, ACH_BODY_MAX));
    CHECK(is(type, "short_text", ACH_KIND_CHAR, ACH_ARRAY_VARIABLE, 6));
    CHECK(is(type, "three", ACH_KIND_BOOL, ACH_ARRAY_FIXED, 3));
    CHECK(is(type, "many", ACH_KIND_DOUBLE, ACH_ARRAY_VARIABLE, ACH_BODY_MAX));
    CHECK(is(type, "few", ACH_KIND_UINT8, ACH_ARRAY_VARIABLE, 4));
    CHECK(is(type, "names", ACH_KIND_STRUCT, ACH_ARRAY_VARIABLE, ACH_BODY_MAX));
    CHECK(is(type, "both", ACH_KIND_STRUCT, ACH_ARRAY_FIXED, 2));
    inner = field(type, "inner")->type;
    CHECK(inner == field(type, "both")->type && inner != field(type, "inners")->type);
    CHECK(inner->field_count == 5 && field(inner, "b")->offset == 8);
    CHECK(field(field(type, "stamp")->type, "nanosec") && field(field(type, "lasts")->type, "sec"));
    CHECK(field(type, "nothing")->type->body_size == 1);
    ach_definition_free(d);
    ach_definition_free(NULL);
}

/* Comments, blanks, carriage returns, defaults, constants, the Header of ROS 1. */
static void forms(void)
{
    ach_definition_t *d =
        define("pkg/Name", "  # comment\n\n\tHeader   header  # the time\r\n"
                           "int32 A=1\nint32 B = -2 # two\nstring HASH=a # b\n"
                           "float64 speed 1.5\nstring name \"x # y\" # z\nint8[] list [1, 2]\n"
                           "string<=3 tag \"a\"\nstring[<=2] tags [ 'a, b' , c ]# d\n"
                           "bool on True\nint64 LOW=-9223372036854775808\nuint8 HEX=0xfF\n"
                           "float32[2] pair [-.5e-3, nan]\nfloat64 INF = -Infinity\n"
                           "string QUOTED='it\\'s' # e\nint8[] none []\nstring word x\n"
                           "====\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id");
    const ach_type_t *type = ach_definition_type(d);

    CHECK(field(type, "speed") && field(type, "tag") && !field(type, "A") && !field(type, "HASH"));
    CHECK(field(type, "header") && field(field(type, "header")->type, "frame_id"));
    ach_definition_free(d);
    d = define("empty/msg/Empty", "");
    CHECK(ach_definition_type(d)->body_size == 1);
    ach_definition_free(d);
    d = define("NoPackage", "Other o\n===\nMSG: Other\nint8 x\n");
    ach_definition_free(d);
}

static void refused(const char *text, const char *why)
{
    ach_definition_t *d = NULL;

    CHECK_STATUS(ach_definition_new("demo/msg/Bad", text, strlen(text), &d), ACH_EINVAL);
    if (!strstr(ach_errstr(), why)) {
        fprintf(stderr, "'%s': '%s' is not in '%s'\n", text, why, ach_errstr());
        CHECK(false);
    }
}

static void values(void)
{
    refused("float64 a b c", "line 1 of the definition: the value of a must be a number, "
                             "found 'b c'");
    refused("int32 a b=3", "a must be a number from -2147483648 to 2147483647, found 'b=3'");
    refused("int32 a // comment", "found '// comment'");
    refused("int8 x\nuint8 A=256",
            "line 2 of the definition: the value of A must be a number from 0 "
            "to 255, found '256'");
    refused("int8 A=-129", "a number from -128 to 127, found '-129'");
    refused("int64 A=-9223372036854775809", "found '-9223372036854775809'");
    refused("uint64 A=18446744073709551616", "to 18446744073709551615, found");
    refused("uint64 A=-1", "found '-1'");
    refused("int32 A=1 2", "found '1 2'");
    refused("int32 A==1", "found '=1'");
    refused("int32 A=0x", "found '0x'");
    refused("int32 A=- 1", "found '- 1'");
    refused("int32 A=1.5", "found '1.5'");
    refused("float32 A=.", "must be a number, found '.'");
    refused("float32 A=1e", "found '1e'");
    refused("float32 A=1,5", "found '1,5'");
    refused("float32 A=0x1p3", "found '0x1p3'");
    refused("bool A=2", "must be true or false, found '2'");
    refused("Time t 1", "t is a Time, which cannot have a value, found '1'");
    refused("Other[] t []", "t is a Other, which cannot have a value");
    refused("string a b c", "must be one text in quotes, found 'b c'");
    refused("string a \"b", "must be one text in quotes, found '\"b'");
    refused("string a \"b\" \"c\"", "must be one text in quotes");
    refused("string a \"b\\\"", "must be one text in quotes");
    refused("string<=3 a 'four'", "must be a text of at most 3 bytes, found ''four''");
    refused("int8[] a 1", "must be an array such as [1, 2], found '1'");
    refused("int8[] a [", "must be an array such as [1, 2], found '['");
    refused("int8[] a [1,]", "a number from -128 to 127, found ''");
    refused("int8[] a [1 2]", "found '1 2'");
    refused("int8[] a [1, 200]", "found '200'");
    refused("int8[] a [1]2]", "found '1]2'");
    refused("int8[<=2] a [1, 2, 3]", "must be an array of at most 2 elements, found '[1, 2, 3]'");
    refused("int8[2] a [1]", "must be an array of 2 elements, found '[1]'");
    refused("string[] a ['b' 'c']", "must be one text in quotes, found ''b' 'c''");
}

static void mistakes(void)
{
    refused("int32", "line 1 of the definition: expected the name of a field after 'int32'");
    refused("int32 1x", "this is not a field's name: '1x'");
    refused("int32 a\nint32 x-y", "line 2");
    refused("int32[ x", "expected [], [N] or [<=N] with N from 1 to 33554432, found 'int32['");
    refused("int32[-1] x",
            "expected [], [N] or [<=N] with N from 1 to 33554432, found 'int32[-1]'");
    refused("int32[0] x", "expected [], [N] or [<=N] with N from 1 to 33554432, found 'int32[0]'");
    refused("int32[4x] x",
            "expected [], [N] or [<=N] with N from 1 to 33554432, found 'int32[4x]'");
    refused(
        "int32[99999999999999999999] x",
        "expected [], [N] or [<=N] with N from 1 to 33554432, found 'int32[99999999999999999999]'");
    refused("int32[<3] x",
            "expected [], [N] or [<=N] with N from 1 to 33554432, found 'int32[<3]'");
    refused("int32[ 3 ] x", "found 'int32['");
    refused("int32[3][4] x", "found 'int32[3][4]'");
    refused("int32[<=0] x", "found 'int32[<=0]'");
    refused("int32[33554433] x", "found 'int32[33554433]'");
    refused("int8 x\nint32<=3 x", "line 2 of the definition: expected string<=N with N from 1 to "
                                  "33554432, found 'int32<=3'");
    refused("string<=0 x", "found 'string<=0'");
    refused("string<5 x", "found 'string<5'");
    refused("string<=-5[2] x", "found 'string<=-5'");
    refused("string<=4<=5 x", "found 'string<=4<=5'");
    refused("string<=4[<=5 x", "expected [], [N] or [<=N]");
    refused("a//b x", "this is not a type");
    refused("\xc3\xa9 x", "this is not a type");
    refused("int32 X=", "expected a value after the '=' of 'X'");
    refused("int32 =1", "this is not a field's name: ''");
    refused("int32[] X=1", "an array cannot be constant: 'X'");
    refused("int8 x\nint8 y\nint16 x",
            "line 3 of the definition: two fields or constants are called 'x'");
    refused("Missing m", "line 1 of the definition: there is no definition of 'Missing'");
    refused("other/Time t", "there is no definition of 'other/Time'");
    refused("wstring w", "wstring is not supported: w");
    refused("wstring<=3[] w", "wstring is not supported: w");
    refused("int8 x\n===\nint8 y", "expected 'MSG: package/Name', found 'int8 y'");
    refused("int8 x\n===\n===\nMSG: a/B", "line 3 of the definition: expected 'MSG: package/Name'");
    refused("int8 x\n===\n# end\n",
            "line 3 of the definition: expected 'MSG: package/Name' after it, found the end");
    refused("int8 x\n=== MSG: a/B\nint8 y", "line 2 of the definition: this is not a type: '==='");
    refused("int8 x\nMSG: a/B\nint8 y", "line 2 of the definition: expected a line of '=' before");
    refused("===\nMSG: demo/Bad\nint8 y", "line 2 of the definition: there is already a definition "
                                          "of 'Bad'");
    refused("a/B b\n===\nMSG: a/B\nint8 y\n===\nMSG: a/msg/B\nint16 y", "line 6");
    refused("int8 x\n---\nint8 y", "line 2 of the definition: this is not a type: '---'");
    refused("int8 x\rint8 y\r", "found 'int8 y'");
    refused("int8 x\n===\nMSG: a b", "this is not the name of a message");
    refused("demo/Bad b", "the definition of Bad contains itself");
    refused("demo/A a\n===\nMSG: demo/A\ndemo/B b\n===\nMSG: demo/B\ndemo/A[] a",
            "contains itself");
    refused("int8[33554432] a\nint8 b",
            "line 2 of the definition: Bad is too large: the number of its "
            "bytes is more than 33554432");
    refused("float64[10000000] a", "line 1 of the definition: Bad is too large");
    CHECK_STATUS(ach_definition_new("a b", "", 0, &(ach_definition_t *){NULL}), ACH_EINVAL);
    CHECK_STATUS(ach_definition_new("a", "int8 x\0y", 8, &(ach_definition_t *){NULL}), ACH_EINVAL);
    CHECK_STATUS(ach_definition_new(NULL, "", 0, &(ach_definition_t *){NULL}), ACH_EINVAL);
    CHECK_STATUS(ach_definition_new("a", NULL, 1, &(ach_definition_t *){NULL}), ACH_EINVAL);
    CHECK_STATUS(ach_definition_new("a", "", SIZE_MAX, &(ach_definition_t *){NULL}), ACH_EINVAL);
}

/* Each message has two of the next: 2^LEVELS values, or LEVELS deep. */
static void nested(unsigned levels, const char *array, const char *why)
{
    char text[8192] = "";
    unsigned i;

    for (i = 0; i < levels; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text),
                 "L%u%s a\nL%u%s b\n===\nMSG: demo/L%u\n", i + 1, array, i + 1, array, i + 1);
    strcat(text, "int8 x\n");
    refused(text, why);
}

static void limits(void)
{
    char *text = malloc(200000);
    unsigned i;

    nested(15, "", "the number of its fields is more than 32768");
    nested(40, "", "nested more than 16 deep");
    nested(10, "[]", "the depth of nested arrays is more than 8");
    REQUIRE(text != NULL);
    for (text[0] = '\0', i = 0; i < 9000; i++)
        sprintf(text + 12 * i, "int8 a%05u\n", i);
    refused(text, "too many fields");
    for (text[0] = '\0', i = 0; i < 300; i++)
        sprintf(text + strlen(text), "===\nMSG: demo/N%u\n", i);
    refused(text, "too many definitions");
    free(text);
}

/* Any text gives a definition or an error, never a memory error. */
static void random_texts(void)
{
    static const char *const words[] = {
        "int8", "float64", "string", " ",    "\n",   "[",       "]",
        "<=",   "3",       "=",      "#",    "===",  "MSG:",    "demo/A",
        "A",    "Time",    "\t",     "x",    "\r\n", "bool",    "/",
        "\"",   "-1",      "\x80",   "time", "A[]",  "wstring", "\n===\nMSG: demo/A\n"};
    uint64_t state = 1, i, rounds = check_scale(20000);

    for (i = 0; i < rounds; i++) {
        char text[400] = "";
        ach_definition_t *d = NULL;
        unsigned n = (unsigned)(check_random(&state) % 30);

        while (n--)
            strcat(text, words[check_random(&state) % (sizeof(words) / sizeof(words[0]))]);
        if (ach_definition_new("demo/Top", text, strlen(text), &d) == ACH_OK)
            CHECK(ach_definition_type(d)->field_count > 0);
        ach_definition_free(d);
    }
}

void test_definitions(void)
{
    fields();
    forms();
    values();
    mistakes();
    limits();
    random_texts();
}
