/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach.h>
#include <ach/message.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../util/nearest.h"
#include "core.h"

/* key:host:robot:interface:index; interface and index are required. */
enum { KEY, HOST, ROBOT, INTERFACE, INDEX, PARTS };

struct parts {
    const char *text;
    const char *start[PARTS];
    size_t length[PARTS];
};

static ach_status_t address_wrong(const char *text, const char *why)
{
    return ach_errstr_set(ACH_EINVAL, "\"%.100s\" is not an address: %s", text, why);
}

/* Parts are assigned from the right: omitted ones are those on the left. */
static ach_status_t split(const char *text, struct parts *p)
{
    const char *end = text + strlen(text), *at = end;
    int part = INDEX;

    memset(p, 0, sizeof(*p));
    p->text = text;
    for (;;) {
        while (at > text && at[-1] != ':')
            at--;
        p->start[part] = at;
        p->length[part] = (size_t)(end - at);
        if (at == text)
            break;
        if (part == KEY)
            return address_wrong(text, "too many colons; it is key:host:robot:interface:index");
        part--;
        end = --at;
    }
    return part <= INTERFACE
               ? ACH_OK
               : address_wrong(text, "it must end with interface:index, as in laser:0");
}

static ach_status_t number(const struct parts *p, int part, unsigned long max, unsigned long *value)
{
    char digits[16];
    size_t n = p->length[part];

    *value = 0;
    if (n == 0 && part == ROBOT)
        return ACH_OK;
    if (n == 0 || n >= sizeof(digits) || strspn(p->start[part], "0123456789") < n)
        return address_wrong(p->text, part == INDEX ? "its index is not a number"
                                                    : "its robot is not a number");
    memcpy(digits, p->start[part], n);
    digits[n] = '\0';
    *value = strtoul(digits, NULL, 10);
    return *value <= max ? ACH_OK : address_wrong(p->text, "a number in it is too large");
}

static ach_status_t word(const struct parts *p, int part, char *to, size_t size)
{
    if (p->length[part] >= size)
        return address_wrong(p->text, "a word in it is too long");
    if (p->length[part])
        memcpy(to, p->start[part], p->length[part]);
    to[p->length[part]] = '\0';
    return ACH_OK;
}

/* Player's codes of interfaces have 8 bits; those of plug-ins may be larger. */
#define CODES 1024u

const char *dev_interface_nearest(const char *name)
{
    struct nearest n = nearest_to(name);
    unsigned code;

    for (code = 0; code < CODES; code++) {
        const ach_interface_t *i = ach_interface_by_code(code);

        if (i)
            nearest_offer(&n, i->name);
    }
    return n.best;
}

static ach_status_t no_interface(const struct parts *p, const char *name)
{
    const char *best = dev_interface_nearest(name);

    return ach_errstr_set(ACH_EINVAL,
                          "\"%.100s\" is not an address: there is no interface %s%s%s%s", p->text,
                          *name ? name : "without a name", best ? "; did you mean '" : "",
                          best ? best : "", best ? "'?" : "");
}

static ach_status_t interface_code(const struct parts *p, uint16_t *code)
{
    const ach_interface_t *found;
    char name[64] = "";

    if (word(p, INTERFACE, name, sizeof(name)) != ACH_OK)
        return ACH_EINVAL;
    /* Player 1 had one interface for positions. */
    found = ach_interface_find(strcmp(name, "position") == 0 ? "position2d" : name);
    if (!found)
        return no_interface(p, name);
    *code = found->code;
    return ACH_OK;
}

ach_status_t ach_place_parse(const char *text, ach_place_t *place)
{
    unsigned long robot, index;
    ach_place_t found;
    struct parts p;

    if (split(text, &p) != ACH_OK || interface_code(&p, &found.interf) != ACH_OK ||
        number(&p, INDEX, UINT16_MAX, &index) != ACH_OK ||
        number(&p, ROBOT, UINT32_MAX, &robot) != ACH_OK ||
        word(&p, HOST, found.host, sizeof(found.host)) != ACH_OK ||
        word(&p, KEY, found.key, sizeof(found.key)) != ACH_OK)
        return ACH_EINVAL;
    found.robot = (uint32_t)robot;
    found.index = (uint16_t)index;
    *place = found;
    return ACH_OK;
}

bool ach_address_equal(const ach_address_t *a, const ach_address_t *b)
{
    return a->interf == b->interf && a->index == b->index && a->robot == b->robot &&
           a->host == b->host;
}

/* The lowest byte of the number is the first of the IPv4 address. */
static int host_text(uint32_t host, char *text, size_t size)
{
    return snprintf(text, size, "%u.%u.%u.%u:", host & 255, host >> 8 & 255, host >> 16 & 255,
                    host >> 24);
}

char *ach_address_text(const ach_address_t *address, char *text)
{
    const ach_interface_t *known = ach_interface_by_code(address->interf);
    size_t used = 0;

    if (address->host)
        used += (size_t)host_text(address->host, text, ACH_ADDRESS_MAX);
    if (address->host || address->robot)
        used += (size_t)snprintf(text + used, ACH_ADDRESS_MAX - used, "%u:", address->robot);
    if (known)
        snprintf(text + used, ACH_ADDRESS_MAX - used, "%s:%u", known->name, address->index);
    else
        snprintf(text + used, ACH_ADDRESS_MAX - used, "%u:%u", address->interf, address->index);
    return text;
}
