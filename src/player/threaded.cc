/* SPDX-License-Identifier: BSD-3-Clause */
/* threaded.cc - drivers with a loop of their own, which runs in the driver's thread */
#include "inside.h"

ThreadedDriver::ThreadedDriver(ConfigFile *cf, int section, bool overwrite_cmds,
                               size_t queue_maxlen, int interf)
    : Driver(cf, section, overwrite_cmds, queue_maxlen, interf)
{
}

ThreadedDriver::ThreadedDriver(ConfigFile *cf, int section, bool overwrite_cmds,
                               size_t queue_maxlen)
    : Driver(cf, section, overwrite_cmds, queue_maxlen)
{
}

ThreadedDriver::~ThreadedDriver()
{
}

int ThreadedDriver::Setup()
{
    StartThread();
    return 0;
}

int ThreadedDriver::Shutdown()
{
    StopThread();
    return 0;
}

int ThreadedDriver::Terminate()
{
    return Driver::Terminate();
}

void ThreadedDriver::StartThread(void)
{
    inside->main_wanted = true;
}

/* Called by Main, or after Main has ended. */
void ThreadedDriver::StopThread(void)
{
    inside->main_wanted = false;
    inside->leave_main = inside->in_main;
}

bool ThreadedDriver::Wait(double TimeOut)
{
    TestCancel();
    bool come = InQueue->Wait(TimeOut);

    TestCancel();
    return come;
}

void ThreadedDriver::TestCancel()
{
    inside->CheckStop();
}

/* Whether this is a driver's thread, in Main. */
static bool in_main()
{
    return player::current && player::current->inside->in_main && player::current->inside->Here();
}

void player_test_cancel(void)
{
    if (in_main())
        player::current->inside->CheckStop();
#undef pthread_testcancel
    pthread_testcancel();
}

void player_thread_exit(void *result)
{
    if (in_main())
        throw player::Stop();
#undef pthread_exit
    pthread_exit(result);
}
