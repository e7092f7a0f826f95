// SPDX-License-Identifier: BSD-3-Clause
//
// loop.hpp - wait for descriptors, and call functions when they are readable
//
// One thread. Functions may add and remove descriptors, also their own.
#ifndef ROS_LOOP_HPP
#define ROS_LOOP_HPP

#include <functional>
#include <map>

// A descriptor that is closed with the object.
class Descriptor
{
  public:
    explicit Descriptor(int fd); // throws std::system_error if fd is negative
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor();
    int get() const
    {
        return fd_;
    }

  private:
    int fd_;
};

class Loop
{
  public:
    // Returns true if it has more to do, and shall be called again without waiting.
    using Ready = std::function<bool()>;

    Loop();
    void add(int fd, Ready ready);
    void remove(int fd);
    void run(); // until stop()
    void stop();

  private:
    void call(int fd);

    struct Entry {
        Ready ready;
        bool busy;
    };
    Descriptor epoll_;
    std::map<int, Entry> entries_;
    bool stopped_ = false;
};

// Calls a function once, some time after start().
class Timer
{
  public:
    Timer(Loop &loop, std::function<void()> expired);
    ~Timer();
    void start(double seconds); // replaces an earlier start
    void stop();

  private:
    Loop &loop_;
    Descriptor timer_;
};

#endif
