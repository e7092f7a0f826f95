/* SPDX-License-Identifier: BSD-3-Clause */
#include "limits.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>

void raise_file_limit(unsigned long files)
{
    const rlim_t wanted = files;
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) != 0 || l.rlim_cur >= wanted)
        return;
    printf("open files: the limit is %llu, %llu are wanted", (unsigned long long)l.rlim_cur,
           (unsigned long long)wanted);
    l.rlim_cur = wanted;
    if (l.rlim_max < wanted)
        l.rlim_max = wanted; /* needs privilege */
    if (setrlimit(RLIMIT_NOFILE, &l) != 0) {
        getrlimit(RLIMIT_NOFILE, &l);
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
    getrlimit(RLIMIT_NOFILE, &l);
    printf("; now it is %llu\n", (unsigned long long)l.rlim_cur);
}

unsigned entries(const char *directory)
{
    DIR *d = opendir(directory);
    unsigned n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

double available_kib(void)
{
    FILE *f = fopen("/proc/meminfo", "r");
    char line[128];
    double kib = 0;

    while (f && fgets(line, sizeof(line), f))
        sscanf(line, "MemAvailable: %lf", &kib);
    if (f)
        fclose(f);
    return kib;
}

static long number_in(const char *path)
{
    FILE *f = fopen(path, "r");
    long n = -1;

    if (f && fscanf(f, "%ld", &n) != 1)
        n = -1;
    if (f)
        fclose(f);
    return n;
}

void print_limits(void)
{
    struct rlimit files, processes, locked;

    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_NPROC, &processes);
    getrlimit(RLIMIT_MEMLOCK, &locked);
    printf("limits: %llu open files, %llu processes and threads of this user, %ld in all, "
           "%ld mappings, %llu KiB locked memory\n",
           (unsigned long long)files.rlim_cur, (unsigned long long)processes.rlim_cur,
           number_in("/proc/sys/kernel/threads-max"), number_in("/proc/sys/vm/max_map_count"),
           (unsigned long long)(locked.rlim_cur / 1024));
}
