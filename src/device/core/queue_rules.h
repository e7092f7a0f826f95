/* SPDX-License-Identifier: BSD-3-Clause */
/* queue_rules.h - which messages a queue accepts, replaces or ignores */
#ifndef DEV_QUEUE_RULES_H
#define DEV_QUEUE_RULES_H

#include <ach/transport.h>

struct dev_rules {
    ach_rule_t *list;
    unsigned count;
};

bool dev_rule_valid(const ach_rule_t *r);

/* ACH_OVERFLOW, ACH_FAILED_SYSCALL */
ach_status_t dev_rules_add(struct dev_rules *rules, const ach_rule_t *r);

/* The action of the first rule that matches; ACH_RULE_ACCEPT: none matches. */
int32_t dev_rules_find(const struct dev_rules *rules, const ach_header_t *h);

#endif
