#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ach record: what was put is in the file, and what is not is counted.

record.py ACH TALK DUMP SYSCALLS STAGE INTERPOSE [TEST ...]
"""
import json
import os
import pty
import pwd
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

ACH, TALK, DUMP, SYSCALLS, STAGE, INTERPOSE = (p and os.path.abspath(p) for p in sys.argv[1:7])
LIMIT = 60 * int(os.environ.get("ACH_TEST_TIME", "1"))
MILLISECOND = 1000000
CUT = 3
failures = 0
started = []


def check(ok, what):
    global failures
    if not ok:
        failures += 1
        print(f"failed: {what}", flush=True)
    return ok


def until(what, condition):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"failed: waited in vain for {what}")
        time.sleep(0.02)


def run(*words, ok=True, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, check=False, **more)
    if ok and done.returncode:
        sys.exit(f"failed: {' '.join(words)}: {done.returncode} {done.stderr}")
    return done


def ach(*words, **more):
    return run(ACH, *words, **more)


def make(name, frames=16, size=512, *more):
    ach("mk", "-m", str(frames), "-n", str(size), *more, name)


def remove(*names):
    ach("rm", *names)


def talk(name, first, count, size=64):
    """Put messages. Their times: (before, after) each."""
    lines = run(TALK, name, str(first), str(count), str(size)).stdout.splitlines()
    return [tuple(map(int, line.split())) for line in lines]


def message(n, size=64):
    body = bytes((n * 7 + i) & 255 for i in range(size))
    return struct.pack("=Q", n) + body[8:]


class File:
    """What a file has now."""

    def __init__(self, path):
        done = run(DUMP, path, ok=False)
        self.status, self.error = done.returncode, done.stderr
        self.records = [json.loads(line) for line in done.stdout.splitlines()]
        self.channels = {r["id"]: r for r in self.of("channel")}
        self.metadata = {r["name"]: r["pairs"] for r in self.of("metadata")}
        self.told = "ach.missed" in self.metadata
        self.missed = {k: int(v) for k, v in self.metadata.get("ach.missed", {}).items()}

    def of(self, kind):
        return [r for r in self.records if r["record"] == kind]

    def topics(self):
        return sorted(c["topic"] for c in self.channels.values())

    def messages(self, topic):
        return [m for m in self.of("message") if self.channels[m["channel"]]["topic"] == topic]

    def data(self, topic):
        return [bytes.fromhex(m["data"]) for m in self.messages(topic)]

    def numbers(self, topic):
        return [struct.unpack("=Q", d[:8])[0] for d in self.data(topic)]


class Recorder:
    def __init__(self, *words, program=ACH, path="out.mcap", **more):
        self.path = path
        self.error = tempfile.TemporaryFile("w+")
        output = ["-o", path] if path else []
        self.process = subprocess.Popen([program, "record", *output, *words], stderr=self.error, **more)
        started.append(self.process)

    def ready(self):
        """Wait until it has opened what there is."""
        until("the recorder", lambda: "Ctrl-C ends" in self.said() or self.process.poll() is not None)

    def said(self):
        return os.pread(self.error.fileno(), 65536, 0).decode()

    def has(self, topic, count):
        until(f"{count} messages of {topic}",
              lambda: os.path.exists(self.path) and len(File(self.path).messages(topic)) >= count)

    def wait(self, status=0):
        try:
            got = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            sys.exit("failed: the recorder does not end")
        self.told = self.said()
        check(got == status, f"the recorder's status is {got}, not {status}: {self.told}")
        return self.told

    def stop(self, status=0):
        self.process.send_signal(signal.SIGINT)
        return self.wait(status)


def record(*words, **more):
    recorder = Recorder(*words, **more)
    recorder.ready()
    return recorder


def finished(path="out.mcap"):
    """A whole file; it is removed."""
    file = File(path)
    check(file.status == 0, f"{path}: {file.status} {file.error}")
    os.unlink(path)
    return file


def roundtrip():
    """Every message is there with its bytes, its time, its sequence and its schema."""
    with open("Pair.msg", "w", encoding="ascii") as f:
        f.write("float64 x\nstring name\n")
    make("plain", 64, 64)
    make("stamped", 64, 64, "--timestamps", "--clock", "boottime")
    ach("mk", "--type", "demo/Pair", "--schema", "Pair.msg", "typed")
    ach("mk", "--encoding", "json", "--type", "a.b", "json")
    ach("mk", "--encoding", "strange", "--type", "what.ever", "strange")
    recorder = record("-a", "--attach", "Pair.msg")
    talk("plain", 1, 20)
    times = talk("stamped", 1, 20, 40)
    ach("pub", "typed", "x=1.5", "name=hello")
    ach("put", "json", '{"a": 1}')
    ach("put", "strange", "bytes")
    recorder.stop()
    file = finished()
    check(file.data("plain") == [message(n) for n in range(1, 21)], "the bytes of plain differ")
    check(file.data("stamped") == [message(n, 40) for n in range(1, 21)], "the bytes of stamped differ")
    check([m["sequence"] for m in file.messages("plain")] == list(range(1, 21)), "sequences")
    for m, (before, after) in zip(file.messages("stamped"), times):
        check(before - MILLISECOND <= m["log_time"] <= after + MILLISECOND,
              f"{m['log_time']} is not between {before} and {after}")
        check(m["log_time"] == m["publish_time"], "the times of a message differ")
    check(file.data("typed") == [b"\0\1\0\0" + struct.pack("<dI", 1.5, 6) + b"hello\0"],
          f"typed has {file.data('typed')}")
    kinds = {c["topic"]: (c["encoding"], c.get("schema_name"), c.get("schema_encoding"))
             for c in file.channels.values()}
    check(kinds == {"plain": ("", None, None), "stamped": ("", None, None), "json": ("json", None, None),
                    "strange": ("", None, None), "typed": ("cdr", "demo/msg/Pair", "ros2msg")}, kinds)
    pairs = {c["topic"]: c["pairs"] for c in file.channels.values()}
    check(pairs["stamped"]["clock"] == "boottime" and pairs["stamped"]["frames"] == "64" and
          pairs["stamped"]["frame_size"] == "64" and pairs["stamped"]["timestamps"] == "1", pairs["stamped"])
    check(pairs["strange"]["type"] == "what.ever" and pairs["strange"]["encoding"] == "strange", pairs)
    offset = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    check(abs(int(pairs["stamped"]["clock_offset"]) - offset) < 1000 * MILLISECOND, "the clock's offset")
    check([(a["name"], bytes.fromhex(a["data"])) for a in file.of("attachment")] ==
          [("Pair.msg", b"float64 x\nstring name\n")], "the attachment")
    check(file.missed["total"] == 0 and file.metadata["ach"]["host"] == os.uname().nodename, file.metadata)
    remove("plain", "stamped", "typed", "json", "strange")


def patterns():
    """Only what is asked for is recorded, with what channels hold, or until there is enough."""
    for name in ("arm.a", "arm.b", "leg"):
        make(name)
        talk(name, 1, 3)
    recorder = Recorder("--held", "--count", "2", "-X", "*.b", "arm*", "--compression", "none")
    recorder.wait()
    file = finished()
    check(file.topics() == ["arm.a"] and file.numbers("arm.a") == [1, 2], file.records)
    recorder = Recorder("leg", "--duration", "0.2", "--quiet")
    check(recorder.wait() == "", f"a quiet recorder said {recorder.told}")
    check(finished().numbers("leg") == [], "messages of before were recorded")
    for name, why in ("leg", "no message came. --held"), ("foot", "there was no channel"):
        told = Recorder(name, "--duration", "0.2").wait()
        check(f"nothing was recorded: {why}" in told and "recorded 0 messages, 0." in told, told)
        finished()
    remove("arm.a", "arm.b", "leg")


def absent():
    """A name that nothing has yet is told, and waited for."""
    for name in ("here", "arm.a", "left"):
        make(name)
    recorder = record("here", "arm*", "later", "leg*", "65:laser:0", "left", "-X", "left", "--held")
    told = recorder.said()
    for sentence in ("there is no channel 'later' yet; waiting for it", "no channel matches 'leg*' yet; waiting for one",
                     "there is no device '65:laser:0' yet", "there is no channel 'left' yet"):
        check(sentence in told, f"'{sentence}' is not in {told}")
    check(told.count(" yet") == 4, told)
    make("later")
    talk("later", 1, 3)
    recorder.has("later", 3)
    check(recorder.stop().count(" yet") == 4, recorder.told)
    check(finished().numbers("later") == [1, 2, 3], "messages of a later channel")
    remove("here", "arm.a", "left", "later")


def changes():
    """Channels appear, vanish and are replaced while the recorder runs."""
    recorder = record("-a")
    make("late", 64)
    talk("late", 1, 10)
    recorder.has("late", 10)
    remove("late")
    make("late", 64, 128)
    talk("late", 100, 10)
    recorder.has("late", 20)
    make("late", 64, 64, "--truncate")
    talk("late", 200, 5)
    recorder.has("late", 25)
    talk("late", 205, 5)
    remove("late")
    recorder.stop()
    file = finished()
    numbers = [*range(1, 11), *range(100, 110), *range(200, 210)]
    check(file.numbers("late") == numbers, file.numbers("late"))
    check(file.missed["total"] == 0, file.missed)
    check(len(file.channels) == 3, "each channel has its own metadata")


def missed():
    """A recorder that was stopped counts what was overwritten, exactly."""
    make("small", 8, 64)
    make("other", 64, 64)
    recorder = record("-a")
    talk("small", 1, 5)
    recorder.has("small", 5)
    recorder.process.send_signal(signal.SIGSTOP)
    talk("small", 6, 100)
    talk("other", 1, 3)
    recorder.process.send_signal(signal.SIGCONT)
    recorder.has("small", 13)
    told = recorder.stop()
    file = finished()
    check(file.numbers("small") == [*range(1, 6), *range(98, 106)], file.numbers("small"))
    check(file.missed == {"topic:small": 92, "total": 92, "overwritten": 92, "dropped": 0, "oversized": 0,
                          "unwritten": 0}, file.missed)
    check("92 messages were missed" in told, told)
    remove("small", "other")


def first_missed():
    """What was overwritten before the first reading is counted, but not what was gone before."""
    make("small", 8, 64)
    talk("small", 1, 20)
    recorder = record("small")
    recorder.process.send_signal(signal.SIGSTOP)
    talk("small", 21, 50)
    recorder.process.send_signal(signal.SIGCONT)
    recorder.has("small", 8)
    recorder.stop()
    file = finished()
    check(file.numbers("small") == [*range(63, 71)] and file.missed["topic:small"] == 42, file.missed)
    recorder = record("small", "--held")
    recorder.has("small", 8)
    recorder.stop()
    file = finished()
    check(file.numbers("small") == [*range(63, 71)] and file.missed["total"] == 0, file.missed)
    remove("small")


def late_missed():
    """All that was put into a channel that appeared late and was overwritten is counted."""
    recorder = record("-a")
    recorder.process.send_signal(signal.SIGSTOP)
    make("late", 8, 64)
    talk("late", 1, 50)
    recorder.process.send_signal(signal.SIGCONT)
    recorder.has("late", 8)
    recorder.stop()
    file = finished()
    check(file.numbers("late") == [*range(43, 51)] and file.missed["topic:late"] == 42, file.missed)
    remove("late")


def slow_disk():
    """What does not fit into the buffer is counted. The disk is a pipe that nobody reads for a while."""
    make("big", 64, 65536)
    recorder = Recorder("big", "-o", "-", "--buffer", "1M", "--compression", "none", "--chunk", "64K",
                        path=None, stdout=subprocess.PIPE)
    recorder.ready()
    count, part = 200, 20
    for first in range(1, count + 1, part):
        talk("big", first, part, 60000)
        slept = switches(recorder.process.pid)
        until("the recorder to read", lambda: switches(recorder.process.pid) > slept + 5)
    recorder.process.send_signal(signal.SIGINT)
    with open("out.mcap", "wb") as f:
        shutil.copyfileobj(recorder.process.stdout, f)
    told = recorder.wait()
    file = finished()
    got, lost = file.numbers("big"), file.missed
    check(len(got) + lost["total"] == count, f"{len(got)} recorded and {lost} of {count}")
    check(lost["dropped"] > 0 and lost["total"] == lost["dropped"] + lost["overwritten"] ==
          lost["topic:big"], lost)
    check(f"{lost['dropped']} messages were missed: the disk" in told, told)
    recorder.process.stdout.close()
    remove("big")


def oversized():
    """A message may fill the buffer. One that is larger is counted, and the disk is not blamed."""
    make("big", 4, 200000)
    recorder = record("big", "--buffer", "128K")
    for n, size, there in (1, 500, 1), (2, 200000, 1), (3, 131072, 1), (4, 131008, 2), (5, 500, 3):
        talk("big", n, 1, size)
        recorder.has("big", there)
    told = recorder.stop()
    file = finished()
    check(file.numbers("big") == [1, 4, 5], file.numbers("big"))
    check(file.missed["oversized"] == file.missed["total"] == file.missed["topic:big"] == 2, file.missed)
    check(told.count("big: a message of 200000 bytes is larger than the buffer") == 1 and
          told.count("larger than the buffer") == 2 and "the disk" not in told, told)
    remove("big")


def switches(pid):
    """How often the threads of a process went to sleep or were preempted."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as f:
            total += sum(int(n) for n in re.findall(r"ctxt_switches:\s*(\d+)", f.read()))
    return total


def cpu(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return sum(map(int, f.read().rpartition(")")[2].split()[11:13]))


def idle():
    """Without messages the recorder does not run at all, also after it has."""
    names = [f"idle{i}" for i in range(20)]
    for name in names:
        make(name)
    recorder = record("-a")
    talk("idle3", 1, 5)
    recorder.has("idle3", 5)

    def quiet(seconds):
        before = switches(recorder.process.pid), cpu(recorder.process.pid)
        time.sleep(seconds)
        return (switches(recorder.process.pid), cpu(recorder.process.pid)) == before

    until("the recorder to sleep", lambda: quiet(1))
    check(quiet(4), "the recorder runs though nothing happens")
    talk("idle7", 1, 5)
    recorder.has("idle7", 5)
    until("the recorder to sleep again", lambda: quiet(1))
    recorder.stop()
    check(finished().missed["total"] == 0, "messages that woke the recorder were missed")
    remove(*names)


def syscalls():
    """While the recorder reads, puts make no system calls."""
    make("fast", 4096, 64)
    recorder = record("fast")
    talker = subprocess.Popen([TALK, "fast", "spin"])
    started.append(talker)
    newest = lambda: json.loads(ach("info", "--json", "fast").stdout)["newest"]
    recorder.has("fast", 100)
    counter = subprocess.Popen([SYSCALLS, str(talker.pid)], stdout=subprocess.PIPE, text=True)
    started.append(counter)
    line = counter.stdout.readline()
    if line.startswith("skipped"):
        print("not checked: this process may not trace others")
    else:
        before = newest()
        until("puts", lambda: newest() >= before + 2000)
        counter.terminate()
        puts, calls = newest() - before, int(counter.stdout.read())
        check(calls <= puts // 200, f"{calls} system calls during {puts} puts")
    counter.stdout.close()
    counter.wait()
    talker.kill()
    talker.wait()
    recorder.stop()
    finished()
    remove("fast")


def killed():
    """What was written before kill -9 can be read."""
    make("victim", 64)
    recorder = record("victim")
    talk("victim", 1, 10)
    recorder.has("victim", 10)
    talk("victim", 11, 5)
    recorder.process.kill()
    recorder.wait(-signal.SIGKILL)
    file = File("out.mcap")
    check(file.status == CUT, f"{file.status} {file.error}")
    numbers = file.numbers("victim")
    check(numbers == list(range(1, len(numbers) + 1)) and len(numbers) >= 10, numbers)
    os.unlink("out.mcap")
    remove("victim")


FULL = """
mount -t tmpfs -o size=1m none disk || exit 77
"$1" record -o disk/out.mcap --compression none --chunk 64K fat &
recorder=$!
while [ ! -s disk/out.mcap ]; do sleep 0.05; done
i=0
while [ $i -lt 40 ] && kill -0 $recorder 2>/dev/null; do
    "$2" fat $((i * 10 + 1)) 10 10000 >/dev/null || exit 1
    i=$((i + 1))
    sleep 0.05
done
wait $recorder
status=$?
cp disk/out.mcap out.mcap
exit $status
"""


def full_disk():
    """A full disk ends the recording with a sentence, a status and a readable file."""
    make("fat", 64, 10000)
    os.mkdir("disk")
    done = run("unshare", "--mount", "sh", "-c", FULL, "sh", ACH, TALK, ok=False)
    os.rmdir("disk")
    if done.returncode == 77 or "unshare" in done.stderr:
        print("not checked: this process may not mount")
    else:
        check(done.returncode == 1, f"the status is {done.returncode}: {done.stderr}")
        check("the disk is full" in done.stderr, done.stderr)
        numbers = truth("fat", done.stderr)[0].numbers("fat")
        check(len(numbers) > 30 and numbers == list(range(1, len(numbers) + 1)), numbers)
    remove("fat")


def truth(topic, told):
    """A file whose writing failed has what the recorder says; it is removed. Returns what was lost, too."""
    file = File("out.mcap")
    os.unlink("out.mcap")
    number = lambda pattern: int((re.search(pattern, told) or [0, 0])[1])
    lost = number(r"(\d+) messages were missed: overwritten"), number(r"(\d+) messages were read, but")
    recorded = len(file.messages(topic))
    check(file.status in (0, CUT), file.error)
    check(number(r"recorded (\d+) messages") == recorded, f"{recorded} messages are in the file: {told}")
    check(file.told or file.status == CUT, f"the file's status is {file.status}, and it has {file.metadata}")
    check(not file.told or lost == (file.missed["overwritten"], file.missed["unwritten"]), f"{file.missed}: {told}")
    check(not file.told or sum(lost) == file.missed["total"] == file.missed[f"topic:{topic}"], file.missed)
    return file, *lost


def full_file():
    """When writing fails, each message that was read is in the file or counted as lost, once."""
    make("fat", 64, 10000)
    with open("padding", "wb") as f:
        f.write(bytes(4096))  # the limit must not end the recorder's standard error
    states = set()

    def limited(beyond):
        recorder = record("fat", "--compression", "none", "--chunk", "25K", "--attach", "padding")
        begin = os.path.getsize("out.mcap")
        recorder.process.send_signal(signal.SIGSTOP)
        resource.prlimit(recorder.process.pid, resource.RLIMIT_FSIZE, (begin + beyond, begin + beyond))
        talk("fat", 1, 100, 10000)
        recorder.process.send_signal(signal.SIGCONT)
        file, overwritten, unwritten = truth("fat", recorder.wait(1))
        states.add(file.status)
        recorded = len(file.messages("fat"))
        check(overwritten == 36 and recorded + unwritten == 64,
              f"{recorded} recorded, {overwritten} overwritten, {unwritten} not written of 100: {recorder.told}")

    for beyond in (0, 300, 5000, 100000, 103000, 610000):
        limited(beyond)
    check(states == {0, CUT}, f"only states {states}")
    remove("fat")


def split():
    """Each part is a whole file."""
    make("parts", 64, 4096)
    recorder = Recorder("parts", "--split-size", "100K", "--compression", "none", "--chunk", "16K")
    recorder.ready()
    for first in range(1, 101, 10):
        talk("parts", first, 10, 4096)
        part = (first + 9) * 4096 // 140000 + 1
        until("a part", lambda: os.path.exists(f"out_{part:04}.mcap"))
    recorder.stop()
    paths = sorted(p for p in os.listdir(".") if p.startswith("out_"))
    check(len(paths) >= 4, paths)
    numbers = []
    for i, path in enumerate(paths):
        file = finished(path)
        numbers += file.numbers("parts")
        check(file.metadata["ach"]["file"] == str(i + 1) and file.missed["total"] == 0, file.metadata)
    check(numbers == list(range(1, 101)), numbers)
    recorder = Recorder("parts", "--split-time", "0.1")
    recorder.ready()
    talk("parts", 1, 1)
    time.sleep(0.2)
    talk("parts", 2, 1)
    until("the second file", lambda: os.path.exists("out_0002.mcap"))
    recorder.stop()
    with open("x_0007.mcap", "w", encoding="ascii"):
        refused = ach("record", "-o", "x.mcap", "--split-time", "1", "parts", ok=False)
    check(refused.returncode == 1 and "'x_0007.mcap' exists already" in refused.stderr, refused.stderr)
    check([p for p in os.listdir(".") if p.startswith("x_")] == ["x_0007.mcap"], "a part beside a later one")
    with open("x_0002.mcap", "w", encoding="ascii"):
        told = ach("record", "-o", "x.mcap", "--split-time", "1000", "--duration", "0.1", "--force", "parts").stderr
    check("'x_0002.mcap' and what follows it are parts of an older recording" in told, told)
    for path in "x_0001.mcap", "x_0002.mcap", "x_0007.mcap":
        os.unlink(path)
    numbers = [finished(p).numbers("parts") for p in sorted(os.listdir(".")) if p.startswith("out_")]
    check([n for n in numbers if n] == [[1], [2]], f"parts by time have {numbers}")
    remove("parts")


def progress():
    """A terminal shows seconds, messages and bytes, also while files change."""
    make("shown", 64, 4096)
    master, slave = pty.openpty()
    recorder = subprocess.Popen([ACH, "record", "-o", "out.mcap", "shown", "--split-size", "1K", "--compression",
                                 "none", "--chunk", "4K"], stderr=slave)
    started.append(recorder)
    os.close(slave)
    shown = ""

    def shows(pattern):
        nonlocal shown
        if select.select([master], [], [], 0)[0]:
            shown += os.read(master, 4096).decode()
        return re.search(pattern, shown)

    until("the recorder", lambda: shows("recording 1 topic"))
    put = 0

    def later():
        nonlocal put
        put += 1
        talk("shown", put, 1, 4096)
        return shows(r"K[3-9] s  \d+ messages")

    until("some seconds", later)
    until("the line", lambda: shows(f" s  {put} messages  [\\d.]+ [kM]B  0 missed"))
    recorder.send_signal(signal.SIGINT)
    check(recorder.wait(LIMIT) == 0, f"the recorder's status is {recorder.returncode}: {shown}")
    os.close(master)
    numbers = [n for p in sorted(os.listdir(".")) if p.startswith("out_") for n in finished(p).numbers("shown")]
    check(numbers == list(range(1, put + 1)), numbers)
    remove("shown")


def before():
    """What was put before the trigger is written, and nothing without it."""
    make("event", 64)
    recorder = record("event", "--before", "1000")
    talk("event", 1, 10)
    refused = ach("record", "--trigger", "Nothing.mcap", ok=False)
    check(refused.returncode == 1, "a recorder that is not there was triggered")
    time.sleep(0.2)
    check(File("out.mcap").numbers("event") == [], "there are messages before the trigger")
    ach("record", "--trigger", "out.mcap")
    recorder.has("event", 10)
    talk("event", 11, 5)
    recorder.has("event", 15)
    ach("record", "--trigger", "out.mcap")
    until("an answer", lambda: "the trigger changes nothing" in recorder.said())
    recorder.stop()
    check(finished().numbers("event") == list(range(1, 16)), "messages around the trigger")

    recorder = record("event", "--before", "1000")
    talk("event", 1, 10)
    time.sleep(0.2)
    told = recorder.stop()
    check("keeping the last 1000 s of 1 topic; 'ach record --trigger out.mcap' writes them" in told and
          "nothing was recorded: the trigger did not come" in told, told)
    check(finished().numbers("event") == [], "messages were written without the trigger")

    for name in "out.mcap", "out_0001.mcap":
        recorder = record("event", "--before", "1000", "--split-size", "1M")
        talk("event", 1, 10)
        ach("record", "--trigger", name)
        until("the first part", lambda: File("out_0001.mcap").numbers("event") == list(range(1, 11)))
        recorder.stop()
        finished("out_0001.mcap")

    recorder = record("event", "--before", "1000", "--count", "5")
    talk("event", 1, 10)
    time.sleep(0.2)
    recorder.process.send_signal(signal.SIGUSR1)
    until("the trigger", lambda: "the trigger came" in recorder.said())
    talk("event", 11, 5)
    recorder.wait()
    check(finished().numbers("event") == list(range(1, 16)), "messages before the trigger are not counted")

    recorder = record("event", "--before", "1", "--once")
    talk("event", 1, 10)
    time.sleep(2)
    talk("event", 11, 1)
    recorder.process.send_signal(signal.SIGUSR1)
    recorder.wait()
    check(not set(finished().numbers("event")) & set(range(1, 11)), "messages that are too old were written")

    # Several files, of which the first one tells what was forgotten.
    recorder = record("event", "--before", "1000", "--buffer", "64K", "--split-size", "20K", "--compression", "none",
                      "--chunk", "4K", "--once")
    for first in range(1, 201, 50):
        talk("event", first, 50, 500)
        slept = switches(recorder.process.pid)
        until("the recorder to read", lambda: switches(recorder.process.pid) > slept + 5)
    recorder.process.send_signal(signal.SIGUSR1)
    told = recorder.wait()
    files = [finished(p) for p in sorted(os.listdir(".")) if p.startswith("out_")]
    numbers = [n for file in files for n in file.numbers("event")]
    check("the buffer is too small" in told and len(files) > 1, told)
    check([f.missed.get("forgotten", 0) for f in files] == [200 - len(numbers)] + [0] * (len(files) - 1),
          f"{[f.missed for f in files]}, and {len(numbers)} are there")
    check(len(numbers) > 50 and numbers == list(range(201 - len(numbers), 201)), numbers)
    remove("event")


def clock_step():
    """The last seconds are those that passed, also if the wall clock is set meanwhile."""
    if not INTERPOSE:
        print("not checked: a sanitizer must be the first library")
        return
    make("event", 64)
    with open("step", "wb") as f:
        f.truncate(100000)
    recorder = Recorder("event", "--before", "1000",
                        env={**os.environ, "LD_PRELOAD": INTERPOSE, "CLOCK_STEP": os.path.abspath("step")})
    recorder.ready()
    talk("event", 1, 10)
    slept = switches(recorder.process.pid)
    until("the recorder to read", lambda: switches(recorder.process.pid) > slept + 5)
    os.truncate("step", 200000)
    talk("event", 11, 10)
    recorder.process.send_signal(signal.SIGUSR1)
    recorder.has("event", 1)
    recorder.stop()
    file = finished()
    check(file.numbers("event") == list(range(1, 21)), file.numbers("event"))
    ahead = max(m["log_time"] for m in file.messages("event")) - time.time_ns()
    check(ahead > 150000 * 1000 * MILLISECOND, f"the wall clock is {ahead} ns ahead")
    remove("event")


def synced():
    """What is in the file goes to the disk each second, and nothing waits for the disk."""
    if not INTERPOSE:
        print("not checked: a sanitizer must be the first library")
        return
    make("disk", 64)
    paths = {name: os.path.abspath(name) for name in ("SYNCED", "SYNC_BLOCK", "SYNC_FAIL")}
    syncs = lambda: os.path.getsize("SYNCED") if os.path.exists("SYNCED") else 0
    recorder = Recorder("disk", env={**os.environ, **paths, "LD_PRELOAD": INTERPOSE})
    recorder.ready()
    talk("disk", 1, 1)
    until("a sync", lambda: syncs() == 1)
    check(File("out.mcap").numbers("disk") == [1], "the file was synced before it was written")
    open("SYNC_BLOCK", "wb").close()
    talk("disk", 2, 1)
    until("another sync", lambda: syncs() == 2)
    talk("disk", 3, 1)
    recorder.has("disk", 3)
    talk("disk", 4, 1)
    recorder.has("disk", 4)
    check(syncs() == 2, "a sync began before the one before had ended")
    open("SYNC_FAIL", "wb").close()
    os.unlink("SYNC_BLOCK")
    talk("disk", 5, 1)
    check("Input/output error" in recorder.wait(1), recorder.told)
    check(finished().numbers("disk") == [1, 2, 3, 4, 5], "the file whose sync failed")
    for path in ("SYNCED", "SYNC_FAIL"):
        os.unlink(path)
    remove("disk")


def refusals():
    """Wrong use, and files that are there."""
    with open("there.mcap", "w", encoding="ascii") as f:
        f.write("dear")
    make("any")
    check("--force" in ach("record", "-o", "there.mcap", "any", ok=False).stderr, "an existing file")
    with open("there.mcap", encoding="ascii") as f:
        check(f.read() == "dear", "an existing file was changed")
    for words in (["-a"], ["-o", "x.mcap"], ["-o", "x.mcap", "-a", "any"], ["-o", "x.mcap", "--once", "any"],
                  ["-o", "x.mcap", "any", "--compression", "zip"], ["-o", "-", "any", "--split-time", "1"], ["-o", "x.mcap", "any", "--chunk", "0"],
                  ["-o", "x.mcap", "any", "--split-size", "10"]):
        check(ach("record", *words, ok=False).returncode == 2, f"{words} are accepted")
    check(ach("record", "-o", "x.mcap", "any", "--attach", "none", ok=False).returncode == 1, "--attach none")
    check(ach("record", "-o", "no/x.mcap", "any", ok=False).returncode == 1, "no such folder")
    check(not os.path.exists("x.mcap"), "a file was made")
    recorder = record("any", path="busy.mcap")
    check("another recorder" in ach("record", "-f", "-o", "busy.mcap", "any", ok=False).stderr, "two recorders")
    talk("any", 1, 3)
    recorder.stop()
    check(finished("busy.mcap").numbers("any") == [1, 2, 3], "the file that two wanted")
    for words in [], ["--split-time", "1"]:
        there = "there_0001.mcap" if words else "there.mcap"
        if words:
            os.link("there.mcap", there)
        refused = ach("record", "-f", "-o", "there.mcap", "any", "--attach", there, *words, ok=False)
        check(refused.returncode == 1 and "the file to be recorded into" in refused.stderr, refused.stderr)
        with open(there, encoding="ascii") as f:
            check(f.read() == "dear", "a file that was to be attached was emptied")
    os.unlink("there_0001.mcap")
    recorder = record("any", "--force", path="there.mcap")
    recorder.stop()
    check(finished("there.mcap").topics() == ["any"], "a topic without messages")
    remove("any")


def truncated():
    """A channel whose file is cut short does not end the recording of others."""
    make("cut", 64)
    make("whole", 64)
    recorder = record("-a")
    talk("cut", 1, 3)
    recorder.has("cut", 3)
    os.truncate(f"{os.environ['ACH_DIR']}/achshm-cut", 0)
    talk("whole", 1, 3)
    recorder.has("whole", 3)
    told = recorder.stop()
    file = finished()
    check(file.numbers("whole") == [1, 2, 3] and file.numbers("cut") == [1, 2, 3], file.records)
    check("cut" in told, told)
    os.unlink(f"{os.environ['ACH_DIR']}/achshm-cut")
    ach("rm", "cut", ok=False)
    remove("whole")


def other_user():
    """A user who may only read records, and hears of what may not be read."""
    if os.getuid() != 0:
        print("not checked: only root can become another user")
        return
    nobody = pwd.getpwnam("nobody")
    stage = tempfile.mkdtemp(prefix="achrecord.", dir="/tmp")
    os.chmod(stage, 0o755)
    run(STAGE, f"{stage}/bin", ACH)
    os.mkdir(f"{stage}/out")
    os.chown(f"{stage}/out", nobody.pw_uid, nobody.pw_gid)
    os.chmod(os.environ["ACH_DIR"], 0o755)
    make("open", 64, 64, "--mode", "644")
    make("closed", 64, 64, "--mode", "600")
    recorder = Recorder("-a", program=f"{stage}/bin/ach", path=f"{stage}/out/out.mcap",
                        user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[],
                        env={**os.environ, "LD_LIBRARY_PATH": f"{stage}/bin"})
    recorder.ready()
    talk("open", 1, 10)
    recorder.has("open", 10)
    time.sleep(1.5)  # long enough to sleep
    talk("open", 11, 10)
    talk("closed", 1, 3)
    recorder.has("open", 20)
    ach("chmod", "644", "closed")
    put = 3

    def seen():
        nonlocal put
        put += 1
        talk("closed", put, 1)
        return "closed" in File(recorder.path).topics()

    until("the other channel", seen)
    told = recorder.stop()
    file = finished(recorder.path)
    check(file.numbers("open") == list(range(1, 21)), file.numbers("open"))
    numbers = file.numbers("closed")
    check(numbers and numbers[0] > 3 and numbers == list(range(numbers[0], put + 1)), numbers)
    check(told.count("Permission denied") == 1, told)
    shutil.rmtree(stage)
    remove("open", "closed")


def stopped_reader():
    """A reader of a pipe that reads nothing keeps no recorder from ending. The loss is counted."""
    make("fat", 64, 10000)
    for end in "signal", "duration":
        words = ["-d", "1"] if end == "duration" else []
        recorder = record("fat", "-o", "-", "--compression", "none", *words, path=None, stdout=subprocess.PIPE)
        talk("fat", 1, 30, 10000)
        if end == "signal":
            time.sleep(1.5)
            told = recorder.stop(1)
        else:
            told = recorder.wait(1)
        recorder.process.stdout.close()
        check("its reader has read nothing for 5 s" in told and "30 messages were read, but" in told, told)
    remove("fat")


def fifo():
    """A FIFO is opened with its reader, and one that leaves is noticed."""
    make("any", 64)
    os.mkfifo("fifo")
    recorder = Recorder("any", path="fifo")
    until("the recorder", lambda: "waiting for a reader" in recorder.said())
    recorder.process.send_signal(signal.SIGTERM)
    recorder.wait(-signal.SIGTERM)
    recorder = Recorder("any", path="fifo")
    with open("fifo", "rb") as reader:
        recorder.ready()
        talk("any", 1, 3)
        recorder.process.send_signal(signal.SIGINT)
        with open("out.mcap", "wb") as copy:
            shutil.copyfileobj(reader, copy)
    recorder.wait()
    check(finished().numbers("any") == [1, 2, 3], "what the reader of the FIFO got")
    recorder = Recorder("any", path="fifo")
    with open("fifo", "rb"):
        recorder.ready()
    talk("any", 1, 3)
    told = recorder.wait(1)
    check("Broken pipe" in told and "3 messages were read, but" in told, told)
    os.unlink("fifo")
    remove("any")


def removed():
    """A recording whose file another program has ruined ends, and tells that it is lost."""
    make("any", 64)
    recorder = record("any")
    talk("any", 1, 3)
    recorder.has("any", 3)
    os.unlink("out.mcap")
    talk("any", 4, 3)
    told = recorder.wait(1)
    check("'out.mcap' was removed" in told and "6 messages were read, but" in told, told)
    recorder = record("any")
    os.unlink("out.mcap")
    check("'out.mcap' was removed" in recorder.stop(1), "a file removed before the first message")
    recorder = record("any")
    talk("any", 7, 3)
    recorder.has("any", 3)
    os.truncate("out.mcap", 0)
    talk("any", 10, 3)
    told = recorder.wait(1)
    check("'out.mcap' was shortened" in told and "6 messages were read, but" in told, told)
    os.unlink("out.mcap")
    remove("any")


TESTS = [roundtrip, patterns, absent, changes, missed, first_missed, late_missed, slow_disk, oversized, idle, syscalls, killed, full_disk,
         full_file, split, progress, before, clock_step, synced, stopped_reader, fifo, removed, refusals, truncated, other_user]


def main():
    wanted = sys.argv[7:]
    folder = tempfile.mkdtemp(prefix="achrecord.")
    os.chdir(folder)
    try:
        for test in TESTS:
            if not wanted or test.__name__ in wanted:
                print(test.__name__, flush=True)
                test()
    finally:
        for process in started:
            if process.poll() is None:
                process.kill()
                process.wait()
        os.chdir("/")
        shutil.rmtree(folder)
    sys.exit(1 if failures else 0)


main()
