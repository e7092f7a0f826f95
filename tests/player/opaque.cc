/* SPDX-License-Identifier: BSD-3-Clause */
/* opaque.cc - a driver with messages of its own, as bytes that only its clients understand; it polls */
#include <libplayercore/playercore.h>
#include <unistd.h>

#include "opaque.h"

class Opaque : public ThreadedDriver
{
  public:
    Opaque(ConfigFile *cf, int section);
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

  private:
    virtual void Main();

    struct opaque_sample sample;
};

Opaque::Opaque(ConfigFile *cf, int section)
    : ThreadedDriver(cf, section, false, PLAYER_MSGQUEUE_DEFAULT_MAXLEN, PLAYER_OPAQUE_CODE)
{
    memset(&sample, 0, sizeof(sample));
}

/* A command sets the counter. */
int Opaque::ProcessMessage(QueuePointer &, player_msghdr *hdr, void *data)
{
    player_opaque_data_t *bytes = static_cast<player_opaque_data_t *>(data);

    if (!Message::MatchMessage(hdr, PLAYER_MSGTYPE_CMD, PLAYER_OPAQUE_CMD_DATA, device_addr) ||
        bytes->data_count != sizeof(sample.count))
        return -1;
    memcpy(&sample.count, bytes->data, sizeof(sample.count));
    return 0;
}

void Opaque::Main()
{
    player_opaque_data_t out;

    out.data_count = sizeof(sample);
    out.data = reinterpret_cast<uint8_t *>(&sample);
    for (;;) {
        pthread_testcancel();
        usleep(10000);
        if (!InQueue->Empty())
            ProcessMessages();
        sample.count++;
        sample.half = sample.count / 2.0;
        Publish(device_addr, PLAYER_MSGTYPE_DATA, PLAYER_OPAQUE_DATA_STATE, &out, sizeof(out));
    }
}

static Driver *Opaque_Init(ConfigFile *cf, int section)
{
    return new Opaque(cf, section);
}

extern "C" int player_driver_init(DriverTable *table)
{
    return table->AddDriver("opaquedriver", Opaque_Init);
}
