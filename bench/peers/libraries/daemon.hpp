/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * daemon.hpp - the program that some contenders need beside the ends
 *
 * It lives from start to stop, writes what it has to say to a file, and dies
 * with the process that started it.
 */
#ifndef PEERS_DAEMON_HPP
#define PEERS_DAEMON_HPP

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

class Daemon
{
  public:
    /* Whether it is ready is for the caller to ask, with wait_until. */
    bool start(const std::vector<std::string> &words, const std::string &log)
    {
        const pid_t parent = getpid();

        pid_ = fork();
        if (pid_ == 0)
            run(words, log, parent);
        return pid_ > 0;
    }

    /* False: it has ended, or the time is over. */
    template <typename Ready> bool wait_until(Ready ready, std::chrono::seconds limit)
    {
        const auto end = std::chrono::steady_clock::now() + limit;

        while (std::chrono::steady_clock::now() < end && alive()) {
            if (ready())
                return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

    /* False: it did not end as it should. */
    bool stop()
    {
        if (alive())
            kill(pid_, SIGTERM);
        for (int i = 0; i < 500 && alive(); i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (!alive())
            return status_ == 0;
        kill(pid_, SIGKILL);
        waitpid(pid_, &status_, 0);
        pid_ = -1;
        return false;
    }

  private:
    [[noreturn]] static void run(const std::vector<std::string> &words, const std::string &log,
                                 pid_t parent)
    {
        std::vector<char *> argv;
        const int in = open("/dev/null", O_RDONLY);
        const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);

        for (const auto &word : words)
            argv.push_back(const_cast<char *>(word.c_str()));
        argv.push_back(nullptr);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent || in < 0 || out < 0)
            _exit(127);
        dup2(in, 0);
        dup2(out, 1);
        dup2(out, 2);
        execvp(argv[0], argv.data());
        _exit(127);
    }

    bool alive()
    {
        if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) != 0)
            pid_ = -1;
        return pid_ > 0;
    }

    pid_t pid_ = -1;
    int status_ = 0;
};

#endif
