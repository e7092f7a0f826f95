/* SPDX-License-Identifier: BSD-3-Clause */
/* roudi.hpp - the daemon of iceoryx, which makes the memory and introduces the ends */
#ifndef PEERS_ROUDI_HPP
#define PEERS_ROUDI_HPP

#include "daemon.hpp"

#include <grp.h>
#include <sys/mman.h>

inline pid_t roudi;

/* The pools must hold the longest queue, and a few more for those who read and write. The
   daemon does not monitor: a receiver that is stopped for a while must not be taken for dead.
   Ends that still run when it ends hold it up for a second, instead of 45. */
inline const char *roudi_start()
{
    static const unsigned pools[][2] = {
        {128, 8192}, {4096, 4096}, {65536, 1024}, {1048576, 64}, {4194304, 48}};
    const char *const argv[] = {"iox-roudi", "-c", "roudi.toml", "-m", "off", "-k", "1", nullptr};
    std::ofstream config("roudi.toml");

    config << "[general]\nversion = 1\n[[segment]]\n";
    for (const auto &pool : pools)
        config << "[[segment.mempool]]\nsize = " << pool[0] << "\ncount = " << pool[1] << "\n";
    config.close();
    roudi = daemon_start(argv, "roudi.log",
                         [] { return daemon_says("roudi.log", "RouDi is ready for clients"); });
    if (roudi > 0)
        return nullptr;
    return daemon_says("roudi.log", "still running")
               ? "another iox-roudi is running"
               : "iox-roudi did not get ready; it needs 400 MB of shared memory";
}

/* RouDi aborts when an end has died without signing off, and leaves its memory behind: what it
   manages, and a segment with the name of the user's group. */
inline void roudi_stop()
{
    if (daemon_stop(roudi))
        return;
    shm_unlink("/iceoryx_mgmt");
    if (const struct group *group = getgrgid(getegid()))
        shm_unlink((std::string("/") + group->gr_name).c_str());
}

#endif
