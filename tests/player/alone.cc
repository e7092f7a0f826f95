/* SPDX-License-Identifier: BSD-3-Clause */
/* alone.cc - uses each class and each method of Player's API that needs no server */
#include <libplayerinterface/layouts.h>
#include <libplayerjpeg/playerjpeg.h>
#include <replace/replace.h>
#include <stdarg.h>
#include <unistd.h>

#include "every.h"

static player_msghdr_t header(uint8_t type, uint8_t subtype, uint16_t interf)
{
    player_msghdr_t h;

    memset(&h, 0, sizeof(h));
    h.type = type;
    h.subtype = subtype;
    h.addr.interf = interf;
    return h;
}

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
    CHECK(player_layout_find(laser, data, scan)->size == sizeof(s));
    CHECK(!player_layout_find(laser, data, 99));
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
    MessageQueue plain(true, 1);
    Message one(header(PLAYER_MSGTYPE_DATA, 1, PLAYER_POWER_CODE), NULL);
    Message two(header(PLAYER_MSGTYPE_DATA, 2, PLAYER_POWER_CODE), NULL);
    Message req(header(PLAYER_MSGTYPE_REQ, 1, PLAYER_POWER_CODE), NULL);

    CHECK(plain.Empty() && plain.Push(one) && !plain.Push(two) && plain.GetLength() == 1);
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
    CHECK(!q->Wait());
    q->SetPull(true);
    q->SetDataRequested(true, false);
    CHECK(q->Push(one) && q->GetLength() == 1); /* as before */
}

/* A type of property of the plug-in's own: a letter. */
class Letter : public Property
{
  public:
    Letter() : letter('-')
    {
    }
    Letter(const char *newKey, bool readOnly) : Property(newKey, readOnly), letter('a')
    {
    }
    virtual void GetValueToMessage(void *data) const
    {
        *static_cast<char *>(data) = letter;
    }
    virtual void SetValueFromMessage(const void *data)
    {
        letter = readonly ? letter : *static_cast<const char *>(data);
    }
    virtual bool ReadConfig(ConfigFile *cf, int section)
    {
        const char *text = cf->ReadString(section, key, NULL);

        letter = text ? *text : letter;
        return text != NULL;
    }

  private:
    char letter;
};

static void check_own_property()
{
    Letter unnamed, letter("letter", false), fixed("fixed", true);
    Property *p = &letter;
    ConfigFile config;
    char value = 'b';

    CHECK(!unnamed.GetKey() && !unnamed.KeyIsEqual("letter") && p->KeyIsEqual("letter"));
    p->SetValueFromMessage(&value);
    fixed.SetValueFromMessage(&value);
    config.InsertFieldValue(0, "letter", "c");
    CHECK(!fixed.ReadConfig(&config, 0));
    fixed.GetValueToMessage(&value);
    CHECK(value == 'a');
    p->GetValueToMessage(&value);
    CHECK(value == 'b' && p->ReadConfig(&config, 0));
    p->GetValueToMessage(&value);
    CHECK(value == 'c');
}

static void check_bag()
{
    BoolProperty b("b", true, false);
    IntProperty i("i", 5, true);
    PropertyBag bag;

    CHECK(!strcmp(b.GetKey(), "b") && b.KeyIsEqual("b") && !b.KeyIsEqual("c"));
    CHECK(bag.AddProperty("b", &b) && !bag.AddProperty("b", &i));
    CHECK(bag.GetProperty("b") == &b && !bag.GetProperty("c"));
}

static void check_bool()
{
    BoolProperty b("b", true, false), b2("b2", false, true);
    player_boolprop_req_t ask;
    ConfigFile config;

    memset(&ask, 0, sizeof(ask));
    CHECK(b && !b2 && (b2 = true));
    b2 = b;
    b.SetValue(false);
    CHECK(!b.GetValue() && b2.GetValue());
    b2.SetValueFromMessage(&ask); /* read-only for clients */
    b2.GetValueToMessage(&ask);
    CHECK(b2 && ask.value);
    b.SetValueFromMessage(&ask);
    CHECK(b);
    config.InsertFieldValue(0, "b", "0");
    CHECK(b.ReadConfig(&config, 0) && !b);
}

static void check_int()
{
    IntProperty i("i", 5, true), i2("i2", 6, false);
    player_intprop_req_t ask;
    ConfigFile config;

    i = i2;
    CHECK(i == 6 && (i = 7) == 7);
    ask.value = 9;
    i.SetValueFromMessage(&ask); /* read-only for clients */
    CHECK(i.GetValue() == 7);
    i2.SetValueFromMessage(&ask);
    CHECK(i2 == 9);
    i2.SetValue(10);
    i2.GetValueToMessage(&ask);
    CHECK(ask.value == 10);
    config.InsertFieldValue(0, "i", "11");
    CHECK(i.ReadConfig(&config, 0) && i == 11);
}

static void check_double()
{
    DoubleProperty d("d", 1.5, false), d2("d2", 2.5, true);
    player_dblprop_req_t ask;
    ConfigFile config;

    d = d2;
    CHECK(d == 2.5 && (d = 3) == 3.0 && d.GetValue() == 3);
    d.SetValue(4);
    d.GetValueToMessage(&ask);
    CHECK(ask.value == 4);
    ask.value = 5;
    d.SetValueFromMessage(&ask);
    d2.SetValueFromMessage(&ask); /* read-only for clients */
    CHECK(d == 5 && d2 == 2.5);
    config.InsertFieldValue(0, "d", "6.5");
    CHECK(d.ReadConfig(&config, 0) && d == 6.5);
}

static void check_string()
{
    StringProperty s("s", "one", false), s2("s2", "two", true);
    player_strprop_req_t ask;
    ConfigFile config;

    s = s2;
    CHECK(!strcmp(s, "two") && !strcmp(s = "three", "three"));
    s.SetValue("four");
    CHECK(!strcmp(s.GetValue(), "four"));
    s.GetValueToMessage(&ask);
    CHECK(ask.value_count == 5 && !strcmp(ask.value, "four"));
    s2.SetValueFromMessage(&ask); /* read-only for clients */
    s = "five";
    s.SetValueFromMessage(&ask);
    free(ask.value);
    CHECK(!strcmp(s, "four") && !strcmp(s2, "two"));
    s.SetKey("t");
    CHECK(s.KeyIsEqual("t"));
    config.InsertFieldValue(0, "t", "six");
    CHECK(s.ReadConfig(&config, 0) && !strcmp(s, "six"));
}

static void check_tables()
{
    DriverTable table;
    DriverEntry none, *b;
    char **names;

    CHECK(table.AddDriver("b", NULL) == 0 && table.AddDriver("a", NULL) == 0);
    CHECK(table.AddDriver("a", NULL) == -1 && table.Size() == 2);
    b = table.GetDriverEntry("b");
    CHECK(b && !strcmp(b->name, "b") && b->next == table.GetDriverEntry("a") && !b->next->next);
    CHECK(!none.initfunc && !*none.name && !none.next && !table.GetDriverEntry("c"));
    CHECK(!strcmp(table.GetDriverName(0), "b") && !table.GetDriverName(5));
    names = table.SortDrivers();
    CHECK(!strcmp(names[0], "a") && !strcmp(names[1], "b"));
    free(names);
    CHECK(driverTable->GetDriverEntry("every")->initfunc);
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
    uint32_t first = 0xfffffffe;
    void *p = &first;
    int verified = 0;

    CHECK(GETFIRSTINT8(p) == -2 && GETFIRSTINT16(p) == -2 && GETFIRSTINT32(p) == -2);
    CHECK(GETFIRSTUINT32(p) == first);
    CHECK(GETFIRSTUINT8(bytes) == 1 && GETFIRSTUINT16(bytes) == 0x0201);
    CHECK(LOBYTE(0x1234) == 0x34 && HIBYTE(0x1234) == 0x12 && MAKEUINT16(0x34, 0x12) == 0x1234);
    CHECK(fabs(RTOD(DTOR(90)) - 90) < 1e-9 && fabs(NORMALIZE(7) - (7 - 2 * M_PI)) < 1e-9);
    CHECK(MIN(1, 2) == 1 && MAX(1, 2) == 2 && ARRAYSIZE(bytes) == 4);
    CHECK(!strcmp(playerversion, PLAYER_VERSION) && !player_quit && !player_quiet_startup);
    CHECK(player_argc == 0 && !player_argv);
    player_globals_init();
    player_globals_fini();
    CHECK(deviceTable && GlobalTime && driverTable->GetDriverEntry("every") && fileWatcher);
    VERIFY(++verified == 1);
    CHECK(verified == 1);
    ASSERT_INDEX(verified++, bytes)
    CHECK(verified == 2);
}

/*
 * Drivers that no config file has made
 */

/* Which methods the library has called. */
struct Calls {
    int setup, shutdown, message, internal, cancel;
};

class Bare : public Driver
{
  public:
    Bare() : Driver(NULL, 0), calls(), locked(0), subscription_locked(0)
    {
    }
    virtual int Setup()
    {
        calls.setup++;
        return Driver::Setup();
    }
    virtual int Shutdown()
    {
        calls.shutdown++;
        return Driver::Shutdown();
    }
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data)
    {
        calls.message++;
        return Driver::ProcessMessage(resp_queue, hdr, data);
    }
    virtual int ProcessInternalMessages(QueuePointer &resp_queue, player_msghdr *hdr, void *data)
    {
        calls.internal++;
        return Driver::ProcessInternalMessages(resp_queue, hdr, data);
    }
    void CheckMessages();
    void Count();

    Calls calls;
    int locked, subscription_locked;

  private:
    virtual void TestCancel()
    {
        calls.cancel++;
        Driver::TestCancel();
    }
};

void Bare::CheckMessages()
{
    IntProperty speed("speed", 1, false, this, NULL, 0);
    player_intprop_req_t ask = {6, const_cast<char *>("speed"), 2};
    Message set(header(PLAYER_MSGTYPE_REQ, PLAYER_SET_INTPROP_REQ, PLAYER_POWER_CODE), &ask);
    Message odd(header(PLAYER_MSGTYPE_DATA, 1, PLAYER_POWER_CODE), NULL);

    CHECK(!Wait(0.001) && InQueue->Push(odd) && Wait(0.001) && Wait());
    Update();
    CHECK(InQueue->Empty() && calls.message == 1 && calls.internal == 1 && calls.cancel > 0);
    CHECK(ProcessInternalMessages(ret_queue, odd.GetHeader(), NULL) == -1);
    CHECK(ProcessInternalMessages(ret_queue, set.GetHeader(), set.GetPayload()) == 0);
    CHECK(speed == 2);
}

void Bare::Count()
{
    for (int i = 0; i < 10000; i++) {
        Lock();
        locked++;
        Unlock();
        SubscriptionLock();
        subscription_locked++;
        SubscriptionUnlock();
    }
}

static void *count_too(void *bare)
{
    static_cast<Bare *>(bare)->Count();
    return NULL;
}

static void check_locks()
{
    pthread_t thread;
    Bare bare;

    CHECK(pthread_create(&thread, NULL, count_too, &bare) == 0);
    bare.Count();
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(bare.locked == 20000 && bare.subscription_locked == 20000);
}

static void check_bare()
{
    player_devaddr_t power = {0, 0, PLAYER_POWER_CODE, 5};
    QueuePointer queue(false, 1);
    Bare bare;

    CHECK(bare.GetError() == 0 && bare.entries == 0 && !bare.HasSubscriptions());
    CHECK(bare.Subscribe(queue, power) == 1 && bare.Unsubscribe(queue, power) == 1);
    CHECK(bare.Subscribe(power) == 0 && bare.Subscribe(power) == 0 && bare.calls.setup == 1);
    CHECK(bare.Unsubscribe(power) == 0 && bare.calls.shutdown == 0 && bare.HasSubscriptions());
    CHECK(bare.Terminate() == 0 && bare.calls.shutdown == 1 && !bare.HasSubscriptions());
    CHECK(bare.Terminate() == 0 && bare.calls.shutdown == 1 && bare.Unsubscribe(power) == -1);
    bare.CheckMessages();
}

class BareThreaded : public ThreadedDriver
{
  public:
    BareThreaded() : ThreadedDriver(NULL, 0), stopped(0)
    {
    }
    virtual void Main()
    {
    }
    virtual int Shutdown()
    {
        stopped++;
        return ThreadedDriver::Shutdown();
    }

    int stopped;
};

static void check_bare_threaded()
{
    player_devaddr_t power = {0, 0, PLAYER_POWER_CODE, 5};
    Message data(header(PLAYER_MSGTYPE_DATA, 1, PLAYER_POWER_CODE), NULL);
    BareThreaded bare;

    CHECK(bare.ThreadedDriver::Setup() == 0 && bare.MainSetup() == 0);
    CHECK(bare.Subscribe(power) == 0 && bare.Terminate() == 0 && bare.stopped == 1);
    CHECK(bare.InQueue->Push(data));
    bare.Update(); /* messages are left to Main */
    CHECK(bare.InQueue->GetLength() == 1);
}

static void check_devices()
{
    player_devaddr_t power = {0, 0, PLAYER_POWER_CODE, 5}, sonar = {0, 0, PLAYER_SONAR_CODE, 5};
    Bare bare;
    Device used(power, NULL), own(power, &bare);
    DeviceTable table;
    Device *first = table.AddDevice(power, &bare), *second = table.GetDevice(sonar);

    CHECK(!used.driver && used.InQueue == (void *)NULL && !used.next && !*used.drivername);
    CHECK(!used.queues && used.len_queues == 0 && used.addr.index == 5);
    CHECK(own.driver == &bare && own.InQueue == bare.InQueue);
    CHECK(table.Size() == 2 && table.GetFirstDevice() == first && first->next == second);
    CHECK(first->driver == &bare && first->InQueue == bare.InQueue && !second->driver);
    table.Forget(&bare);
    CHECK(table.GetDevice(power) == first && !first->driver && first->InQueue == (void *)NULL);
}

static void check_watcher()
{
    FileWatcher watcher;
    QueuePointer loose(false, 1);
    Bare bare;

    CHECK(watcher.AddFileWatch(0, loose) == -1 && watcher.RemoveFileWatch(0, loose) == -1);
    CHECK(watcher.AddFileWatch(0, bare.InQueue, false, true, false) == 0);
    CHECK(watcher.RemoveFileWatch(0, bare.InQueue) == -1); /* that is for reading */
    CHECK(watcher.RemoveFileWatch(0, bare.InQueue, false, true, false) == 0);
}

/*
 * The log
 */

static struct {
    int type, level;
    char text[64];
} heard;

static void hear(int type, int level, const char *, int, const char *format, ...)
{
    va_list args;

    heard.type = type;
    heard.level = level;
    va_start(args, format);
    vsnprintf(heard.text, sizeof(heard.text), format, args);
    va_end(args);
}

/* The statement logs the text, with a newline. */
#define HEARS(statement, t, l, words)                                                              \
    do {                                                                                           \
        ErrorPrint = hear;                                                                         \
        statement;                                                                                 \
        ErrorPrint = DefaultErrorPrint;                                                            \
        CHECK(heard.type == t && heard.level == l && !strcmp(heard.text, words "\n"));             \
    } while (0)
#define ERROR(statement, words) HEARS(statement, PLAYER_ERR_ERR, 0, words)
#define WARN(statement, words) HEARS(statement, PLAYER_ERR_WARN, 0, words)
#define MSG(statement, level, words) HEARS(statement, PLAYER_ERR_MSG, level, words)

static void check_say()
{
    ERROR(PLAYER_ERROR("e"), "e");
    ERROR(PLAYER_ERROR1("e%d", 1), "e1");
    ERROR(PLAYER_ERROR2("e%d%d", 1, 2), "e12");
    ERROR(PLAYER_ERROR3("e%d%d%s", 1, 2, "three"), "e12three");
    ERROR(PLAYER_ERROR4("e%d%d%d%d", 1, 2, 3, 4), "e1234");
    ERROR(PLAYER_ERROR5("e%d%d%d%d%d", 1, 2, 3, 4, 5), "e12345");
    WARN(PLAYER_WARN("w"), "w");
    WARN(PLAYER_WARN1("w%d", 1), "w1");
    WARN(PLAYER_WARN2("w%d%d", 1, 2), "w12");
    WARN(PLAYER_WARN3("w%d%d%d", 1, 2, 3), "w123");
    WARN(PLAYER_WARN4("w%d%d%d%d", 1, 2, 3, 4), "w1234");
    WARN(PLAYER_WARN5("w%d%d%d%d%d", 1, 2, 3, 4, 5), "w12345");
    WARN(PLAYER_WARN6("w%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6), "w123456");
    WARN(PLAYER_WARN7("w%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7), "w1234567");
    MSG(PLAYER_MSG0(1, "m"), 1, "m");
    MSG(PLAYER_MSG1(2, "m%d", 1), 2, "m1");
    MSG(PLAYER_MSG2(3, "m%d%d", 1, 2), 3, "m12");
    MSG(PLAYER_MSG3(4, "m%d%d%s", 1, 2, "three"), 4, "m12three");
    MSG(PLAYER_MSG4(5, "m%d%d%d%d", 1, 2, 3, 4), 5, "m1234");
    MSG(PLAYER_MSG5(6, "m%d%d%d%d%d", 1, 2, 3, 4, 5), 6, "m12345");
    MSG(PLAYER_MSG6(7, "m%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6), 7, "m123456");
    MSG(PLAYER_MSG7(8, "m%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6, 7), 8, "m1234567");
}

/* The level is that of messages; errors and warnings are always printed. */
static void check_file()
{
    FILE *file = tmpfile();
    int level = msgLevel;
    char line[64] = "";

    CHECK(file && !msgFile);
    ErrorInit(1, file);
    CHECK(msgLevel == 1 && msgFile == file);
    DefaultErrorPrint(PLAYER_ERR_MSG, 2, "every.cc", 7, "a message of level %d\n", 2);
    DefaultErrorPrint(PLAYER_ERR_WARN, 0, "every.cc", 8, "this line of the log is for a %s\n",
                      "test");
    ErrorInit(level, NULL);
    rewind(file);
    CHECK(fgets(line, sizeof(line), file));
    CHECK(!strcmp(line, "every.cc:8: this line of the log is for a test\n"));
    CHECK(!fgets(line, sizeof(line), file));
    fclose(file);
}

void check_log()
{
    check_say();
    check_file();
}

void check_alone()
{
    check_names();
    check_bodies();
    check_nested();
    check_functions();
    check_messages();
    check_queue();
    check_bag();
    check_own_property();
    check_bool();
    check_int();
    check_double();
    check_string();
    check_tables();
    check_time();
    check_macros();
    check_jpeg();
    check_bare();
    check_locks();
    check_bare_threaded();
    check_devices();
    check_watcher();
}
