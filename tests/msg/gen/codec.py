#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Headers of ach gen beside Cyclone DDS and libachmsg, for all definitions in directories.

codec.py ACH INCLUDE LIBRARIES CYCLONE ROUNDS PACKAGE_DIRECTORY ...

Makes one header of all definitions, the same as IDL, and functions that fill the structs of both
with the same random values; compiles all of it with codec.c, and runs it. The definitions are
parsed here again, independent of ach. LIBRARIES is a list of libraries and of directories,
separated by colons. CYCLONE is 'need', 'use' (if it is installed) or 'without'. In place of
directories, 'random SEED COUNT' makes definitions of its own.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCALARS = {  # of ROS: (of IDL, size)
    "bool": ("boolean", 1), "byte": ("octet", 1), "char": ("uint8", 1), "int8": ("int8", 1),
    "uint8": ("uint8", 1), "int16": ("int16", 2), "uint16": ("uint16", 2), "int32": ("int32", 4),
    "uint32": ("uint32", 4), "int64": ("int64", 8), "uint64": ("uint64", 8),
    "float32": ("float", 4), "float64": ("double", 8)}
TIMES = {"time": "Time", "duration": "Duration", "builtin_interfaces/Time": "Time",
         "builtin_interfaces/Duration": "Duration"}
NO_LIMIT = 1 << 31
KEYWORDS = {"default", "class", "int", "for", "switch", "new", "private", "bool", "errno", "unix"}
FIELD = re.compile(r"([\w/]+)(<=\d+)?(\[(<=)?(\d*)\])?\s+(\w+)(\s*=.*)?")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


class Field:
    def __init__(self, package, match):
        self.base, bound, array, upper, count, self.name, _ = match.groups()
        self.base = self.base.replace("/msg/", "/")
        if self.base == "Header":
            self.base = "std_msgs/Header"
        elif self.base not in SCALARS and self.base not in ("string", "time", "duration") \
                and "/" not in self.base:
            self.base = f"{package}/{self.base}"
        self.string_limit = int(bound[2:]) if bound else NO_LIMIT
        self.array = "" if not array else "sequence" if upper or not count else "fixed"
        self.count = int(count) if count else NO_LIMIT if array else 1
        self.c = self.name + ("_" if self.name in KEYWORDS else "")


def read_definition(path):
    """(full name, fields) of a file PACKAGE/msg/NAME.msg."""
    package, _, name = path.split("/")[-3:]
    fields = []
    for line in open(path, encoding="utf-8", errors="replace"):
        match = FIELD.match(line.strip())
        if match and not match.group(7):
            fields.append(Field(package, match))
    if not fields:
        fields = [Field(package, FIELD.match("uint8 structure_needs_at_least_one_member"))]
    return f"{package}/{name[:-4]}", fields


def read_all(files):
    """{full name: fields} of the files, and of those that they use: they are beside them."""
    definitions, files = {}, list(files)
    for path in files:  # grows
        full, fields = read_definition(path)
        definitions[full] = fields
        for f in fields:
            beside = f"{os.path.dirname(path)}/../../{f.base.replace('/', '/msg/')}.msg"
            used = os.path.normpath(beside)
            if "/" in f.base and f.base not in TIMES and used not in files:
                files.append(used)
    return definitions, files


def in_order(definitions):
    """Definitions, each after those that it uses."""
    done = []

    def add(name):
        if name in done or name not in definitions:
            return
        for f in definitions[name]:
            add(f.base)
        done.append(name)

    for name in sorted(definitions):
        add(name)
    return done


def snake(full):
    package, name = full.split("/")
    name = re.sub("(.)([A-Z][a-z]+)", r"\1_\2", name)
    return f"{package}_" + re.sub("([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def other(full):
    """The type of C that idlc makes."""
    return full.replace("/", "_S_")


def random_type(rng, used):
    """A type, with or without an array."""
    base = rng.choice(sorted(SCALARS) + ["string", "string<=3", "time"] + used)
    return base + rng.choice(["", "", "", "", "[2]", "[3]", "[]", "[<=3]"])


def random_fixed_type(rng, used):
    """The same for messages of fixed size, mostly."""
    return rng.choice(sorted(SCALARS) + 3 * used) + rng.choice(["", "", "[2]", "[3]"])


def random_definitions(directory, seed, count):
    """Definitions that use earlier ones. Those of fixed size use only those of fixed size."""
    rng = random.Random(seed)
    os.makedirs(directory)
    used = {"Fixed": [], "Any": []}
    for i in range(count):
        kind = rng.choice(sorted(used))
        make = random_fixed_type if kind == "Fixed" else random_type
        # Only the last ones, and at most five levels: sizes grow with each.
        earlier = used["Fixed"][-6:] + (used["Any"][-6:] if kind == "Any" else [])
        earlier = earlier if i % 6 else []
        if i % 6 == 0:
            used = {"Fixed": [], "Any": []}
        with open(f"{directory}/{kind}{i}.msg", "w") as f:
            for k in range(rng.randint(1, 5)):
                f.write(f"{make(rng, earlier)} f{k}\n")
        used[kind].append(f"{kind}{i}")


def idl_base(f):
    if f.base in SCALARS:
        return SCALARS[f.base][0]
    if f.base == "string":
        return "string" if f.string_limit == NO_LIMIT else f"string<{f.string_limit}>"
    if f.base in TIMES:
        return "times::S_" + TIMES[f.base]
    return f.base.replace("/", "::S_")


def idl_member(f):
    base = idl_base(f)
    if f.array == "sequence":
        limit = "" if f.count == NO_LIMIT else f", {f.count}"
        return f"sequence<{base}{limit} > f_{f.name};"  # ">>" would be one word
    return f"{base} f_{f.name}{'[%d]' % f.count if f.array else ''};"


def make_idl(definitions, out):
    out.write("module times { struct S_Time { int32 sec; uint32 nanosec; };\n"
              "struct S_Duration { int32 sec; uint32 nanosec; }; };\n")
    for full in in_order(definitions):
        package, name = full.split("/")
        members = " ".join(idl_member(f) for f in definitions[full])
        out.write(f"module {package} {{ struct S_{name} {{ {members} }}; }};\n")


def c_type(f):
    """The element of ours and of the other."""
    if f.base == "string":
        bounded = f.string_limit != NO_LIMIT
        return "ach_cdr_string_t", f"bounded_{f.string_limit}" if bounded else "char *"
    if f.base in TIMES:
        return "ach_cdr_time_t", "times_S_" + TIMES[f.base]
    if f.base in SCALARS:
        return f"uint{8 * SCALARS[f.base][1]}_t", f"uint{8 * SCALARS[f.base][1]}_t"
    return "struct " + snake(f.base), other(f.base)


def fill_element(f, ours, theirs):
    """Statements that fill one element; ours and theirs are lvalues."""
    if f.base == "bool":
        return f"{ours} = subject_bool(); OTHER({theirs} = {ours};)"
    if f.base in SCALARS or f.base in TIMES:
        return (f"subject_bytes(&{ours}, sizeof({ours})); "
                f"OTHER(memcpy(&{theirs}, &{ours}, sizeof({ours}));)")
    if f.base == "string" and f.string_limit != NO_LIMIT:
        return f"text = subject_text(&{ours}, {f.string_limit}); OTHER(strcpy({theirs}, text);)"
    if f.base == "string":
        return f"text = subject_text(&{ours}, {NO_LIMIT}u); OTHER({theirs} = text;)"
    return f"fill_{snake(f.base)}(&{ours}, OTHER_OR_NULL(&{theirs}));"


def fill_field(f):
    ours, theirs = f"m->{f.c}", f"o->f_{f.name}"
    if not f.array:
        return f"    {fill_element(f, ours, theirs)}\n"
    loop = "for (i = 0; i < {}; i++) {{ {} }}\n"
    if f.array == "fixed":
        return "    " + loop.format(f.count, fill_element(f, ours + "[i]", theirs + "[i]"))
    mine, its = c_type(f)
    body = loop.format("n", fill_element(f, "a[i]", "b[i]"))
    its_own = f"{its} *b = ({its} *)subject_memory(n * sizeof({its}) + 1);"
    return (f"    {{ uint32_t n = subject_count_to({f.count}u);\n"
            f"      {mine} *a = ({mine} *)subject_memory(n * sizeof({mine}) + 1);\n"
            f"      OTHER({its_own})\n"
            f"      {body}"
            f"      {ours}.data = (const void *)a; {ours}.count = n;\n"
            f"      OTHER({theirs}._buffer = (void *)b; {theirs}._length = n;"
            f" {theirs}._maximum = n;)"
            f" }}\n")


def make_fill(full, fields, out):
    n = snake(full)
    out.write(f"static void fill_{n}(void *ours, void *theirs)\n{{\n"
              f"    struct {n} *m = (struct {n} *)ours;\n"
              f"    OTHER({other(full)} *o = ({other(full)} *)theirs;)\n"
              f"    uint32_t i = 0;\n    char *text = NULL;\n\n"
              + "".join(fill_field(f) for f in fields) +
              "    (void)i;\n    (void)text;\n    (void)theirs;\n}\n\n")


def make_subject(full, out):
    n = snake(full)
    out.write(f"static enum ach_status encode_{n}(const void *m, void *b, size_t r, size_t *s)\n"
              f"{{\n    return {n}_encode((const struct {n} *)m, b, r, s);\n}}\n"
              f"static enum ach_status decode_{n}(void *m, const void *b, size_t n, "
              f"ach_cdr_memory_t *memory)\n{{\n"
              f"#ifdef {n.upper()}_CDR_SIZE\n    memory->needed = 0;\n"
              f"    return {n}_decode((struct {n} *)m, b, n);\n#else\n"
              f"    return {n}_decode((struct {n} *)m, b, n, memory);\n#endif\n}}\n\n")


def make_table(definitions, out):
    out.write('#include "all.h"\n#include "subject.h"\n'
              '#ifdef CYCLONE\n#include "all_idl.h"\n'
              "#define OTHER(...) __VA_ARGS__\n#define OTHER_OR_NULL(x) x\n"
              "#else\n#define OTHER(...)\n#define OTHER_OR_NULL(x) NULL\n#endif\n\n")
    limits = {f.string_limit for fields in definitions.values() for f in fields} - {NO_LIMIT}
    for limit in sorted(limits):
        out.write(f"typedef char bounded_{limit}[{limit + 1}];\n")
    order = in_order(definitions)
    for full in order:
        make_fill(full, definitions[full], out)
        make_subject(full, out)
    out.write("const struct subject subjects[] = {\n")
    for full in order:
        n, o = snake(full), other(full)
        out.write(f"    {{{n}_type, sizeof(struct {n}),\n#ifdef CYCLONE\n     sizeof({o}),\n"
                  f"#else\n     0,\n#endif\n     fill_{n}, encode_{n}, decode_{n},\n"
                  f"#ifdef CYCLONE\n     &{o}_desc,\n#else\n     NULL,\n#endif\n"
                  f"#ifdef {n.upper()}_CDR_SIZE\n     {n.upper()}_CDR_SIZE\n"
                  f"#else\n     0\n#endif\n    }},\n")
    out.write(f"}};\nconst size_t subject_count = {len(order)};\n")


def run(*command, **more):
    done = subprocess.run(command, **more)
    if done.returncode:
        print(f"failed with {done.returncode}: {' '.join(command)[:400]}")
        sys.exit(done.returncode if done.returncode == 77 else 1)


def can(*command):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def compile_alone(tmp, include):
    """The header as C and C++, with all warnings, and where 8 bytes are aligned to 4."""
    with open(f"{tmp}/alone.c", "w") as f:
        f.write('#define _GNU_SOURCE 1\n#include <unistd.h>\n#include <time.h>\n'
                '#include "all.h"\n#include "all.h"\nint nothing;\n')
    for compiler, language, std in (("gcc", "c", "c11"), ("clang", "c", "c11"),
                                    ("g++", "c++", "c++17"), ("clang++", "c++", "c++17"),
                                    ("i686-linux-gnu-gcc", "c", "c11")):
        if shutil.which(compiler):
            run(compiler, "-x", language, f"-std={std}", "-Wall", "-Wextra", "-pedantic",
                "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only", f"-I{include}", f"-I{tmp}",
                f"{tmp}/alone.c")


PROBE = """#include <dds/dds.h>
#include <dds/ddsi/ddsi_cdrstream.h>
#include <dds/ddsi/q_protocol.h>
int main(void)
{
    dds_ostreamLE_t os;
    dds_ostreamLE_init(&os, 0, CDR_ENC_VERSION_1);
    return dds_stream_writeLE(&os, NULL, NULL) != NULL;
}
"""


def cyclone_flags(tmp):
    """The compiler's flags for Cyclone DDS, if it has the functions of release 0.10."""
    if not shutil.which("idlc") or not can("pkg-config", "--exists", "CycloneDDS"):
        return []
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "CycloneDDS"], check=True,
                           capture_output=True, text=True).stdout.split()
    with open(f"{tmp}/probe.c", "w") as f:
        f.write(PROBE)
    return flags if can("cc", f"{tmp}/probe.c", "-o", f"{tmp}/probe", *flags) else []


def use_cyclone(wanted, tmp):
    flags = cyclone_flags(tmp) if wanted != "without" else []
    if flags:
        run("idlc", "-x", "final", "-l", "c", "all_idl.idl", cwd=tmp)
        return ["-DCYCLONE", f"{tmp}/all_idl.c"] + flags
    if wanted == "need":
        skip("there is no Cyclone DDS 0.10: packages cyclonedds-dev and cyclonedds-tools")
    print("without Cyclone DDS")
    return []


def link_flags(libraries):
    flags = []
    for word in libraries.split(":"):
        flags += [word, f"-Wl,-rpath,{os.path.dirname(word)}"]
    return flags


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the directory is removed
    *common, what, first, count = sys.argv[1:]
    if what != "random":
        with tempfile.TemporaryDirectory() as tmp:
            check(tmp, *sys.argv[1:])
        return
    seeds = max(1, int(os.environ.get("ACH_TEST_SCALE", 100)) // 100)
    for seed in range(int(first), int(first) + seeds):
        print(f"random definitions, seed {seed}")
        with tempfile.TemporaryDirectory() as tmp:
            directory = f"{tmp}/random_msgs/msg"
            random_definitions(directory, seed, int(count))
            check(tmp, *common, directory)


def check(tmp, ach, include, libraries, cyclone, rounds, *packages):
    files = sorted(f"{p}/{n}" for p in packages if os.path.isdir(p) for n in os.listdir(p)
                   if n.endswith(".msg"))
    if not files or not all(map(os.path.isdir, packages)):
        skip(f"not all of these are installed: {' '.join(packages)}")
    definitions, files = read_all(files)
    run(ach, "gen", "--full-names", "--output", f"{tmp}/all.h", *files)
    compile_alone(tmp, include)
    with open(f"{tmp}/all_idl.idl", "w") as f:
        make_idl(definitions, f)
    with open(f"{tmp}/subjects.c", "w") as f:
        make_table(definitions, f)
    other_flags = use_cyclone(cyclone, tmp)
    sane = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    with open(f"{tmp}/empty.c", "w") as f:
        f.write("int main(void) { return 0; }\n")
    if not can("cc", *sane, f"{tmp}/empty.c", "-o", f"{tmp}/empty"):
        sane = []
    run("cc", "-std=gnu11", "-g", "-O1", *sane, f"-I{include}", f"-I{tmp}", f"-I{HERE}",
        f"-I{HERE}/../../support", f"{tmp}/subjects.c", f"{HERE}/codec.c", "-o", f"{tmp}/codec",
        *other_flags, *link_flags(libraries), "-lpthread")
    sys.stdout.flush()
    run(f"{tmp}/codec", rounds, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})


if __name__ == "__main__":
    main()
