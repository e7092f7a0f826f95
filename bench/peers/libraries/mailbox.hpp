/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mailbox.hpp - messages that threads of a library deliver, for the thread that receives
 *
 * Many threads may add to a mailbox; one takes. While it is full, add waits.
 */
#ifndef PEERS_MAILBOX_HPP
#define PEERS_MAILBOX_HPP

#include "adapter.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

class Mailbox
{
  public:
    explicit Mailbox(size_t length) : slots(length)
    {
    }

    void add(const unsigned char *bytes, size_t size)
    {
        std::unique_lock<std::mutex> lock(mutex);

        room.wait(lock, [this] { return closed || added - taken < slots.size(); });
        if (closed)
            return;
        slots[added % slots.size()].assign(bytes, bytes + size);
        added++;
        lock.unlock();
        news.notify_one();
    }

    /* The oldest message; nullptr: none came in this time. It stays until remove. */
    std::vector<unsigned char> *first(int timeout_ms)
    {
        if (timeout_ms > 0) {
            std::unique_lock<std::mutex> lock(mutex);
            news.wait_for(lock, std::chrono::milliseconds(timeout_ms),
                          [this] { return added != taken; });
        }
        return added == taken ? nullptr : &slots[taken % slots.size()];
    }

    void remove()
    {
        mutex.lock();
        taken++;
        mutex.unlock();
        room.notify_one();
    }

    /* Throw away what comes from now on. */
    void close()
    {
        mutex.lock();
        closed = true;
        mutex.unlock();
        room.notify_all();
    }

  private:
    std::vector<std::vector<unsigned char>> slots;
    std::mutex mutex;
    std::condition_variable news, room;
    std::atomic<uint64_t> added{0}, taken{0};
    bool closed = false;
};

/* An end that receives from a mailbox. */
struct MailboxAdapter : Adapter {
    Mailbox *box = nullptr;

    size_t receive(struct link &l, int timeout_ms)
    {
        auto *message = box->first(timeout_ms);

        l.message = message ? message->data() : l.message;
        return message ? message->size() : 0;
    }

    bool release(struct link &)
    {
        box->remove();
        return true;
    }
};

#endif
