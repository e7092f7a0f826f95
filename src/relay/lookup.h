/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lookup.h - the addresses of a host, found in a thread of its own
 *
 * getaddrinfo blocks for as long as a name server does not answer, and it cannot be stopped. So a
 * look-up that is not wanted any more is left to its thread, which frees it. getaddrinfo_a does the
 * same with threads that cannot be given a signal mask, and without a bound on their number.
 */
#ifndef RELAY_LOOKUP_H
#define RELAY_LOOKUP_H

#include <netdb.h>
#include <stdbool.h>

#define RELAY_LOOKUPS_MAX 8u

struct relay_lookup;

/*
 * Begin. An address in digits is there at once. NULL: RELAY_LOOKUPS_MAX look-ups are under way, or
 * there is no memory; ach_errstr says which.
 */
struct relay_lookup *relay_lookup_create(const char *host, unsigned port);

/* Abandons a look-up that has not ended. Accepts NULL. */
void relay_lookup_destroy(struct relay_lookup *l);

/* Becomes readable when the look-up has ended. */
int relay_lookup_fd(const struct relay_lookup *l);

/* After its end: the addresses, which belong to the look-up; NULL: none, see ach_errstr. */
const struct addrinfo *relay_lookup_result(const struct relay_lookup *l);

#endif
