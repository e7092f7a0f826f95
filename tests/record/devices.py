#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Devices in a feed: geometry and maps are asked for, and servers may be restarted.

devices.py ACH LISTEN DUMP FOLDER: FOLDER has rooms.pgm.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ACH, LISTEN, DUMP, FOLDER = (os.path.abspath(p) for p in sys.argv[1:5])
LIMIT = 60 * int(os.environ.get("ACH_TEST_TIME", "1"))
ROBOT = str(10000 + os.getpid() % 30000)
CONFIG = f"""
driver ( name "mapfile" provides ["map:0"] filename "{FOLDER}/rooms.pgm" resolution 0.1 )
driver
(
  name "simrobot"
  provides ["position2d:0" "laser:0" "simulation:0"]
  bitmap "{FOLDER}/rooms.pgm" resolution 0.1 pose [1.5 1.5 60] laser_fov 270 laser_range 6 {{}}
)
"""
failures = 0
started = []


def check(ok, what):
    global failures
    if not ok:
        failures += 1
        print(f"failed: {what}", flush=True)


def until(what, condition):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"failed: waited in vain for {what}")
        time.sleep(0.02)


class Feed:
    """listen, and what it has printed."""

    def __init__(self, *words):
        self.process = subprocess.Popen([LISTEN, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        started.append(self.process)
        self.events = []
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def of(self, event, topic):
        name = f"{ROBOT}:{topic}"
        return [e for e in self.events if e["event"] == event and e["topic"] == name]

    def schema(self, topic):
        return self.of("added", topic)[0]["schema_name"]

    def end(self):
        self.process.stdin.close()
        self.process.wait(LIMIT)
        self.thread.join()
        self.process.stdout.close()


def serve(extra):
    with open(f"{os.environ['ACH_DIR']}/.robot.cfg", "w", encoding="utf-8") as f:
        f.write(CONFIG.format(extra))
    server = subprocess.Popen([ACH, "serve", "--no-tcp", "-q", "-p", ROBOT, f.name], stdout=subprocess.DEVNULL)
    started.append(server)
    return server


def stop(server):
    server.send_signal(signal.SIGINT)
    server.wait(LIMIT)


def addresses():
    """Devices that are named run, and are opened again by a new server."""
    feed = Feed(f"{ROBOT}:laser:0", f"{ROBOT}:map:0")
    for times in (1, 2):
        server = serve("")
        for topic in ("laser:0/scan", "laser:0/tf_static", "map:0/map"):
            until(f"{topic} for the {times}. time",
                  lambda t=topic: {e["id"] for e in feed.of("message", t)} and
                  len({e["id"] for e in feed.of("message", t)}) >= times)
        stop(server)
        until("the end of the topics", lambda: len(feed.of("removed", "map:0/map")) >= times)
    check(feed.schema("laser:0/scan") == "sensor_msgs/msg/LaserScan", "the schema of scans")
    check(feed.schema("laser:0/tf_static") == "tf2_msgs/msg/TFMessage", "the schema of transforms")
    check(feed.schema("map:0/map") == "nav_msgs/msg/OccupancyGrid", "the schema of maps")
    check(not feed.of("added", "position2d:0/odom"), "a device that was not asked for")
    feed.end()


def everything():
    """A feed of all channels starts no driver, but asks those that run, and maps."""
    server = serve("")
    until("channels", lambda: os.path.exists(f"{os.environ['ACH_DIR']}/achshm-dev.{ROBOT}.map.0.data"))
    feed = Feed()
    until("the map", lambda: feed.of("message", "map:0/map"))
    time.sleep(1)
    check(not feed.of("added", "laser:0/scan"), "the feed has started a driver")
    feed.end()
    stop(server)
    server = serve("alwayson yes")
    feed = Feed()
    for topic in ("position2d:0/odom", "position2d:0/tf", "laser:0/scan", "laser:0/tf_static", "map:0/map"):
        until(topic, lambda t=topic: feed.of("message", t))
    feed.end()
    stop(server)


def lazy():
    """Only the wanted topic is read, and a map is asked for when it is wanted."""
    server = serve("alwayson yes")
    until("scans", lambda: json.loads(subprocess.run(
        [ACH, "info", "--json", f"dev.{ROBOT}.laser.0.data"], capture_output=True, text=True,
        check=False).stdout or '{"newest": 0}')["newest"] > 3)
    feed = Feed("-l", "-w", f"{ROBOT}:map:0/map")
    until("the map", lambda: feed.of("message", "map:0/map"))
    until("the topics", lambda: feed.of("added", "laser:0/scan") and feed.of("added", "position2d:0/odom"))
    feed.end()
    check({e["topic"] for e in feed.events if e["event"] == "message"} == {f"{ROBOT}:map:0/map"},
          "topics that are not wanted")
    feed = Feed("-l", "-h", "-w", f"{ROBOT}:laser:0/scan")
    until("scans", lambda: len(feed.of("message", "laser:0/scan")) > 3)
    feed.end()
    numbers = [e["sequence"] for e in feed.of("message", "laser:0/scan")]
    check(numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers)
    stop(server)


def has_state(path):
    """The recording has the map and the transforms."""
    done = subprocess.run([DUMP, path], capture_output=True, text=True, check=False)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    topics = {r["id"]: r["topic"] for r in records if r["record"] == "channel"}
    found = {topics[r["channel"]] for r in records if r["record"] == "message"}
    check(done.returncode == 0 and found >= {f"{ROBOT}:map:0/map", f"{ROBOT}:laser:0/tf_static"},
          f"{found} {done.stderr}")


def before():
    """The seconds before a trigger have the map and the transforms, which came earlier."""
    server = serve("alwayson yes")
    folder = tempfile.mkdtemp(prefix="achrecord.")
    recorder = subprocess.Popen([ACH, "record", "-q", "-o", f"{folder}/out.mcap", "--before", "1", "--once",
                                 f"{ROBOT}:laser:0", f"{ROBOT}:map:0"])
    started.append(recorder)
    time.sleep(3)
    recorder.send_signal(signal.SIGUSR1)
    recorder.wait(LIMIT)
    check(recorder.returncode == 0, f"the recorder's status is {recorder.returncode}")
    has_state(f"{folder}/out.mcap")
    shutil.rmtree(folder)
    stop(server)


def parts():
    """Each part of a recording has the map and the transforms."""
    server = serve("alwayson yes")
    folder = tempfile.mkdtemp(prefix="achrecord.")
    recorder = subprocess.Popen([ACH, "record", "-q", "-o", f"{folder}/out.mcap", "--split-time", "1",
                                 f"{ROBOT}:laser:0", f"{ROBOT}:map:0"])
    started.append(recorder)
    until("the third part", lambda: os.path.exists(f"{folder}/out_0003.mcap"))
    stop(recorder)
    check(recorder.returncode == 0, f"the recorder's status is {recorder.returncode}")
    has_state(f"{folder}/out_0002.mcap")
    shutil.rmtree(folder)
    stop(server)


def main():
    try:
        for test in (addresses, everything, lazy, parts, before):
            print(test.__name__, flush=True)
            test()
    finally:
        for process in started:
            if process.poll() is None:
                process.kill()
                process.wait()
        if os.path.exists(f"{os.environ['ACH_DIR']}/.robot.cfg"):
            os.unlink(f"{os.environ['ACH_DIR']}/.robot.cfg")
    sys.exit(1 if failures else 0)


main()
