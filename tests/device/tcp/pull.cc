/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pull.cc - a client of Player in C++ with sockets of its own, in pull mode: each round asks for
 * data, and ends with a SYNCH
 *
 * usage: pull PORT
 */
#include <arpa/inet.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

enum { PLAYER = 1, POSITION2D = 4 };
enum { DATA = 1, REQ = 3, ACK = 4, SYNCH = 5, NACK = 6 };

struct Message {
    uint32_t interf, index, type, subtype;
    std::vector<unsigned char> body;
};

class Client
{
  public:
    explicit Client(int port) : server(socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in to = sockaddr_in();
        std::vector<unsigned char> banner;

        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<uint16_t>(port));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (connect(server, reinterpret_cast<sockaddr *>(&to), sizeof(to)) != 0)
            throw std::runtime_error("no server");
        banner = receive(32);
        if (std::memcmp(&banner[0], "Player v.", 9) != 0)
            throw std::runtime_error("not a server of Player");
    }
    ~Client()
    {
        close(server);
    }

    void request(uint32_t interf, uint32_t subtype, const std::vector<uint32_t> &body)
    {
        std::vector<uint32_t> m(10, 0);

        m[2] = interf;
        m[4] = REQ;
        m[5] = subtype;
        m[9] = static_cast<uint32_t>(4 * body.size());
        m.insert(m.end(), body.begin(), body.end());
        for (size_t i = 0; i < m.size(); i++)
            m[i] = htonl(m[i]);
        if (send(server, &m[0], 4 * m.size(), 0) != static_cast<ssize_t>(4 * m.size()))
            throw std::runtime_error("cannot send");
    }

    Message next()
    {
        std::vector<unsigned char> h = receive(40);
        Message m;

        m.interf = word(h, 8);
        m.index = word(h, 12);
        m.type = word(h, 16);
        m.subtype = word(h, 20);
        m.body = receive(word(h, 36));
        if (m.type == NACK)
            throw std::runtime_error("refused");
        return m;
    }

    static uint32_t word(const std::vector<unsigned char> &from, size_t at)
    {
        return static_cast<uint32_t>(from.at(at)) << 24 |
               static_cast<uint32_t>(from.at(at + 1)) << 16 |
               static_cast<uint32_t>(from.at(at + 2)) << 8 | from.at(at + 3);
    }

  private:
    int server;

    std::vector<unsigned char> receive(size_t n)
    {
        std::vector<unsigned char> bytes(n);

        if (n && recv(server, &bytes[0], n, MSG_WAITALL) != static_cast<ssize_t>(n))
            throw std::runtime_error("the server has closed the connection");
        return bytes;
    }
};

static void await_answer(Client &client, uint32_t subtype)
{
    Message m;

    do
        m = client.next();
    while (m.type != ACK || m.subtype != subtype);
}

int main(int argc, char **argv)
try {
    if (argc != 2)
        throw std::runtime_error("usage: pull PORT");
    Client client(std::atoi(argv[1]));
    std::vector<uint32_t> subscribe(7, 0);
    const std::vector<uint32_t> pull(1, 2);

    client.request(PLAYER, 5, pull); /* DATAMODE */
    await_answer(client, 5);
    subscribe[2] = POSITION2D;
    subscribe[4] = 1;
    client.request(PLAYER, 3, subscribe);
    await_answer(client, 3);
    for (int round = 0; round < 3; round++) {
        int data = 0;
        Message m;

        client.request(PLAYER, 4, std::vector<uint32_t>()); /* DATA */
        do {
            m = client.next();
            data += m.type == DATA && m.interf == POSITION2D;
        } while (m.type != SYNCH);
        std::printf("%s\n", data ? "data, and a synch" : "a synch alone");
    }
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "pull: %s\n", e.what());
    return 1;
}
