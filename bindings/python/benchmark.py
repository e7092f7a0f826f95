#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long a message takes from one Python process to another, beside other ways.

benchmark.py [--quick] [--json FILE]

One process sends to one receiver for each contender, at a steady rate, so that the receiver sleeps
when a message comes. Contenders take turns in rounds. The floor is a pipe with os.read and
os.write. A message holds the time when it was sent; the receiver subtracts it from the time when
it has the message. 1 MiB is received whole: in place by `ach view` and shared memory, as a copy by
the others. The ratio is to the pipe. Rows of `python view` are the time of a view as a numpy array;
their ratio is to the smallest message.
"""
import argparse
import array
import contextlib
import json
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
LAST = -1  # in place of the time: the receiver ends; 0: the round ends
START_SECONDS = 30
FORK = multiprocessing.get_context("fork")


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
            return buffer
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

    def __init__(self, size, _folder):
        import ach
        self.ach = ach
        self.size = size
        self.channel = f"bench-{os.getpid()}-{self.name.replace(' ', '-')}"
        ach.create(self.channel, 4, size, truncate=True)

    def receiver(self):
        channel = self.ach.Channel(self.channel)
        buffer = bytearray(self.size)

        def receive():
            channel.get(into=buffer)
            return buffer
        return receive

    def sender(self):
        return self.ach.Channel(self.channel).put

    def close(self):
        self.ach.unlink(self.channel)


class AchView(Ach):
    """Channel.view: the message in place, with the check that it was not overwritten."""

    name = "ach view"

    def receiver(self):
        channel = self.ach.Channel(self.channel)

        def receive():
            with channel.view() as view:
                return bytes(view[:STAMP.size])
        return receive


class MultiprocessingPipe:
    name, kind = "multiprocessing.Pipe", "library"

    def __init__(self, _size, _folder):
        self.reader, self.writer = FORK.Pipe(duplex=False)

    def receiver(self):
        return self.reader.recv_bytes

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
            return self.memory.buf[:STAMP.size]
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
        return lambda: socket.recv(copy=False).buffer

    def sender(self):
        socket = self.socket(self.zmq.PUSH)
        socket.connect(self.address)
        return lambda message: socket.send(message, copy=False)


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
        return messages.get

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


CONTENDERS = [Pipe, Ach, AchView, MultiprocessingPipe, SharedMemory, ZeroMQ, Rospy]


def receive_all(contender, results):
    """The receiver's process."""
    receive = contender.receiver()
    results.send("ready")
    while True:
        times = array.array("q")
        while True:
            message = receive()
            now = time.monotonic_ns()
            sent = STAMP.unpack_from(message)[0]
            if sent <= 0:
                break
            times.append(now - sent)
        results.send(times.tobytes())
        if sent == LAST:
            return


class Lane:
    """A contender with its receiver's process."""

    def __init__(self, cls, size, folder):
        self.name, self.kind = cls.name, cls.kind
        self.size = size
        self.times = array.array("q")
        self.medians = []
        self.contender = cls(size, folder)
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def start(self):
        self.results, theirs = FORK.Pipe()
        self.process = FORK.Process(target=receive_all, args=(self.contender, theirs))
        self.process.start()
        theirs.close()
        self.expect()
        self.send = self.contender.sender()

    def expect(self):
        if not self.results.poll(START_SECONDS):
            raise RuntimeError("its receiver did not answer")
        return self.results.recv()

    def round(self, count, rate):
        message = bytearray(self.size)
        next_time = time.monotonic()
        for _ in range(count):
            next_time += 1 / rate
            time.sleep(max(0.0, next_time - time.monotonic()))
            STAMP.pack_into(message, 0, time.monotonic_ns())
            self.send(message)
        times = array.array("q", self.end(0))
        self.times += times
        self.medians.append(percentile(times, 0.5))

    def end(self, stamp):
        time.sleep(0.05)  # a message in shared memory must not overwrite the last one
        message = bytearray(self.size)
        STAMP.pack_into(message, 0, stamp)
        self.send(message)
        return self.expect()

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


def start(size, folder, missing):
    lanes = []
    for cls in CONTENDERS:
        try:
            lanes.append(Lane(cls, size, folder))
        except Exception as error:  # noqa: BLE001 - whatever it is, the others go on
            missing[cls.name] = str(error) or type(error).__name__
    return lanes


def measure(label, rounds, missing):
    """Rows of all contenders for one size."""
    size, rate = SIZES[label]
    with tempfile.TemporaryDirectory() as folder:
        lanes = start(size, folder, missing)
        try:
            for lane in lanes:
                lane.round(rate // 5, rate)  # to warm up
                lane.times, lane.medians = array.array("q"), []
            for _ in range(rounds):
                for lane in lanes:
                    lane.round(rate // 5, rate)
        finally:
            for lane in lanes:
                lane.close()
    floor = lanes[0]
    return [{"scenario": f"python {label}", "contender": lane.name, "kind": lane.kind,
             "n": len(lane.times), "p50_ns": percentile(lane.times, 0.5),
             "p99_ns": percentile(lane.times, 0.99), "max_ns": max(lane.times),
             "ratio": percentile([a / b for a, b in zip(lane.medians, floor.medians)], 0.5)}
            for lane in lanes]


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
        rows.append({"scenario": "python view", "contender": f"{size >> 10} KiB", "kind": "ach",
                     "n": count, "p50_ns": percentile(times, 0.5),
                     "p99_ns": percentile(times, 0.99), "max_ns": max(times),
                     "ratio": percentile(times, 0.5) / (rows[0]["p50_ns"] if rows
                                                        else percentile(times, 0.5))})
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
    print(f"{'':14}{'':22}{'p50':>10}{'p99':>10}{'max':>10}   ratio   (us)")
    for r in rows:
        print(f"{r['scenario']:14}{r['contender']:22}{r['p50_ns'] / 1e3:10.1f}"
              f"{r['p99_ns'] / 1e3:10.1f}{r['max_ns'] / 1e3:10.1f}{r['ratio']:8.2f}")
    for name, why in missing.items():
        print(f"{name}: not measured: {why}", file=sys.stderr)
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as out:
            json.dump({"rows": rows, "unmeasured": missing}, out, indent=1)


if __name__ == "__main__":
    main()
