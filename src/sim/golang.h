/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * golang.h - was a program or a library made by the compiler of Go?
 *
 * The runtime of Go asks the kernel and its vDSO itself, with stacks too small for a handler of
 * trapped calls, and moves its work between threads as it likes. It cannot live by virtual time.
 */
#ifndef ACHI_SIM_GOLANG_H
#define ACHI_SIM_GOLANG_H

#include <link.h>
#include <stdbool.h>

#define ACHI_GOLANG_WHY "is in Go, whose runtime asks the kernel for the time past the C library"

/* An ELF file of this machine, and its header. Found by its note, or by the names of its sections. */
bool achi_golang_made(int fd, const ElfW(Ehdr) * header);

/* The same, of a file that is loaded already. False if it cannot be read. */
bool achi_golang_made_file(const char *path);

#endif
