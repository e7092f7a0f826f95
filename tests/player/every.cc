/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * every.cc - drivers that use each class and each method of Player's API
 *
 * "source" is without a thread, "every" has one and requires the devices of source. A check that
 * fails is an error in the log, and is counted in a property of every.
 */
#include <unistd.h>

#include <list>

#include "every.h"

int failures;

/*
 * source: without a thread
 */

class Source : public Driver
{
  public:
    Source(ConfigFile *cf, int section);
    virtual int Setup();
    virtual int Shutdown();
    virtual int Subscribe(player_devaddr_t addr);
    virtual int Unsubscribe(player_devaddr_t addr);
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

  private:
    void Charge(const player_msghdr *hdr);

    player_devaddr_t power, bytes;
    int set_up, watchers;
    IntProperty level;
    StringProperty title, maker;
    BoolProperty sealed;
    DoubleProperty loss;
};

Source::Source(ConfigFile *cf, int section)
    : Driver(cf, section), set_up(0), watchers(0), level("level", 3, false, this, cf, section),
      title("title", "source", false), maker("maker", "", true, this, cf, section),
      sealed("sealed", true, true, this, cf, section), loss("loss", 0.5, false, this, cf, section)
{
    if (AddInterface(&power, cf, section, PLAYER_POWER_CODE) != 0 ||
        AddInterface(&bytes, cf, section, PLAYER_OPAQUE_CODE, "bytes") != 0)
        SetError(-1);
    RegisterProperty("title", &title, cf, section);
    CHECK(!RegisterProperty(&title, cf, section));
    CHECK(!strcmp(maker, "us") && level == 4 && sealed && loss == 0.5);
    InQueue->SetReplace(false);
}

int Source::Setup()
{
    set_up++;
    CHECK(!HasSubscriptions());
    return 0;
}

int Source::Shutdown()
{
    set_up--;
    CHECK(watchers == 0 || watchers == 1);
    return 0;
}

int Source::Subscribe(player_devaddr_t addr)
{
    int result = Driver::Subscribe(addr);

    SubscriptionLock();
    watchers += result == 0 && addr.interf == PLAYER_OPAQUE_CODE;
    SubscriptionUnlock();
    PLAYER_MSG2(0, "source: +%s, %d watch", interf_to_str(addr.interf), watchers);
    return result;
}

int Source::Unsubscribe(player_devaddr_t addr)
{
    watchers -= addr.interf == PLAYER_OPAQUE_CODE;
    PLAYER_MSG2(0, "source: -%s, %d watch", interf_to_str(addr.interf), watchers);
    return Driver::Unsubscribe(addr);
}

/* Publishes with each form of Publish. */
void Source::Charge(const player_msghdr *hdr)
{
    player_power_data_t data, *owned;
    player_msghdr_t h = *hdr;
    double time = 1234;

    memset(&data, 0, sizeof(data));
    data.volts = 1;
    Publish(power, PLAYER_MSGTYPE_DATA, PLAYER_POWER_DATA_STATE, &data, sizeof(data), &time);
    data.volts = 2;
    h.type = PLAYER_MSGTYPE_DATA;
    h.subtype = PLAYER_POWER_DATA_STATE;
    h.timestamp = 1235;
    Publish(&h, &data);
    data.volts = 3;
    owned = player_power_data_t_clone(&data);
    Publish(&h, owned, false);
    h.addr.index = 9; /* not its own: ignored */
    Publish(&h, &data);
}

int Source::ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data)
{
    HANDLE_CAPABILITY_REQUEST(power, resp_queue, hdr, data, PLAYER_MSGTYPE_REQ,
                              PLAYER_POWER_REQ_SET_CHARGING_POLICY);
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_REQ, PLAYER_POWER_REQ_SET_CHARGING_POLICY,
                              power)) {
        Charge(hdr); /* a client that has the answer gets no data of its request any more */
        Publish(power, resp_queue, PLAYER_MSGTYPE_RESP_ACK, hdr->subtype);
        return 0;
    }
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_REQ, PLAYER_OPAQUE_REQ_DATA, bytes)) {
        player_msghdr_t h = *hdr;

        h.type = PLAYER_MSGTYPE_RESP_ACK;
        Publish(resp_queue, &h, data);
        return 0;
    }
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_CMD, PLAYER_OPAQUE_CMD_DATA, bytes)) {
        Publish(bytes, PLAYER_MSGTYPE_DATA, PLAYER_OPAQUE_DATA_STATE, data);
        return 0;
    }
    return Driver::ProcessMessage(resp_queue, hdr, data);
}

/*
 * every: with a thread
 */

class Every : public ThreadedDriver
{
  public:
    Every(ConfigFile *cf, int section);
    virtual int MainSetup();
    virtual void MainQuit();
    virtual void Main();
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

  private:
    void CheckConfig(ConfigFile *cf, int section);
    void CheckDevices();
    void CheckWatch();
    int Forward(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

    player_devaddr_t power_addr, bytes_addr;
    Device *power, *bytes;
    int answers, nacks;
    IntProperty failed;
};

Every::Every(ConfigFile *cf, int section)
    : ThreadedDriver(cf, section, false, 100, PLAYER_OPAQUE_CODE), answers(0), nacks(0),
      failed("failures", 0, true, this, cf, section)
{
    CheckConfig(cf, section);
    CHECK(entries == 1 && !alwayson && GetError() == 0);
}

void Every::CheckConfig(ConfigFile *cf, int s)
{
    ConfigFile other("localhost", 6665), third(uint32_t(0), 6665), same;
    int inner = cf->LookupSection("inner");

    CHECK(cf->ReadBool(s, "flag", false) && !cf->ReadBool(s, "no_flag", false));
    CHECK(!strcmp(cf->ReadString(s, "text", ""), "hello") && !cf->ReadString(s, "none", NULL));
    CHECK(cf->ReadInt(s, "number", 0) == 42 && cf->ReadInt(s, "none", 7) == 7);
    CHECK(cf->ReadFloat(s, "ratio", 0) == 0.5);
    CHECK(cf->ReadLength(s, "height", 0) == 0.25);
    CHECK(fabs(cf->ReadAngle(s, "turn", 0) - M_PI / 2) < 1e-9);
    CHECK(cf->ReadColor(s, "paint", 0) == 0x102030 && cf->ReadColor(s, "none", 5) == 5);
    CHECK(strstr(cf->ReadFilename(s, "file", ""), "map.png"));
    CHECK(cf->GetTupleCount(s, "list") == 3 && cf->GetTupleCount(s, "none") == 0);
    CHECK(cf->ReadTupleInt(s, "list", 1, 0) == 2 && cf->ReadTupleInt(s, "list", 9, 8) == 8);
    CHECK(cf->ReadTupleFloat(s, "list", 2, 0) == 3);
    CHECK(cf->ReadTupleLength(s, "list", 0, 0) == 1);
    CHECK(fabs(cf->ReadTupleAngle(s, "turns", 1, 0) - M_PI) < 1e-9);
    CHECK(!strcmp(cf->ReadTupleString(s, "words", 1, ""), "b"));
    CHECK(cf->ReadTupleColor(s, "paints", 1, 0) == 0xff);
    CHECK(cf->ReadDeviceAddr(&power_addr, s, "requires", PLAYER_POWER_CODE, -1, NULL) == 0);
    CHECK(cf->ReadDeviceAddr(&bytes_addr, s, "requires", 0, 1, "b") == 0);
    CHECK(cf->ReadDeviceAddr(&bytes_addr, s, "requires", 0, -1, "c") == -1);
    CHECK(bytes_addr.interf == PLAYER_OPAQUE_CODE && bytes_addr.index == 1);
    CHECK(inner > s && cf->GetSectionParent(inner) == s && cf->GetSectionCount() == inner + 1);
    CHECK(cf->ReadInt(inner, "depth", 0) == 1 && !strcmp(cf->GetSectionType(inner), "inner"));
    CHECK(cf->LookupSection("none") == -1 && cf->filename && cf->ReadInt(0, "none", 1) == 1);
    CHECK(same.GetSectionCount() == cf->GetSectionCount() && !strcmp(same.filename, cf->filename));
    other.InsertFieldValue(0, "added", "5");
    CHECK(other.ReadInt(0, "added", 0) == 5 && other.GetTupleCount(0, "added") == 1);
    CHECK(third.Load(cf->ReadString(s, "other", "")) && third.ReadInt(0, "top", 0) == 3);
    CHECK(third.ReadInt(third.LookupSection("part"), "x", 0) == 4);
    CHECK(!third.WarnUnused() && !third.Load("/nonexistent"));
}

int Every::MainSetup()
{
    check_alone();
    power = deviceTable->GetDevice(power_addr);
    bytes = deviceTable->GetDevice("opaque:1");
    CHECK(deviceTable->Size() >= 3 && deviceTable->GetFirstDevice());
    CHECK(deviceTable->GetNextDevice(deviceTable->GetFirstDevice()));
    CHECK(!deviceTable->GetDevice("nothing") && !strcmp(power->drivername, ""));
    CHECK(power->Subscribe(InQueue) == 0 && bytes->Subscribe(InQueue) == 0);
    CHECK(deviceTable->GetDevice("sonar:7")->Subscribe(InQueue) == -1);
    CheckDevices();
    return 0;
}

void Every::CheckDevices()
{
    uint8_t text[] = "echo";
    player_opaque_data_t body = {sizeof(text), text}, *back;
    Message *m =
        bytes->Request(InQueue, PLAYER_MSGTYPE_REQ, PLAYER_OPAQUE_REQ_DATA, &body, 0, NULL);

    back = m ? static_cast<player_opaque_data_t *>(m->GetPayload()) : NULL;
    CHECK(back && back->data_count == sizeof(text) && !memcmp(back->data, text, sizeof(text)));
    CHECK(m && m->GetHeader()->type == PLAYER_MSGTYPE_RESP_ACK);
    delete m;
    m = power->TimedRequest(InQueue, PLAYER_MSGTYPE_REQ, 77, NULL, 5);
    CHECK(!m); /* a NACK */
    bytes->PutMsg(InQueue, PLAYER_MSGTYPE_REQ, PLAYER_OPAQUE_REQ_DATA, &body, 0, NULL);
    bytes->PutMsg(InQueue, PLAYER_MSGTYPE_CMD, PLAYER_OPAQUE_CMD_DATA, &body, 0, NULL);
}

void Every::CheckWatch()
{
    int end[2];

    if (pipe(end) != 0)
        return;
    InQueue->SetFilter(0, 0, 0, 0, 0, 0); /* no message ends the wait */
    CHECK(AddFileWatch(end[0]) == 0 && write(end[1], "x", 1) == 1);
    CHECK(InQueue->Wait(60));
    CHECK(RemoveFileWatch(end[0]) == 0 && RemoveFileWatch(end[0]) == -1);
    CHECK(fileWatcher->AddFileWatch(end[1], InQueue, false, true, false) == 0);
    CHECK(InQueue->Wait(60));
    CHECK(fileWatcher->RemoveFileWatch(end[1], InQueue, false, true, false) == 0);
    InQueue->ClearFilter();
    close(end[0]);
    close(end[1]);
}

void Every::MainQuit()
{
    CHECK(bytes->Unsubscribe(InQueue) == 0 && bytes->Unsubscribe(InQueue) == -1);
    CHECK(power->Unsubscribe(InQueue) == 0);
    PLAYER_MSG2(0, "every: %d answers, %d nacks", answers, nacks);
}

/* A variable of Main, whose destructor runs when Main is left. */
struct Mark {
    ~Mark()
    {
        PLAYER_MSG0(0, "every: unwound");
    }
};

void Every::Main()
{
    Mark mark;

    CheckWatch();
    for (;;) {
        Lock();
        Unlock();
        failed = failures;
        Wait(0.5);
        ProcessMessages(-1);
        ProcessMessages(1);
        TestCancel();
    }
}

/* A client's request goes to the source, whose answer goes to the client. */
int Every::Forward(QueuePointer &resp_queue, player_msghdr *hdr, void *data)
{
    player_msghdr_t h = *hdr;

    ret_queue = resp_queue;
    CHECK(HasSubscriptions());
    bytes->PutMsg(ret_queue, &h, data);
    return 0;
}

int Every::ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data)
{
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_REQ, PLAYER_OPAQUE_REQ_DATA, device_addr))
        return Forward(resp_queue, hdr, data);
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_RESP_ACK, -1, bytes_addr)) {
        answers++;
        return 0;
    }
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_RESP_NACK, -1, bytes_addr)) {
        nacks++;
        return 0;
    }
    if (Message::MatchMessage(hdr, PLAYER_MSGTYPE_DATA, PLAYER_OPAQUE_DATA_STATE, bytes_addr)) {
        /* To a queue: all clients get it. */
        Publish(device_addr, InQueue, PLAYER_MSGTYPE_DATA, 99, NULL);
        Publish(device_addr, resp_queue, PLAYER_MSGTYPE_DATA, PLAYER_OPAQUE_DATA_STATE, data);
        return 0;
    }
    return hdr->type == PLAYER_MSGTYPE_DATA ? 0 : -1;
}

static Driver *Source_Init(ConfigFile *cf, int section)
{
    return new Source(cf, section);
}

static Driver *Every_Init(ConfigFile *cf, int section)
{
    return new Every(cf, section);
}

extern "C" int player_driver_init(DriverTable *table)
{
    check_log();
    return table->AddDriver("source", Source_Init) + table->AddDriver("every", Every_Init);
}
