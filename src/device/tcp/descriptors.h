/* SPDX-License-Identifier: BSD-3-Clause */
/* descriptors.h - how many clients the limit of open files allows */
#ifndef TCP_DESCRIPTORS_H
#define TCP_DESCRIPTORS_H

/*
 * The number of clients to allow: at most @wanted, at least one. Half of the free descriptors, at
 * most 256, are reserved for drivers and for clients of the channels.
 */
int tcp_descriptors_clients(int wanted);

#endif
