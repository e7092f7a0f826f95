/* SPDX-License-Identifier: BSD-3-Clause */
/* message.cc - messages; copies share the body */
#include "inside.h"

/* The count of a body is shared by copies in several threads. */
static unsigned *shared_count()
{
    return new unsigned(1);
}

void Message::Own(void *body, bool copy)
{
    const player_layout *l = player_layout_find(header.addr.interf, header.type, header.subtype);

    refs = shared_count();
    data = copy && l ? player_body_clone(l, body) : body;
    header.size = l ? player_body_sizeof(l, data) : 0;
    if (copy && !l)
        data = nullptr;
}

Message::Message(const struct player_msghdr &Header, void *body, bool copy)
    : header(Header), from(nullptr)
{
    Own(body, copy);
}

Message::Message(const struct player_msghdr &Header, void *body, QueuePointer &queue, bool copy)
    : Queue(queue), header(Header), from(nullptr)
{
    Own(body, copy);
}

Message::Message(const Message &other)
    : Queue(other.Queue), header(other.header), data(other.data), refs(other.refs), from(other.from)
{
    __atomic_fetch_add(refs, 1, __ATOMIC_RELAXED);
}

Message::~Message()
{
    if (__atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL))
        return;
    playerxdr_free_message(data, header.addr.interf, header.type, header.subtype);
    delete refs;
}

bool Message::Compare(Message &other)
{
    return MatchMessage(&header, other.header.type, other.header.subtype, other.header.addr);
}
