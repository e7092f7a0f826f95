/* SPDX-License-Identifier: BSD-3-Clause */
#include "access.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

static bool access_wrong(const char *what, const char *found)
{
    ach_errstr_set(ACH_EINVAL, "expected %s, not '%s'", what, found);
    return false;
}

/* Rules are added in front: their order does not matter. */
static bool access_add_one(struct relay_rule **rules, const struct relay_rule *like,
                           const char *channel)
{
    struct relay_rule *r;

    if (strlen(channel) >= sizeof(r->channel))
        return access_wrong("a pattern of less than 256 characters", channel);
    r = malloc(sizeof(*r));
    if (!r) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for the lists of peers");
        return false;
    }
    *r = *like;
    snprintf(r->channel, sizeof(r->channel), "%s", channel);
    r->next = *rules;
    *rules = r;
    return true;
}

bool relay_access_add(struct relay_rule **rules, char *words)
{
    struct relay_rule like = {0};
    const char *peer, *right, *channel;
    char *rest;
    bool both;

    peer = strtok_r(words, BLANKS, &rest);
    right = peer ? strtok_r(NULL, BLANKS, &rest) : NULL;
    channel = right ? strtok_r(NULL, BLANKS, &rest) : NULL;
    if (!channel)
        return access_wrong("PEER read|write|both CHANNEL", peer ? peer : "");
    if (strlen(peer) >= sizeof(like.peer) ||
        (*peer == '@' && strcmp(peer, RELAY_ACCESS_PLAIN) != 0))
        return access_wrong("the name of a certificate, or " RELAY_ACCESS_PLAIN, peer);
    snprintf(like.peer, sizeof(like.peer), "%s", peer);
    both = strcmp(right, "both") == 0;
    like.read = both || strcmp(right, "read") == 0;
    like.write = both || strcmp(right, "write") == 0;
    if (!like.read && !like.write)
        return access_wrong("read, write or both", right);
    while (channel) {
        if (!access_add_one(rules, &like, channel))
            return false;
        channel = strtok_r(NULL, BLANKS, &rest);
    }
    return true;
}

void relay_access_finish(struct relay_rule **rules)
{
    while (*rules) {
        struct relay_rule *next = (*rules)->next;

        free(*rules);
        *rules = next;
    }
}

/* Names of certificates are the same in upper and lower case, as TLS compares them. */
static bool access_concerns(const struct relay_rule *r, const char *peer)
{
    if (!*peer)
        return strcmp(r->peer, RELAY_ACCESS_PLAIN) == 0;
    return *r->peer != '@' && fnmatch(r->peer, peer, FNM_CASEFOLD) == 0;
}

bool relay_access_lists_plain(const struct relay_rule *rules)
{
    while (rules && !access_concerns(rules, ""))
        rules = rules->next;
    return rules;
}

bool relay_access_allows(const struct relay_rule *rules, const char *peer, bool write,
                         const char *channel)
{
    bool listed = *peer;

    for (; rules; rules = rules->next) {
        if (!access_concerns(rules, peer))
            continue;
        listed = true;
        if ((write ? rules->write : rules->read) && fnmatch(rules->channel, channel, 0) == 0)
            return true;
    }
    return !listed;
}
