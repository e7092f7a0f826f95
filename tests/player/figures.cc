/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * figures.cc - a laser scanner as the paper on Player 2.0 presents a driver in its Figures 3 to 5
 *
 * Ported to Player 3: a thread takes a ThreadedDriver, and queues come as QueuePointer. The
 * scanner is a stand-in that counts.
 */
#include <libplayercore/playercore.h>
#include <unistd.h>

#define RAYS 384

/* What the scanner measures, in millimetres; readings under 20 are errors. */
struct Readings {
    unsigned short reading[2 * RAYS];
};

class FigureLaser : public ThreadedDriver
{
  public:
    FigureLaser(ConfigFile *cf, int section);
    ~FigureLaser();
    int Setup();
    int Shutdown();
    virtual int ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data);

  private:
    virtual void Main();
    void Measure();

    Readings *readings;
    float ranges[RAYS];
    player_laser_data_t scan;
    player_laser_geom_t geom;
    player_laser_config_t conf;
};

Driver *FigureLaser_Init(ConfigFile *cf, int section)
{
    return new FigureLaser(cf, section);
}

extern "C" int player_driver_init(DriverTable *table)
{
    return table->AddDriver("urg_laser", FigureLaser_Init);
}

FigureLaser::FigureLaser(ConfigFile *cf, int s)
    : ThreadedDriver(cf, s, false, PLAYER_MSGQUEUE_DEFAULT_MAXLEN, PLAYER_LASER_CODE)
{
    readings = new Readings;
    memset(&scan, 0, sizeof(scan));
    memset(&geom, 0, sizeof(geom));
    memset(&conf, 0, sizeof(conf));
    geom.pose.px = cf->ReadTupleLength(s, "pose", 0, 0);
    geom.pose.py = cf->ReadTupleLength(s, "pose", 1, 0);
    geom.pose.pyaw = cf->ReadTupleAngle(s, "pose", 2, 0);
    conf.min_angle = (float)cf->ReadAngle(s, "min_angle", DTOR(-135));
    conf.max_angle = (float)cf->ReadAngle(s, "max_angle", DTOR(135));
}

FigureLaser::~FigureLaser()
{
    delete readings;
}

int FigureLaser::Setup()
{
    StartThread();
    return 0;
}

int FigureLaser::Shutdown()
{
    StopThread();
    return 0;
}

int FigureLaser::ProcessMessage(QueuePointer &resp_queue, player_msghdr *hdr, void *data)
{
    (void)data;
    if (!Message::MatchMessage(hdr, PLAYER_MSGTYPE_REQ, PLAYER_LASER_REQ_GET_GEOM, device_addr))
        return -1;
    assert(hdr->size == 0);
    Publish(device_addr, resp_queue, PLAYER_MSGTYPE_RESP_ACK, PLAYER_LASER_REQ_GET_GEOM, &geom,
            sizeof(geom));
    return 0;
}

void FigureLaser::Measure()
{
    for (int i = 0; i < 2 * RAYS; i++)
        readings->reading[i] = (unsigned short)i;
}

void FigureLaser::Main()
{
    for (;;) {
        pthread_testcancel();
        ProcessMessages();
        Measure();
        scan.min_angle = conf.min_angle;
        scan.max_angle = conf.max_angle;
        scan.resolution = (float)DTOR(2.0 * 270.0 / 768.0);
        scan.ranges_count = RAYS;
        scan.ranges = ranges;
        for (int i = 0; i < RAYS; i++)
            ranges[i] = (readings->reading[2 * i] < 20 ? 4095.f : readings->reading[2 * i]) / 1000;
        Publish(device_addr, PLAYER_MSGTYPE_DATA, PLAYER_LASER_DATA_SCAN, &scan);
        usleep(10000);
    }
}
