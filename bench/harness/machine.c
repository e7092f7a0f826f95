/* SPDX-License-Identifier: BSD-3-Clause */
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench.h"

/* The first line of a file that begins with these words; without them, and the colon after them. */
static bool read_line(const char *path, const char *words, char *text, size_t size)
{
    FILE *f = fopen(path, "re");
    bool found = false;
    char line[256];

    while (f && !found && fgets(line, sizeof(line), f)) {
        const char *begin = line + strlen(words);

        found = strncmp(line, words, strlen(words)) == 0;
        if (found) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(text, size, "%s", begin + strspn(begin, "\t :"));
        }
    }
    if (f)
        fclose(f);
    return found;
}

static int cpu_number(int cpu, const char *what)
{
    char path[128], line[32];
    int n;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, what);
    return read_line(path, "", line, sizeof(line)) && sscanf(line, "%d", &n) == 1 ? n : -1;
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
    MUST_SYS(sched_getaffinity(0, sizeof(m->all), &m->all) == 0);
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

void machine_init(struct machine *m)
{
    static const char governor[] = "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor";
    char path[sizeof(governor) + 16], implementer[16], part[16];
    struct utsname u;

    *m = (struct machine){.governor = "none", .load = "unknown"};
    choose_cpus(m);
    uname(&u);
    snprintf(m->cpu, sizeof(m->cpu), "%s", u.machine);
    if (read_line("/proc/cpuinfo", "CPU implementer", implementer, sizeof(implementer)) &&
        read_line("/proc/cpuinfo", "CPU part", part, sizeof(part)))
        snprintf(m->cpu, sizeof(m->cpu), "%s implementer %s part %s", u.machine, implementer, part);
    read_line("/proc/cpuinfo", "model name", m->cpu, sizeof(m->cpu));
    snprintf(m->kernel, sizeof(m->kernel), "%s %s %s", u.sysname, u.release, u.machine);
    snprintf(path, sizeof(path), governor, m->main_cpu < 0 ? 0 : m->main_cpu);
    read_line(path, "", m->governor, sizeof(m->governor));
    read_line("/proc/loadavg", "", m->load, sizeof(m->load));
}

void machine_pin(int cpu)
{
    cpu_set_t set;

    if (cpu < 0)
        return;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    MUST_SYS(sched_setaffinity(0, sizeof(set), &set) == 0);
}

void machine_unpin(void)
{
    MUST_SYS(sched_setaffinity(0, sizeof(bench.machine.all), &bench.machine.all) == 0);
}
