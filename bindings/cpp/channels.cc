// SPDX-License-Identifier: BSD-3-Clause
// channels.cc - the operations of bindings/conformance on channels, with ach.hpp
#include "conformance.h"

#include <ach/ach.hpp>

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <thread>

namespace
{

using Handle = ach::channel<>;
using Words = const struct words *;

// An operation that runs in a thread. It has a copy of its words.
struct Running {
    std::thread thread;
    std::deque<std::string> texts;
    struct words words = {};
    ach_status_t status = ACH_OK;
    char *results = nullptr;
    size_t size = 0;
};

std::map<std::string, Handle> handles;
std::map<std::string, struct ach_header *> heaps;
std::map<std::string, std::unique_ptr<Running>> runnings;

Handle &handle_of(Words w, size_t at = 1)
{
    return handles[w->word[at]];
}

std::vector<uint8_t> bytes_at(const char *word)
{
    struct bytes b = bytes_of(word);
    std::vector<uint8_t> v(b.data, b.data + b.size);

    std::free(b.data);
    return v;
}

// A type from words, with the memory of its schema.
struct Type {
    ach_channel_type_t type = {};
    std::vector<uint8_t> schema;

    Type(Words w, size_t from)
    {
        type.name = words_value(w, from, "type");
        type.encoding = words_value(w, from, "encoding");
        type.schema_encoding = words_value(w, from, "schema_encoding");
        if (const char *bytes = words_value(w, from, "schema")) {
            schema = bytes_at(bytes);
            type.schema = schema.data();
            type.schema_size = schema.size();
        }
    }
    const ach_channel_type_t *get() const
    {
        return type.name ? &type : nullptr;
    }
};

// Run a function that throws, for its status.
template <class F> ach_status_t status_of(F f)
{
    try {
        f();
        return ACH_OK;
    } catch (const ach::Error &e) {
        return e.status();
    }
}

void print(FILE *results, uint64_t n)
{
    std::fprintf(results, " %llu", static_cast<unsigned long long>(n));
}

ach_status_t run_create(Words w, FILE *)
{
    Type type(w, 4);
    struct ach_header *memory = nullptr;
    ach::create_options o;
    std::string name = channel_name(w->word[1]);

    o.count = number_of(w->word[2], 10);
    o.size = number_of(w->word[3], 10);
    o.truncate = words_flag(w, 4, "truncate");
    o.timestamps = words_flag(w, 4, "timestamps");
    o.readonly_wake = words_flag(w, 4, "readonly_wake");
    o.single_writer = words_flag(w, 4, "single_writer");
    o.relayed = words_flag(w, 4, "relayed");
    o.anticipated = words_flag(w, 4, "anticipated");
    if (words_flag(w, 4, "heap"))
        o.map = ACH_MAP_ANON;
    if (words_flag(w, 4, "kernel"))
        o.map = ACH_MAP_KERNEL;
    if (const char *clock = words_value(w, 4, "clock"))
        o.clock = std::string(clock) == "realtime" ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (const char *mode = words_value(w, 4, "mode"))
        o.mode = static_cast<mode_t>(number_of(mode, 8));
    o.type = type.get();
    ach_status_t status = status_of([&] { ach::create(name, o, &memory); });
    if (status == ACH_OK && o.map == ACH_MAP_ANON)
        heaps[name] = memory;
    return status;
}

ach_status_t run_open(Words w, FILE *)
{
    Type type(w, 3);
    ach::open_options o;
    std::string name = channel_name(w->word[2]);
    auto heap = heaps.find(name);

    if (heap != heaps.end())
        o.memory = heap->second;
    o.readonly = words_flag(w, 3, "readonly");
    o.source = words_flag(w, 3, "source");
    if (const char *spin = words_value(w, 3, "spin"))
        o.spin = std::chrono::nanoseconds(number_of(spin, 10));
    if (const char *limit = words_value(w, 3, "lock_timeout"))
        o.lock_timeout = std::chrono::nanoseconds(number_of(limit, 10));
    o.type = type.get();
    return status_of([&] { handle_of(w) = Handle(name, o); });
}

ach_status_t run_close(Words w, FILE *)
{
    return status_of([&] { handle_of(w).close(); });
}

ach_status_t run_unlink(Words w, FILE *)
{
    return status_of([&] { ach::unlink(channel_name(w->word[1])); });
}

ach_status_t run_exists(Words w, FILE *results)
{
    std::vector<std::string> names = ach::list();
    bool found = std::find(names.begin(), names.end(), channel_name(w->word[1])) != names.end();

    std::fputs(found ? " yes" : " no", results);
    return ACH_OK;
}

ach_status_t run_chmod(Words w, FILE *)
{
    return status_of([&] { handle_of(w).chmod(static_cast<mode_t>(number_of(w->word[2], 8))); });
}

ach_status_t run_put(Words w, FILE *)
{
    return status_of([&] { handle_of(w).put(bytes_at(w->word[2])); });
}

ach_status_t run_relay(Words w, FILE *)
{
    std::vector<uint8_t> b = bytes_at(w->word[2]);

    return handle_of(w).try_put_relayed(
        b.data(), b.size(),
        {number_of(w->word[3], 10), number_of(w->word[4], 10), number_of(w->word[5], 10)});
}

ach_status_t run_reserve(Words w, FILE *)
{
    std::vector<uint8_t> b = bytes_at(w->word[3]);

    return status_of([&] {
        ach::bytes_room room = handle_of(w).reserve(number_of(w->word[2], 10));

        std::transform(b.begin(), b.end(), room.begin(), [](uint8_t x) { return std::byte(x); });
    });
}

ach_status_t run_commit(Words w, FILE *)
{
    return status_of([&] { handle_of(w).commit(number_of(w->word[2], 10)); });
}

ach_status_t run_abort(Words w, FILE *)
{
    return handle_of(w).try_abort();
}

ach::which which_of(Words w, size_t from)
{
    if (words_flag(w, from, "last"))
        return words_flag(w, from, "copy") ? ach::newest_again : ach::newest;
    return words_flag(w, from, "copy") ? ach::again : ach::next;
}

int options_of(Words w, size_t from)
{
    return (words_flag(w, from, "linked") ? ACH_O_LINKED : 0) |
           (words_flag(w, from, "wait") ? ACH_O_WAIT : 0);
}

std::optional<std::chrono::milliseconds> limit_of(Words w, size_t from)
{
    const char *ms = words_value(w, from, "timeout");

    return ms ? std::optional(std::chrono::milliseconds(number_of(ms, 10))) : std::nullopt;
}

void message_print(FILE *results, ach_status_t status, const void *data, size_t size)
{
    bool got = status == ACH_OK || status == ACH_MISSED_FRAME;

    if (got || status == ACH_OVERFLOW)
        print(results, size);
    if (got) {
        std::fputc(' ', results);
        bytes_print(results, data, size);
    }
}

ach_status_t run_get(Words w, FILE *results)
{
    std::vector<std::byte> buffer(number_of(w->word[2], 10));
    auto limit = limit_of(w, 3);
    size_t size = 0;
    ach_status_t status = limit ? handle_of(w).try_get_for(*limit, buffer.data(), buffer.size(),
                                                           size, which_of(w, 3), options_of(w, 3))
                                : handle_of(w).try_get(buffer.data(), buffer.size(), size,
                                                       which_of(w, 3), options_of(w, 3));

    message_print(results, status, buffer.data(), size);
    return status;
}

ach_status_t run_view(Words w, FILE *results)
{
    ach::bytes_view view;
    auto limit = limit_of(w, 2);
    ach_status_t status =
        limit ? handle_of(w).try_view_for(*limit, view, which_of(w, 2), options_of(w, 2))
              : handle_of(w).try_view(view, which_of(w, 2), options_of(w, 2));

    message_print(results, status, view.data(), view.size());
    return status;
}

ach_status_t run_check(Words w, FILE *)
{
    return handle_of(w).check_view();
}

ach_status_t run_flush(Words w, FILE *)
{
    return status_of([&] { handle_of(w).flush(); });
}

ach_status_t run_cancel(Words w, FILE *)
{
    return handle_of(w).cancel();
}

ach_status_t run_resume(Words w, FILE *)
{
    handle_of(w).resume();
    return handle_of(w) ? ACH_OK : ACH_CLOSED;
}

ach_status_t run_seq(Words w, FILE *results)
{
    return status_of([&] { print(results, handle_of(w).seq()); });
}

ach_status_t run_missed(Words w, FILE *results)
{
    return status_of([&] {
        ach::handle::missed_messages m = handle_of(w).missed();

        print(results, m.last);
        print(results, m.total);
    });
}

ach_status_t run_stamped(Words w, FILE *)
{
    return status_of([&] { handle_of(w).timestamp(); });
}

ach_status_t run_origin(Words w, FILE *results)
{
    return status_of([&] {
        ach_origin_t o = handle_of(w).origin();

        print(results, o.epoch);
        print(results, o.seq);
        print(results, o.stamp);
    });
}

ach_status_t run_type(Words w, FILE *results)
{
    return status_of([&] {
        const ach_channel_type_t *t = handle_of(w).type();

        if (!t)
            throw ach::Error(ACH_ENOTSUP, "no type");
        std::fprintf(results, " %s %s %s ", t->name, t->encoding,
                     *t->schema_encoding ? t->schema_encoding : "-");
        bytes_print(results, t->schema, t->schema_size);
        std::fprintf(results, " %016llx",
                     static_cast<unsigned long long>(ach_channel_type_hash(t)));
    });
}

ach_status_t run_info(Words w, FILE *results)
{
    return status_of([&] {
        ach_info_t i = handle_of(w).info();

        for (uint64_t n :
             {i.frame_cnt, i.frame_size, i.newest, i.oldest, i.seen, i.received, i.missed,
              uint64_t{i.timestamps}, uint64_t{i.single_writer}, uint64_t{i.relayed},
              uint64_t{i.typed}, uint64_t{i.anticipated}, uint64_t{i.readonly}, uint64_t{i.source}})
            print(results, n);
    });
}

ach_status_t run_map(Words w, FILE *results)
{
    static const char *const names[] = {"default", "anon", "user", "kernel"};

    return status_of([&] { std::fprintf(results, " %s", names[handle_of(w).map()]); });
}

ach_status_t run_clock(Words w, FILE *results)
{
    return status_of([&] {
        std::fputs(handle_of(w).clock() == CLOCK_REALTIME ? " realtime" : " monotonic", results);
    });
}

ach_status_t run_path(Words w, FILE *)
{
    return status_of([&] { ach::path(channel_name(w->word[1])); });
}

ach_status_t run_poll(Words w, FILE *results)
{
    return status_of([&] {
        struct pollfd p = {handle_of(w).fd(), POLLIN, 0};
        bool readable = poll(&p, 1, static_cast<int>(number_of(w->word[2], 10))) == 1;

        std::fputs(readable && (p.revents & POLLIN) ? " yes" : " no", results);
    });
}

ach_status_t run_wait(Words w, FILE *results)
{
    size_t n = w->count - (words_value(w, 2, "timeout") ? 1 : 0);
    std::vector<ach_status_t> statuses;
    std::vector<ach::handle *> waiting;

    for (size_t i = 1; i < n; i++)
        waiting.push_back(&handle_of(w, i));
    ach_status_t status =
        ach::try_wait(waiting, limit_of(w, 2).value_or(std::chrono::hours(1)), statuses);
    if (status == ACH_OK)
        for (ach_status_t s : statuses)
            std::fprintf(results, " %s", status_name(s));
    return status;
}

ach_status_t run_period(Words w, FILE *)
{
    return status_of([&] {
        ach::period period(std::chrono::microseconds(number_of(w->word[1], 10)));

        for (uint64_t i = number_of(w->word[2], 10); i > 0; i--)
            period.wait();
    });
}

ach_status_t run_async(Words w, FILE *)
{
    auto r = std::make_unique<Running>();
    Running *running = r.get();

    for (size_t i = 2; i < w->count; i++)
        r->words.word[r->words.count++] = r->texts.emplace_back(w->word[i]).data();
    runnings[w->word[1]] = std::move(r);
    running->thread = std::thread([running] {
        FILE *results = open_memstream(&running->results, &running->size);

        running->status = operation_find(&running->words)->run(&running->words, results);
        std::fclose(results);
    });
    return ACH_OK;
}

ach_status_t run_join(Words w, FILE *results)
{
    std::unique_ptr<Running> r = std::move(runnings[w->word[1]]);

    if (!r)
        script_bad("no such thread", w->word[1]);
    r->thread.join();
    std::fputs(r->results, results);
    std::free(r->results);
    return r->status;
}

} // namespace

const struct operation channel_operations[] = {
    {"create", 4, run_create}, {"open", 3, run_open},       {"close", 2, run_close},
    {"unlink", 2, run_unlink}, {"exists", 2, run_exists},   {"chmod", 3, run_chmod},
    {"put", 3, run_put},       {"relay", 6, run_relay},     {"reserve", 4, run_reserve},
    {"commit", 3, run_commit}, {"abort", 2, run_abort},     {"get", 3, run_get},
    {"view", 2, run_view},     {"check", 2, run_check},     {"flush", 2, run_flush},
    {"cancel", 2, run_cancel}, {"resume", 2, run_resume},   {"seq", 2, run_seq},
    {"missed", 2, run_missed}, {"stamped", 2, run_stamped}, {"origin", 2, run_origin},
    {"type", 2, run_type},     {"info", 2, run_info},       {"map", 2, run_map},
    {"clock", 2, run_clock},   {"path", 2, run_path},       {"poll", 3, run_poll},
    {"wait", 2, run_wait},     {"period", 3, run_period},   {"async", 3, run_async},
    {"join", 2, run_join},     {nullptr, 0, nullptr}};
