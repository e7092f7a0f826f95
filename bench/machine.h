/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h - what the numbers were measured on, and which cores to use */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

struct machine {
    char cpu[128];
    char kernel[256];
    char governor[64];
    char load[64];
    int cpus;               /* that this process may use */
    int main_cpu, peer_cpu; /* where the two processes run; -1: anywhere */
};

/* Find out about the machine and choose two of its cores, with one thread each if it can be. */
void machine_init(struct machine *m);

/* Stay on a core; does nothing for -1. */
void machine_pin(int cpu);

#endif
