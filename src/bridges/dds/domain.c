/* SPDX-License-Identifier: BSD-3-Clause */
#include "domain.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common.h"

#define CONFIG_MAX 1024
#define INTERFACE_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:@"

/*
 * ROS_LOCALHOST_ONLY makes rmw_cyclonedds_cpp select this interface. Discovery then addresses the
 * ports of participants 0 to MaxAutoParticipantIndex. Datagrams are as large as UDP allows.
 */
static const char loopback_config[] =
    "<CycloneDDS><Domain Id='any'><General>"
    "<Interfaces><NetworkInterface address='127.0.0.1'/></Interfaces>"
    "<MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize>"
    "</General><Discovery><MaxAutoParticipantIndex>40</MaxAutoParticipantIndex></Discovery>"
    "</Domain></CycloneDDS>";

static const char interface_config[] =
    "<CycloneDDS><Domain Id='any'><General><Interfaces><NetworkInterface name='%s'/></Interfaces>"
    "</General></Domain></CycloneDDS>";

static bool make_config(const struct achdds_domain *d, char config[CONFIG_MAX])
{
    if (!d->interface) {
        memcpy(config, loopback_config, sizeof(loopback_config));
        return true;
    }
    if (!*d->interface || d->interface[strspn(d->interface, INTERFACE_LETTERS)] ||
        strlen(d->interface) > 64) {
        tool_complain("'%s' cannot be the name of an interface", d->interface);
        return false;
    }
    snprintf(config, CONFIG_MAX, interface_config, d->interface);
    return true;
}

/* Sockets of the Internet protocols; others cannot be reached from outside. */
static bool is_internet(int fd)
{
    int domain;
    socklen_t size = sizeof(domain);

    return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
           (domain == AF_INET || domain == AF_INET6);
}

/*
 * Cyclone DDS binds its receiving sockets to all addresses, whatever its interfaces are. Bind them
 * to the device, so that the kernel drops what comes from other machines.
 */
static bool confine_sockets(void)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    bool ok = dir != NULL;

    while (ok && (entry = readdir(dir))) {
        int fd = atoi(entry->d_name);

        ok = !is_internet(fd) || setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2) == 0;
    }
    if (!ok)
        tool_complain("cannot restrict sockets to the interface lo: %s", strerror(errno));
    if (dir)
        closedir(dir);
    return ok;
}

/* Warnings are about what others send, and that lo has no multicast. Nobody here can change it. */
static void on_log(void *arg, const dds_log_data_t *log)
{
    (void)arg;
    if (log->priority & (DDS_LC_FATAL | DDS_LC_ERROR))
        tool_complain("%.*s", (int)strcspn(log->message, "\n"), log->message);
}

static dds_entity_t create_participant(const struct achdds_domain *d)
{
    static const char enclave[] = "enclave=/;"; /* by which ROS 2 knows its participants */
    dds_qos_t *qos = dds_create_qos();
    dds_entity_t participant;

    if (d->ros2)
        dds_qset_userdata(qos, enclave, sizeof(enclave) - 1);
    participant = dds_create_participant(d->id, qos, NULL);
    dds_delete_qos(qos);
    return participant;
}

dds_entity_t achdds_domain_join(const struct achdds_domain *d)
{
    char config[CONFIG_MAX];
    dds_entity_t domain, participant;

    if (!d->config && !make_config(d, config))
        return DDS_RETCODE_BAD_PARAMETER;
    dds_set_log_sink(on_log, NULL);
    domain = dds_create_domain(d->id, d->config ? d->config : config);
    participant = domain < 0 ? domain : create_participant(d);
    if (participant < 0)
        tool_complain("cannot join domain %u: %s", d->id, dds_strretcode(participant));
    else if (!d->interface && !d->config && !confine_sockets())
        return DDS_RETCODE_ERROR;
    return participant;
}
