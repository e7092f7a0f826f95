/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * multi.cc - a driver with two devices that uses a third: it stops its base when the scanner that
 * it requires sees something near, and passes the scan on
 */
#include <libplayercore/playercore.h>

class Multi : public ThreadedDriver
{
  public:
    Multi(ConfigFile *cf, int section);
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

  private:
    virtual int MainSetup();
    virtual void MainQuit();
    virtual void Main();
    void Look(player_laser_data_t *scan);

    player_devaddr_t base, front, scanner;
    Device *laser;
};

Multi::Multi(ConfigFile *cf, int section) : ThreadedDriver(cf, section)
{
    if (cf->ReadDeviceAddr(&base, section, "provides", PLAYER_POSITION2D_CODE, -1, NULL) != 0 ||
        AddInterface(base) != 0 ||
        AddInterface(&front, cf, section, PLAYER_LASER_CODE, "front") != 0 ||
        cf->ReadDeviceAddr(&scanner, section, "requires", PLAYER_LASER_CODE, -1, NULL) != 0)
        SetError(-1);
}

int Multi::MainSetup()
{
    Message *answer;
    player_laser_geom_t *geom;

    laser = deviceTable->GetDevice(scanner);
    if (!laser || laser->Subscribe(InQueue) != 0)
        return -1;
    answer = laser->Request(InQueue, PLAYER_MSGTYPE_REQ, PLAYER_LASER_REQ_GET_GEOM, NULL, 0, NULL);
    if (!answer)
        return -1;
    geom = static_cast<player_laser_geom_t *>(answer->GetPayload());
    PLAYER_MSG1(0, "multi: the scanner is %.2f m ahead", geom->pose.px);
    delete answer;
    return 0;
}

void Multi::MainQuit()
{
    laser->Unsubscribe(InQueue);
}

void Multi::Look(player_laser_data_t *scan)
{
    player_position2d_data_t state;
    float nearest = scan->max_range;

    for (uint32_t i = 0; i < scan->ranges_count; i++)
        nearest = MIN(nearest, scan->ranges[i]);
    memset(&state, 0, sizeof(state));
    state.stall = nearest < 0.5f;
    Publish(base, PLAYER_MSGTYPE_DATA, PLAYER_POSITION2D_DATA_STATE, &state, sizeof(state), NULL);
    Publish(front, PLAYER_MSGTYPE_DATA, PLAYER_LASER_DATA_SCAN, scan, sizeof(*scan), NULL);
}

int Multi::ProcessMessage(QueuePointer &, player_msghdr *hdr, void *data)
{
    if (!Message::MatchMessage(hdr, PLAYER_MSGTYPE_DATA, PLAYER_LASER_DATA_SCAN, scanner))
        return -1;
    Look(static_cast<player_laser_data_t *>(data));
    return 0;
}

void Multi::Main()
{
    for (;;) {
        Wait();
        ProcessMessages();
    }
}

static Driver *Multi_Init(ConfigFile *cf, int section)
{
    return new Multi(cf, section);
}

extern "C" int player_driver_init(DriverTable *table)
{
    return table->AddDriver("multidriver", Multi_Init);
}
