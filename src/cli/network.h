/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h - ach ls --all: channels and devices of all machines that are found */
#ifndef NETWORK_H
#define NETWORK_H

#include "survey.h"

struct network_options {
    double timeout; /* seconds */
    bool names, json;
};

/* For peers_find: complain. */
void network_silent(void *context, const char *address, const char *port, const char *why);

/*
 * List the channels of the survey, and what the network advertises under names that match its
 * patterns. Returns an exit status, after complaining if the network cannot be searched.
 */
int network_list(const struct survey *local, const struct network_options *o);

#endif
