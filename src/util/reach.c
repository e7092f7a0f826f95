/* SPDX-License-Identifier: BSD-3-Clause */
#include "reach.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include "endpoint.h"

static bool has_address(const struct ifaddrs *i, const struct tcp_endpoint *e)
{
    struct sockaddr_storage a = {0};
    struct tcp_endpoint own;

    if (!i->ifa_addr || i->ifa_addr->sa_family != e->family)
        return false;
    memcpy(&a, i->ifa_addr,
           e->family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
    return tcp_endpoint_read(&a, &own) &&
           memcmp(&own.address, &e->address,
                  e->family == AF_INET ? sizeof(own.address.v4) : sizeof(own.address.v6)) == 0;
}

static unsigned find_interface(const struct tcp_endpoint *e)
{
    struct ifaddrs *all, *i;
    unsigned index = e->scope;

    if (index || getifaddrs(&all) != 0)
        return index;
    for (i = all; i && !index; i = i->ifa_next)
        if (has_address(i, e))
            index = if_nametoindex(i->ifa_name);
    freeifaddrs(all);
    return index;
}

bool tcp_reach_find(int fd, unsigned *interface)
{
    struct sockaddr_storage a = {0};
    socklen_t size = sizeof(a);
    struct tcp_endpoint e;

    *interface = 0;
    if (getsockname(fd, (struct sockaddr *)&a, &size) != 0 || !tcp_endpoint_read(&a, &e))
        return true;
    if (tcp_endpoint_is_loopback(&e))
        return false;
    *interface = find_interface(&e);
    return true;
}
