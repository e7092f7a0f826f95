/* SPDX-License-Identifier: BSD-3-Clause */
/* repair.c - ach log repair */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../mcap/reader.h"
#include "../stop.h"
#include "contents.h"
#include "filelock.h"
#include "output.h"
#include "recordings.h"

#define REPAIR_PIECE 65536

/* Why a file of another kind needs none. */
static bool repair_is_mcap(int fd, const char *path)
{
    char magic[MCAP_MAGIC_SIZE];
    ssize_t n = pread(fd, magic, sizeof(magic), 0);

    if (n == (ssize_t)sizeof(magic) && memcmp(magic, MCAP_MAGIC, sizeof(magic)) == 0)
        return true;
    if (n < 0)
        complain("'%s' is unreadable: %s", path, strerror(errno));
    else
        complain(
            "'%s' is not a file of MCAP; other recordings have no index to repair, and ach log "
            "convert reads them as far as they go",
            path);
    return false;
}

static bool repair_copy(int from, int to, const char *path)
{
    char piece[REPAIR_PIECE];
    off_t at = 0;
    ssize_t n;

    while ((n = pread(from, piece, sizeof(piece), at)) > 0) {
        ssize_t done = 0, w = 0;

        while (done < n && (w = write(to, piece + done, (size_t)(n - done))) > 0)
            done += w;
        if (w <= 0) {
            complain("cannot write a copy of '%s': %s", path, strerror(errno));
            return false;
        }
        at += n;
    }
    if (n < 0)
        complain("'%s' is unreadable: %s", path, strerror(errno));
    return n == 0;
}

/* What is damaged, and of which time. */
static void repair_tell_damage(const struct mcap_repaired *told)
{
    char from[REC_TIME_TEXT], to[REC_TIME_TEXT];

    printf("%" PRIu64 " damaged bytes were lost", told->damaged);
    if (told->chunks)
        printf(", of %" PRIu64 " chunk%s", told->chunks, told->chunks == 1 ? "" : "s");
    if (told->chunks && told->first <= told->last && told->last <= INT64_MAX)
        printf(" with messages from %s to %s", rec_time_text((int64_t)told->first, from),
               rec_time_text((int64_t)told->last, to));
    printf("; %s", told->why);
}

static void repair_tell(const struct mcap_repaired *told, const char *path)
{
    if (!told->written)
        printf("%s: it is whole\n", path);
    else if (!told->removed && !told->damaged && !told->chunks)
        printf("%s: repaired, nothing was lost%s%s\n", path, *told->why ? ", but " : "", told->why);
    else
        printf("%s: repaired, ", path);
    if (told->removed)
        printf("%" PRIu64 " bytes behind the last whole chunk were lost%s", told->removed,
               told->damaged ? ", and " : "\n");
    if (told->damaged || told->chunks) {
        repair_tell_damage(told);
        putchar('\n');
    }
    if (told->unnamed)
        printf("%s: names and types of channels were damaged, in all %" PRIu64
               ": they are as the damaged bytes say, or unknown-N\n",
               path, told->unnamed);
}

static bool repair_file(int fd, const char *path)
{
    struct mcap_repaired told;
    bool ok = mcap_repair(fd, &told) == MCAP_OK;

    if (ok)
        repair_tell(&told, path);
    else
        complain("'%s' cannot be repaired: %s", path, told.why);
    return ok;
}

static int repair_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);

    if (fd < 0)
        complain("cannot open '%s': %s", path, strerror(errno));
    return fd;
}

/* A recorder holds the lock while it writes. While we hold it, no recorder begins to. */
static bool repair_lock(int fd, const char *path)
{
    if (filelock_take(fd) != FILELOCK_WRITER)
        return true;
    complain("'%s' is being written by a recorder: stop it first, or repair a copy with -o", path);
    return false;
}

static bool repair_in_place(const char *path)
{
    int fd = repair_open(path, O_RDWR);
    bool ok = fd >= 0 && repair_is_mcap(fd, path) && repair_lock(fd, path) && repair_file(fd, path);

    if (fd >= 0 && fsync(fd) != 0 && ok) {
        complain("cannot write '%s': %s", path, strerror(errno));
        ok = false;
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool repair_to(struct rec_output *o, const char *path)
{
    int fd = repair_open(path, O_RDONLY);
    bool ok = fd >= 0 && repair_is_mcap(fd, path) && rec_output_begin(o);

    if (ok)
        ok = rec_output_end(o, repair_copy(fd, o->fd, path) && repair_file(o->fd, o->path));
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool repair_parse(int argc, char **argv, struct rec_output *o)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'}, {"force", no_argument, NULL, 'f'}, {0}};
    int c;

    while ((c = getopt_long(argc, argv, "o:f", longs, NULL)) != -1) {
        if (c == 'o')
            o->path = optarg;
        else if (c == 'f')
            o->force = true;
        else {
            usage_hint();
            return false;
        }
    }
    if (optind == argc)
        usage("name a recording");
    else if (o->path && strcmp(o->path, "-") == 0)
        usage("a repaired file cannot be a pipe: name a file with -o");
    else if (o->path && optind + 1 < argc)
        usage("with -o, one recording at a time");
    else
        return true;
    return false;
}

static int repair_run(int argc, char **argv)
{
    struct rec_output o = {.fd = -1};
    bool ok = true;
    int i;

    if (!repair_parse(argc, argv, &o))
        return EXIT_USAGE;
    for (i = optind; i < argc; i++)
        ok = (o.path ? repair_to(&o, argv[i]) : repair_in_place(argv[i])) && ok;
    return ok ? EXIT_OK : EXIT_FAILED;
}

const struct verb log_repair_verb = {
    .name = "log repair",
    .summary = "mend a recording that was cut off or damaged",
    .help =
        "Usage: ach log repair [OPTION ...] FILE ...\n\n"
        "A recorder that was killed leaves a file of MCAP without an index. Each chunk is "
        "verified,\n"
        "index and end are written, and what is behind the last whole chunk is removed. What is\n"
        "damaged before it stays in the file, where readers ignore it. What is lost is printed. "
        "The\n"
        "file is changed in place, unless -o is given. A file that is whole, or that a recorder "
        "is\n"
        "writing, is not changed.\n\n"
        "Options:\n"
        "      --output FILE  write a repaired copy (also -o), and leave the file as it is\n"
        "  -f, --force        replace that FILE if it exists\n"
        "  -h, --help         print this help\n\n"
        "Examples:\n"
        "  ach log repair drive.mcap\n"
        "  ach log repair -o whole.mcap drive.mcap\n",
    .run = repair_run,
};
