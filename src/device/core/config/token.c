/* SPDX-License-Identifier: BSD-3-Clause */
/* token.c - the parser's next token, and what it may still read */
#include "parse.h"

const struct dev_token *dev_parse_token(struct dev_parser *p)
{
    if (p->stop)
        p->source->lexer.token.kind = DEV_END;
    return &p->source->lexer.token;
}

void dev_parse_advance(struct dev_parser *p)
{
    if (!p->stop)
        dev_lexer_advance(&p->source->lexer);
}

bool dev_parse_spend(struct dev_parser *p, struct dev_place at)
{
    if (dev_config_spend(p->config, 1))
        return true;
    dev_parse_limit(p, at, "more than %d fields, values and sections", ACH_CONFIG_ITEMS_MAX);
    return false;
}
