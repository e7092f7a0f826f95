#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Threads and processes that cannot take part in the simulation fail the run, with a reason."""
import resource

from coordinator import Run, check, controller, main, path, world

PYTHON = "/usr/bin/python3"
THREADS = """
import resource, sys, threading, time
threads = [threading.Thread(target=time.sleep, args=(0.5,)) for _ in range(int(sys.argv[1]))]
for t in threads:
    t.start()
for t in threads:
    t.join()
print("all ended, limit", resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""
NO_DESCRIPTORS = """
import os, resource, sys, threading, time
resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
try:
    while True:
        os.dup(0)
except OSError:
    pass
if sys.argv[1] == "fork":
    pid = os.fork()
    if pid == 0:
        time.sleep(0.5)
        os._exit(0)
    print("child ended with", os.waitpid(pid, 0)[1])
else:
    t = threading.Thread(target=time.sleep, args=(0.5,))
    t.start()
    t.join()
    print("thread ended")
"""
MODELS = dict(measured={}, declared=dict(model="declared"))


def limited(soft, hard):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def run(program, argument, before=None, **options):
    cost = dict(cost=0.0001) if options else {}
    with open(path("program.py"), "w", encoding="utf-8") as f:
        f.write(program)
    return Run(world(controller("c", [PYTHON, path("program.py"), argument], **cost), **options),
               before=before)


def soft_limit():
    """The coordinator raises its own soft limit, not that of controllers."""
    for options in MODELS.values():
        run(THREADS, "60", limited(100, 4000), **options).expect(0, "all ended, limit 100")


def hard_limit():
    for options in MODELS.values():
        r = run(THREADS, "60", limited(100, 100), **options)
        r.expect(1, "controller c", "cannot take part in the simulation", "ulimit -n")
        check("all ended" not in r.out, "the controller ended well")


def controller_without_descriptors():
    for how in ("thread", "fork"):
        r = run(NO_DESCRIPTORS, how).expect(1, "controller c", "cannot take part in the simulation")
        check("ended" not in r.out, f"{how}: the controller ended well")


main([soft_limit, hard_limit, controller_without_descriptors])
