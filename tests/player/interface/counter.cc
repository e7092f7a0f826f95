/* SPDX-License-Identifier: BSD-3-Clause */
/* counter.cc - a driver without a thread, with an interface of its own */
#include <libplayercore/playercore.h>

#include "player_counter.h"

#define LIMIT 100

class Counter : public Driver
{
  public:
    Counter(ConfigFile *cf, int section)
        : Driver(cf, section, false, PLAYER_MSGQUEUE_DEFAULT_MAXLEN, PLAYER_COUNTER_CODE)
    {
    }
    virtual int Setup()
    {
        return 0;
    }
    virtual int Shutdown()
    {
        return 0;
    }
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

  private:
    void Count(int n);
};

void Counter::Count(int n)
{
    player_counter_data_t out;

    out.numbers_count = (uint32_t)n;
    out.numbers = static_cast<double *>(malloc((size_t)n * sizeof(double)));
    for (int i = 0; i < n; i++)
        out.numbers[i] = i;
    Publish(device_addr, PLAYER_MSGTYPE_DATA, PLAYER_COUNTER_DATA_NUMBERS, &out);
    free(out.numbers);
}

int Counter::ProcessMessage(QueuePointer &, player_msghdr *hdr, void *data)
{
    player_counter_limit_t limit;

    limit.value = LIMIT;
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_CMD, PLAYER_COUNTER_CMD_START, device_addr)) {
        Count(MIN(static_cast<player_counter_start_t *>(data)->count, LIMIT));
        return 0;
    }
    /* As in the tutorial: the answer has no queue, and goes to the request that waits for it. */
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_REQ, PLAYER_COUNTER_REQ_LIMIT, device_addr)) {
        Publish(device_addr, PLAYER_MSGTYPE_RESP_ACK, PLAYER_COUNTER_REQ_LIMIT, &limit);
        return 0;
    }
    return -1;
}

static Driver *Counter_Init(ConfigFile *cf, int section)
{
    return new Counter(cf, section);
}

extern "C" int player_driver_init(DriverTable *table)
{
    return table->AddDriver("counterdriver", Counter_Init);
}
