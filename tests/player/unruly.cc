/* SPDX-License-Identifier: BSD-3-Clause */
/* unruly.cc - drivers that fail in the ways drivers fail; the option "fault" says how */
#include <libplayercore/playercore.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

class Unruly : public ThreadedDriver
{
  public:
    Unruly(ConfigFile *cf, int section)
        : ThreadedDriver(cf, section, false, 100, PLAYER_OPAQUE_CODE),
          fault(cf->ReadString(section, "fault", "")), runs(0), now(false)
    {
        if (fault == "constructor")
            throw std::runtime_error("a constructor has thrown");
        if (fault == "error")
            SetError(5);
    }
    virtual int Setup()
    {
        return fault == "setup" ? -1 : ThreadedDriver::Setup();
    }
    virtual int MainSetup()
    {
        return runs++ == 0 && fault == "mainsetup" ? -1 : 0;
    }
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);
    virtual void Main();

  private:
    void Fail();
    void Tell();

    std::string fault;
    uint32_t runs;
    bool now;
};

/* A command triggers the fault, so that the subscription succeeds first. */
int Unruly::ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data)
{
    if (hdr->type == PLAYER_MSGTYPE_REQ && fault == "forget")
        return 0;
    if (hdr->type == PLAYER_MSGTYPE_REQ) {
        Publish(device_addr, resp_queue, PLAYER_MSGTYPE_RESP_ACK, hdr->subtype, data);
        return 0;
    }
    now = true;
    return 0;
}

void Unruly::Fail()
{
    if (fault == "throw")
        throw std::runtime_error("Main has thrown");
    if (fault == "exit")
        pthread_exit(NULL);
    if (fault == "crash")
        raise(SIGSEGV);
    while (fault == "hang")
        sleep(1);
    if (fault == "leak")
        for (int i = 0; i < 100; i++)
            memset(malloc(1 << 20), i, 1 << 20);
}

/* Which run in which process this is. */
void Unruly::Tell()
{
    uint32_t run[] = {(uint32_t)getpid(), runs};
    player_opaque_data_t body;

    body.data_count = sizeof(run);
    body.data = reinterpret_cast<uint8_t *>(run);
    Publish(device_addr, PLAYER_MSGTYPE_DATA, PLAYER_OPAQUE_DATA_STATE, &body);
}

void Unruly::Main()
{
    now = false;
    for (;;) {
        Tell();
        Wait(0.05);
        ProcessMessages();
        if (now && fault == "return")
            return;
        if (now)
            Fail();
        now = false;
    }
}

static Driver *Unruly_Init(ConfigFile *cf, int section)
{
    return strcmp(cf->ReadString(section, "fault", ""), "null") ? new Unruly(cf, section) : NULL;
}

extern "C" int player_driver_init(DriverTable *table)
{
    return table->AddDriver("unruly", Unruly_Init);
}
