#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make a C array of the files of the page.

assets.py OUTPUT FILE...

index.html is served as /, the others as /page/PATH: all below the folder of index.html.
"""
import os
import sys

TYPES = {
    "": "text/plain; charset=utf-8",  # LICENSE
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}


def literal(data):
    lines = (data[i:i + 24] for i in range(0, len(data), 24))
    return ",\n".join("    " + ",".join(str(b) for b in line) for line in lines) or "    0"


def main():
    output, files = sys.argv[1], sys.argv[2:]
    arrays, entries = [], []
    folder = os.path.dirname(next(f for f in files if os.path.basename(f) == "index.html"))
    for number, name in enumerate(sorted(files)):
        base = os.path.relpath(name, folder)
        kind = TYPES.get(os.path.splitext(base)[1])
        if not kind:
            sys.exit(f"assets.py: {base}: the type of such files is not known; add it to TYPES")
        with open(name, "rb") as f:
            data = f.read()
        path = "/" if base == "index.html" else "/page/" + base
        arrays.append(f"static const unsigned char asset_{number}[] = {{\n{literal(data)}}};\n")
        entries.append(f'    {{"{path}", "{kind}", asset_{number}, {len(data)}}},\n')
    with open(output, "w", encoding="ascii") as f:
        f.write('/* Made by assets.py. */\n#include "assets.h"\n\n')
        f.write("\n".join(arrays))
        f.write("\nconst struct view_asset view_assets[] = {\n" + "".join(entries) + "    {0},\n};\n")


if __name__ == "__main__":
    main()
