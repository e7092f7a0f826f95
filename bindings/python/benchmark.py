#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long a message takes from one Python process to another, beside other ways.

benchmark.py [--quick] [--json FILE]

One process sends to one receiver for each contender, at a steady rate, so that the receiver sleeps
when a message comes. Contenders take turns in rounds. The floor is a pipe with os.read and
os.write. A message holds the time when it was sent; the receiver reads it, and subtracts it from
the time that it is then. 1 MiB is received whole: in place by `ach view` and shared memory, as a
copy by the others. `ach view` keeps one message, as shared memory does. Messages that do not arrive
are counted as lost. The ratio is to the pipe. Rows of `python view` are the time of a view as a
numpy array; their ratio is to the smallest message.
"""
import argparse
import array
import contextlib
import json
import math
import multiprocessing
import os
import struct
import subprocess
import sys
import tempfile
import time
from multiprocessing import shared_memory

SIZES = {"64 B": (64, 1000), "1 MiB": (1 << 20, 100)}  # bytes and messages per second
STAMP = struct.Struct("q")
LAST = -(1 << 62)  # in place of the time: the receiver ends; -N: round N ends
START_SECONDS = 30
END_SECONDS = 1  # then the end of a round is sent again, because it may be lost
FORK = multiprocessing.get_context("fork")


def stamp(message):
    """When the message was sent."""
    return STAMP.unpack_from(message)[0]


class Pipe:
    """os.read and os.write: the floor."""

    name, kind = "os.pipe", "floor"

    def __init__(self, size, _folder):
        self.size = size
        self.ends = os.pipe()

    def receiver(self):
        buffer = bytearray(self.size)
        view = memoryview(buffer)

        def receive():
            got = 0
            while got < self.size:
                got += os.readv(self.ends[0], [view[got:]])
            return stamp(buffer)
        return receive

    def sender(self):
        def send(message):
            view = memoryview(message)
            while view:
                view = view[os.write(self.ends[1], view):]
        return send


class Ach:
    """Channel.put, and Channel.get, which copies the message into a buffer."""

    name, kind = "ach", "ach"
    kept = 4  # messages

    def __init__(self, size, _folder):
        import ach
        self.ach = ach
        self.size = size
        self.channel = f"bench-{os.getpid()}-{self.name.replace(' ', '-')}"
        ach.create(self.channel, self.kept, size, truncate=True)

    def receiver(self):
        channel = self.ach.Channel(self.channel)
        buffer = bytearray(self.size)

        def receive():
            channel.get(into=buffer)
            return stamp(buffer)
        return receive

    def sender(self):
        return self.ach.Channel(self.channel).put

    def close(self):
        self.ach.unlink(self.channel)


class AchView(Ach):
    """Channel.view: the message in place, with the check that it was not overwritten."""

    name = "ach view"
    kept = 1

    def receiver(self):
        channel = self.ach.Channel(self.channel)

        def receive():
            with channel.view() as view:
                return stamp(view)
        return receive


class MultiprocessingPipe:
    name, kind = "multiprocessing.Pipe", "library"

    def __init__(self, _size, _folder):
        self.reader, self.writer = FORK.Pipe(duplex=False)

    def receiver(self):
        return lambda: stamp(self.reader.recv_bytes())

    def sender(self):
        return self.writer.send_bytes


class SharedMemory:
    """multiprocessing.shared_memory, with an Event that says that a message is there."""

    name, kind = "shared_memory", "library"

    def __init__(self, size, _folder):
        self.memory = shared_memory.SharedMemory(create=True, size=size)
        self.event = FORK.Event()

    def receiver(self):
        def receive():
            self.event.wait()
            self.event.clear()
            return stamp(self.memory.buf)
        return receive

    def sender(self):
        def send(message):
            self.memory.buf[:len(message)] = message
            self.event.set()
        return send

    def close(self):
        self.memory.close()
        self.memory.unlink()


class ZeroMQ:
    name, kind = "pyzmq", "library"

    def __init__(self, _size, folder):
        import zmq
        self.zmq = zmq
        self.address = f"ipc://{folder}/zmq"

    def socket(self, kind):
        socket = self.zmq.Context().socket(kind)
        socket.setsockopt(self.zmq.LINGER, 0)
        return socket

    def receiver(self):
        socket = self.socket(self.zmq.PULL)
        socket.bind(self.address)
        return lambda: stamp(socket.recv(copy=False).buffer)

    def sender(self):
        socket = self.socket(self.zmq.PUSH)
        socket.connect(self.address)
        return lambda message: socket.send(message, copy=False)


class LCM:
    """UDP multicast that stays on the machine. Large messages get lost in small socket buffers."""

    name, kind = "lcm", "library"
    address = "udpm://239.255.76.67:7667?ttl=0&recv_buf_size=4194304"
    end_size = STAMP.size  # of the message that ends a round, which must arrive

    def __init__(self, _size, _folder):
        import lcm
        self.lcm = lcm
        self.channel = f"bench-{os.getpid()}"
        lcm.LCM(self.address)  # fails if there is no route for multicast

    def receiver(self):
        lcm = self.lcm.LCM(self.address)
        messages = []
        lcm.subscribe(self.channel, lambda _channel, message: messages.append(message))

        def receive():
            while not messages:
                lcm.handle()
            return stamp(messages.pop())
        return receive

    def sender(self):
        lcm = self.lcm.LCM(self.address)
        return lambda message: lcm.publish(self.channel, bytes(message))


class Rospy:
    """A topic of ROS 1, with a master of our own."""

    name, kind = "rospy", "library"
    port = 41311

    def __init__(self, _size, folder):
        import rospy
        from std_msgs.msg import UInt8MultiArray
        self.rospy, self.type = rospy, UInt8MultiArray
        os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{self.port}", ROS_IP="127.0.0.1",
                          ROS_LOG_DIR=folder, ROS_HOME=folder)
        self.master = subprocess.Popen(["rosmaster", "--core", "-p", str(self.port)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def receiver(self):
        import queue
        messages = queue.SimpleQueue()
        self.rospy.init_node("receiver", disable_signals=True)
        self.rospy.Subscriber("bench", self.type, lambda m: messages.put(m.data), tcp_nodelay=True)
        return lambda: stamp(messages.get())

    def sender(self):
        self.rospy.init_node("sender", disable_signals=True)
        publisher = self.rospy.Publisher("bench", self.type, queue_size=10, tcp_nodelay=True)
        until = time.monotonic() + START_SECONDS
        while publisher.get_num_connections() == 0 and time.monotonic() < until:
            time.sleep(0.05)
        message = self.type()

        def send(data):
            message.data = bytes(data)
            publisher.publish(message)
        return send

    def close(self):
        self.master.terminate()
        self.master.wait()


CONTENDERS = [Pipe, Ach, AchView, MultiprocessingPipe, SharedMemory, ZeroMQ, LCM, Rospy]


def receive_all(contender, results):
    """The receiver's process."""
    receive = contender.receiver()
    results.send("ready")
    ended = 0
    times = array.array("q")
    while True:
        sent = receive()
        now = time.monotonic_ns()
        if sent > 0:
            times.append(now - sent)
        elif -sent > ended:  # else this end was sent twice
            ended = -sent
            results.send(times.tobytes())
            times = array.array("q")
        if sent == LAST:
            return


class Lane:
    """A contender with its receiver's process."""

    def __init__(self, cls, size, folder):
        self.name, self.kind = cls.name, cls.kind
        self.size = size
        self.rounds = 0
        self.reset()
        self.contender = cls(size, folder)
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def reset(self):
        self.times = array.array("q")
        self.medians = []  # of each round; NaN if all its messages were lost
        self.lost = 0

    def start(self):
        self.results, theirs = FORK.Pipe()
        self.process = FORK.Process(target=receive_all, args=(self.contender, theirs))
        self.process.start()
        theirs.close()
        self.expect()
        self.send = self.contender.sender()

    def expect(self, again=lambda: None):
        """What the receiver answers. Until then, call again every END_SECONDS."""
        for _ in range(int(START_SECONDS / END_SECONDS)):
            if self.results.poll(END_SECONDS):
                return self.results.recv()
            again()
        raise RuntimeError("its receiver did not answer")

    def round(self, count, rate):
        message = bytearray(self.size)
        next_time = time.monotonic()
        for _ in range(count):
            next_time += 1 / rate
            time.sleep(max(0.0, next_time - time.monotonic()))
            STAMP.pack_into(message, 0, time.monotonic_ns())
            self.send(message)
        self.rounds += 1
        times = array.array("q", self.end(-self.rounds))
        self.times += times
        self.medians.append(percentile(times, 0.5) if times else math.nan)
        self.lost += count - len(times)

    def end(self, stamp):
        time.sleep(0.05)  # a message in shared memory must not overwrite the last one
        message = bytearray(getattr(self.contender, "end_size", self.size))
        STAMP.pack_into(message, 0, stamp)
        self.send(message)
        return self.expect(lambda: self.send(message))

    def close(self):
        with contextlib.suppress(Exception):
            self.end(LAST)
            self.process.join(5)
        self.process.kill()
        self.process.join()
        if hasattr(self.contender, "close"):
            self.contender.close()


def percentile(times, fraction):
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(fraction * len(ordered)))]


def row(scenario, contender, kind, times, ratio, **more):
    """A row of results, as bench/README.md describes them."""
    return {"scenario": scenario, "contender": contender, "kind": kind, "n": len(times),
            "p50_ns": percentile(times, 0.5), "p99_ns": percentile(times, 0.99),
            "max_ns": max(times), "ratio": ratio, **more}


def report(rows, missing, path):
    """Say what was not measured, and write the results to a file, if there is a path."""
    for name, why in missing.items():
        print(f"{name}: not measured: {why}", file=sys.stderr)
    if path:
        with open(path, "w", encoding="utf-8") as out:
            json.dump({"rows": rows, "unmeasured": missing}, out, indent=1)


def start(size, folder, missing):
    lanes = []
    for cls in CONTENDERS:
        try:
            lanes.append(Lane(cls, size, folder))
        except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
            missing[cls.name] = str(error) or type(error).__name__
    return lanes


def play(lanes, label, missing):
    """Run one round of each lane. Those that fail are closed and left out of the result."""
    going = []
    for lane in lanes:
        try:
            lane.round(SIZES[label][1] // 5, SIZES[label][1])
            going.append(lane)
        except Exception as error:  # noqa: BLE001 - as in start
            missing[f"{lane.name} {label}"] = str(error) or type(error).__name__
            lane.close()
    return going


def measure(label, rounds, missing):
    """Rows of all contenders for one size."""
    with tempfile.TemporaryDirectory() as folder:
        lanes = start(SIZES[label][0], folder, missing)
        try:
            lanes = play(lanes, label, missing)  # to warm up
            for lane in lanes:
                lane.reset()
            for _ in range(rounds):
                lanes = play(lanes, label, missing)
        finally:
            for lane in lanes:
                lane.close()
    floor = next(lane for lane in lanes if lane.kind == "floor")
    rows = []
    for lane in lanes:
        ratios = [a / b for a, b in zip(lane.medians, floor.medians) if not math.isnan(a)]
        if ratios:
            rows.append(row(f"python {label}", lane.name, lane.kind, lane.times,
                            percentile(ratios, 0.5), lost=lane.lost))
        else:
            missing[f"{lane.name} {label}"] = f"all {lane.lost} messages were lost"
    return rows


def measure_apart(label, rounds):
    """Measure in a process of its own: rospy can be initialised only once in a process."""
    ours, theirs = FORK.Pipe()

    def run():
        missing = {}
        theirs.send((measure(label, rounds, missing), missing))

    process = FORK.Process(target=run)
    process.start()
    theirs.close()
    try:
        return ours.recv()
    finally:
        process.join()


def measure_view(count):
    """A view with its check, as a numpy array: the time does not depend on the message's size."""
    import ach
    import numpy
    rows = []
    for size in (4 << 10, 4 << 20):
        name = f"bench-{os.getpid()}-view"
        ach.create(name, 2, size, truncate=True)
        with ach.Channel(name) as channel:
            channel.put(bytes(size))
            times = []
            for _ in range(count):
                before = time.perf_counter_ns()
                with channel.view(wait=False, last=True, copy=True) as view:
                    first = numpy.frombuffer(view, dtype=numpy.uint8)[0]
                times.append(time.perf_counter_ns() - before)
                assert first == 0
        ach.unlink(name)
        p50 = percentile(times, 0.5)
        rows.append(row("python view", f"{size >> 10} KiB", "ach", times,
                        p50 / (rows[0]["p50_ns"] if rows else p50)))
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="3 rounds instead of 20")
    options.add_argument("--json", help="write the results to this file")
    chosen = options.parse_args()
    missing, rows = {}, []
    for label in SIZES:
        measured, unmeasured = measure_apart(label, 3 if chosen.quick else 20)
        rows += measured
        missing.update(unmeasured)
    try:
        rows += measure_view(2000 if chosen.quick else 20000)
    except ImportError as error:
        missing["python view"] = str(error)
    print(f"{'':14}{'':22}{'p50':>10}{'p99':>10}{'max':>10}   ratio    lost   (us)")
    for r in rows:
        print(f"{r['scenario']:14}{r['contender']:22}{r['p50_ns'] / 1e3:10.1f}"
              f"{r['p99_ns'] / 1e3:10.1f}{r['max_ns'] / 1e3:10.1f}{r['ratio']:8.2f}"
              f"{r.get('lost', 0):8}")
    report(rows, missing, chosen.json)


if __name__ == "__main__":
    main()
