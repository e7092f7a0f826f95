/* SPDX-License-Identifier: BSD-3-Clause */
/* descriptors.h - how many clients the limit of open files allows */
#ifndef ACHI_DESCRIPTORS_H
#define ACHI_DESCRIPTORS_H

/*
 * So many of @wanted clients, at least one. Half of the descriptors that are free now, and 256 at
 * most, are kept for drivers and for clients of the channels.
 */
int achi_descriptors_clients(int wanted);

#endif
