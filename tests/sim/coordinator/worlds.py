#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Invalid world files are refused with the line number, and nothing is started."""
import os

from coordinator import (ACTOR, Run, arm, channel, check, controller, main, nothing_left, path,
                         section, sim, world)

FINE = controller("a", "steps", 3)


def wrong(text, *words):
    """The world file is refused, with these words in the error."""
    with open(path("wrong.cfg"), "w", encoding="utf-8") as f:
        f.write(text)
    r = Run(path("wrong.cfg")).expect(1, *words)
    check("Traceback" not in r.err and "is left" not in r.err, r.err)
    return r


def wrong_line(text, line, *words):
    r = wrong(text, *words)
    check(f"wrong.cfg:{line}:" in r.err, f"no line {line}: {r.err!r}")
    lines = [one.split("wrong.cfg:")[-1] for one in r.err.splitlines()]
    check(len(lines) == len(set(lines)), f"told twice: {r.err!r}")


def in_world(option, *words):
    wrong_line(f'world\n(\n  duration 0.01\n  {option}\n)\n{FINE}', 4, option.split()[0], *words)


def in_controller(option, *words, command=f'["{ACTOR}" "steps" "3"]'):
    wrong_line(f'world ( )\ncontroller\n(\n  name "a"\n  command {command}\n  {option}\n)\n', 6,
               option.split()[0], *words)


def files():
    wrong("", 'wrong.cfg: no section "world"')
    wrong("# nothing\n", "world")
    wrong(FINE, "world")
    wrong("world ( )\n", "wrong.cfg: ", "duration")
    wrong_line("world (\n", 2, "line 1")
    wrong_line("world ( duration )\n", 1)
    wrong_line('world ( name "a\n', 1)
    Run(path("absent.cfg")).expect(1, "absent.cfg")
    Run("/").expect(1, "/")
    Run("/dev/null").expect(1, "world")


def options_of_world():
    for bad in ("-1", "2e9", "nan", "inf", "1e300", '"soon"'):
        in_world(f"slice {bad}")
        in_world(f"hang {bad}") if bad not in ("2e9", "inf", "1e300") else None
        in_world(f"epoch {bad}") if bad not in ("-1", "2e9") else None
    for bad in ("-1", "nan", '"fast"'):
        in_world(f"speed {bad}")
    in_world("slice 0", "microsecond")
    in_world('model "guessed"', "measured, declared or free")
    in_world("cores [4000]", "core")
    in_world("cores [-1]", "core")
    in_world('cores ["x"]')
    in_world("cores [0.5]")
    for name in ("", "a b", "a/b", "..", "ä", "x" * 32, "x" * 5000):
        in_world(f'name "{name}"', "31 letters")
    in_world("robot -1")
    in_world("seed 1e300")
    wrong_line(f"world\n(\n  duration -1\n)\n{FINE}", 3, "duration")
    wrong_line(f"world\n(\n  duration 1e10\n)\n{FINE}", 3, "duration")


def options_of_controllers():
    in_controller("cost -1")
    in_controller("period -0.001")
    in_controller("period 3601")
    in_controller("budget nan")
    in_controller('overrun "forgive"', "report, suspend or end")
    in_controller('outside "world"', "wall, wait or leave")
    in_controller('model "x"', "measured, declared or free")
    in_controller("core 4000", "core")
    wrong_line('world ( )\ncontroller\n(\n  name "a"\n  command ["true"]\n'
               '  model "declared"\n)\n', 2, "cost")
    wrong_line('world ( )\ncontroller\n(\n  name "a"\n  command ["true"]\n'
               '  overrun "suspend"\n)\n', 2, "period")
    for name in ("", "a b", "x" * 32, "a\\n"):
        wrong_line(f'world ( )\ncontroller\n(\n  command ["true"]\n  name "{name}"\n)\n', 5, "name")
    wrong_line('world ( )\ncontroller\n(\n  command ["true"]\n)\n', 2, "name")
    wrong_line('world ( )\ncontroller\n(\n  name "a"\n)\n', 2, "command")
    wrong_line('world ( )\ncontroller\n(\n  name "a"\n  command []\n)\n', 5, "command")
    wrong_line('world ( )\ncontroller\n(\n  name "a"\n  command [""]\n)\n', 5, "command")


def model_of_command_line():
    """A cost is required only if the model is "declared", in the file or by -M."""
    text = 'world ( %s )\ncontroller\n(\n  name "a"\n  command ["%s" "steps" "3"]\n)\n'
    with open(path("wrong.cfg"), "w", encoding="utf-8") as f:
        f.write(text % ("", ACTOR))
    for option in ("-M", "--model"):
        Run(path("wrong.cfg"), option, "declared").expect(
            1, "wrong.cfg:2:", "no 'cost'", "the seconds that a cycle takes")
    with open(path("wrong.cfg"), "w", encoding="utf-8") as f:
        f.write(text % ('model "declared"', ACTOR))
    Run(path("wrong.cfg")).expect(1, "wrong.cfg:2:", "no 'cost'")
    for options in (("-M", "measured"), ("-M", "free"), ("--callback",)):
        Run(path("wrong.cfg"), *options).expect(0, "3 cycles")


def several():
    wrong_line(f"world ( )\n{FINE}{FINE}", 9, "a name that no other controller has")
    many = "".join(controller(f"c{i}", "steps", 1) for i in range(257))
    wrong(f"world ( )\n{many}", "256 controllers at most")
    wrong_line(f"world ( duration 1 )\nworld ( duration 2 )\n{FINE}", 2, "world")


def unknown_words():
    """Unknown words are reported with their line; the run goes on, as in the device server."""
    text = f'world\n(\n  duration 0.01\n  durration 5\n)\ncontroler ( name "x" )\n{FINE}'
    with open(path("odd.cfg"), "w", encoding="utf-8") as f:
        f.write(text)
    r = Run(path("odd.cfg")).expect(0, "odd.cfg:4:", "durration")
    check("odd.cfg:6:" in r.err and "controler" in r.err, f"no word of the section: {r.err!r}")


def programs():
    Run(world(controller("a", ["/nowhere/program"]))).expect(
        1, "controller a", "/nowhere/program", "No such file")
    Run(world(FINE, controller("b", ["program-that-is-not-there"]))).expect(
        1, "controller b", "No such file")
    Run(world(controller("a", ["/tmp"]))).expect(1, "controller a", "Permission denied")
    with open(path("text"), "w", encoding="utf-8") as f:
        f.write("no program\n")
    os.chmod(path("text"), 0o755)
    Run(world(controller("a", [path("text")]))).expect(1, "controller a")
    Run(world(controller("a", [ACTOR, "x" * 300000]))).expect(1, "controller a")


def parts_of_the_world():
    wrong_line('world ( duration 1 )\nphysics ( name "a" engine "steam" )\n', 2, "steam")
    wrong_line('world ( duration 1 )\nphysics ( engine "pendulum" )\n', 2, "name")
    wrong_line('world ( duration 1 )\nphysics ( name "a" engine "pendulum" mass -1 )\n', 2, "mass")
    wrong_line('world ( duration 1 )\nphysics ( name "a" engine "pendulum" )\n'
               'driver ( name "sim_joints" provides ["actarray:0"] physics "b" )\n', 3, "physics")
    wrong_line('world ( duration 1 )\nphysics ( name "a" engine "pendulum" )\n'
               'physics ( name "a" engine "pendulum" )\n', 3, "name")
    wrong_line('world ( duration 1 )\ndriver ( name "no_such_driver" provides ["laser:0"] )\n', 2,
               "no_such_driver")
    Run(world(arm(), duration=0.1)).expect(0, "0.100000 s")


def durations():
    """A duration on the command line is enough."""
    Run(world(arm())).expect(1, "needs a duration")
    Run(world(arm()), "-d", "0.05").expect(0, "0.050000 s")


def engines():
    """The whole error message of an engine is printed, up to its last line."""
    if "mujoco" not in os.environ.get("ENGINES", "").split():
        print("engines: not tried, since it was built without MuJoCo")
        return
    with open(path("bad.xml"), "w", encoding="utf-8") as f:
        f.write("<mujoco>\n<worldbody>\n<nonsense/>\n</worldbody>\n</mujoco>\n")
    r = Run(world(section("physics", name="arm", engine="mujoco", model=path("bad.xml")),
                  duration=0.1)).end()
    check(r.status == 1 and "nonsense" in r.err and "line" in r.err, r.err)


def outputs():
    for option in ("trace", "ledger"):
        Run(world(FINE, **{option: "/nowhere/file"})).expect(1, "/nowhere/file")
        Run(world(FINE), f"--{option}", "/dev/full").expect(1, "/dev/full")
    Run(world(FINE), env={"ACH_SIM_PRELOAD": "/nowhere/library"}).expect(1, "/nowhere/library")


def command_line():
    for words in (["--duration", "x"], ["--duration", "-1"], ["--duration", "nan"],
                  ["--speed", "fast"], ["--model", "x"], ["--nonsense"], ["extra.cfg"]):
        r = Run(world(FINE), *words).end()
        check(r.status == 2 and r.err, f"{words}: status {r.status}: {r.err!r}")
        nothing_left()


def number_of_the_robot():
    """In a controller, an address without a number means the world's robot."""
    number = 40000 + os.getpid() % 10000
    for address, robot, given, status in (("actarray:0", number, "6665", 0),
                                          (f"{number}:actarray:0", number, "6665", 0),
                                          (f"{number + 1}:actarray:0", number, str(number), 1)):
        sim(world(arm(), controller("a", "pushes", address, 3, "robot.log"), robot=robot),
            env={"ACH_ROBOT": given}).expect(status, *["cannot open"][:status])


def stale_channels():
    """Channels left by a killed simulation are replaced."""
    channel("sim.w.note", 4, 8)
    channel("sim.w.status", 4, 8)
    channel("sim.w.control", 4, 8)
    check(sim(world(FINE)).status == 0, "the channels of another one are in its way")


main([files, options_of_world, options_of_controllers, model_of_command_line, several,
      unknown_words, programs, parts_of_the_world, durations, engines, outputs, command_line,
      number_of_the_robot, stale_channels])
