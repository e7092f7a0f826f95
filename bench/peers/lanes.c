/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lanes.c - messages through pipes, sockets, queues and channels of the kernel
 *
 * A lane is two descriptors: what is written to one is read from the other.
 * All lanes are made before the ends fork, so an end has them by then and only
 * picks its own. The senders share a lane to each receiver where the kernel
 * keeps their messages whole; else every sender has its own, and a receiver
 * must poll to know which one to read.
 *
 * A receiver that blocks, from one lane, does so in read. Sockets have a time
 * limit for that, pipes have none.
 */
#include <ach/kernel.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "peers.h"
#include "ticks.h"

#define LANES_MAX (SENDERS_MAX * RECEIVERS_MAX)
#define BUFFER_MIN ((size_t)256 * 1024)
#define MESSAGES_IN_BUFFER 4u
#define PIPE_SIZE (1024 * 1024)
#define UDP_MAX 65507u
#define UDP_BUFFER ((size_t)1024 * 1024)
#define MULTICAST_GROUPS 0xefff0000u              /* 239.255.0.0: for use within a site */
#define QUEUE_SIZE_MAX ((size_t)16 * 1024 * 1024) /* of root */
#define QUEUE_MESSAGES 10                         /* what everybody may have */
#define NS_PER_S 1000000000l

struct lanes {
    unsigned count;
    int fd[LANES_MAX][2]; /* by enum side; SENDER's may be -1: another lane's carries it too */

    /* What this end picked. */
    struct pollfd mine[LANES_MAX];
    unsigned mine_count;
    unsigned next; /* to look at first */
};

/* The variant of a contender that has lanes. */
struct lane_kind {
    /* Make the descriptors of the next lane; false: errno says why. */
    bool (*make)(struct link *l, int fd[2]);
    bool per_sender;
    size_t whole_max; /* larger messages of several senders mix; 0: none do */
};

static bool lanes_setup(struct link *l)
{
    const struct lane_kind *kind = l->c->variant;
    struct lanes *s = l->state;
    unsigned count = l->receivers * (kind->per_sender ? l->senders : 1);

    memset(s->fd, -1, sizeof(s->fd));
    if (kind->whole_max && l->senders > 1 && l->size > kind->whole_max)
        return refuse(l, "messages of several senders over %zu bytes mix", kind->whole_max);
    while (s->count < count && kind->make(l, s->fd[s->count]))
        s->count++;
    return s->count == count;
}

static void lanes_finish(struct link *l)
{
    struct lanes *s = l->state;
    unsigned i;

    for (i = 0; i < LANES_MAX; i++) {
        close(s->fd[i][SENDER]);
        close(s->fd[i][RECEIVER]);
    }
}

/* Lanes of their own: those of a sender lie side by side. */
static bool is_mine(const struct link *l, const struct lanes *s, unsigned lane)
{
    if (l->side == RECEIVER)
        return lane % l->receivers == l->index;
    return s->fd[lane][SENDER] >= 0 &&
           (s->count == l->receivers || lane / l->receivers == l->index);
}

static bool lanes_open(struct link *l)
{
    bool spins = l->side == RECEIVER && l->mode == MODE_SPIN;
    struct lanes *s = l->state;
    unsigned i;

    signal(SIGPIPE, SIG_IGN);
    for (i = 0; i < s->count; i++) {
        if (!is_mine(l, s, i))
            continue;
        s->mine[s->mine_count++] = (struct pollfd){.fd = s->fd[i][l->side], .events = POLLIN};
        if (spins && fcntl(s->fd[i][RECEIVER], F_SETFL, O_NONBLOCK) != 0)
            return false;
    }
    return true;
}

/* ECONNREFUSED, ENOBUFS: nobody listens yet, or the device's queue is full: a lost datagram. */
static int write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == ECONNREFUSED || errno == ENOBUFS ? 0 : -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 1;
}

static int lanes_send(struct link *l)
{
    const struct lanes *s = l->state;
    int result = 1;
    unsigned i;

    for (i = 0; i < s->mine_count; i++) {
        int r = write_all(s->mine[i].fd, l->message, l->size);

        result = r < result ? r : result;
    }
    return result;
}

static bool lanes_limit(struct link *l, int timeout_ms)
{
    const struct timeval limit = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000};
    const struct lanes *s = l->state;

    setsockopt(s->mine[0].fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)); /* not of a pipe */
    return true;
}

/* 0: none there. */
static ssize_t read_some(int fd, unsigned char *bytes, size_t size)
{
    ssize_t n;

    do
        n = read(fd, bytes, size);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN || errno == ETIMEDOUT ? 0 : -1;
    return n == 0 ? -1 : n;
}

/* The lane to look at next; in poll, one that has something. -1: none within the time. */
static int next_lane(struct link *l, struct lanes *s, int timeout_ms)
{
    int fd;

    if (l->mode == MODE_POLL || (l->mode == MODE_BLOCK && s->mine_count > 1)) {
        if (poll(s->mine, s->mine_count, timeout_ms) <= 0)
            return -1;
        while (s->mine[s->next].revents == 0)
            s->next = (s->next + 1) % s->mine_count;
    }
    fd = s->mine[s->next].fd;
    s->next = (s->next + 1) % s->mine_count;
    return fd;
}

static ssize_t lanes_receive(struct link *l, int timeout_ms)
{
    uint64_t end = l->mode == MODE_SPIN ? clock_ns() + (uint64_t)timeout_ms * 1000000u : 0;
    unsigned char *bytes = l->message;
    size_t got;
    ssize_t n;
    int fd;

    do {
        fd = next_lane(l, l->state, timeout_ms);
        n = fd < 0 ? 0 : read_some(fd, bytes, l->size);
    } while (n == 0 && end && clock_ns() < end);
    for (got = 0; n > 0 && got + (size_t)n < l->size;) {
        got += (size_t)n;
        do
            n = read_some(fd, bytes + got, l->size - got);
        while (n == 0);
    }
    return n > 0 ? (ssize_t)got + n : n;
}

static bool pipe_make(struct link *l, int fd[2])
{
    int ends[2];

    (void)l;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fd[RECEIVER] = ends[0];
    fd[SENDER] = ends[1];
    fcntl(fd[SENDER], F_SETPIPE_SZ, PIPE_SIZE);
    return true;
}

/* The end to read from comes first: without it, opening the other would wait. */
static bool fifo_make(struct link *l, int fd[2])
{
    char path[32];

    snprintf(path, sizeof(path), "fifo-%u", l->id);
    if (mkfifo(path, 0600) != 0)
        return false;
    fd[RECEIVER] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd[RECEIVER] >= 0)
        fd[SENDER] = open(path, O_WRONLY | O_CLOEXEC);
    unlink(path);
    fcntl(fd[SENDER], F_SETPIPE_SZ, PIPE_SIZE);
    return fd[SENDER] >= 0 && fcntl(fd[RECEIVER], F_SETFL, 0) == 0;
}

static bool set_option(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}

/* Large enough for some messages, and never smaller than usual. The limits do not hold for root. */
static bool set_buffers(int fd, size_t size)
{
    size_t wanted = size * MESSAGES_IN_BUFFER;
    int bytes = (int)(wanted < BUFFER_MIN ? BUFFER_MIN : wanted);

    return (set_option(fd, SOL_SOCKET, SO_SNDBUFFORCE, bytes) ||
            set_option(fd, SOL_SOCKET, SO_SNDBUF, bytes)) &&
           (set_option(fd, SOL_SOCKET, SO_RCVBUFFORCE, bytes) ||
            set_option(fd, SOL_SOCKET, SO_RCVBUF, bytes));
}

static bool unix_stream_make(struct link *l, int fd[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0 &&
           set_buffers(fd[SENDER], l->size);
}

/* The buffer's limit is not the only one: the kernel wants much of a datagram in one piece. So one
   goes through first. */
static bool unix_datagram_make(struct link *l, int fd[2])
{
    const ssize_t size = (ssize_t)l->size;
    void *message = private_alloc(l->size);

    return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fd) == 0 &&
           set_buffers(fd[SENDER], l->size) && write(fd[SENDER], message, l->size) == size &&
           read(fd[RECEIVER], message, l->size) == size;
}

/* Bind to a port that the kernel finds, unless at names one, and tell which. */
static bool bind_to(int fd, struct sockaddr_in *at)
{
    socklen_t length = sizeof(*at);

    return bind(fd, (struct sockaddr *)at, length) == 0 &&
           getsockname(fd, (struct sockaddr *)at, &length) == 0;
}

static bool connect_to(int fd, const struct sockaddr_in *at)
{
    return connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0;
}

/* An accepted socket inherits the options of the one that listens. */
static bool tcp_make(struct link *l, int fd[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int sockets[2], i; /* by enum side; RECEIVER's listens */

    for (i = 0; i < 2; i++) {
        sockets[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (!set_buffers(sockets[i], l->size) ||
            !set_option(sockets[i], IPPROTO_TCP, TCP_NODELAY, 1))
            return false;
    }
    fd[SENDER] = sockets[SENDER];
    if (bind_to(sockets[RECEIVER], &at) && listen(sockets[RECEIVER], 1) == 0 &&
        connect_to(fd[SENDER], &at))
        fd[RECEIVER] = accept4(sockets[RECEIVER], NULL, NULL, SOCK_CLOEXEC);
    close(sockets[RECEIVER]);
    return fd[RECEIVER] >= 0;
}

static int udp_socket(void)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    set_buffers(fd, UDP_BUFFER);
    return fd;
}

static bool udp_make(struct link *l, int fd[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};

    (void)l;
    fd[RECEIVER] = udp_socket();
    fd[SENDER] = udp_socket();
    return bind_to(fd[RECEIVER], &at) && connect_to(fd[SENDER], &at);
}

/* The kernel finds a port for the first receiver, the others take the same. Only the first lane
   has an end to write to: its datagrams reach all receivers. */
static bool multicast_make(struct link *l, int fd[2])
{
    const struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr = {htonl(MULTICAST_GROUPS | (l->id & 0xffff))}};
    const struct ip_mreqn member = {.imr_multiaddr = at.sin_addr, .imr_address = loopback};
    const struct lanes *s = l->state;
    socklen_t length = sizeof(at);

    fd[RECEIVER] = udp_socket();
    if (s->count > 0)
        getsockname(s->fd[0][RECEIVER], (struct sockaddr *)&at, &length);
    if (!set_option(fd[RECEIVER], SOL_SOCKET, SO_REUSEADDR, 1) || !bind_to(fd[RECEIVER], &at) ||
        setsockopt(fd[RECEIVER], IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof(member)) != 0)
        return false;
    if (s->count > 0)
        return true;
    fd[SENDER] = udp_socket();
    return set_option(fd[SENDER], IPPROTO_IP, IP_MULTICAST_TTL, 0) &&
           set_option(fd[SENDER], IPPROTO_IP, IP_MULTICAST_LOOP, 1) &&
           set_option(fd[SENDER], IPPROTO_IP, IP_MULTICAST_IF, (int)loopback.s_addr) &&
           connect_to(fd[SENDER], &at);
}

/* Root may have longer messages, and more bytes in queues, than others. The name of a queue goes at
   once; the ends inherit the queue, whose descriptor is a file's on Linux. */
static bool queue_make(struct link *l, int fd[2])
{
    const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    struct mq_attr attr = {.mq_maxmsg = QUEUE_MESSAGES, .mq_msgsize = (long)l->size};
    char name[64];

    setrlimit(RLIMIT_MSGQUEUE, &all);
    snprintf(name, sizeof(name), "/ach-peers-%d-%u", (int)getpid(), l->id);
    fd[SENDER] = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    if (fd[SENDER] < 0)
        return refuse(l, "no queue: %s; see /proc/sys/fs/mqueue/msgsize_max", strerror(errno));
    mq_unlink(name);
    fd[RECEIVER] = dup(fd[SENDER]);
    return fd[RECEIVER] >= 0;
}

static int queue_send(struct link *l)
{
    const struct lanes *s = l->state;
    unsigned i;

    for (i = 0; i < s->mine_count; i++)
        while (mq_send(s->mine[i].fd, l->message, l->size, 0) != 0)
            if (errno != EINTR)
                return -1;
    return 1;
}

static ssize_t queue_receive(struct link *l, int timeout_ms)
{
    int fd = next_lane(l, l->state, timeout_ms);
    struct timespec end;
    ssize_t n;

    if (fd < 0)
        return 0;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += timeout_ms % 1000 * 1000000l;
    end.tv_sec += timeout_ms / 1000 + end.tv_nsec / NS_PER_S;
    end.tv_nsec %= NS_PER_S;
    n = mq_timedreceive(fd, l->message, l->size, NULL, &end);
    return n < 0 && (errno == ETIMEDOUT || errno == EINTR) ? 0 : n;
}

/* A kernel channel, used by the calls of its device alone. Only the first lane has an end to write
   to, and makes the channel. */
static bool device_make(struct link *l, int fd[2])
{
    const struct lanes *s = l->state;
    ach_create_attr_t attr;
    char path[64];

    snprintf(path, sizeof(path), ACH_KERNEL_PREFIX "peers-%u", l->id);
    ach_create_attr_init(&attr);
    ach_create_attr_set_map(&attr, ACH_MAP_KERNEL);
    if (s->count == 0 && ach_create(path + strlen(ACH_KERNEL_PREFIX), channel_history(l->size),
                                    l->size, &attr) != ACH_OK)
        return refuse(l, "%s", ach_errstr());
    if (s->count == 0)
        fd[SENDER] = open(path, O_WRONLY | O_CLOEXEC);
    fd[RECEIVER] = open(path, O_RDONLY | O_CLOEXEC);
    return fd[RECEIVER] >= 0 && (s->count > 0 || fd[SENDER] >= 0);
}

static void device_finish(struct link *l)
{
    char name[32];

    lanes_finish(l);
    snprintf(name, sizeof(name), "peers-%u", l->id);
    ach_unlink(name);
}

static bool device_limit(struct link *l, int timeout_ms)
{
    struct ach_kernel_options o = {.timeout = (__u64)timeout_ms * 1000000u};
    const struct lanes *s = l->state;

    return ioctl(s->mine[0].fd, ACH_KERNEL_OPTIONS, &o) == 0;
}

/* The functions of one contender begin with its noun. */
#define LANES(noun, kind_, ...)                                                                    \
    .kind = (kind_), .source = __FILE__ ":" #noun, .state_size = sizeof(struct lanes),             \
    .variant = &(const struct lane_kind){.make = noun##_make, __VA_ARGS__}, .setup = lanes_setup,  \
    .open = lanes_open
#define BYTE_LANES(noun, ...)                                                                      \
    LANES(noun, KIND_KERNEL, __VA_ARGS__), .finish = lanes_finish, .send = lanes_send,             \
                                           .limit = lanes_limit, .receive = lanes_receive,         \
                                           .modes = MODE_BLOCK | MODE_POLL | MODE_SPIN,            \
                                           .waits = MODE_POLL | MODE_SPIN

const struct contender lane_contenders[] = {
    {.name = "ach device",
     .settings = "the kernel module without libach: write, poll, read",
     LANES(device, KIND_ACH, .per_sender = false),
     .start = kernel_missing,
     .modes = MODE_BLOCK | MODE_POLL,
     .waits = MODE_POLL,
     .finish = device_finish,
     .send = lanes_send,
     .limit = device_limit,
     .receive = lanes_receive},
    {.name = "pipe",
     .settings = "one pipe per receiver, of 1 MiB where allowed; written to one after the other",
     BYTE_LANES(pipe, .whole_max = PIPE_BUF)},
    {.name = "FIFO",
     .settings = "one FIFO per receiver, of 1 MiB where allowed; written to one after the other",
     BYTE_LANES(fifo, .whole_max = PIPE_BUF)},
    {.name = "POSIX queue",
     .settings = "a queue of 10 messages per receiver",
     .max_size = QUEUE_SIZE_MAX,
     LANES(queue, KIND_KERNEL, .per_sender = false),
     .modes = MODE_BLOCK | MODE_POLL,
     .waits = MODE_POLL,
     .finish = lanes_finish,
     .send = queue_send,
     .receive = queue_receive},
    {.name = "Unix stream",
     .settings = "a socket pair per sender and receiver, buffers of 256 KiB or 4 messages; "
                 "a receiver of several senders polls",
     BYTE_LANES(unix_stream, .per_sender = true)},
    {.name = "Unix datagram",
     .settings = "a socket pair per receiver, buffers of 256 KiB or 4 messages",
     BYTE_LANES(unix_datagram, .per_sender = false)},
    {.name = "TCP",
     .settings = "loopback, TCP_NODELAY, a connection per sender and receiver, buffers of 256 KiB "
                 "or 4 messages; a receiver of several senders polls",
     .reach = REACH_BOTH,
     BYTE_LANES(tcp, .per_sender = true)},
    {.name = "UDP",
     .settings = "loopback, a connected socket per receiver, buffers of 4 MiB where allowed",
     .max_size = UDP_MAX,
     .reach = REACH_BOTH,
     BYTE_LANES(udp, .per_sender = false)},
    {.name = "UDP multicast",
     .settings = "loopback, time to live 0, buffers of 4 MiB where allowed",
     .max_size = UDP_MAX,
     BYTE_LANES(multicast, .per_sender = false)},
    {0},
};
