/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seed.c - inputs for the fuzzers to begin with
 *
 *     seed DIRECTORY
 *
 * Channel files as they are, with the byte in front that says so; and random
 * bytes, which are changes to a channel, or calls.
 */
#include <ach.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void save(const char *dir, unsigned number, const unsigned char *bytes, size_t n)
{
    char path[300];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%u", dir, number);
    f = fopen(path, "w");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        exit(1);
}

static void save_channel(const char *dir, unsigned number, size_t frame_cnt, size_t frame_size)
{
    static unsigned char bytes[100000];
    ach_channel_t chan;
    char path[300];
    ssize_t n;
    int fd;

    if (ach_create("seed", frame_cnt, frame_size, NULL) || ach_open(&chan, "seed", NULL) ||
        ach_put(&chan, "x", 1) || ach_put(&chan, bytes, frame_cnt * frame_size) ||
        ach_channel_path("seed", path, sizeof(path)))
        exit(1);
    ach_close(&chan);
    fd = open(path, O_RDONLY);
    n = read(fd, bytes + 1, sizeof(bytes) - 1);
    close(fd);
    ach_unlink("seed");
    save(dir, number, bytes, n > 0 ? (size_t)n + 1 : 0);
}

int main(int argc, char **argv)
{
    unsigned char bytes[400];
    unsigned i, k;

    if (argc != 2)
        return 2;
    save_channel(argv[1], 0, 1, 1);
    save_channel(argv[1], 1, 4, 100);
    srand(1);
    for (i = 2; i < 40; i++) {
        for (k = 0; k < sizeof(bytes); k++)
            bytes[k] = (unsigned char)(rand() >> 7);
        save(argv[1], i, bytes, 10 * i);
    }
    return 0;
}
