/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peers.h"

static struct sockaddr address(const char *text)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr any;

    inet_pton(AF_INET, text, &in.sin_addr);
    memcpy(&any, &in, sizeof(any));
    return any;
}

static bool loopback_up(int fd)
{
    struct ifreq request = {.ifr_name = "lo"};

    if (ioctl(fd, SIOCGIFFLAGS, &request) != 0)
        return false;
    request.ifr_flags = (short)(request.ifr_flags | IFF_UP | IFF_MULTICAST);
    return ioctl(fd, SIOCSIFFLAGS, &request) == 0;
}

static bool multicast_to_loopback(int fd)
{
    char device[] = "lo";
    struct rtentry route = {.rt_dst = address("224.0.0.0"),
                            .rt_genmask = address("240.0.0.0"),
                            .rt_gateway = address("0.0.0.0"),
                            .rt_flags = RTF_UP,
                            .rt_dev = device};

    return ioctl(fd, SIOCADDRT, &route) == 0;
}

bool network_leave(void)
{
    bool ok;
    int fd;

    if (unshare(CLONE_NEWNET) != 0)
        return false;
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    ok = fd >= 0 && loopback_up(fd) && multicast_to_loopback(fd);
    if (fd >= 0)
        close(fd);
    return ok;
}
