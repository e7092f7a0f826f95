/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer_list.h"

#include <stdio.h>
#include <string.h>

#include "json_parse.h"

#define LIST_MAX 2048u
#define TRANSPORT_TEXT 16

void peer_list_text(const struct value *object, const char *name, char *to, size_t room)
{
    const struct value *v =
        object->kind == VALUE_OBJECT ? value_member(object, name, strlen(name)) : NULL;
    bool text = v && (v->kind == VALUE_TEXT || v->kind == VALUE_NUMBER);

    snprintf(to, room, "%.*s", text && v->count < 4096 ? (int)v->count : 0, text ? v->text : "");
}

const struct value *peer_list_items(const struct value *object, const char *name)
{
    const struct value *v =
        object->kind == VALUE_OBJECT ? value_member(object, name, strlen(name)) : NULL;

    return v && v->kind == VALUE_LIST ? v : NULL;
}

static void peer_list_channels(const struct value *list, struct discovered *d, discovered_t *report,
                               void *context)
{
    char name[ACH_CHAN_NAME_MAX + 1];
    size_t i;

    report(context, d);
    d->kind = DISCOVERED_CHANNEL;
    d->name = name;
    for (i = 0; list && i < list->count && i < LIST_MAX; i++) {
        const struct value *v = &list->items[i];

        if (v->kind != VALUE_TEXT || v->count >= ACH_CHAN_NAME_MAX)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)v->count, v->text);
        if (discovery_is_channel(name))
            report(context, d);
    }
    d->name = "";
}

void peer_list_read(const char *text, size_t size, const struct discovered *host,
                    discovered_t *report, void *context)
{
    struct value_tree tree = {.root = {.kind = VALUE_NULL}};
    char raw[DISCOVERY_TEXT], clean[DISCOVERY_TEXT], transport[TRANSPORT_TEXT];
    struct discovered d = *host;

    if (value_parse_json(&tree.arena, text, size, &tree.root) == ACH_OK) {
        peer_list_text(&tree.root, "host", raw, sizeof(raw));
        if (*raw)
            d.host = discovery_clean(raw, clean);
        peer_list_text(&tree.root, "transport", transport, sizeof(transport));
        if (*transport && !transport[strspn(transport, "abcdefghijklmnopqrstuvwxyz")])
            d.transport = transport;
        peer_list_channels(peer_list_items(&tree.root, "channels"), &d, report, context);
    }
    value_tree_finish(&tree);
}
