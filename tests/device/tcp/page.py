#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The client in docs/wire-protocol.md works.

page.py SERVER_PROGRAM [TEST ...]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import player as p

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/wire-protocol.md"
TICKER = 'driver ( name "ticker" provides ["position2d:0"] rate 50 )'


def client_of_the_page(program):
    server = p.Server(program, TICKER)
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S).group(1)
    with tempfile.NamedTemporaryFile("w", suffix=".py") as f:
        f.write(code)
        f.flush()
        r = subprocess.run([sys.executable, f.name, "127.0.0.1", str(server.port)],
                           capture_output=True, text=True, timeout=p.LIMIT, check=False)
    assert re.fullmatch(r"at \d+\.\d+ s: \d+\.\d+ m, .* rad\n", r.stdout), (r.stdout, r.stderr)
    server.end()


if __name__ == "__main__":
    sys.exit(p.run([client_of_the_page]))
