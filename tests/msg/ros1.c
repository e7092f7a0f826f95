/* SPDX-License-Identifier: BSD-3-Clause */
/* ros1.c - messages and definitions of ROS 1: known bytes and texts, hostile bytes */
#include "msg.h"

#include <ach/ros1.h>

/* Decode bytes of exactly this size, so that a sanitizer detects a read beyond them. */
static enum ach_status ros1_decode(const ach_definition_t *d, const uint8_t *bytes, size_t n,
                                   void **body)
{
    uint8_t *copy = malloc(n ? n : 1);
    enum ach_status status;

    REQUIRE(copy != NULL);
    if (n)
        memcpy(copy, bytes, n);
    *body = NULL;
    status = ach_ros1_decode_new(d, copy, n, body);
    CHECK(status == ACH_OK || status == ACH_CORRUPT);
    free(copy);
    return status;
}

/* ROS 1 to CDR, and back to the same bytes. */
static void expect_cdr(const ach_definition_t *d, const uint8_t *ros1, size_t n, const uint8_t *cdr,
                       size_t cdr_size)
{
    uint8_t bytes[256];
    void *body;
    size_t size;

    CHECK_OK(ros1_decode(d, ros1, n, &body));
    REQUIRE(body != NULL);
    CHECK_OK(ach_cdr_encode(ach_definition_type(d), body, bytes, sizeof(bytes), &size));
    CHECK(size == cdr_size && memcmp(bytes, cdr, size) == 0);
    CHECK_OK(ach_ros1_encoded_size(d, body, &size));
    CHECK(size == n);
    CHECK_STATUS(ach_ros1_encode(d, body, bytes, n - 1, &size), ACH_OVERFLOW);
    CHECK_OK(ach_ros1_encode(d, body, bytes, n, &size));
    CHECK(size == n && memcmp(bytes, ros1, n) == 0);
    free(body);
}

/* No padding, no NUL, no byte for an empty message, but seq. */
static void ros1_bytes(void)
{
    static const uint8_t ros1[] = {
        0, 0, 0, 0,    1,    0, 0, 0, 2, 0, 0, 0, 2,   0, 0, 0, 'o', 'k', /* seq, stamp, frame_id */
        7, 0, 0, 0xc0, 0x3f,                                              /* uint8, float32 1.5 */
        2, 0, 0, 0,    0,    0, 0, 0, 1, 0, 0, 0, 'x',                    /* string[]: "", "x" */
        9};
    static const uint8_t cdr[] = {1, 0, 0, 0, 2,    0,    0, 0, 3,   0, 0, 0, 'o', 'k',
                                  0, 7, 0, 0, 0xc0, 0x3f, 2, 0, 0,   0, 1, 0, 0,   0,
                                  0, 0, 0, 0, 2,    0,    0, 0, 'x', 0, 0, 9};
    ach_definition_t *d =
        define("demo/msg/Stamped", "std_msgs/Header header\nuint8 a\nfloat32 b\nstring[] names\n"
                                   "demo/Nothing nothing\nuint8 last\n"
                                   "===\nMSG: demo/Nothing\n"
                                   "===\nMSG: std_msgs/Header\n"
                                   "builtin_interfaces/Time stamp\nstring frame_id");

    expect_cdr(d, ros1, sizeof(ros1), cdr, sizeof(cdr));
    ach_definition_free(d);
}

static void expect_text(const char *name, const char *text, int ros, const char *want_name,
                        const char *want)
{
    ach_definition_t *d = define(name, text), *again;
    char *got_name = NULL, *got = NULL, md5[ACH_ROS1_MD5], md5_again[ACH_ROS1_MD5];

    CHECK_OK(ach_definition_text(d, ros, &got_name, &got));
    REQUIRE(got && got_name);
    if (strcmp(got, want) != 0 || strcmp(got_name, want_name) != 0) {
        fprintf(stderr, "got    %s\n%s\nwanted %s\n%s\n", got_name, got, want_name, want);
        CHECK(false);
    }
    again = define(got_name, got);
    CHECK_OK(ach_ros1_md5(d, md5));
    CHECK_OK(ach_ros1_md5(again, md5_again));
    CHECK(strcmp(md5, md5_again) == 0);
    free(got);
    free(got_name);
    ach_definition_free(again);
    ach_definition_free(d);
}

#define LINE "\n================================================================================\n"

static void texts(void)
{
    static const char two[] =
        "std_msgs/Header header\nstring NAME=\"a # b\"\nuint8 K=3\ndemo/Inner[<=4] inners\n"
        "builtin_interfaces/Time[2] times\nstring<=5 text\n" LINE
        "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" LINE
        "MSG: demo/Inner\nbuiltin_interfaces/Duration lasts\n";
    static const char one[] =
        "std_msgs/Header header\nstring NAME=a # b\nuint8 K=3\ndemo/Inner[] inners\n"
        "time[2] times\nstring text\n" LINE
        "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n" LINE
        "MSG: demo/Inner\nduration lasts\n";
    static const char unbounded[] =
        "std_msgs/Header header\nstring NAME=\"a # b\"\nuint8 K=3\ndemo/Inner[] inners\n"
        "builtin_interfaces/Time[2] times\nstring text\n" LINE
        "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n" LINE
        "MSG: demo/Inner\nbuiltin_interfaces/Duration lasts\n";
    char *name, *text;
    ach_definition_t *d = define("Alone", "uint8 a");

    expect_text("demo/msg/T", two, 1, "demo/T", one);
    expect_text("demo/msg/T", two, 2, "demo/msg/T", two);
    expect_text("demo/T", one, 2, "demo/msg/T", unbounded);
    expect_text("demo/T", one, 1, "demo/T", one);
    expect_text("demo/Default", "int8 a 5 # comment", 1, "demo/Default", "int8 a\n");
    expect_text("demo/Default", "int8 a 5 # comment", 2, "demo/msg/Default", "int8 a 5\n");
    CHECK_STATUS(ach_definition_text(d, 1, &name, &text), ACH_EINVAL);
    ach_definition_free(d);
    d = define("demo/A", "uint8 a");
    CHECK_STATUS(ach_definition_text(d, 3, &name, &text), ACH_EINVAL);
    ach_definition_free(d);
}

/* Sums of texts whose ends fall before, into and after the last block, from md5sum(1). */
static void sums(void)
{
    static const struct {
        size_t digits;
        const char *sum;
    } known[] = {{49, "455fc8734fe6e1d72097f8a6da33bb98"}, {50, "a702674fb2cb6d6f67afd46ddd345a12"},
                 {51, "9cbc7ad9058cc576f53bbcab8194c44c"}, {57, "0edfa6cbe424027d07b5cc3f3455970c"},
                 {58, "840dfa6154a5c95ac9652627192ff49c"}, {59, "29fecf0f50b6c219f9d0967c95bcae26"},
                 {122, "6973d74fa06b64a6b430127f51001e11"}};
    char text[256] = "uint8 ", md5[ACH_ROS1_MD5];
    ach_definition_t *d = define("std_msgs/Empty", "");
    size_t i;

    CHECK_OK(ach_ros1_md5(d, md5));
    CHECK(strcmp(md5, "d41d8cd98f00b204e9800998ecf8427e") == 0);
    ach_definition_free(d);
    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        memset(text + 6, 'a', known[i].digits);
        text[6 + known[i].digits] = '\0';
        d = define("demo/A", text);
        CHECK_OK(ach_ros1_md5(d, md5));
        CHECK(strcmp(md5, known[i].sum) == 0);
        ach_definition_free(d);
    }
}

static void hostile_bytes(void)
{
    static const uint8_t too_long[] = {6, 0, 0, 0, 'a', 'b', 'c', 'd', 'e', 'f', 1};
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    static const uint8_t rest[] = {0, 0, 0, 0, 1, 1};
    static const uint8_t not_boolean[] = {0, 0, 0, 0, 2};
    ach_definition_t *d = define("demo/B", "string<=5 text\nbool yes");
    void *body;

    CHECK_STATUS(ros1_decode(d, too_long, sizeof(too_long), &body), ACH_CORRUPT);
    CHECK_STATUS(ros1_decode(d, huge, sizeof(huge), &body), ACH_CORRUPT);
    CHECK_STATUS(ros1_decode(d, rest, sizeof(rest), &body), ACH_CORRUPT);
    CHECK(strstr(ach_errstr(), "1 bytes too many"));
    CHECK_STATUS(ros1_decode(d, not_boolean, sizeof(not_boolean), &body), ACH_CORRUPT);
    CHECK_STATUS(ros1_decode(d, huge, 0, &body), ACH_CORRUPT);
    ach_definition_free(d);
}

/* Structs that take no bytes must not make a small message use much memory. */
static void hostile_definition(void)
{
    uint8_t bytes[1004] = {0xe8, 3};
    ach_definition_t *d = define("demo/Big", "demo/Large[] all\n"
                                             "===\nMSG: demo/Large\nNothing[1000000] x\nuint8 y\n"
                                             "===\nMSG: demo/Nothing\n");
    void *body;

    CHECK_STATUS(ros1_decode(d, bytes, sizeof(bytes), &body), ACH_CORRUPT);
    CHECK(strstr(ach_errstr(), "too many elements"));
    ach_definition_free(d);
}

/* Cut at every byte, and with any byte changed. */
static void mutilated(void)
{
    static const char *const words[] = {"yes=true", "inner.s=hello",           "names[1]=b",
                                        "text=t",   "inners[0].deep[1].b=2.5", "many=1,2,3"};
    ach_definition_t *d = define("demo/msg/Everything", everything);
    void *body = NULL, *again;
    uint8_t bytes[512];
    uint64_t seed = 1;
    size_t size, i;

    REQUIRE_OK(ach_body_from_words(ach_definition_type(d), words, 6, &body));
    REQUIRE_OK(ach_ros1_encode(d, body, bytes, sizeof(bytes), &size));
    for (i = 0; i < size; i++)
        CHECK_STATUS(ros1_decode(d, bytes, i, &again), ACH_CORRUPT);
    for (i = 0; i < 20 * size; i++) {
        uint8_t was = bytes[i % size];

        bytes[i % size] = (uint8_t)check_random(&seed);
        ros1_decode(d, bytes, size, &again);
        free(again);
        bytes[i % size] = was;
    }
    free(body);
    ach_definition_free(d);
}

void test_ros1(void)
{
    ros1_bytes();
    texts();
    sums();
    hostile_bytes();
    hostile_definition();
    mutilated();
}
