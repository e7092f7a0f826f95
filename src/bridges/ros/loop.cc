// SPDX-License-Identifier: BSD-3-Clause
#include "loop.hpp"

#include <cerrno>
#include <cmath>
#include <system_error>
#include <vector>

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

Descriptor::Descriptor(int fd) : fd_(fd)
{
    if (fd < 0)
        throw std::system_error(errno, std::generic_category(), "cannot get a descriptor");
}

Descriptor::~Descriptor()
{
    close(fd_);
}

Loop::Loop() : epoll_(epoll_create1(EPOLL_CLOEXEC))
{
}

void Loop::add(int fd, Ready ready)
{
    epoll_event event{};

    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot wait for a descriptor");
    entries_[fd] = {std::move(ready), false};
}

void Loop::remove(int fd)
{
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    entries_.erase(fd);
}

// The function may remove its own descriptor, so it is called as a copy.
void Loop::call(int fd)
{
    auto entry = entries_.find(fd);

    if (entry == entries_.end())
        return;
    const Ready ready = entry->second.ready;
    const bool more = ready();

    entry = entries_.find(fd);
    if (entry != entries_.end())
        entry->second.busy = more;
}

void Loop::run()
{
    epoll_event events[16];

    while (!stopped_) {
        std::vector<int> busy;

        for (const auto &[fd, entry] : entries_)
            if (entry.busy)
                busy.push_back(fd);
        const int n = epoll_wait(epoll_.get(), events, 16, busy.empty() ? -1 : 0);

        if (n < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "cannot wait");
        for (int i = 0; i < n; i++)
            call(events[i].data.fd);
        for (int fd : busy)
            call(fd);
    }
}

void Loop::stop()
{
    stopped_ = true;
}

Timer::Timer(Loop &loop, std::function<void()> expired)
    : loop_(loop), timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK))
{
    loop_.add(timer_.get(), [this, expired] {
        uint64_t count;

        if (read(timer_.get(), &count, sizeof(count)) == sizeof(count))
            expired();
        return false;
    });
}

Timer::~Timer()
{
    loop_.remove(timer_.get());
}

void Timer::start(double seconds)
{
    itimerspec when{};
    const double whole = std::floor(seconds);

    when.it_value.tv_sec = static_cast<time_t>(whole);
    when.it_value.tv_nsec = static_cast<long>((seconds - whole) * 1e9);
    if (when.it_value.tv_sec == 0 && when.it_value.tv_nsec == 0)
        when.it_value.tv_nsec = 1;
    timerfd_settime(timer_.get(), 0, &when, nullptr);
}

void Timer::stop()
{
    const itimerspec never{};

    timerfd_settime(timer_.get(), 0, &never, nullptr);
}
