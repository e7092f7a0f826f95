/* SPDX-License-Identifier: BSD-3-Clause */
/* names.cc - names of interfaces, message types and hosts; and functions of any message's body */
#include <arpa/inet.h>
#include <netdb.h>

#include "inside.h"

static int found(const ach_interface_t *i, player_interface_t *interf)
{
    if (!i)
        return -1;
    interf->interf = i->code;
    interf->name = (char *)(uintptr_t)i->name;
    return 0;
}

int lookup_interface(const char *name, player_interface_t *interf)
{
    return found(ach_interface_find(name), interf);
}

int lookup_interface_code(int code, player_interface_t *interf)
{
    return found(code > 0 ? ach_interface_by_code((unsigned)code) : nullptr, interf);
}

const char *lookup_interface_name(unsigned int, int code)
{
    const ach_interface_t *i = code > 0 ? ach_interface_by_code((unsigned)code) : nullptr;

    return i ? i->name : nullptr;
}

const char *interf_to_str(uint16_t code)
{
    const ach_interface_t *i = ach_interface_by_code(code);

    return i ? i->name : "unknown";
}

uint16_t str_to_interf(const char *name)
{
    const ach_interface_t *i = ach_interface_find(name);

    return i ? i->code : 0xffff;
}

static const char *const types[] = {"unknown", "data", "cmd", "req", "resp", "sync", "nack"};

const char *msgtype_to_str(uint8_t code)
{
    return types[code < sizeof(types) / sizeof(types[0]) ? code : 0];
}

uint8_t str_to_msgtype(const char *name)
{
    for (uint8_t i = 1; i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i], name) == 0)
            return i;
    return 0xff;
}

void packedaddr_to_dottedip(char *dest, size_t len, uint32_t addr)
{
    struct in_addr a = {addr};

    inet_ntop(AF_INET, &a, dest, (socklen_t)len);
}

int hostname_to_packedaddr(uint32_t *dest, const char *hostname)
{
    struct addrinfo hints, *list;

    memset(&hints, 0, sizeof(hints));
    hints.ai_family = AF_INET;
    if (getaddrinfo(hostname, nullptr, &hints, &list) != 0)
        return -1;
    *dest = reinterpret_cast<struct sockaddr_in *>(list->ai_addr)->sin_addr.s_addr;
    freeaddrinfo(list);
    return 0;
}

void playerxdr_ftable_init(void)
{
}

#define FUNCTION(kind, field)                                                                      \
    player_##kind##_fn_t playerxdr_get_##field(uint16_t interf, uint8_t type, uint8_t subtype)     \
    {                                                                                              \
        const player_layout *l = player_layout_find(interf, type, subtype);                        \
                                                                                                   \
        return l ? l->functions->field : nullptr;                                                  \
    }

FUNCTION(pack, packfunc)
FUNCTION(copy, copyfunc)
FUNCTION(cleanup, cleanupfunc)
FUNCTION(clone, clonefunc)
FUNCTION(free, freefunc)
FUNCTION(sizeof, sizeoffunc)

unsigned int playerxdr_deepcopy_message(void *src, void *dest, uint16_t interf, uint8_t type,
                                        uint8_t subtype)
{
    const player_layout *l = player_layout_find(interf, type, subtype);

    return l ? player_body_copy(l, dest, src) : 0;
}

void *playerxdr_clone_message(void *msg, uint16_t interf, uint8_t type, uint8_t subtype)
{
    const player_layout *l = player_layout_find(interf, type, subtype);

    return l ? player_body_clone(l, msg) : nullptr;
}

void playerxdr_free_message(void *msg, uint16_t interf, uint8_t type, uint8_t subtype)
{
    const player_layout *l = player_layout_find(interf, type, subtype);

    if (l)
        player_body_free(l, msg);
}

void playerxdr_cleanup_message(void *msg, uint16_t interf, uint8_t type, uint8_t subtype)
{
    const player_layout *l = player_layout_find(interf, type, subtype);

    if (l)
        player_body_cleanup(l, msg);
}
