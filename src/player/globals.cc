/* SPDX-License-Identifier: BSD-3-Clause */
/* globals.cc - the tables of the process, clocks, messages for the log, and watched descriptors */
#include <stdarg.h>

#include "inside.h"

namespace
{
/* The clock of the robot. */
class RobotTime : public PlayerTime
{
  public:
    int GetTime(struct timeval *time)
    {
        double t = player::now();

        time->tv_sec = (time_t)t;
        time->tv_usec = (suseconds_t)((t - (double)time->tv_sec) * 1e6);
        return 0;
    }
    int GetTimeDouble(double *time)
    {
        *time = player::now();
        return 0;
    }
};

DeviceTable devices;
DriverTable drivers;
FileWatcher watcher;
RobotTime robot_time;
} // namespace

DeviceTable *deviceTable = &devices;
PlayerTime *GlobalTime = &robot_time;
DriverTable *driverTable = &drivers;
FileWatcher *fileWatcher = &watcher;
char playerversion[] = PLAYER_VERSION;
bool player_quit;
bool player_quiet_startup;
int player_argc;
char **player_argv;

void player_globals_init(void)
{
}

void player_globals_fini(void)
{
}

/* The driver whose thread this is, or one that is being made. */
static ach_driver_t *speaker()
{
    if (player::current && player::current->inside->ach)
        return player::current->inside->ach;
    return player::making ? player::making->driver : nullptr;
}

/* Threads of a driver's own have no robot: they get the clock of the system. */
double player::now()
{
    struct timespec t;
    ach_driver_t *d = speaker();

    if (d)
        return ach_driver_time(d);
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int WallclockTime::GetTime(struct timeval *time)
{
    return gettimeofday(time, nullptr);
}

int WallclockTime::GetTimeDouble(double *time)
{
    struct timeval t;
    int result = GetTime(&t);

    *time = (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
    return result;
}

int msgLevel = 9;
FILE *msgFile;
void (*ErrorPrint)(int, int, const char *, int, const char *, ...) = DefaultErrorPrint;

void ErrorInit(int level, FILE *file)
{
    msgLevel = level;
    msgFile = file;
}

static enum ach_log severity(int type, int level)
{
    if (type == PLAYER_ERR_ERR)
        return ACH_LOG_ERROR;
    if (type == PLAYER_ERR_WARN)
        return ACH_LOG_WARNING;
    return level <= 2 ? ACH_LOG_INFO : ACH_LOG_DEBUG;
}

void DefaultErrorPrint(int msgType, int level, const char *file, int line, const char *fmt, ...)
{
    ach_driver_t *d = speaker();
    char text[1024];
    va_list args;

    if (msgType == PLAYER_ERR_MSG && level > msgLevel)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    text[strcspn(text, "\n")] = '\0';
    if (d)
        ach_driver_log(d, severity(msgType, level), "%s", text);
    else
        fprintf(stderr, "%s:%d: %s\n", file, line, text);
    if (msgFile)
        fprintf(msgFile, "%s:%d: %s\n", file, line, text);
}

FileWatcher::FileWatcher()
{
}

FileWatcher::~FileWatcher()
{
}

static short events_of(bool in, bool out, bool except)
{
    return (short)((in ? POLLIN : 0) | (out ? POLLOUT : 0) | (except ? POLLPRI : 0));
}

static std::vector<Driver::Inside::Watch> *watches_of(QueuePointer &queue)
{
    Driver *d = queue.get() ? queue->inside->reader : nullptr;

    return d ? &d->inside->watches : nullptr;
}

int FileWatcher::AddFileWatch(int fd, QueuePointer &queue, bool WatchRead, bool WatchWrite,
                              bool WatchExcept)
{
    auto *watches = watches_of(queue);

    if (!watches)
        return -1;
    watches->push_back({fd, events_of(WatchRead, WatchWrite, WatchExcept)});
    return 0;
}

int FileWatcher::RemoveFileWatch(int fd, QueuePointer &queue, bool WatchRead, bool WatchWrite,
                                 bool WatchExcept)
{
    auto *watches = watches_of(queue);
    short events = events_of(WatchRead, WatchWrite, WatchExcept);

    for (size_t i = 0; watches && i < watches->size(); i++) {
        if ((*watches)[i].fd != fd || (*watches)[i].events != events)
            continue;
        watches->erase(watches->begin() + (long)i);
        return 0;
    }
    return -1;
}
