/* SPDX-License-Identifier: BSD-3-Clause */
/* type.c - types of channels, origins of messages, epochs */
#include "conformance.h"

#include "layout.h"

#define SCHEMA "float64 x\nfloat64 y\n"

static ach_channel_type_t pair(void)
{
    return (ach_channel_type_t){.name = "demo/msg/Pair",
                                .encoding = "cdr",
                                .schema_encoding = "ros2msg",
                                .schema = SCHEMA,
                                .schema_size = strlen(SCHEMA)};
}

/* That type with one member changed. */
#define WITH(member, value)                                                                        \
    __extension__({                                                                                \
        ach_channel_type_t with_ = pair();                                                         \
        with_.member = (value);                                                                    \
        with_;                                                                                     \
    })

static ach_channel_type_t with_schema(const void *schema, size_t size)
{
    ach_channel_type_t type = pair();

    type.schema = schema;
    type.schema_size = size;
    return type;
}

static enum ach_status create_typed(const ach_channel_type_t *type)
{
    ach_create_attr_t attr = create_attr();

    REQUIRE_OK(ach_create_attr_set_type(&attr, type));
    return backend->create(CHAN, 5, 100, &attr);
}

static enum ach_status open_typed(ach_channel_t *chan, const ach_channel_type_t *type)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    REQUIRE_OK(ach_attr_set_type(&attr, type));
    return backend->open(chan, CHAN, &attr);
}

static bool same(const ach_channel_type_t *a, const ach_channel_type_t *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->encoding, b->encoding) == 0 &&
           strcmp(a->schema_encoding, b->schema_encoding ? b->schema_encoding : "") == 0 &&
           a->schema_size == b->schema_size && memcmp(a->schema, b->schema, a->schema_size) == 0;
}

/* Every reader gets the type, also one that may not write. */
static void stored(void)
{
    const ach_channel_type_t type = pair();
    const ach_channel_type_t *got;
    ach_channel_t chan;

    REQUIRE_OK(create_typed(&type));
    open_it(&chan);
    CHECK_OK(ach_channel_type(&chan, &got));
    CHECK(same(got, &type) && ach_channel_type_hash(got) == ach_channel_type_hash(&type));
    CHECK(((const char *)got->schema)[got->schema_size] == '\0');
    CHECK(info_of(&chan).typed);
    put_range(&chan, 1, 20);
    CHECK_GET(&chan, ACH_O_LAST, ACH_MISSED_FRAME, 20);
    CHECK_OK(ach_close(&chan));
    CHECK_STATUS(ach_channel_type(&chan, &got), ACH_CLOSED);
    open_readonly(&chan, CHAN);
    CHECK_OK(ach_channel_type(&chan, &got));
    CHECK(same(got, &type));
    CHECK_STATUS(ach_channel_type(&chan, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_type(NULL, &got), ACH_EINVAL);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void none(void)
{
    const ach_channel_type_t wanted = pair();
    const ach_channel_type_t *got;
    ach_channel_t chan;

    make(5, 100);
    open_it(&chan);
    CHECK_STATUS(ach_channel_type(&chan, &got), ACH_ENOTSUP);
    CHECK(!info_of(&chan).typed);
    CHECK_OK(ach_close(&chan));
    CHECK_STATUS(open_typed(&chan, &wanted), ACH_BAD_TYPE);
    CHECK(strstr(ach_errstr(), "has no type") && strstr(ach_errstr(), "demo/msg/Pair"));
    CHECK_STATUS(ach_close(&chan), ACH_CLOSED);
    remove_it();
    CHECK(ach_channel_type_hash(NULL) == 0);
}

/* An open that expects another type is refused, and the reason says what differs. */
static void expected(void)
{
    const ach_channel_type_t type = pair(), other_name = WITH(name, "demo/msg/Pose");
    const ach_channel_type_t other_field = WITH(schema, "float32 x\nfloat64 y\n");
    const ach_channel_type_t other_encoding = WITH(encoding, "json");
    const ach_channel_type_t binary = with_schema("\x01\x02\x03", 3);
    const ach_channel_type_t more = with_schema(SCHEMA "  float64 z ", 32);
    const ach_channel_type_t nameless = WITH(name, "");
    ach_channel_t chan;

    REQUIRE_OK(create_typed(&type));
    CHECK_OK(open_typed(&chan, &type));
    CHECK_OK(ach_close(&chan));
    CHECK_OK(open_typed(&chan, NULL));
    CHECK_OK(ach_close(&chan));
    CHECK_STATUS(open_typed(&chan, &other_name), ACH_BAD_TYPE);
    CHECK(strstr(ach_errstr(), "'demo/msg/Pair'") && strstr(ach_errstr(), "'demo/msg/Pose'"));
    CHECK_STATUS(open_typed(&chan, &other_field), ACH_BAD_TYPE);
    CHECK(strstr(ach_errstr(), "channel has 'float64 x';") &&
          strstr(ach_errstr(), "expects 'float32 x'") && !strstr(ach_errstr(), "float64 y"));
    CHECK_STATUS(open_typed(&chan, &more), ACH_BAD_TYPE);
    CHECK(strstr(ach_errstr(), "has no others;") && strstr(ach_errstr(), "expects 'float64 z'"));
    CHECK_STATUS(open_typed(&chan, &other_encoding), ACH_BAD_TYPE);
    CHECK(strstr(ach_errstr(), "'cdr'") && strstr(ach_errstr(), "'json'"));
    CHECK_STATUS(open_typed(&chan, &binary), ACH_BAD_TYPE);
    CHECK(strstr(ach_errstr(), "another schema"));
    CHECK_STATUS(open_typed(&chan, &nameless), ACH_EINVAL);
    CHECK(strcmp(ach_result_to_string(ACH_BAD_TYPE), "ACH_BAD_TYPE") == 0);
    remove_it();
}

/* A reason that lists many fields is cut, not overrun. */
static void many_fields(void)
{
    char here[4096] = "", there[4096] = "";
    ach_channel_type_t type = pair(), other = pair();
    ach_channel_t chan;
    int i;

    for (i = 0; i < 100; i++) {
        snprintf(here + strlen(here), sizeof(here) - strlen(here), "int8 here_%d\n", i);
        snprintf(there + strlen(there), sizeof(there) - strlen(there), "int8 there_%d\n", i);
    }
    type.schema = here;
    type.schema_size = strlen(here);
    other.schema = there;
    other.schema_size = strlen(there);
    REQUIRE_OK(create_typed(&type));
    CHECK_STATUS(open_typed(&chan, &other), ACH_BAD_TYPE);
    CHECK(strstr(ach_errstr(), "here_0") && strstr(ach_errstr(), "there_0"));
    remove_it();
}

static void invalid(void)
{
    char longest[ACH_TYPE_NAME_MAX + 1];
    const ach_channel_type_t bad[] = {WITH(name, NULL),
                                      WITH(name, ""),
                                      WITH(name, "two words"),
                                      WITH(name, "line\n"),
                                      WITH(name, longest),
                                      WITH(encoding, NULL),
                                      WITH(encoding, ""),
                                      WITH(encoding, "c d r"),
                                      WITH(encoding, longest),
                                      WITH(schema_encoding, NULL),
                                      WITH(schema_encoding, "\xe9"),
                                      WITH(schema, NULL),
                                      WITH(schema_size, 0),
                                      WITH(schema_size, ACH_TYPE_SCHEMA_MAX + 1),
                                      WITH(schema_size, SIZE_MAX)};
    ach_channel_type_t type = WITH(name, longest);
    const ach_channel_type_t *got;
    ach_channel_t chan;
    size_t i;

    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_STATUS(create_typed(&bad[i]), ACH_EINVAL);
        CHECK(strstr(ach_errstr(), "type"));
    }
    longest[ACH_TYPE_NAME_MAX - 1] = '\0';
    type.schema_encoding = NULL;
    type.schema_size = 0;
    REQUIRE_OK(create_typed(&type));
    open_it(&chan);
    CHECK_OK(ach_channel_type(&chan, &got));
    CHECK(same(got, &type));
    CHECK_OK(ach_close(&chan));
    remove_it();
    CHECK_STATUS(ach_create_attr_set_type(NULL, &type), ACH_EINVAL);
    CHECK_STATUS(ach_attr_set_type(NULL, &type), ACH_EINVAL);
}

/* The ring behind the largest type still works, all the way round. */
static void largest(void)
{
    char *schema = malloc(ACH_TYPE_SCHEMA_MAX);
    ach_channel_type_t type = WITH(schema_size, ACH_TYPE_SCHEMA_MAX);
    ach_channel_t chan;
    const ach_channel_type_t *got;
    uint64_t n;

    REQUIRE(schema != NULL);
    memset(schema, 'x', ACH_TYPE_SCHEMA_MAX);
    type.schema = schema;
    REQUIRE_OK(create_typed(&type));
    REQUIRE_OK(open_typed(&chan, &type));
    for (n = 1; n <= 40; n++) {
        REQUIRE_OK(put_number(&chan, n, 81 + n));
        CHECK_GET(&chan, 0, ACH_OK, n);
    }
    CHECK_OK(ach_channel_type(&chan, &got));
    CHECK(same(got, &type));
    CHECK_OK(ach_close(&chan));
    remove_it();
    free(schema);
}

static int create_and_die(void *cx)
{
    REQUIRE_OK(create_typed(cx));
    raise(SIGKILL);
    return 1;
}

/* The type outlives its maker; a channel in its place has its own. */
static void kept(void)
{
    ach_channel_type_t type = pair(), next = WITH(name, "demo/msg/Next");
    ach_create_attr_t attr = create_attr();
    ach_channel_t old, chan;
    const ach_channel_type_t *got;
    pid_t pid = start_child(create_and_die, &type);
    int status;

    REQUIRE(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
    REQUIRE_OK(open_typed(&old, &type));
    REQUIRE_OK(ach_create_attr_set_truncate(&attr, 1));
    REQUIRE_OK(ach_create_attr_set_type(&attr, &next));
    REQUIRE_OK(backend->create(CHAN, 5, 100, &attr));
    CHECK_STATUS(open_typed(&chan, &type), ACH_BAD_TYPE);
    REQUIRE_OK(open_typed(&chan, &next));
    CHECK_OK(ach_channel_type(&old, &got));
    CHECK(same(got, &type));
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_close(&old));
    remove_it();
}

/* No byte of a type is trusted: each value of each byte of it, and a handle to look. */
static void forged(void)
{
    const ach_channel_type_t type = pair();
    const ach_channel_type_t *got;
    ach_channel_t writer, chan;
    unsigned char *bytes;
    unsigned size, i, value, good = 0, bad = 0;

    REQUIRE_OK(create_typed(&type));
    open_it(&writer);
    bytes = (unsigned char *)writer.shm + ACHI_HEADER_SIZE + 8 * sizeof(struct achi_entry);
    size = writer.shm->type_size;
    CHECK(size == 16 + 13 + 3 + 7 + strlen(SCHEMA) + 4);
    for (i = 0; i < size; i++) {
        unsigned char was = bytes[i];

        for (value = 0; value < 256; value++) {
            enum ach_status r;

            bytes[i] = (unsigned char)value;
            open_it(&chan);
            r = ach_channel_type(&chan, &got);
            CHECK(r == ACH_OK || r == ACH_CORRUPT);
            if (r == ACH_OK)
                good +=
                    strlen(got->name) == 13 && ((const char *)got->schema)[got->schema_size] == 0;
            else
                bad++;
            CHECK_OK(ach_close(&chan));
        }
        bytes[i] = was;
    }
    CHECK(good + bad == size * 256 && good > 256 && bad > 256);
    bytes[0] ^= 1;
    CHECK_STATUS(open_typed(&chan, &type), ACH_CORRUPT);
    CHECK_OK(ach_close(&writer));
    remove_it();
}

/* A header whose size of the type, version or flags do not fit the rest is refused. */
static void forged_header(void)
{
    const ach_channel_type_t type = pair();
    ach_channel_t writer, chan;
    uint32_t was;

    REQUIRE_OK(create_typed(&type));
    open_it(&writer);
    was = writer.shm->type_size;
    CHECK(writer.shm->version == ACHI_VERSION_TYPED);
    writer.shm->type_size = 0;
    CHECK_STATUS(backend->open(&chan, CHAN, NULL), ACH_BAD_SHM_FILE);
    writer.shm->type_size = UINT32_MAX;
    CHECK_STATUS(backend->open(&chan, CHAN, NULL), ACH_BAD_SHM_FILE);
    writer.shm->type_size = was;
    writer.shm->version = ACHI_VERSION;
    CHECK_STATUS(backend->open(&chan, CHAN, NULL), ACH_BAD_SHM_FILE);
    writer.shm->version = ACHI_VERSION_TYPED;
    writer.shm->flags |= ACHI_F_ALL + 1;
    CHECK_STATUS(backend->open(&chan, CHAN, NULL), ACH_BAD_SHM_FILE);
    writer.shm->flags &= ACHI_F_ALL;
    CHECK_OK(backend->open(&chan, CHAN, NULL));
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_close(&writer));
    remove_it();
}

/* What release 3.0 made and can open: version 6, and 0 where the new words are. */
static void earlier(void)
{
    ach_channel_t writer, chan;

    make(5, 100);
    open_it(&writer);
    CHECK(writer.shm->version == 6 && writer.shm->type_size == 0);
    writer.shm->epoch = 0;
    open_it(&chan);
    CHECK(info_of(&chan).epoch == 0);
    put_range(&writer, 1, 1);
    CHECK_GET(&chan, 0, ACH_OK, 1);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(ach_close(&writer));
    remove_it();
}

static void epoch(void)
{
    ach_channel_t chan;
    uint64_t first;

    make(5, 100);
    open_it(&chan);
    first = info_of(&chan).epoch;
    CHECK(first != 0 && first == info_of(&chan).epoch);
    CHECK_OK(ach_close(&chan));
    remove_it();
    make(5, 100);
    open_it(&chan);
    CHECK(info_of(&chan).epoch != 0 && info_of(&chan).epoch != first);
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void make_relayed(bool single)
{
    ach_create_attr_t attr = create_attr();

    REQUIRE_OK(ach_create_attr_set_relayed(&attr, 1));
    REQUIRE_OK(ach_create_attr_set_single_writer(&attr, single));
    REQUIRE_OK(backend->create(CHAN, 5, 100, &attr));
}

static enum ach_status put_relayed(ach_channel_t *chan, uint64_t number, size_t len)
{
    const ach_origin_t origin = {number + 1000, number, number + 2000};
    char message[256];

    message_fill(message, len, number);
    return ach_put_relayed(chan, message, len, &origin);
}

static bool from(const ach_channel_t *chan, uint64_t epoch, uint64_t seq, uint64_t stamp)
{
    ach_origin_t origin = {1, 1, 1};

    CHECK_OK(ach_channel_origin(chan, &origin));
    return origin.epoch == epoch && origin.seq == seq && origin.stamp == stamp;
}

/* Messages of all sizes, in the entry and in the ring, with their origin. */
static void relayed(void)
{
    ach_channel_t chan;
    uint64_t n;

    make_relayed(false);
    open_it(&chan);
    CHECK(info_of(&chan).relayed && !info_of(&chan).typed);
    for (n = 16; n < 100; n++) {
        REQUIRE_OK(put_relayed(&chan, n, n));
        CHECK_GET(&chan, 0, ACH_OK, n);
        CHECK(from(&chan, n + 1000, n, n + 2000));
        REQUIRE_OK(put_number(&chan, n, n));
        CHECK_GET(&chan, 0, ACH_OK, n);
        CHECK(from(&chan, 0, 0, 0));
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void relayed_errors(void)
{
    const ach_origin_t origin = {1, 2, 3};
    ach_origin_t got;
    ach_channel_t chan, reader;
    uint64_t n;

    make_relayed(false);
    open_it(&chan);
    open_readonly(&reader, CHAN);
    CHECK_STATUS(ach_channel_origin(&reader, &got), ACH_EAGAIN);
    CHECK_STATUS(ach_put_relayed(&reader, "x", 1, &origin), ACH_EACCES);
    CHECK_STATUS(ach_put_relayed(&chan, "x", 501, &origin), ACH_OVERFLOW);
    CHECK_STATUS(ach_put_relayed(&chan, NULL, 1, &origin), ACH_EINVAL);
    CHECK_STATUS(ach_put_relayed(&chan, "x", 0, &origin), ACH_EINVAL);
    CHECK_STATUS(ach_put_relayed(&chan, "x", 1, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_put_relayed(NULL, "x", 1, &origin), ACH_EINVAL);
    CHECK_STATUS(ach_channel_origin(&reader, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_channel_origin(NULL, &got), ACH_EINVAL);
    REQUIRE_OK(put_relayed(&chan, 1, 16));
    CHECK_GET(&reader, 0, ACH_OK, 1);
    for (n = 2; n < 10; n++)
        REQUIRE_OK(put_relayed(&chan, n, 16));
    CHECK_STATUS(ach_channel_origin(&reader, &got), ACH_EAGAIN); /* overwritten */
    CHECK_OK(ach_close(&reader));
    CHECK_STATUS(ach_channel_origin(&reader, &got), ACH_CLOSED);
    CHECK_OK(ach_close(&chan));
    CHECK_STATUS(ach_put_relayed(&chan, "x", 1, &origin), ACH_CLOSED);
    remove_it();
    make(5, 100);
    open_it(&chan);
    CHECK_STATUS(ach_put_relayed(&chan, "x", 1, &origin), ACH_ENOTSUP);
    CHECK_STATUS(ach_channel_origin(&chan, &got), ACH_ENOTSUP);
    CHECK(!info_of(&chan).relayed);
    CHECK_OK(ach_close(&chan));
    remove_it();
    CHECK_STATUS(ach_create_attr_set_relayed(NULL, 1), ACH_EINVAL);
}

/* A message put in place has no origin, also if the entry's last message had one. */
static void relayed_in_place(void)
{
    ach_channel_t chan;
    void *place;
    uint64_t n;

    make_relayed(true);
    open_source(&chan);
    for (n = 1; n < 20; n++)
        REQUIRE_OK(put_relayed(&chan, n, 64));
    for (n = 64; n < 82; n++) {
        REQUIRE_OK(ach_reserve(&chan, n, &place));
        message_fill(place, n, n);
        CHECK_STATUS(put_relayed(&chan, 1, 16), ACH_LOCKED);
        REQUIRE_OK(ach_commit(&chan, n));
        CHECK_GET(&chan, ACH_O_LAST, n == 64 ? ACH_MISSED_FRAME : ACH_OK, n);
        CHECK(from(&chan, 0, 0, 0));
    }
    CHECK_OK(ach_close(&chan));
    remove_it();
}

static void relayed_kernel(void)
{
    ach_create_attr_t attr = create_attr();

    REQUIRE_OK(ach_create_attr_set_relayed(&attr, 1));
    CHECK_STATUS(backend->create(CHAN, 5, 100, &attr), ACH_ENOTSUP);
}

#define NO_ORIGINS "kernel channels have no origins"

static const struct test tests[] = {
    {"type-stored", stored, ALL, NULL},
    {"type-none", none, ALL, NULL},
    {"type-expected", expected, ALL, NULL},
    {"type-many-fields", many_fields, ALL, NULL},
    {"type-invalid", invalid, ALL, NULL},
    {"type-largest", largest, ALL, NULL},
    {"type-kept", kept, NAMED, ONE_PROCESS},
    {"type-forged", forged, MEMORY, NO_MEMORY},
    {"type-forged-header", forged_header, USER, NO_FILE},
    {"type-earlier", earlier, MEMORY, NO_MEMORY},
    {"type-epoch", epoch, ALL, NULL},
    {"type-relayed", relayed, MEMORY, NO_ORIGINS},
    {"type-relayed-errors", relayed_errors, MEMORY, NO_ORIGINS},
    {"type-relayed-in-place", relayed_in_place, MEMORY, NO_ORIGINS},
    {"type-relayed-kernel", relayed_kernel, KERNEL, "other channels can have origins"},
};
THEME(type_theme, tests);
