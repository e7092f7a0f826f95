// SPDX-License-Identifier: BSD-3-Clause
//
// ach.hpp - channels for C++17: owning handles, messages as values, deadlines of std::chrono
//
//     struct Pose { double x, y, heading; };
//
//     ach::create<Pose>("pose");
//     ach::channel<Pose> pose("pose");
//     pose.put({1, 2, 0});
//     Pose next = pose.get();                                  // waits
//     if (std::optional<Pose> p = pose.get_for(10ms, ach::newest))
//         use(*p);
//
// Each operation has two forms. One throws ach::Error; the other begins with try_, does not throw,
// and returns the status of the function in ach.h, whose manual holds for both. A message that
// is delivered after others were missed is no error: try_get returns ACH_MISSED_FRAME, and
// missed() counts.
//
// A message of channel<T> is one T, which must be trivially copyable. channel<> has messages of
// any bytes. If ach::message_type<T> is specialised, as in headers made by ach gen, create and
// open give the channel that type and check it.
//
// Threads as in ach.h: one handle, one thread at a time, except for put and cancel.
#ifndef ACH_ACH_HPP
#define ACH_ACH_HPP

#include <ach.h>
#include <ach/error.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace ach
{

// Which message to get.
enum which {
    next = 0,                              // the oldest that this handle has not seen
    newest = ACH_O_LAST,                   // the newest, if this handle has not seen it
    again = ACH_O_COPY,                    // as next; if there is nothing new, the last one again
    newest_again = ACH_O_LAST | ACH_O_COPY // the newest, also if this handle has seen it
};

// The type of messages T: specialise it for yours.
template <class T> struct message_type {
    // Bytes of a message: the beginning of T, up to padding at its end.
    static constexpr std::size_t size = sizeof(T);

    // What the channel says about them; NULL: nothing.
    static const ach_channel_type_t *get() noexcept
    {
        return nullptr;
    }

    static ach_status_t put(ach_channel_t *chan, const T &message) noexcept
    {
        return ach_put(chan, &message, size);
    }

    // Are the bytes that were received a T?
    static bool valid(const T &) noexcept
    {
        return true;
    }
};

// How to create a channel. The members are those of ach_create_attr_t.
struct create_options {
    std::size_t count = 0; // messages; 0: ACH_DEFAULT_FRAME_COUNT
    std::size_t size = 0;  // of a message; 0: ACH_DEFAULT_FRAME_SIZE
    bool truncate = false;
    bool replace_corrupt = false;
    bool timestamps = false;
    bool readonly_wake = false;
    bool single_writer = false;
    bool relayed = false;
    bool anticipated = false; /* receivers that anticipate spare puts the system call */
    enum ach_map map = ACH_MAP_DEFAULT;
    std::optional<clockid_t> clock = {};
    std::optional<mode_t> mode = {};
    const ach_channel_type_t *type = nullptr;
};

// How to open a channel. The members are those of ach_attr_t.
struct open_options {
    bool readonly = false;
    bool source = false;
    std::chrono::nanoseconds spin{0};
    std::chrono::nanoseconds lock_timeout{0}; // 0: one second
    enum ach_map map = ACH_MAP_DEFAULT;
    struct ach_header *memory = nullptr; // of a heap channel
    const ach_channel_type_t *type = nullptr;
};

namespace detail
{

constexpr int wait = ACH_O_WAIT;

// After a function that sets ach_errstr if it fails.
inline void check_explained(ach_status_t status)
{
    if (status != ACH_OK)
        throw Error(status);
}

// After a function that may not set it, so that its text may be about another call.
inline void check(ach_status_t status)
{
    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        throw Error(status, ach_result_to_string(status));
}

// Without a message: there is nothing new, or the time ran out.
inline bool nothing(ach_status_t status)
{
    return status == ACH_EAGAIN || status == ACH_TIMEOUT;
}

// Not negative, and at most a hundred years, so that a large duration means "for ever".
template <class Rep, class Period> timespec to_timespec(std::chrono::duration<Rep, Period> d)
{
    constexpr std::chrono::hours most(24 * 365 * 100);
    auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(d > most ? d.zero() : d);
    timespec t = {};

    if (d > most)
        ns = most;
    if (ns.count() > 0) {
        t.tv_sec = static_cast<time_t>(ns.count() / 1000000000);
        t.tv_nsec = static_cast<long>(ns.count() % 1000000000);
    }
    return t;
}

} // namespace detail

// Create a channel. Of a heap channel, *memory is set to its memory, for open_options.
inline ach_status_t try_create(const std::string &name, const create_options &o = {},
                               struct ach_header **memory = nullptr) noexcept
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_map(&attr, o.map);
    ach_create_attr_set_truncate(&attr, o.truncate);
    ach_create_attr_set_replace_corrupt(&attr, o.replace_corrupt);
    ach_create_attr_set_timestamps(&attr, o.timestamps);
    ach_create_attr_set_readonly_wake(&attr, o.readonly_wake);
    ach_create_attr_set_single_writer(&attr, o.single_writer);
    ach_create_attr_set_relayed(&attr, o.relayed);
    ach_create_attr_set_anticipated(&attr, o.anticipated);
    ach_create_attr_set_type(&attr, o.type);
    if (o.clock)
        ach_create_attr_set_clock(&attr, *o.clock);
    if (o.mode && ach_create_attr_set_mode(&attr, *o.mode) != ACH_OK)
        return ACH_EINVAL;
    ach_status_t status = ach_create(name.c_str(), o.count, o.size, &attr);
    if (status == ACH_OK && memory)
        ach_create_attr_get_shm(&attr, memory);
    return status;
}
inline void create(const std::string &name, const create_options &o = {},
                   struct ach_header **memory = nullptr)
{
    detail::check_explained(try_create(name, o, memory));
}

// Create a channel for messages T, with their size and their type.
template <class T> void create(const std::string &name, create_options o = {})
{
    if (!o.size)
        o.size = message_type<T>::size;
    if (!o.type)
        o.type = message_type<T>::get();
    detail::check_explained(try_create(name, o));
}

inline ach_status_t try_unlink(const std::string &name) noexcept
{
    return ach_unlink(name.c_str());
}
inline void unlink(const std::string &name)
{
    detail::check_explained(try_unlink(name));
}

// The names of all channels, in the order of names.
inline std::vector<std::string> list()
{
    std::vector<std::string> names;

    detail::check_explained(ach_list(
        [](void *to, const char *name, enum ach_map) noexcept {
            static_cast<std::vector<std::string> *>(to)->emplace_back(name);
            return ACH_OK;
        },
        &names));
    return names;
}

// The file of a shared-memory channel.
inline std::string path(const std::string &name)
{
    char text[4096];

    detail::check_explained(ach_channel_path(name.c_str(), text, sizeof(text)));
    return text;
}

// A handle, open as long as the object lives: what channels of all messages share.
class handle
{
  public:
    // A handle that is not open.
    handle() noexcept = default;
    explicit handle(const std::string &name, const open_options &o = {})
    {
        detail::check_explained(try_open(name, o));
    }
    handle(const handle &) = delete;
    handle(handle &&other) noexcept : chan_(std::exchange(other.chan_, ach_channel_t{}))
    {
    }
    handle &operator=(handle &&other) noexcept
    {
        if (this != &other) {
            try_close();
            chan_ = std::exchange(other.chan_, ach_channel_t{});
        }
        return *this;
    }
    ~handle()
    {
        try_close();
    }

    // Open another channel. A handle that is open is closed first.
    ach_status_t try_open(const std::string &name, const open_options &o = {}) noexcept
    {
        ach_attr_t attr;

        try_close();
        ach_attr_init(&attr);
        if (o.memory)
            ach_attr_set_shm(&attr, o.memory);
        else
            ach_attr_set_map(&attr, o.map);
        ach_attr_set_readonly(&attr, o.readonly);
        ach_attr_set_lock_source(&attr, o.source);
        ach_attr_set_spin(&attr, static_cast<std::uint64_t>(o.spin.count()));
        ach_attr_set_lock_timeout(&attr, static_cast<std::uint64_t>(o.lock_timeout.count()));
        ach_attr_set_type(&attr, o.type);
        ach_status_t status = ach_open(&chan_, name.c_str(), &attr);
        if (status != ACH_OK)
            chan_ = ach_channel_t{};
        return status;
    }
    ach_status_t try_close() noexcept
    {
        ach_status_t status = chan_.shm ? ach_close(&chan_) : ACH_CLOSED;

        chan_ = ach_channel_t{};
        return status;
    }
    void close()
    {
        detail::check(try_close());
    }
    explicit operator bool() const noexcept
    {
        return chan_.shm != nullptr;
    }

    // Skip all messages that are in the channel now.
    ach_status_t try_flush() noexcept
    {
        return ach_flush(&chan_);
    }
    void flush()
    {
        detail::check(try_flush());
    }

    // Make a waiting get return, from any thread or signal handler; until resume.
    ach_status_t cancel() noexcept
    {
        return ach_cancel(&chan_, nullptr);
    }
    void resume() noexcept
    {
        chan_.cancel = 0;
    }

    ach_status_t try_chmod(mode_t mode) noexcept
    {
        return ach_chmod(&chan_, mode);
    }
    void chmod(mode_t mode)
    {
        detail::check_explained(try_chmod(mode));
    }

    std::uint64_t seq() const
    {
        std::uint64_t seq;

        detail::check(ach_channel_seq(&chan_, &seq));
        return seq;
    }

    struct missed_messages {
        std::uint64_t last;  // right before the message got last
        std::uint64_t total; // through this handle
    };
    missed_messages missed() const
    {
        missed_messages m;

        detail::check(ach_channel_missed(&chan_, &m.last, &m.total));
        return m;
    }

    // When the last received message was put, since the epoch of the channel's clock.
    std::chrono::nanoseconds timestamp() const
    {
        timespec t;

        detail::check(ach_channel_timestamp(&chan_, &t));
        return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
    }
    ach_origin_t origin() const
    {
        ach_origin_t origin;

        detail::check(ach_channel_origin(&chan_, &origin));
        return origin;
    }

    // The type of the messages, valid until the handle is closed. NULL: the channel has none.
    const ach_channel_type_t *type() const
    {
        const ach_channel_type_t *type = nullptr;
        ach_status_t status = ach_channel_type(&chan_, &type);

        if (status != ACH_ENOTSUP)
            detail::check(status);
        return type;
    }
    ach_info_t info() const
    {
        ach_info_t info;

        detail::check(ach_channel_info(&chan_, &info));
        return info;
    }
    enum ach_map map() const
    {
        enum ach_map map;

        detail::check(ach_channel_map(&chan_, &map));
        return map;
    }
    clockid_t clock() const
    {
        clockid_t clock;

        detail::check(ach_channel_clock(&chan_, &clock));
        return clock;
    }

    // A descriptor for poll, which belongs to the handle.
    int fd() const
    {
        int fd;

        detail::check(ach_channel_fd(&chan_, &fd));
        return fd;
    }

    // The handle of ach.h.
    ach_channel_t *get_handle() noexcept
    {
        return &chan_;
    }

  protected:
    // As ach_get. limit NULL: wait for ever.
    ach_status_t get_bytes(void *data, std::size_t room, std::size_t &size, int options,
                           const timespec *limit) noexcept
    {
        return ach_get(&chan_, data, room, &size, limit, options | ACH_O_RELTIME);
    }

    ach_channel_t chan_{};
};

// Bytes in memory that is not owned.
#if __cplusplus >= 202002L
using bytes_view = std::span<const std::byte>;
using bytes_room = std::span<std::byte>;
#else
template <class Byte> class basic_bytes
{
  public:
    basic_bytes() noexcept = default;
    basic_bytes(Byte *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    Byte *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    Byte *begin() const noexcept
    {
        return data_;
    }
    Byte *end() const noexcept
    {
        return data_ + size_;
    }
    Byte &operator[](std::size_t i) const
    {
        return data_[i];
    }

  private:
    Byte *data_ = nullptr;
    std::size_t size_ = 0;
};
using bytes_view = basic_bytes<const std::byte>;
using bytes_room = basic_bytes<std::byte>;
#endif

template <class T = void> class channel;

// Messages of any bytes.
template <> class channel<void> : public handle
{
  public:
    using handle::handle;

    ach_status_t try_put(const void *data, std::size_t size) noexcept
    {
        return ach_put(&chan_, data, size);
    }
    void put(const void *data, std::size_t size)
    {
        detail::check(try_put(data, size));
    }
    template <class Bytes> void put(const Bytes &bytes)
    {
        put(std::data(bytes), std::size(bytes) * sizeof(*std::data(bytes)));
    }
    ach_status_t try_put_relayed(const void *data, std::size_t size,
                                 const ach_origin_t &origin) noexcept
    {
        return ach_put_relayed(&chan_, data, size, &origin);
    }

    // Copy a message into a buffer. ACH_OVERFLOW: size is set to the size needed.
    ach_status_t try_get(void *data, std::size_t room, std::size_t &size, which w = next,
                         int options = 0) noexcept
    {
        return get_bytes(data, room, size, w | options, nullptr);
    }
    template <class Rep, class Period>
    ach_status_t try_get_for(std::chrono::duration<Rep, Period> limit, void *data, std::size_t room,
                             std::size_t &size, which w = next, int options = 0) noexcept
    {
        timespec t = detail::to_timespec(limit);

        return get_bytes(data, room, size, w | options | detail::wait, &t);
    }

    // Wait for a message, and return it. The buffer grows as needed.
    std::vector<std::byte> get(which w = next)
    {
        return *get_vector(w | detail::wait, nullptr);
    }
    // Empty: there is nothing new.
    std::optional<std::vector<std::byte>> poll(which w = next)
    {
        return get_vector(w, nullptr);
    }
    // Empty: nothing came in this time.
    template <class Rep, class Period>
    std::optional<std::vector<std::byte>> get_for(std::chrono::duration<Rep, Period> limit,
                                                  which w = next)
    {
        timespec t = detail::to_timespec(limit);

        return get_vector(w | detail::wait, &t);
    }
    template <class Clock, class Duration>
    std::optional<std::vector<std::byte>> get_until(std::chrono::time_point<Clock, Duration> when,
                                                    which w = next)
    {
        return get_for(when - Clock::now(), w);
    }

    // The message in place. Writers may overwrite it at any time: use nothing that was read
    // before check_view returns ACH_OK.
    ach_status_t try_view(bytes_view &view, which w = next, int options = 0) noexcept
    {
        return view_bytes(view, w | options, nullptr);
    }
    template <class Rep, class Period>
    ach_status_t try_view_for(std::chrono::duration<Rep, Period> limit, bytes_view &view,
                              which w = next, int options = 0) noexcept
    {
        timespec t = detail::to_timespec(limit);

        return view_bytes(view, w | options | detail::wait, &t);
    }
    ach_status_t check_view() const noexcept
    {
        return ach_view_check(&chan_);
    }

    // Room for a message, to be written in place and committed.
    ach_status_t try_reserve(std::size_t size, bytes_room &room) noexcept
    {
        void *data;
        ach_status_t status = ach_reserve(&chan_, size, &data);

        if (status == ACH_OK)
            room = bytes_room(static_cast<std::byte *>(data), size);
        return status;
    }
    bytes_room reserve(std::size_t size)
    {
        bytes_room room;

        detail::check(try_reserve(size, room));
        return room;
    }
    ach_status_t try_commit(std::size_t size) noexcept
    {
        return ach_commit(&chan_, size);
    }
    void commit(std::size_t size)
    {
        detail::check(try_commit(size));
    }
    ach_status_t try_abort() noexcept
    {
        return ach_abort(&chan_);
    }

  private:
    ach_status_t view_bytes(bytes_view &view, int options, const timespec *limit) noexcept
    {
        const void *data = nullptr;
        std::size_t size = 0;
        ach_status_t status = ach_view(&chan_, &data, &size, limit, options | ACH_O_RELTIME);

        if (status == ACH_OK || status == ACH_MISSED_FRAME)
            view = bytes_view(static_cast<const std::byte *>(data), size);
        return status;
    }

    std::optional<std::vector<std::byte>> get_vector(int options, const timespec *limit)
    {
        std::vector<std::byte> message(ACH_DEFAULT_FRAME_SIZE);
        std::size_t size = 0;
        ach_status_t status;

        while ((status = get_bytes(message.data(), message.size(), size, options, limit)) ==
               ACH_OVERFLOW)
            message.resize(size);
        if (detail::nothing(status))
            return std::nullopt;
        detail::check(status);
        message.resize(size);
        return message;
    }
};

// Messages that are one T each.
template <class T> class channel : public handle
{
    static_assert(std::is_trivially_copyable_v<T>,
                  "a message is copied byte by byte: use channel<> and encode T");
    static constexpr std::size_t size = message_type<T>::size;
    static_assert(size > 0 && size <= sizeof(T), "a message is the beginning of T");

  public:
    channel() noexcept = default;
    explicit channel(const std::string &name, open_options o = {})
        : handle(name, with_type(std::move(o)))
    {
    }

    ach_status_t try_put(const T &message) noexcept
    {
        return message_type<T>::put(&chan_, message);
    }
    void put(const T &message)
    {
        detail::check(try_put(message));
    }

    // ACH_EINVAL: the message has another size than T; ACH_CORRUPT: it is not valid. It is skipped.
    ach_status_t try_get(T &message, which w = next) noexcept
    {
        std::size_t n;

        return get_whole(message, n, w, nullptr);
    }
    template <class Rep, class Period>
    ach_status_t try_get_for(std::chrono::duration<Rep, Period> limit, T &message,
                             which w = next) noexcept
    {
        timespec t = detail::to_timespec(limit);
        std::size_t n;

        return get_whole(message, n, w | detail::wait, &t);
    }

    // Wait for a message, and return it.
    T get(which w = next)
    {
        return *get_value(w | detail::wait, nullptr);
    }
    // Empty: there is nothing new.
    std::optional<T> poll(which w = next)
    {
        return get_value(w, nullptr);
    }
    // Empty: nothing came in this time.
    template <class Rep, class Period>
    std::optional<T> get_for(std::chrono::duration<Rep, Period> limit, which w = next)
    {
        timespec t = detail::to_timespec(limit);

        return get_value(w | detail::wait, &t);
    }
    template <class Clock, class Duration>
    std::optional<T> get_until(std::chrono::time_point<Clock, Duration> when, which w = next)
    {
        return get_for(when - Clock::now(), w);
    }

    // Read a message in place: call read with it, then check that no writer has overwritten it
    // meanwhile. False: there is nothing new. Throws Error with ACH_EAGAIN if it was overwritten:
    // discard what read has computed.
    template <class Read> bool view(Read read, which w = next)
    {
        std::size_t n = 0;
        const void *data = nullptr;
        ach_status_t status = ach_view(&chan_, &data, &n, nullptr, w);

        if (detail::nothing(status))
            return false;
        detail::check(status);
        if (n != size)
            throw wrong_size(n);
        if (!message_type<T>::valid(*static_cast<const T *>(data)))
            throw Error(ACH_CORRUPT, ach_result_to_string(ACH_CORRUPT));
        read(*static_cast<const T *>(data));
        detail::check(ach_view_check(&chan_));
        return true;
    }

    // Write a message in place: call write with room for it, then put it.
    template <class Write> void emplace(Write write)
    {
        void *data;

        detail::check(ach_reserve(&chan_, sizeof(T), &data));
        try {
            write(*new (data) T{});
        } catch (...) {
            ach_abort(&chan_);
            throw;
        }
        detail::check(ach_commit(&chan_, size));
    }

  private:
    static open_options with_type(open_options o)
    {
        if (!o.type)
            o.type = message_type<T>::get();
        return o;
    }
    static Error wrong_size(std::size_t n)
    {
        return Error(ACH_EINVAL, "the message has " + std::to_string(n) + " bytes, not " +
                                     std::to_string(size));
    }

    static bool delivered(ach_status_t status)
    {
        return status == ACH_OK || status == ACH_MISSED_FRAME;
    }

    // *n: the size of the message. One that is too large is skipped like one that is too small.
    ach_status_t get_whole(T &message, std::size_t &n, int options, const timespec *limit) noexcept
    {
        const void *unused;
        T got{};
        ach_status_t status = get_bytes(&got, size, n, options, limit);

        if (status == ACH_OVERFLOW)
            ach_view(&chan_, &unused, &n, nullptr, options & ~ACH_O_WAIT);
        if (status == ACH_OVERFLOW || (delivered(status) && n != size))
            return ACH_EINVAL;
        if (delivered(status) && !message_type<T>::valid(got))
            return ACH_CORRUPT;
        if (delivered(status))
            message = got;
        return status;
    }

    std::optional<T> get_value(int options, const timespec *limit)
    {
        std::size_t n = size;
        T message;
        ach_status_t status = get_whole(message, n, options, limit);

        if (detail::nothing(status))
            return std::nullopt;
        if (status == ACH_EINVAL && n != size)
            throw wrong_size(n);
        detail::check(status);
        return message;
    }
};

// Wait until one of several handles has a new message, or an error: the status of each.
template <class Rep, class Period>
ach_status_t try_wait(const std::vector<handle *> &handles,
                      const std::chrono::duration<Rep, Period> &limit,
                      std::vector<ach_status_t> &statuses)
{
    std::vector<ach_wait_item_t> items;
    timespec t = detail::to_timespec(limit);

    for (handle *h : handles)
        items.push_back({h->get_handle(), ACH_OK});
    ach_status_t status = ach_wait(items.data(), items.size(), &t, ACH_O_RELTIME);
    statuses.clear();
    for (const ach_wait_item_t &item : items)
        statuses.push_back(item.status);
    return status;
}

// A steady rate: the period of a control loop.
class period
{
  public:
    template <class Rep, class Period> explicit period(std::chrono::duration<Rep, Period> length)
    {
        detail::check(ach_period_init(
            &period_, std::chrono::duration_cast<std::chrono::nanoseconds>(length).count()));
    }
    // Sleep until the next period begins. Returns the number of periods that were missed.
    std::uint64_t wait()
    {
        std::uint64_t missed = 0;

        detail::check(ach_period_wait(&period_, &missed));
        return missed;
    }

  private:
    ach_period_t period_{};
};

} // namespace ach

#endif
