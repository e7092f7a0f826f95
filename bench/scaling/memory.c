/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - what a channel and an open handle take
 *
 * A channel: the blocks of its file. A handle: what the process has more after
 * opening many of them and touching all of their memory, divided by how many.
 * These are counts: there is nothing to repeat.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scaling.h"

#define KEPT_MAX (16u * 1024u * 1024u)
#define TOUCHED_MAX (128u * 1024u * 1024u)
#define HANDLES_MAX 128u
#define HANDLES_MIN 8u

static const unsigned frame_counts[] = {1, 16, 256, 4096};

static const struct {
    const char *name;
    unsigned size;
} frames[] = {
    {"frames of 64 B", 64},
    {"frames of 512 B", 512},
    {"frames of 4 KiB", 4096},
    {"frames of 64 KiB", 65536},
};

/* What /proc/self/status says, in bytes. */
static double status_bytes(const char *key)
{
    FILE *f = fopen("/proc/self/status", "r");
    size_t len = strlen(key);
    double kib = 0;
    char line[256];

    while (f && fgets(line, sizeof(line), f))
        if (strncmp(line, key, len) == 0 && line[len] == ':')
            kib = strtod(line + len + 1, NULL);
    if (f)
        fclose(f);
    return kib * 1024;
}

static double heap_bytes(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    return (double)mallinfo2().uordblks;
#else
    return status_bytes("RssAnon"); /* in pages, and some may have been there before */
#endif
}

static double mappings(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    double n = 0;
    int c;

    while (f && (c = fgetc(f)) != EOF)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

/* Bytes the kernel has for one mapping; 0 if it does not tell. */
static double mapping_bytes(void)
{
    FILE *f = fopen("/proc/slabinfo", "r");
    double size = 0;
    char line[256];

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "vm_area_struct %*u %*u %lf", &size) == 1)
            break;
    if (f)
        fclose(f);
    return size;
}

static double file_bytes(const char *name)
{
    char path[4096];
    struct stat st;

    MUST_ACH(ach_channel_path(name, path, sizeof(path)));
    MUST_SYS(stat(path, &st) == 0);
    return (double)st.st_blocks * 512;
}

struct cost {
    double file, tables, heap, mappings;
};

static struct cost cost_now(void)
{
    return (struct cost){
        .tables = status_bytes("VmPTE"),
        .heap = heap_bytes(),
        .mappings = mappings(),
    };
}

static struct cost measure_geometry(unsigned count, unsigned size)
{
    ach_channel_t chan[HANDLES_MAX] = {0};
    struct cost before, after;
    unsigned i, n;
    double file;

    channel_make("memory", count, size, false);
    file = file_bytes("memory");
    n = (unsigned)(TOUCHED_MAX / file);
    n = n > HANDLES_MAX ? HANDLES_MAX : n < HANDLES_MIN ? HANDLES_MIN : n;
    before = cost_now();
    for (i = 0; i < n; i++) {
        channel_open(&chan[i], "memory", false, 0);
        touch_all(&chan[i]);
    }
    after = cost_now();
    for (i = 0; i < n; i++)
        ach_close(&chan[i]);
    ach_unlink("memory");
    return (struct cost){
        .file = file,
        .tables = (after.tables - before.tables) / n,
        .heap = (after.heap - before.heap) / n,
        .mappings = (after.mappings - before.mappings) / n,
    };
}

static void measure_all(const struct group *g, bool of_handle)
{
    unsigned i, j;

    for (i = 0; i < ARRAY_SIZE(frames); i++) {
        for (j = 0; j < ARRAY_SIZE(frame_counts); j++) {
            struct cost cost;

            if (frame_counts[j] * frames[i].size > KEPT_MAX ||
                !channel_fits(frame_counts[j], frames[i].size))
                continue;
            cost = measure_geometry(frame_counts[j], frames[i].size);
            row_value(g, frames[i].name, frame_counts[j], 0, of_handle ? cost.tables : cost.file);
        }
    }
}

void memory_measure(const struct group *g)
{
    measure_all(g, false);
}

void handle_measure(const struct group *g)
{
    struct cost small = measure_geometry(1, 64);
    double bytes = mapping_bytes();

    measure_all(g, true);
    note("Beside page tables, an open handle takes %.0f bytes of private memory, one file "
         "descriptor and %.1f mappings.",
         small.heap, small.mappings);
    if (bytes > 0)
        note("The kernel has %.0f bytes for a mapping.", bytes);
}
