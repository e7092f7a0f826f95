/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * every.cc - drivers that use each class and each method of Player's API
 *
 * "source" is without a thread, "every" has one and requires the devices of source. A check that
 * fails is an error in the log, and is counted in a property of every.
 */
#include <libplayercore/playercore.h>
#include <libplayerinterface/functiontable.h>
#include <libplayerjpeg/playerjpeg.h>
#include <replace/replace.h>
#include <unistd.h>

#include <list>

static int failures; /* the property "failures" of every */

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            failures++;                                                                            \
            PLAYER_ERROR1("check failed: %s", #cond);                                              \
        }                                                                                          \
    } while (0)

static player_msghdr_t header(uint8_t type, uint8_t subtype, uint16_t interf)
{
    player_msghdr_t h;

    memset(&h, 0, sizeof(h));
    h.type = type;
    h.subtype = subtype;
    h.addr.interf = interf;
    return h;
}

/*
 * Classes that need no server
 */

static void check_names()
{
    player_interface_t i;
    uint32_t host;
    char text[32];

    CHECK(lookup_interface("laser", &i) == 0 && i.interf == PLAYER_LASER_CODE);
    CHECK(lookup_interface("lasre", &i) == -1);
    CHECK(lookup_interface_code(PLAYER_SONAR_CODE, &i) == 0 && !strcmp(i.name, "sonar"));
    CHECK(lookup_interface_code(-1, &i) == -1 && lookup_interface_code(9999, &i) == -1);
    CHECK(!strcmp(lookup_interface_name(0, PLAYER_POWER_CODE), PLAYER_POWER_STRING));
    CHECK(!lookup_interface_name(0, 9999));
    CHECK(!strcmp(interf_to_str(PLAYER_MAP_CODE), "map") && !strcmp(interf_to_str(0), "unknown"));
    CHECK(str_to_interf("map") == PLAYER_MAP_CODE && str_to_interf("pam") == 0xffff);
    CHECK(!strcmp(msgtype_to_str(PLAYER_MSGTYPE_DATA), "data"));
    CHECK(!strcmp(msgtype_to_str(77), "unknown"));
    CHECK(str_to_msgtype("req") == PLAYER_MSGTYPE_REQ && str_to_msgtype("x") == 0xff);
    CHECK(hostname_to_packedaddr(&host, "127.0.0.1") == 0 && host == LOCALHOST_ADDR);
    CHECK(hostname_to_packedaddr(&host, "no such host") == -1);
    packedaddr_to_dottedip(text, sizeof(text), host);
    CHECK(!strcmp(text, "127.0.0.1"));
}

static void check_bodies()
{
    float ranges[] = {1, 2, 3};
    uint8_t buffer[256];
    player_laser_data_t scan, copy;
    player_laser_set_filter_config_t filter, got;
    player_laser_data_scanpose_t posed, *clone;
    int n;

    memset(&scan, 0, sizeof(scan));
    scan.ranges_count = 3;
    scan.ranges = ranges;
    CHECK(player_laser_data_t_copy(&copy, &scan) == sizeof(scan) + sizeof(ranges));
    CHECK(copy.ranges != ranges && copy.ranges[2] == 3);
    CHECK(player_laser_data_t_sizeof(&copy) == sizeof(scan) + sizeof(ranges));
    player_laser_data_t_cleanup(&copy);
    CHECK(!copy.ranges && !copy.ranges_count);

    memset(&posed, 0, sizeof(posed));
    posed.scan = scan;
    posed.pose.pa = 7;
    clone = player_laser_data_scanpose_t_clone(&posed);
    CHECK(clone->pose.pa == 7 && clone->scan.ranges != ranges && clone->scan.ranges[1] == 2);
    player_laser_data_scanpose_t_free(clone);
    player_laser_data_t_free(NULL);
    CHECK(!player_laser_data_t_clone(NULL));

    /* An array inside of the struct, which may not be longer than the struct. */
    memset(&filter, 0, sizeof(filter));
    filter.parameters_count = 99;
    filter.parameters[7] = 8;
    n = player_laser_set_filter_config_pack(buffer, sizeof(buffer), &filter, PLAYERXDR_ENCODE);
    CHECK(n == 4 + 4 + 4 + 8 * 4);
    CHECK(player_laser_set_filter_config_pack(buffer, 3, &filter, PLAYERXDR_ENCODE) == -1);
    CHECK(player_laser_set_filter_config_pack(buffer, (size_t)n, &got, PLAYERXDR_DECODE) == n);
    CHECK(got.parameters_count == 8 && got.parameters[7] == 8);
    CHECK(player_laser_set_filter_config_pack(buffer, 5, &got, PLAYERXDR_DECODE) == -1);
}

/* An array of structs with arrays inside. */
static void check_nested()
{
    player_wifi_link_t links[2];
    player_wifi_data_t wifi, got;
    uint8_t buffer[1024];
    int n;

    memset(links, 0, sizeof(links));
    memset(&wifi, 0, sizeof(wifi));
    wifi.links_count = 2;
    wifi.links = links;
    strcpy(wifi.ap, "ap");
    links[1].essid_count = 3;
    memcpy(links[1].essid, "net", 3);
    links[1].freq = 5;
    n = player_wifi_data_pack(buffer, sizeof(buffer), &wifi, PLAYERXDR_ENCODE);
    CHECK(n > 0);
    CHECK(player_wifi_data_pack(buffer, (size_t)n, &got, PLAYERXDR_DECODE) == n);
    CHECK(got.links_count == 2 && got.links[1].essid_count == 3 && got.links[1].freq == 5);
    CHECK(!memcmp(got.links[1].essid, "net", 3) && !strcmp(got.ap, "ap"));
    player_wifi_data_t_cleanup(&got);
}

static void check_functions()
{
    const uint16_t laser = PLAYER_LASER_CODE;
    const uint8_t data = PLAYER_MSGTYPE_DATA, scan = PLAYER_LASER_DATA_SCAN;
    uint8_t bytes[] = {1, 2};
    player_laser_data_t s, d, *c;

    playerxdr_ftable_init();
    memset(&s, 0, sizeof(s));
    s.intensity_count = 2;
    s.intensity = bytes;
    CHECK(playerxdr_deepcopy_message(&s, &d, laser, data, scan) == sizeof(s) + 2);
    playerxdr_cleanup_message(&d, laser, data, scan);
    c = static_cast<player_laser_data_t *>(playerxdr_clone_message(&s, laser, data, scan));
    CHECK(c->intensity[1] == 2);
    playerxdr_free_message(c, laser, data, scan);
    CHECK(!playerxdr_clone_message(&s, laser, data, 99));
    playerxdr_get_copyfunc(laser, data, scan)(&d, &s);
    CHECK(playerxdr_get_sizeoffunc(laser, data, scan)(&d) == sizeof(s) + 2);
    playerxdr_get_cleanupfunc(laser, data, scan)(&d);
    c = static_cast<player_laser_data_t *>(playerxdr_get_clonefunc(laser, data, scan)(&s));
    playerxdr_get_freefunc(laser, data, scan)(c);
    CHECK(!playerxdr_get_packfunc(laser, data, 99) && playerxdr_get_packfunc(laser, data, scan));
}

static void check_messages()
{
    player_msghdr_t h = header(PLAYER_MSGTYPE_DATA, PLAYER_POWER_DATA_STATE, PLAYER_POWER_CODE);
    player_power_data_t power, *owned;
    QueuePointer q(false, 2);

    memset(&power, 0, sizeof(power));
    power.volts = 12;
    Message a(h, &power), b(h, &power, q), c(a);
    owned = player_power_data_t_clone(&power);
    Message d(h, owned, false);

    CHECK(a.GetDataSize() == sizeof(power) && a.GetHeader()->type == PLAYER_MSGTYPE_DATA);
    CHECK(a.GetPayload() != &power && c.GetPayload() == a.GetPayload() && d.GetPayload() == owned);
    CHECK(b.Queue == q && a.Compare(b));
    CHECK(Message::MatchMessage(&h, PLAYER_MSGTYPE_DATA, -1));
    CHECK(Message::MatchMessage(&h, -1, PLAYER_POWER_DATA_STATE, h.addr));
    CHECK(!Message::MatchMessage(&h, PLAYER_MSGTYPE_CMD, -1));
    h.addr.index = 5;
    CHECK(!Message::MatchMessage(a.GetHeader(), -1, -1, h.addr));
    CHECK(!Device::MatchDeviceAddress(a.GetHeader()->addr, h.addr));
    h.addr.host = LOCALHOST_ADDR;
    h.addr.index = 0;
    CHECK(Device::MatchDeviceAddress(a.GetHeader()->addr, h.addr));
}

static void check_pop(QueuePointer &q, int subtype)
{
    Message *m = q->Pop();

    CHECK(m && m->GetHeader()->subtype == subtype);
    delete m;
}

static void check_queue()
{
    player_devaddr_t any = {0, 0, PLAYER_POWER_CODE, 0};
    QueuePointer q(true, 2), same(q), none;
    Message one(header(PLAYER_MSGTYPE_DATA, 1, PLAYER_POWER_CODE), NULL);
    Message two(header(PLAYER_MSGTYPE_DATA, 2, PLAYER_POWER_CODE), NULL);
    Message req(header(PLAYER_MSGTYPE_REQ, 1, PLAYER_POWER_CODE), NULL);

    CHECK(none == (void *)NULL && q != (void *)NULL && q == same && q != none && q.get() == &*q);
    none = q;
    CHECK(none == q);
    CHECK(q->Empty() && !q->Pop() && !q->Wait(0.001));
    CHECK(q->Push(one) && q->Push(one) && q->GetLength() == 1); /* replaced */
    q->SetReplace(false);
    CHECK(q->Push(one) && !q->Push(one) && q->Push(req) && q->GetLength() == 3);
    CHECK(q->Wait(0.001));
    check_pop(q, 1);
    check_pop(q, 1);
    check_pop(q, 1);
    q->AddReplaceRule(-1, -1, PLAYER_POWER_CODE, -1, PLAYER_MSGTYPE_DATA, 2,
                      PLAYER_PLAYER_MSG_REPLACE_RULE_IGNORE);
    CHECK(q->Push(two) && q->Empty());
    q->AddReplaceRule(any, PLAYER_MSGTYPE_DATA, 1, PLAYER_PLAYER_MSG_REPLACE_RULE_REPLACE);
    CHECK(q->Push(one) && q->Push(one) && q->GetLength() == 1);
    CHECK(q->CheckReplace(two.GetHeader()) == PLAYER_PLAYER_MSG_REPLACE_RULE_IGNORE);
    q->PushFront(two, false);
    q->PushBack(req, false);
    q->SetFilter(-1, -1, -1, -1, PLAYER_MSGTYPE_REQ, -1);
    CHECK(q->Filter(req) && !q->Filter(one));
    check_pop(q, 1);
    CHECK(q->Empty() && q->GetLength() == 2);
    q->ClearFilter();
    check_pop(q, 2);
    check_pop(q, 1);
    q->DataAvailable();
    q->Wait();
    q->SetPull(true);
    q->SetDataRequested(true, false);
}

static void check_properties()
{
    BoolProperty b("b", true, false), b2("b2", false, true);
    IntProperty i("i", 5, true), i2("i2", 6, false);
    DoubleProperty d("d", 1.5, false), d2("d2", 2.5, false);
    StringProperty s("s", "one", false), s2("s2", "two", false);
    PropertyBag bag;
    player_intprop_req_t ask;

    CHECK(!strcmp(b.GetKey(), "b") && b.KeyIsEqual("b") && !b.KeyIsEqual("c"));
    CHECK(bag.AddProperty("b", &b) && !bag.AddProperty("b", &i));
    CHECK(bag.GetProperty("b") == &b && !bag.GetProperty("c"));
    b = b2;
    CHECK(!b && !b.GetValue());
    b = true;
    b.SetValue(false);
    i = i2;
    CHECK(i == 6 && (i = 7) == 7);
    ask.value = 9;
    i.SetValueFromMessage(&ask); /* read-only for clients */
    CHECK(i.GetValue() == 7);
    i2.SetValueFromMessage(&ask);
    i2.GetValueToMessage(&ask);
    CHECK(i2 == 9 && ask.value == 9);
    d = d2;
    CHECK(d == 2.5 && (d = 3) == 3.0 && d.GetValue() == 3);
    d.SetValue(4);
    s = s2;
    CHECK(!strcmp(s, "two") && !strcmp(s = "three", "three"));
    s.SetValue("four");
    CHECK(!strcmp(s.GetValue(), "four"));
    s.SetKey("t");
    CHECK(s.KeyIsEqual("t"));
}

static void check_tables()
{
    DriverTable table;
    char **names;

    CHECK(table.AddDriver("b", NULL) == 0 && table.AddDriver("a", NULL) == 0);
    CHECK(table.AddDriver("a", NULL) == -1 && table.Size() == 2);
    CHECK(table.GetDriverEntry("a") && !table.GetDriverEntry("c"));
    CHECK(!strcmp(table.GetDriverName(0), "b") && !table.GetDriverName(5));
    names = table.SortDrivers();
    CHECK(!strcmp(names[0], "a") && !strcmp(names[1], "b"));
    free(names);
    CHECK(driverTable->GetDriverEntry("every"));
}

static void check_time()
{
    struct timeval now, later, between;
    WallclockTime wall;
    double t;

    CHECK(GlobalTime->GetTime(&now) == 0 && GlobalTime->GetTimeDouble(&t) == 0 && t > 1e9);
    CHECK(wall.GetTime(&later) == 0 && wall.GetTimeDouble(&t) == 0 && t > 1e9);
    TIMESUB(&later, &now, &between);
    CHECK(between.tv_sec >= 0 && between.tv_sec < 1000);
}

static void check_jpeg()
{
    unsigned char image[16 * 16 * 3], back[sizeof(image)];
    char jpeg[4096], file[] = "/tmp/ach-player-jpeg.XXXXXX";
    int size, w = 0, h = 0, fd = mkstemp(file);

    memset(image, 200, sizeof(image));
    size = jpeg_compress(jpeg, reinterpret_cast<char *>(image), 16, 16, sizeof(jpeg), 90);
    CHECK(size > 0 && size < (int)sizeof(image));
    CHECK(jpeg_compress(jpeg + size, reinterpret_cast<char *>(image), 16, 16, 10, 90) == 0);
    memset(back, 0, sizeof(back));
    jpeg_decompress(back, 10, reinterpret_cast<unsigned char *>(jpeg), size);
    CHECK(back[0] == 0);
    jpeg_decompress(back, sizeof(back), reinterpret_cast<unsigned char *>(jpeg), size);
    CHECK(abs(back[100] - 200) < 8);
    CHECK(write(fd, jpeg, (size_t)size) == size);
    close(fd);
    memset(back, 0, sizeof(back));
    jpeg_decompress_from_file(back, file, sizeof(back), &w, &h);
    CHECK(w == 16 && h == 16 && abs(back[100] - 200) < 8);
    unlink(file);
}

static void check_macros()
{
    uint8_t bytes[] = {1, 2, 3, 4};

    CHECK(GETFIRSTUINT8(bytes) == 1 && GETFIRSTUINT16(bytes) == 0x0201);
    CHECK(LOBYTE(0x1234) == 0x34 && HIBYTE(0x1234) == 0x12 && MAKEUINT16(0x34, 0x12) == 0x1234);
    CHECK(fabs(RTOD(DTOR(90)) - 90) < 1e-9 && fabs(NORMALIZE(7) - (7 - 2 * M_PI)) < 1e-9);
    CHECK(MIN(1, 2) == 1 && MAX(1, 2) == 2 && ARRAYSIZE(bytes) == 4);
    CHECK(!strcmp(playerversion, PLAYER_VERSION) && !player_quit && !player_quiet_startup);
    CHECK(player_argc == 0 && !player_argv);
    player_globals_init();
    player_globals_fini();
    PLAYER_WARN("warning");
    PLAYER_WARN2("warning %d %d", 1, 2);
    PLAYER_MSG0(1, "message");
    PLAYER_MSG3(1, "message %d %d %s", 1, 2, "three");
}

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
    StringProperty title;
    BoolProperty sealed;
    DoubleProperty loss;
};

Source::Source(ConfigFile *cf, int section)
    : Driver(cf, section), set_up(0), watchers(0), level("level", 3, false, this, cf, section),
      title("title", "source", false), sealed("sealed", true, true, this, cf, section),
      loss("loss", 0.5, false, this, cf, section)
{
    if (AddInterface(&power, cf, section, PLAYER_POWER_CODE) != 0 ||
        AddInterface(&bytes, cf, section, PLAYER_OPAQUE_CODE, "bytes") != 0)
        SetError(-1);
    RegisterProperty("title", &title, cf, section);
    CHECK(!RegisterProperty(&title, cf, section));
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
    ConfigFile other("localhost", 6665), third(uint32_t(0), 6665);
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
    other.InsertFieldValue(0, "added", "5");
    CHECK(other.ReadInt(0, "added", 0) == 5 && other.GetTupleCount(0, "added") == 1);
    CHECK(third.Load(cf->ReadString(s, "other", "")) && third.ReadInt(0, "top", 0) == 3);
    CHECK(third.ReadInt(third.LookupSection("part"), "x", 0) == 4);
    CHECK(!third.WarnUnused() && !third.Load("/nonexistent"));
}

int Every::MainSetup()
{
    check_names();
    check_bodies();
    check_nested();
    check_functions();
    check_messages();
    check_queue();
    check_properties();
    check_tables();
    check_time();
    check_macros();
    check_jpeg();
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
    CHECK(AddFileWatch(end[0]) == 0 && write(end[1], "x", 1) == 1);
    CHECK(InQueue->Wait(60) || true);
    CHECK(RemoveFileWatch(end[0]) == 0 && RemoveFileWatch(end[0]) == -1);
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
    ErrorInit(msgLevel, msgFile);
    return table->AddDriver("source", Source_Init) + table->AddDriver("every", Every_Init);
}
