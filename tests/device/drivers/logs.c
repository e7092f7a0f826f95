/* SPDX-License-Identifier: BSD-3-Clause */
/* logs.c - recordings contain what was published, and can be played again */
#include <ach/interface/log.h>
#include <ach/interface/position2d.h>
#include <ach/interfaces.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <zlib.h>

#include "line.h"
#include "probe.h"
#include "random_body.h"
#include "rig.h"

static char dir[64];

static const char *path(const char *name)
{
    static char paths[4][128];
    static unsigned n;
    char *p = paths[n++ % 4];

    snprintf(p, sizeof(paths[0]), "%s/%s", dir, name);
    return p;
}

/* A file that is compressed if its name says so. */
static void put_file(const char *name, const char *text, size_t size)
{
    gzFile f = gzopen(path(name), strstr(name, ".gz") ? "w" : "wT");

    REQUIRE(f && gzwrite(f, text, (unsigned)size) == (int)size && gzclose(f) == Z_OK);
}

/* The messages of a file, sorted. */
struct lines {
    char *text;
    char *line[65536];
    size_t count;
};

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether the file that was read last had its end; always true if it was not compressed. */
static bool complete;

/* The text of a file, compressed or not. */
static char *get_text(const char *name)
{
    gzFile f = gzopen(path(name), "r");
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    int n;

    if (!f)
        fprintf(stderr, "%s is not there\n", name);
    REQUIRE(f && text);
    while ((n = gzread(f, text + size, (unsigned)(room - size - 1))) > 0) {
        size += (size_t)n;
        if (room - size < 2)
            REQUIRE(text = realloc(text, room *= 2));
    }
    text[size] = '\0';
    complete = gzclose(f) == Z_OK;
    return text;
}

static struct lines *get_lines(const char *name)
{
    struct lines *l = calloc(1, sizeof(*l));
    char *rest = NULL, *line;

    REQUIRE(l);
    l->text = get_text(name);
    for (line = strtok_r(l->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if ((*line != '#' || strncmp(line, "# ach ", 6) == 0) && l->count < 65536)
            l->line[l->count++] = line;
    qsort(l->line, l->count, sizeof(l->line[0]), compare);
    return l;
}

static void free_lines(struct lines *l)
{
    free(l->text);
    free(l);
}

static size_t count_lines(const char *name)
{
    struct lines *l = get_lines(name);
    size_t n = l->count;

    free_lines(l);
    return n;
}

static struct rig *start(bool simulated, const char *format, ...)
{
    struct rig *rig = rig_create(simulated);
    char config[8192];
    va_list ap;

    va_start(ap, format);
    vsnprintf(config, sizeof(config), format, ap);
    va_end(ap);
    probe_reset();
    rig_add(rig, &probe_class);
    if (rig_load(rig, config) != ACH_OK) {
        CHECK(rig_logged(rig, "no such line: show the log"));
        exit(1);
    }
    REQUIRE_OK(ach_robot_start(rig_robot(rig)));
    return rig;
}

static bool playing(struct ear *log)
{
    ach_message_t *m = ear_request(log, ACH_LOG_REQ_GET_STATE, NULL);
    const ach_log_get_state_t *s = ach_message_body(m);
    bool on = s && s->state;

    ach_message_unref(m);
    return on;
}

static void set_playing(struct ear *log, uint8_t state)
{
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_READ_STATE, &(ach_log_set_read_state_t){state}));
}

/* A log of all data messages of all interfaces, and of answers, with random contents. */
static size_t random_log(const char *name, uint64_t *random)
{
    static const char *const asked[] = {"GET_GEOM", "GEOM", "POSE", "GET_CONFIG"};
    struct drv_text t = {0};
    const ach_interface_t *interf;
    double time = 1000;
    size_t i, n = 0;
    unsigned pass, k;
    uint32_t j;

    drv_line_head(&t);
    for (pass = 0; pass < 4; pass++)
        for (i = 0; (interf = ach_interface_at(i)); i++)
            for (j = 0; j < interf->message_count; j++) {
                const ach_message_def_t *def = &interf->messages[j];
                ach_header_t h = {.address = {.interf = interf->code},
                                  .type = def->type == ACH_MSG_DATA ? ACH_MSG_DATA : ACH_MSG_ACK,
                                  .subtype = def->subtype,
                                  .timestamp = time += 0.001};
                bool wanted = def->type == ACH_MSG_DATA && interf->code != 1;
                ach_message_t *m;
                void *body;

                for (k = 0; k < 4 && pass == 0 && def->type == ACH_MSG_REQ; k++)
                    wanted |= strcmp(def->name, asked[k]) == 0;
                if (!wanted || (pass == 0) != (def->type == ACH_MSG_REQ))
                    continue;
                body = def->body ? random_body(def->body, random, 20) : NULL;
                if (def->body == &ach_gps_data_type)
                    ((ach_gps_data_t *)body)->time_usec %= 1000000;
                REQUIRE_OK(ach_message_create(&h, body, &m));
                CHECK_OK(drv_line_write(&t, m, 6665));
                ach_message_unref(m);
                free(body);
                n++;
            }
    put_file(name, t.data, t.size);
    free(t.data);
    return n;
}

static void all_devices(char *list, size_t size)
{
    const ach_interface_t *interf;
    size_t i;

    *list = '\0';
    for (i = 0; (interf = ach_interface_at(i)); i++)
        if (interf->code != 1 && interf->code != ACH_LOG_CODE)
            snprintf(list + strlen(list), size - strlen(list), "\"%s:0\" ", interf->name);
}

/* Playing a log and recording it yields the same log. */
static void test_same_again(uint64_t seed, const char *from, const char *to)
{
    uint64_t random = seed;
    size_t i, n = random_log(from, &random);
    char devices[2048];
    struct lines *a, *b;
    struct rig *rig;
    struct ear *log;

    all_devices(devices, sizeof(devices));
    rig = start(false,
                "driver (name \"readlog\" filename \"%s\" speed 0 autoplay no\n"
                "        provides [\"log:0\" %s])\n"
                "driver (name \"writelog\" filename \"%s\" provides [\"log:1\"] requires [%s]\n"
                "        alwayson yes)",
                path(from), devices, path(to), devices);
    log = ear_open(rig, "log:0");
    set_playing(log, 1);
    EVENTUALLY(!playing(log));
    EVENTUALLY(count_lines(to) >= n);
    ear_close(log);
    rig_end(rig);
    a = get_lines(from);
    b = get_lines(to);
    CHECK(complete);
    CHECK(a->count == n && b->count == n);
    for (i = 0; i < a->count && i < b->count; i++)
        if (!CHECK(strcmp(a->line[i], b->line[i]) == 0)) {
            fprintf(stderr, "%.300s\n%.300s\n", a->line[i], b->line[i]);
            break;
        }
    free_lines(a);
    free_lines(b);
    unlink(path(to));
}

static void test_recording(void)
{
    struct rig *rig =
        start(false,
              "driver (name \"fake\" provides [\"position2d:0\" \"laser:1\"] rate 50\n"
              "  publish (device \"laser:1\" body \"ranges=1,2\")\n"
              "  answer (message \"GET_GEOM\" body \"pose.px=1 size.sw=2\"))\n"
              "driver (name \"writelog\" log_directory \"%s\" filename \"r.log\"\n"
              "  provides [\"log:0\"] requires [\"position2d:0\" \"laser:1\"])",
              path("new"));
    struct ear *log = ear_open(rig, "log:0");
    char name[] = "other.log", bad[] = "../other.log", absolute[] = "/tmp/other.log";
    ach_log_set_filename_t other = {.filename_count = sizeof(name), .filename = name};
    ach_log_set_filename_t outside = {.filename_count = sizeof(bad), .filename = bad};
    ach_log_set_filename_t root = {.filename_count = sizeof(absolute), .filename = absolute};
    ach_log_set_write_state_t on = {1}, off = {0};
    struct lines *l;
    size_t n;

    EVENTUALLY(count_lines("new/r.log") >= 10);
    CHECK(playing(log));
    CHECK(!ear_acked(log, ACH_LOG_REQ_SET_FILENAME, &other)); /* not while recording */
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_WRITE_STATE, &off));
    CHECK(!playing(log));
    n = count_lines("new/r.log");
    check_sleep_ms(100);
    CHECK(count_lines("new/r.log") == n);
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_WRITE_STATE, &on));
    EVENTUALLY(count_lines("new/r.log") > n);
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_WRITE_STATE, &off));
    CHECK(!ear_acked(log, ACH_LOG_REQ_SET_FILENAME, &outside));
    CHECK(!ear_acked(log, ACH_LOG_REQ_SET_FILENAME, &root));
    CHECK(!ear_acked(log, ACH_LOG_REQ_SET_FILENAME, NULL));
    CHECK(!ear_acked(log, ACH_LOG_REQ_SET_WRITE_STATE, NULL));
    CHECK(!ear_acked(log, ACH_LOG_REQ_SET_READ_REWIND, NULL));
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_FILENAME, &other));
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_WRITE_STATE, &on));
    EVENTUALLY(access(path("new/other.log"), R_OK) == 0 && count_lines("new/other.log") > 3);
    ear_close(log);
    log = ear_open(rig, "log:0"); /* a new recording has the config file's name again */
    EVENTUALLY(access(path("new/r.log~"), R_OK) == 0 && count_lines("new/r.log") >= 2);
    ear_close(log);
    rig_end(rig);
    l = get_lines("new/r.log~");
    CHECK(strstr(l->line[0], " 0 6665 position2d 00 ") || strstr(l->line[0], " 0 6665 laser 01 "));
    for (n = 0; n < l->count && !strstr(l->line[n], "position2d 00 004 001 +01.000"); n++)
        ;
    CHECK(n < l->count); /* the geometry was asked for */
    free_lines(l);
}

/* The beginning of a log that another server has written. */
static const char old_log[] = "## Player version 3.1.0 \n## File version 0.3.0 \n# old\n";

static bool holds(const char *name, const char *text)
{
    char found[256] = "";
    FILE *f = fopen(path(name), "r");
    size_t n = f ? fread(found, 1, sizeof(found) - 1, f) : 0;

    if (f)
        fclose(f);
    return n == strlen(text) && strcmp(found, text) == 0;
}

static bool same_bytes(const char *name, const void *bytes, size_t size)
{
    char found[256];
    FILE *f = fopen(path(name), "r");
    size_t n = f ? fread(found, 1, sizeof(found), f) : 0;

    if (f)
        fclose(f);
    return n == size && memcmp(found, bytes, size) == 0;
}

/* The directory of a log may have the date in its name. */
static void test_dated_directory(void)
{
    struct rig *rig =
        start(false,
              "driver (name \"dummy\" provides [\"position2d:0\"] rate 100)\n"
              "driver (name \"writelog\" log_directory \"%s\" timestamp_directory yes\n"
              "        filename \"d.log\" provides [\"log:0\"] requires [\"position2d:0\"])",
              path("dated_"));
    struct ear *log = ear_open(rig, "log:0");
    glob_t found;

    CHECK(glob(path("dated_*_*_*_*_*_*/d.log"), 0, NULL, &found) == 0);
    CHECK(found.gl_pathc == 1);
    globfree(&found);
    ear_close(log);
    rig_end(rig);

    rig_refuses("driver (name \"null\" provides [\"position2d:0\"])\n"
                "driver (name \"writelog\" timestamp_directory yes\n"
                "        provides [\"log:0\"] requires [\"position2d:0\"])",
                "expected no, or a log_directory as well");
}

/* Images go to the log, to files, or both; existing files are kept. */
static void test_images(bool log, bool save)
{
    static const char pgm[] = "P5\n2 1\n255\n\x01\x02", jpeg[] = "\x09\x08";
    static const char *const whole[] = {"2 1 8 1 0 2 0102", "2 1 24 5 1 2 0908"};
    static const char *const rest[] = {"2 1 8 1 0 0 -", "2 1 24 5 1 0 -"};
    struct rig *rig;
    struct ear *ear;
    struct lines *l;
    size_t i, k, found[2] = {0};

    put_file("img_camera_00_000000.pnm", "kept", 4);
    rig = start(false,
                "driver (name \"fake\" provides [\"camera:0\" \"camera:1\" \"camera:2\"] rate 50\n"
                "  publish (device \"camera:0\"\n"
                "    body \"width=2 height=1 bpp=8 format=1 image=1,2\")\n"
                "  publish (device \"camera:1\"\n"
                "    body \"width=2 height=1 bpp=24 format=5 compression=1 image=9,8\")\n"
                "  publish (device \"camera:2\" body \"width=2 height=9 format=1 image=1\"))\n"
                "driver (name \"writelog\" filename \"%s\" provides [\"log:0\"]\n"
                "  camera_log_images %d camera_save_images %d\n"
                "  requires [\"camera:0\" \"camera:1\" \"camera:2\"])",
                path("img.log.gz"), log, save);
    ear = ear_open(rig, "log:0");
    EVENTUALLY(count_lines("img.log.gz") >= 12);
    if (save)
        CHECK(rig_logged(rig, "camera:2: an image of format 1 is not saved"));
    ear_close(ear);
    rig_end(rig);
    l = get_lines("img.log.gz");
    for (i = 0; i < l->count; i++)
        for (k = 0; k < 2; k++)
            found[k] += strstr(l->line[i], log ? whole[k] : rest[k]) != NULL;
    CHECK(found[0] >= 2 && found[1] >= 2);
    free_lines(l);
    CHECK(same_bytes("img_camera_00_000000.pnm", "kept", 4));
    CHECK(same_bytes("img_camera_00_000001.pnm", pgm, sizeof(pgm) - 1) == save);
    CHECK(same_bytes("img_camera_01_000000.jpg", jpeg, sizeof(jpeg) - 1) == save);
    CHECK(access(path("img_camera_02_000000.pnm"), F_OK) != 0);
}

/* For each estimate the particles are requested; a device without them is asked as well. */
static void test_particles(bool on)
{
    struct rig *rig = start(false,
                            "driver (name \"fake\" provides [\"localize:0\"] rate 50\n"
                            "  answer (message \"GET_PARTICLES\" body \"mean.px=7\"))\n"
                            "driver (name \"dummy\" provides [\"localize:1\"] rate 50)\n"
                            "driver (name \"writelog\" filename \"%s\" provides [\"log:0\"]\n"
                            "        requires [\"localize:0\" \"localize:1\"] write_particles %d)",
                            path("p.log"), on);
    struct ear *log = ear_open(rig, "log:0");
    struct lines *l;
    size_t i, n = 0;

    EVENTUALLY(count_lines("p.log") >= 20);
    ear_close(log);
    rig_end(rig);
    l = get_lines("p.log");
    for (i = 0; i < l->count; i++)
        n += strstr(l->line[i], "localize 00 004 002  +7.000") != NULL;
    CHECK(on ? n >= 3 : n == 0);
    unlink(path("p.log"));
    free_lines(l);
}

/* An older log of the same name is kept, as k.log~. */
static void test_kept(void)
{
    struct rig *rig;
    struct ear *log;

    put_file("k.log", old_log, strlen(old_log));
    rig = start(false,
                "driver (name \"dummy\" provides [\"position2d:0\"] rate 100)\n"
                "driver (name \"writelog\" filename \"%s\" sync 0.01 provides [\"log:0\"]\n"
                "        requires [\"position2d:0\"])",
                path("k.log"));
    log = ear_open(rig, "log:0");
    EVENTUALLY(count_lines("k.log") >= 2);
    ear_close(log);
    rig_end(rig);
    CHECK(holds("k.log~", old_log));
}

/* A new recording overwrites no older log, and files_per_hour limits the number of files. */
static void test_no_log_lost(void)
{
    const char *const names[] = {"l.log", "l.log~", "l.log~2", "l.log~3"};
    struct rig *rig;
    struct ear *log;
    ach_status_t status;
    char why[256];
    size_t i;

    put_file("l.log", old_log, strlen(old_log));
    put_file("l.log~", old_log, strlen(old_log));
    rig = start(false,
                "driver (name \"dummy\" provides [\"position2d:0\"] rate 100)\n"
                "driver (name \"writelog\" filename \"%s\" provides [\"log:0\"]\n"
                "        files_per_hour 2 requires [\"position2d:0\"])",
                path("l.log"));
    for (i = 0; i < 2; i++) {
        log = ear_open(rig, "log:0");
        EVENTUALLY(count_lines("l.log") >= 2);
        ear_close(log);
    }
    log = ear_try(rig, "log:0", &status, why);
    CHECK(status == ACH_EACCES && strstr(why, "files_per_hour"));
    ear_close(log);
    rig_end(rig);
    CHECK(holds(names[1], old_log) && holds(names[2], old_log));
    CHECK(count_lines(names[0]) >= 2 && count_lines(names[3]) >= 2);
}

static bool set_name(struct ear *log, const char *name)
{
    ach_log_set_filename_t to = {.filename_count = (uint32_t)strlen(name) + 1,
                                 .filename = (char *)(uintptr_t)name};

    return ear_acked(log, ACH_LOG_REQ_SET_FILENAME, &to);
}

static bool set_recording(struct ear *log, uint8_t state)
{
    return ear_acked(log, ACH_LOG_REQ_SET_WRITE_STATE, &(ach_log_set_write_state_t){state});
}

static struct rig *start_recorder(const char *options)
{
    return start(false,
                 "driver (name \"dummy\" provides [\"position2d:0\"] rate 100)\n"
                 "driver (name \"writelog\" %s provides [\"log:0\"] autorecord no\n"
                 "        requires [\"position2d:0\"])",
                 options);
}

/* Without log_directory, clients may not name files. */
static void test_names_refused(void)
{
    char options[256];
    struct rig *rig;
    struct ear *log;

    put_file("robot.cfg", "driver ()\n", 10);
    snprintf(options, sizeof(options), "filename \"%s\"", path("n.log"));
    rig = start_recorder(options);
    log = ear_open(rig, "log:0");
    CHECK(!set_name(log, "robot.cfg"));
    CHECK(!set_name(log, "other-name.log"));
    CHECK(rig_logged(rig, "clients may not name logs here"));
    CHECK(set_recording(log, 1));
    EVENTUALLY(count_lines("n.log") >= 2);
    ear_close(log);
    rig_end(rig);
    CHECK(holds("robot.cfg", "driver ()\n"));
    CHECK(access(path("other-name.log"), F_OK) != 0);
}

/* Whether named by the config file or a client: only a log is replaced, no link is followed. */
static void test_only_logs_replaced(void)
{
    char options[256];
    struct rig *rig;
    struct ear *log;

    put_file("robot.cfg", "driver ()\n", 10);
    put_file("other", "", 0);
    REQUIRE(link(path("other"), path("linked.log")) == 0);
    put_file("kept.log", old_log, strlen(old_log));
    put_file("kept.log~", "not a log", 9);
    put_file("target", old_log, strlen(old_log));
    put_file("empty.log", "", 0);
    REQUIRE(symlink("target", path("link.log")) == 0);
    REQUIRE(symlink("nowhere", path("dangling.log")) == 0);
    REQUIRE(mkfifo(path("fifo.log"), 0600) == 0);
    REQUIRE(mkdir(path("directory.log"), 0700) == 0);
    snprintf(options, sizeof(options), "filename \"%s\" client_names yes", path("robot.cfg"));
    rig = start_recorder(options);
    log = ear_open(rig, "log:0");
    CHECK(!set_recording(log, 1)); /* the config file names a file that is not a log */
    CHECK(rig_logged(rig, "robot.cfg exists and is not a log, so it is not replaced"));
    CHECK(set_name(log, "kept.log") && !set_recording(log, 1));
    CHECK(rig_logged(rig, "kept.log exists; a client can record only to new files"));
    CHECK(set_name(log, "link.log") && !set_recording(log, 1));
    CHECK(set_name(log, "dangling.log") && !set_recording(log, 1));
    CHECK(set_name(log, "linked.log") && !set_recording(log, 1)); /* empty, has a second link */
    CHECK(set_name(log, "fifo.log") && !set_recording(log, 1));
    CHECK(set_name(log, "directory.log") && !set_recording(log, 1));
    CHECK(!set_name(log, "..") && !set_name(log, ".hidden") && !set_name(log, "") &&
          !set_name(log, "a/b") && !set_name(log, "/tmp/x") && !set_name(log, "two\nlines"));
    CHECK(!set_name(log, "\xc2\x9b"
                         "31mred") &&
          !set_name(log, "\xe2\x80\xaegol.txt") && !set_name(log, "\x7f") &&
          !set_name(log, "\xff"));
    CHECK(rig_logged(rig, "in printable ASCII"));
    CHECK(set_name(log, "empty.log") && set_recording(log, 1));
    EVENTUALLY(count_lines("empty.log") >= 2);
    CHECK(set_recording(log, 0));
    CHECK(set_name(log, "new.log") && set_recording(log, 1));
    EVENTUALLY(count_lines("new.log") >= 2);
    ear_close(log);
    rig_end(rig);
    CHECK(holds("robot.cfg", "driver ()\n"));
    CHECK(holds("kept.log", old_log) && holds("kept.log~", "not a log"));
    CHECK(holds("target", old_log) && access(path("nowhere"), F_OK) != 0);
    CHECK(access(path("empty.log~"), F_OK) != 0);
}

static void test_cannot_open(void)
{
    struct rig *rig = start(false,
                            "driver (name \"dummy\" provides [\"position2d:0\"])\n"
                            "driver (name \"writelog\" filename \"%s\" provides [\"log:0\"]\n"
                            "        requires [\"position2d:0\"])\n"
                            "driver (name \"readlog\" filename \"%s\" provides [\"log:1\"])",
                            path("no/such/directory/x.log"), path("none.log"));
    ach_status_t status;
    struct ear *ear;
    char why[256];

    ear = ear_try(rig, "log:0", &status, why);
    CHECK(status == ACH_FAILED_SYSCALL && strstr(why, "No such file"));
    ear_close(ear);
    ear = ear_try(rig, "log:1", &status, why);
    CHECK(status == ACH_FAILED_SYSCALL && strstr(why, "none.log: No such file"));
    ear_close(ear);
    rig_end(rig);
}

/* A limit of the file size simulates a full disk. */
static void set_limit(rlim_t bytes)
{
    struct rlimit limit;

    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void test_full_disk(void)
{
    struct ear *ear, *log;
    struct rig *rig;
    int i;

    set_limit(1);
    rig = start(false,
                "driver (name \"dummy\" provides [\"position2d:0\"] rate 200)\n"
                "driver (name \"writelog\" filename \"%s\" provides [\"log:0\"]\n"
                "        requires [\"position2d:0\"])",
                path("f.log"));
    ear = ear_open(rig, "position2d:0");
    log = ear_open(rig, "log:0");
    CHECK(rig_logged(rig, "f.log: File too large; messages are lost"));
    for (i = 0; i < 10; i++) {
        ach_message_t *m = ear_data(ear, ACH_POSITION2D_DATA_STATE);

        ach_message_unref(m);
    }
    CHECK(rig_count(rig, "File too large") == 1); /* logged once only */
    ear_close(log);
    CHECK(rig_logged(rig, "messages at its end were lost"));
    set_limit(RLIM_INFINITY);
    log = ear_open(rig, "log:0"); /* the empty file does not keep it from recording */
    EVENTUALLY(count_lines("f.log") >= 2);
    ear_close(log);
    ear_close(ear);
    rig_end(rig);
}

static bool is_whole(const char *name)
{
    struct lines *l = get_lines(name);
    bool whole = true;
    size_t i;

    for (i = 0; i < l->count; i++) {
        ach_message_t *m;

        if (drv_line_read(l->line[i], strlen(l->line[i]), &m) == ACH_OK)
            ach_message_unref(m);
        else
            whole = false;
    }
    free_lines(l);
    return whole;
}

/* If the limit cuts a line, the file ends with a whole line, and recording resumes when it can. */
static void test_file_limit(const char *name)
{
    struct rig *rig;
    struct ear *log;
    size_t n;

    set_limit(10001);
    rig = start(false,
                "driver (name \"dummy\" provides [\"position2d:0\"] rate 1000)\n"
                "driver (name \"writelog\" filename \"%s\" provides [\"log:0\"]\n"
                "        requires [\"position2d:0\"])",
                path(name));
    log = ear_open(rig, "log:0");
    CHECK(rig_logged(rig, "File too large; messages are lost"));
    n = count_lines(name);
    EVENTUALLY(is_whole(name)); /* a partial line is removed after a moment */
    set_limit(RLIM_INFINITY);
    CHECK(rig_logged(rig, "recording again after"));
    EVENTUALLY(count_lines(name) > n + 5);
    ear_close(log);
    rig_end(rig);
    CHECK(is_whole(name));
}

/* If the recorder is killed, the file keeps all lines written, and each line is whole. */
static void test_killed(const char *name)
{
    size_t n = 0;
    pid_t pid;
    int i;

    for (i = 0; i < 5; i++) {
        unlink(path(name));
        pid = fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            struct rig *rig =
                start(false,
                      "driver (name \"dummy\" provides [\"position2d:0\" \"laser:0\"] rate 5000)\n"
                      "driver (name \"writelog\" filename \"%s\" provides [\"log:0\"]\n"
                      "        requires [\"position2d:0\" \"laser:0\"])",
                      path(name));
            ear_open(rig, "log:0");
            pause();
        }
        EVENTUALLY(access(path(name), R_OK) == 0 && (n = count_lines(name)) > 20);
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        CHECK(count_lines(name) >= n);
        CHECK(is_whole(name));
    }
}

static const char *const five = "## a comment\n"
                                "100.0 0 0 position2d 0 4 1 1 2 3 4 5\n"
                                "100.0 0 0 position2d 0 1 1 1 0 0 0 0 0 0\n"
                                "100.1 0 0 position2d 0 1 1 2 0 0 0 0 0 0\n"
                                "this is wrong\n"
                                "100.1 0 0 position2d 1 1 1 9 0 0 0 0 0 0\n"
                                "100.2 0 0 position2d 0 1 1 3 0 0 0 0 0 0\n"
                                "\n"
                                "100.3 0 0 position2d 0 1 1 4 0 0 0 0 0 1\n"
                                "100.4 0 0 position2d 0 1 1 5 0 0 0 0 0 0"; /* and no end of line */

static void expect(struct ear *ear, double px, double time)
{
    ach_message_t *m = ear_data(ear, ACH_POSITION2D_DATA_STATE);
    const ach_position2d_data_t *d;

    REQUIRE(m);
    d = ach_message_body(m);
    CHECK(d->pos.px == px);
    CHECK(fabs(ach_message_header(m)->timestamp - time) < 1e-9);
    ach_message_unref(m);
}

static void test_playing(void)
{
    struct rig *rig;
    struct ear *log, *base;
    ach_message_t *m;
    double before;
    int i;

    put_file("five.log", five, strlen(five));
    rig = start(false,
                "driver (name \"readlog\" filename \"%s\" autoplay no\n"
                "        provides [\"log:0\" \"position2d:0\"])",
                path("five.log"));
    log = ear_open(rig, "log:0");
    base = ear_open(rig, "position2d:0");
    CHECK(!playing(log));
    CHECK(!ear_next(base, 0.05));
    m = ear_request(base, ACH_POSITION2D_REQ_GET_GEOM, NULL); /* before it plays */
    CHECK(((const ach_position2d_geom_t *)ach_message_body(m))->size.sl == 4);
    ach_message_unref(m);
    CHECK(!ear_acked(base, ACH_POSITION2D_REQ_RESET_ODOM, NULL));
    CHECK_OK(ear_command(base, ACH_POSITION2D_CMD_VEL, &(ach_position2d_cmd_vel_t){.state = 1}));
    before = rig_now();
    set_playing(log, 1);
    for (i = 0; i < 5; i++)
        expect(base, 1 + i, 100 + i * 0.1);
    CHECK(rig_now() - before >= 0.4);
    CHECK(!ear_next(base, 0.05));
    EVENTUALLY(!playing(log));
    CHECK(rig_logged(rig, "five.log:5: \"this\" is not a number"));

    /* Faster, by a property; and from the beginning. */
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_READ_REWIND, NULL));
    ear_property(log, "speed", 4);
    before = rig_now();
    set_playing(log, 1);
    for (i = 0; i < 5; i++)
        expect(base, 1 + i, 100 + i * 0.1);
    CHECK(rig_now() - before >= 0.1);

    /* Stop and go on. */
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_READ_REWIND, NULL));
    ear_property(log, "speed", 0.5);
    set_playing(log, 1);
    expect(base, 1, 100);
    set_playing(log, 0);
    for (i = 1; ach_queue_length(ear_queue(base)); i++) /* what came before it stopped */
        expect(base, 1 + i, 100 + i * 0.1);
    CHECK(!ear_next(base, 0.3));
    ear_property(log, "speed", 1000);
    set_playing(log, 1);
    for (; i < 5; i++)
        expect(base, 1 + i, 100 + i * 0.1);
    ear_close(base);
    ear_close(log);
    rig_end(rig);
}

/* A compressed log without its end is played as far as it goes. */
static void test_no_end(void)
{
    struct stat s;
    struct rig *rig;
    struct ear *base;
    int i;

    put_file("no-end.log.gz", five, strlen(five));
    REQUIRE(stat(path("no-end.log.gz"), &s) == 0 && s.st_size < (off_t)strlen(five));
    REQUIRE(truncate(path("no-end.log.gz"), s.st_size - 8) == 0);
    rig = start(false,
                "driver (name \"readlog\" filename \"%s\" speed 0 provides [\"position2d:0\"])",
                path("no-end.log.gz"));
    base = ear_open(rig, "position2d:0");
    for (i = 0; i < 5; i++)
        expect(base, 1 + i, 100 + i * 0.1);
    CHECK(rig_logged(rig, "the compressed log has no end"));
    ear_close(base);
    rig_end(rig);
}

/* A log of two robots; 0 is the number of the first one in logs of Ach 3.0. */
static void test_robots(void)
{
    static const char two[] = "1 0 6665 position2d 0 1 1 10 0 0 0 0 0 0\n"
                              "2 0 6666 position2d 0 1 1 20 0 0 0 0 0 0\n"
                              "3 16777343 6665 position2d 0 1 1 30 0 0 0 0 0 0\n"
                              "4 0 0 position2d 0 1 1 40 0 0 0 0 0 0\n"
                              "5 0 6667 position2d 0 1 1 50 0 0 0 0 0 0\n";
    struct ear *first, *second, *log;
    struct rig *rig;

    put_file("two.log", two, strlen(two));
    rig = start(false,
                "driver (name \"readlog\" filename \"%s\" speed 0 autoplay no\n"
                "        provides [\"6665:position2d:0\" \"6666:position2d:0\" \"log:0\"])",
                path("two.log"));
    log = ear_open(rig, "log:0");
    first = ear_open(rig, "position2d:0");
    second = ear_open(rig, "6666:position2d:0");
    set_playing(log, 1);
    expect(first, 10, 1);
    expect(second, 20, 2);
    expect(first, 30, 3);
    expect(first, 40, 4);
    EVENTUALLY(!playing(log));
    CHECK(!ear_next(first, 0) && !ear_next(second, 0));
    ear_close(second);
    ear_close(first);
    ear_close(log);
    rig_end(rig);

    rig = start(false,
                "driver (name \"readlog\" filename \"%s\" speed 0 provides [\"position2d:0\"])",
                path("two.log"));
    first = ear_open(rig, "position2d:0");
    expect(first, 10, 1);
    expect(first, 20, 2);
    expect(first, 30, 3);
    ear_close(first);
    rig_end(rig);
}

static struct rig *start_player(const char *options)
{
    return start(false,
                 "driver (name \"readlog\" log_directory \"%s\" filename \"five.log\" %s\n"
                 "        autoplay no provides [\"log:0\" \"position2d:0\"])",
                 dir, options);
}

static void test_other_file(void)
{
    static const char other[] = "## Ach version 3\n## File version 0.3.0\n"
                                "5 0 0 position2d 0 1 1 77 0 0 0 0 0 0\n";
    struct rig *rig;
    struct ear *log, *base;

    put_file("other.log", other, sizeof(other) - 1);
    put_file("packed.log.gz", other, sizeof(other) - 1);
    put_file("secret.txt.gz", "5 0 0 position2d 0 1 1 99 0 0 0 0 0 0\n", 38);
    put_file("secret.txt", "5 0 0 position2d 0 1 1 99 0 0 0 0 0 0\n", 38);
    REQUIRE(symlink("other.log", path("link-to-other.log")) == 0);
    rig = start_player("");
    log = ear_open(rig, "log:0");
    base = ear_open(rig, "position2d:0");
    CHECK(!set_name(log, "../other.log"));
    CHECK(!set_name(log, "none.log"));
    CHECK(!set_name(log, "fifo.log")); /* and does not wait for a writer */
    CHECK(!set_name(log, "link-to-other.log"));
    CHECK(!set_name(log, "secret.txt"));
    CHECK(rig_logged(rig, "secret.txt is not a log"));
    CHECK(!ear_acked(log, ACH_LOG_REQ_SET_READ_STATE, &(ach_log_set_read_state_t){1}));
    CHECK(!set_name(log, "secret.txt.gz"));
    CHECK(set_name(log, "other.log"));
    set_playing(log, 1);
    expect(base, 77, 5);
    EVENTUALLY(!playing(log));
    CHECK(set_name(log, "packed.log.gz"));
    set_playing(log, 1);
    expect(base, 77, 5);
    CHECK(!ear_acked(base, ACH_POSITION2D_REQ_GET_GEOM, NULL)); /* the first log had it */
    ear_close(base);
    ear_close(log);
    rig_end(rig);

    rig = start_player("client_names no");
    log = ear_open(rig, "log:0");
    CHECK(!set_name(log, "other.log"));
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_READ_REWIND, NULL)); /* the first is still open */
    ear_close(log);
    rig_end(rig);
}

static void test_loop(void)
{
    struct rig *rig = start(false,
                            "driver (name \"readlog\" filename \"%s\" speed 50 autorewind yes\n"
                            "        provides [\"position2d:0\"])",
                            path("five.log"));
    struct ear *base = ear_open(rig, "position2d:0");
    int i;

    for (i = 0; i < 12; i++)
        expect(base, 1 + i % 5, 100 + i % 5 * 0.1);
    ear_close(base);
    rig_end(rig);
}

/* The robot's clock follows the log, and does not go back when the log is rewound. */
static void test_clock(void)
{
    struct rig *rig = start(true,
                            "driver (name \"readlog\" filename \"%s\" speed 0 autoplay no\n"
                            "        provides [\"log:0\" \"position2d:0\"])\n"
                            "driver (name \"probe\" provides [\"opaque:0\"] tick 0.1\n"
                            "        requires [\"position2d:0\"])",
                            path("five.log"));
    struct ear *log = ear_open(rig, "log:0"), *base = ear_open(rig, "position2d:0");
    struct ear *probe = ear_open(rig, "opaque:0");
    int i;

    CHECK(ach_robot_time(rig_robot(rig)) == 0);
    set_playing(log, 1);
    for (i = 0; i < 5; i++)
        expect(base, 1 + i, 100 + i * 0.1);
    EVENTUALLY(!playing(log));
    CHECK(ach_robot_time(rig_robot(rig)) == 100.4);
    EVENTUALLY(probe_counts[0].data == 5);
    CHECK(ear_acked(log, ACH_LOG_REQ_SET_READ_REWIND, NULL));
    set_playing(log, 1);
    for (i = 0; i < 5; i++)
        expect(base, 1 + i, 100.4 + i * 0.1);
    EVENTUALLY(!playing(log));
    CHECK(fabs(ach_robot_time(rig_robot(rig)) - 100.8) < 1e-9);
    ear_close(probe);
    ear_close(base);
    ear_close(log);
    rig_end(rig);
}

/* A log of random bytes yields a limited number of warnings, not one for each line. */
static void test_rubbish(void)
{
    char *rubbish = malloc(100000);
    struct rig *rig;
    struct ear *base;
    uint64_t random = 3;
    size_t i;

    REQUIRE(rubbish);
    for (i = 0; i < 100000; i++)
        rubbish[i] = check_random(&random) % 50 ? (char)check_random(&random) : '\n';
    put_file("rubbish.log", rubbish, 100000);
    free(rubbish);
    rig = start(false,
                "driver (name \"readlog\" filename \"%s\" speed 0 provides [\"position2d:0\"])",
                path("rubbish.log"));
    base = ear_open(rig, "position2d:0");
    CHECK(rig_logged(rig, "rubbish.log: end of the log"));
    CHECK(rig_count(rig, "rubbish.log:") >= 20 && rig_count(rig, "rubbish.log:") < 60);
    ear_close(base);
    rig_end(rig);
}

int main(void)
{
    char command[128];
    uint64_t i;

    snprintf(dir, sizeof(dir), "/tmp/achlogs.XXXXXX");
    REQUIRE(mkdtemp(dir));
    for (i = 1; i <= check_scale(5); i++)
        test_same_again(i, i % 4 == 1 ? "a.log.gz" : "a.log", i % 2 ? "b.log" : "b.log.gz");
    test_recording();
    test_dated_directory();
    test_images(true, false);
    test_images(false, true);
    test_particles(true);
    test_particles(false);
    test_kept();
    test_no_log_lost();
    test_names_refused();
    test_only_logs_replaced();
    test_cannot_open();
    test_full_disk();
    test_file_limit("limit.log");
    test_file_limit("limit.log.gz");
    test_killed("killed.log");
    test_killed("killed.log.gz");
    test_playing();
    test_no_end();
    test_robots();
    test_other_file();
    test_loop();
    test_clock();
    test_rubbish();
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    if (!check_failures)
        REQUIRE(system(command) == 0);
    return check_result();
}
