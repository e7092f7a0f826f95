/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * golang.h - was a program or a library built by the Go compiler?
 *
 * The Go runtime calls the kernel and the vDSO directly, on stacks too small for the handler of
 * trapped calls, and moves goroutines between threads. It cannot be given virtual time.
 */
#ifndef SIM_GOLANG_H
#define SIM_GOLANG_H

#include <link.h>
#include <stdbool.h>

#define SIM_GOLANG_WHY "is written in Go, whose runtime bypasses the C library to read the time"

/* fd: an ELF file of this machine. Recognised by its note, or by the names of its sections. */
bool sim_golang_made(int fd, const ElfW(Ehdr) * header);

/* The same, by path. False if it cannot be read. */
bool sim_golang_made_file(const char *path);

#endif
