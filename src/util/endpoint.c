/* SPDX-License-Identifier: BSD-3-Clause */
#include "endpoint.h"

#include <string.h>
#include <sys/socket.h>

bool tcp_endpoint_read(const struct sockaddr_storage *a, struct tcp_endpoint *end)
{
    struct sockaddr_in6 v6;
    struct sockaddr_in v4;

    memset(end, 0, sizeof(*end));
    memcpy(&v4, a, sizeof(v4));
    memcpy(&v6, a, sizeof(v6));
    end->family = a->ss_family;
    if (a->ss_family == AF_INET) {
        end->address.v4 = v4.sin_addr;
        end->port = v4.sin_port;
        return true;
    }
    end->port = v6.sin6_port;
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
        end->family = AF_INET;
        memcpy(&end->address.v4, &v6.sin6_addr.s6_addr[12], sizeof(end->address.v4));
    } else {
        end->address.v6 = v6.sin6_addr;
        end->scope = v6.sin6_scope_id;
    }
    return a->ss_family == AF_INET6;
}

bool tcp_endpoint_is_loopback(const struct tcp_endpoint *e)
{
    return e->family == AF_INET ? ntohl(e->address.v4.s_addr) >> 24 == 127
                                : IN6_IS_ADDR_LOOPBACK(&e->address.v6);
}
