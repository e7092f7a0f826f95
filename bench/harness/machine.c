/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench.h"

static int read_line(const char *path, char *line, size_t size)
{
    FILE *f = fopen(path, "r");
    char *got;

    if (!f)
        return -1;
    got = fgets(line, (int)size, f);
    fclose(f);
    if (!got)
        return -1;
    line[strcspn(line, "\n")] = '\0';
    return 0;
}

static int cpu_number(int cpu, const char *what)
{
    char path[128], line[32];
    int n;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    if (read_line(path, line, sizeof(line)) != 0 || sscanf(line, "%d", &n) != 1)
        return -1;
    return n;
}

/* How well two CPUs suit two processes that talk: not one core, but one package. */
static int fitness(int a, int b)
{
    int one_package = cpu_number(a, "physical_package_id") == cpu_number(b, "physical_package_id");
    int one_core = one_package && cpu_number(a, "core_id") == cpu_number(b, "core_id");

    return one_core ? 0 : 1 + one_package;
}

static void choose_cpus(struct machine *m)
{
    int cpu, best = -1;

    m->main_cpu = m->peer_cpu = -1;
    m->cpus = 1;
    if (sched_getaffinity(0, sizeof(m->all), &m->all) != 0)
        return;
    m->cpus = CPU_COUNT(&m->all);
    if (m->cpus < 2)
        return;
    for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &m->all))
            m->main_cpu = cpu;
    for (cpu = 0; cpu < m->main_cpu; cpu++) {
        if (CPU_ISSET(cpu, &m->all) && fitness(m->main_cpu, cpu) > best) {
            best = fitness(m->main_cpu, cpu);
            m->peer_cpu = cpu;
        }
    }
}

/* The processor's name, as the system tells it on one architecture or the other. */
static void name_cpu(struct machine *m, const char *arch)
{
    unsigned implementer = 0, part = 0;
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");

    snprintf(m->cpu, sizeof(m->cpu), "%s", arch);
    while (f && fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(m->cpu, sizeof(m->cpu), "%.100s", strchr(line, ':') + 2);
        sscanf(line, "CPU implementer : %x", &implementer);
        sscanf(line, "CPU part : %x", &part);
    }
    if (f)
        fclose(f);
    if (part)
        snprintf(m->cpu, sizeof(m->cpu), "%.60s implementer 0x%x part 0x%x", arch, implementer,
                 part);
}

void machine_init(struct machine *m)
{
    struct utsname u;
    char path[128];

    *m = (struct machine){0};
    choose_cpus(m);
    uname(&u);
    name_cpu(m, u.machine);
    snprintf(m->kernel, sizeof(m->kernel), "%s %s %s", u.sysname, u.release, u.machine);
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
             m->main_cpu < 0 ? 0 : m->main_cpu);
    if (read_line(path, m->governor, sizeof(m->governor)) != 0)
        snprintf(m->governor, sizeof(m->governor), "none");
    if (read_line("/proc/loadavg", m->load, sizeof(m->load)) != 0)
        snprintf(m->load, sizeof(m->load), "unknown");
}

void machine_pin(int cpu)
{
    cpu_set_t set;

    if (cpu < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        perror("bench: sched_setaffinity");
}
