/* SPDX-License-Identifier: BSD-3-Clause */
/* example.cc - the smallest driver with a loop: a base that goes where it is told, at once */
#include <libplayercore/playercore.h>
#include <unistd.h>

class Example : public ThreadedDriver
{
  public:
    Example(ConfigFile *cf, int section);
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

  private:
    virtual int MainSetup();
    virtual void MainQuit();
    virtual void Main();

    int speed_limit;
    player_position2d_data_t state;
};

Example::Example(ConfigFile *cf, int section)
    : ThreadedDriver(cf, section, false, PLAYER_MSGQUEUE_DEFAULT_MAXLEN, PLAYER_POSITION2D_CODE)
{
    speed_limit = cf->ReadInt(section, "speed_limit", 1);
}

int Example::MainSetup()
{
    memset(&state, 0, sizeof(state));
    PLAYER_MSG1(0, "example: the speed limit is %d", speed_limit);
    return 0;
}

void Example::MainQuit()
{
    PLAYER_MSG0(0, "example: has ended");
}

int Example::ProcessMessage(QueuePointer &, player_msghdr *hdr, void *data)
{
    if (!Message::MatchMessage(hdr, PLAYER_MSGTYPE_CMD, PLAYER_POSITION2D_CMD_VEL, device_addr))
        return -1;
    state.vel = static_cast<player_position2d_cmd_vel_t *>(data)->vel;
    state.vel.px = MIN(state.vel.px, speed_limit);
    return 0;
}

void Example::Main()
{
    for (;;) {
        Wait(0.01);
        ProcessMessages();
        Publish(device_addr, PLAYER_MSGTYPE_DATA, PLAYER_POSITION2D_DATA_STATE, &state);
    }
}

static Driver *Example_Init(ConfigFile *cf, int section)
{
    return new Example(cf, section);
}

void example_Register(DriverTable *table)
{
    table->AddDriver("exampledriver", Example_Init);
}

PLAYER_PLUGIN(example_Register)
