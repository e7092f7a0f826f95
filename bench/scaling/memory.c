/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory.c - what a channel and an open handle take
 *
 * A channel: the blocks of its file. A handle: what the process has more after
 * opening many of them and touching all of their memory, divided by how many.
 * These are counts: there is nothing to repeat.
 */
#include <limits.h>
#include <malloc.h>
#include <string.h>
#include <sys/stat.h>

#include "scaling.h"

#define KEPT_MAX (16u * 1024u * 1024u)
#define TOUCHED_MAX (128u * 1024u * 1024u)
#define HANDLES_MAX 128u
#define HANDLES_MIN 8u

struct cost {
    double file, tables, heap, mappings;
};

/* The sum of the numbers that lines of a file have after these words; with no number, of lines. */
static double read_sum(const char *path, const char *format)
{
    FILE *f = fopen(path, "re");
    double sum = 0, number;
    char line[256];

    while (f && fgets(line, sizeof(line), f))
        sum += !format                              ? strchr(line, '\n') != NULL
               : sscanf(line, format, &number) == 1 ? number
                                                    : 0;
    if (f)
        fclose(f);
    return sum;
}

static double heap_bytes(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    return (double)mallinfo2().uordblks;
#else
    return 1024 * read_sum("/proc/self/status", "RssAnon: %lf"); /* in pages */
#endif
}

static struct cost cost_now(void)
{
    return (struct cost){.tables = 1024 * read_sum("/proc/self/status", "VmPTE: %lf"),
                         .heap = heap_bytes(),
                         .mappings = read_sum("/proc/self/maps", NULL)};
}

static struct cost measure_geometry(unsigned count, unsigned size)
{
    ach_channel_t chan[HANDLES_MAX] = {0};
    struct cost before, after;
    char path[PATH_MAX];
    struct stat st;
    unsigned i, n, held = held_count;

    channel_make("memory", count, size, false);
    MUST_ACH(ach_channel_path("memory", path, sizeof(path)));
    MUST_SYS(stat(path, &st) == 0);
    n = TOUCHED_MAX / (unsigned)(st.st_blocks * 512);
    n = n > HANDLES_MAX ? HANDLES_MAX : n < HANDLES_MIN ? HANDLES_MIN : n;
    before = cost_now();
    for (i = 0; i < n; i++) {
        MUST_ACH(ach_open(&chan[i], "memory", NULL)); /* not channel_open, which takes memory too */
        touch_all(&chan[i]);
    }
    after = cost_now();
    while (i > 0)
        ach_close(&chan[--i]);
    release_to(held);
    return (struct cost){
        .file = (double)st.st_blocks * 512,
        .tables = (after.tables - before.tables) / n,
        .heap = (after.heap - before.heap) / n,
        .mappings = (after.mappings - before.mappings) / n,
    };
}

static void note_handle(void)
{
    struct cost small = measure_geometry(1, 64);
    double bytes = read_sum("/proc/slabinfo", "vm_area_struct %*u %*u %lf");

    note("Beside page tables, an open handle takes %.0f bytes of private memory, one file "
         "descriptor and %.1f mappings.",
         small.heap, small.mappings);
    if (bytes > 0)
        note("The kernel has %.0f bytes for a mapping.", bytes);
}

/* g->what: of a handle instead of the channel. */
void memory_measure(const struct group *g, unsigned round)
{
    static const unsigned sizes[] = {64, 512, 4096, 65536}, counts[] = {1, 16, 256, 4096};
    static const char *const names[] = {"frames of 64 B", "frames of 512 B", "frames of 4 KiB",
                                        "frames of 64 KiB"};
    unsigned i, j;

    if (g->what)
        note_handle();
    for (i = 0; i < ARRAY_SIZE(sizes); i++) {
        for (j = 0; j < ARRAY_SIZE(counts); j++) {
            struct cost cost;

            if (counts[j] * sizes[i] > KEPT_MAX || !channel_fits(counts[j], sizes[i]))
                continue;
            cost = measure_geometry(counts[j], sizes[i]);
            row_value(g, names[i], counts[j], round, g->what ? cost.tables : cost.file);
        }
    }
}
