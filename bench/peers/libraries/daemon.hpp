/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.hpp - the program that some libraries need beside the ends */
#ifndef PEERS_DAEMON_HPP
#define PEERS_DAEMON_HPP

#include "adapter.hpp"

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Are these words in a line of the file? */
inline bool daemon_says(const char *log, const char *words)
{
    std::ifstream file(log);

    for (std::string line; std::getline(file, line);)
        if (line.find(words) != std::string::npos)
            return true;
    return false;
}

[[noreturn]] inline void daemon_run(const char *const argv[], const char *log, pid_t parent)
{
    const int in = open("/dev/null", O_RDONLY);
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
        execvp(argv[0], const_cast<char *const *>(argv));
    _exit(127);
}

/* False: it did not end as it should. */
inline bool daemon_stop(pid_t pid)
{
    int status = -1;

    kill(pid, SIGTERM);
    if (eventually(5, [&] { return waitpid(pid, &status, WNOHANG) != 0; }))
        return status == 0;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return false;
}

/* Start a program and wait until ready() is true. Its output goes to the file log, and it dies with
   the calling process. 0: it ended, or was not ready in time. */
template <typename Ready> pid_t daemon_start(const char *const argv[], const char *log, Ready ready)
{
    const pid_t parent = getpid(), pid = fork();
    bool ended = pid < 0;

    if (pid == 0)
        daemon_run(argv, log, parent);
    if (eventually(60, [&] {
            ended = ended || waitpid(pid, nullptr, WNOHANG) != 0;
            return ended || ready();
        }))
        return ended ? 0 : pid;
    daemon_stop(pid);
    return 0;
}

#endif
