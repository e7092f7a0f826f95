#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Who may connect to `ach view`: tokens, names, origins, users; and what it tells browsers.

access.py ACH
"""
import encodings.idna  # create_connection loads it
import os
import re
import socket
import subprocess
import sys
import unittest

from websocket import LIMIT, Refused, View, WebSocket, answer, request

ACH = sys.argv[1]
NOBODY = 65534
PROTOCOLS = ("ach.view.v1", "foxglove.websocket.v1", "foxglove.sdk.v1")


def as_nobody(*calls):
    """What calls give in a process of another user. It imports nothing: it may not read files."""
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        for call in calls:
            try:
                said = repr(call())
            except Exception as e:  # pylint: disable=broad-except
                said = f"refused: {e}"
            theirs.sendall(said.replace("\n", " ").encode() + b"\n")
        os._exit(0)
    theirs.close()
    ours.settimeout(LIMIT)
    os.waitpid(child, 0)
    with ours, ours.makefile() as f:
        return f.read().splitlines()


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = View(ACH, "--host", "robot.local", "--origin", "https://app.foxglove.dev")

    @classmethod
    def tearDownClass(cls):
        cls.view.stop()
        if cls.view.token in cls.view.errors:
            raise AssertionError("the token is in the log")

    def refused(self, status, protocol="ach.view.v1", **how):
        with self.assertRaises(Refused) as caught:
            self.view.socket(protocol, **how)
        self.assertEqual(caught.exception.status, status, caught.exception.text)
        return caught.exception.text

    def test_token_of_a_request(self):
        view = self.view
        wrong = view.token[:-1] + ("0" if view.token[-1] != "0" else "1")
        for path in ("/", "/page/app.js", "/nothing"):
            for tail in ("", "?token=", f"?token={wrong}", f"?token={view.token}0",
                         f"?token={view.token[:-1]}", f"?other={view.token}"):
                self.assertEqual(request(view.port, path + tail)[0], 401, path + tail)
        for cookie in ("", f"ach-view-token={view.token}", f"ach-view-token-{view.port}={wrong}",
                       f"xach-view-token-{view.port}={view.token}",
                       f"ach-view-token-{view.port}={view.token}x"):
            self.assertEqual(request(view.port, headers={"Cookie": cookie})[0], 401, cookie)
        self.assertEqual(view.request()[0], 200)
        cookie = f"a=b; ach-view-token-{view.port}={view.token}; c=d"
        self.assertEqual(request(view.port, headers={"Cookie": cookie})[0], 200)

    def test_token_moves_into_a_cookie(self):
        status, headers, body = request(self.view.port, f"/?token={self.view.token}")
        self.assertEqual((status, headers["location"], body), (303, "/", b""))
        self.assertEqual(headers["set-cookie"],
                         f"ach-view-token-{self.view.port}={self.view.token}; Path=/; HttpOnly; "
                         "SameSite=Strict")

    def test_token_of_a_socket(self):
        for protocol in PROTOCOLS:
            self.refused(401, protocol, token=None)
            self.refused(401, protocol, token="0" * 32)
            self.view.socket(protocol).close()
            cookie = f"ach-view-token-{self.view.port}={self.view.token}"
            self.view.socket(protocol, token=None, headers={"Cookie": cookie}).close()

    def test_host(self):
        port = self.view.port
        for host in ("evil.example", f"evil.example:{port}", "localhost:", "localhost:65536",
                     f"localhost.evil.example:{port}", f"localhost:{port}.evil.example",
                     f"robot.local.:{port}", "", f":{port}", f"localhost:0{port}",
                     f"localhost@evil.example:{port}", "x" * 1100):
            self.assertIn(self.view.request(host=host or " ")[0], (400, 403), host)
            self.refused(403, host=host or " ")
        for host in ("localhost", "LOCALHOST", "127.0.0.1", "[::1]", "robot.local"):
            for tail in f":{port}", "", ":9000":  # a proxy and a tunnel have ports of their own
                self.assertEqual(self.view.request(host=host + tail)[0], 200, host)
                self.view.socket(host=host + tail).close()

    def test_origin(self):
        port = self.view.port
        for origin in ("http://evil.example", "null", f"https://localhost:{port}",
                       f"http://localhost:{port + 1}", "http://localhost",
                       f"http://localhost:{port}.evil.example", "https://app.foxglove.dev.evil",
                       f"http://127.0.0.1:{port}", "file://", "http://" + "x" * 1100):
            for protocol in PROTOCOLS:
                self.refused(403, protocol, headers={"Origin": origin})
        for origin in (f"http://localhost:{port}", "https://app.foxglove.dev"):
            self.view.socket(headers={"Origin": origin}).close()

    def test_protocols(self):
        for protocol in (None, "http", "loop", "other", "ach.view.v2"):
            self.assertIn("foxglove.sdk.v1", self.refused(400, protocol))
        self.view.socket("other, foxglove.sdk.v1").close()

    def test_methods_and_paths(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
            status = self.view.request(method=method)[0]
            self.assertIn(status, (0, 405), method)
        for path in ("/page/", "/page/../main.c", "/page/%2e%2e/x", "/index.html", "/etc/passwd",
                     "//etc/passwd", "/page/" + "x" * 300):
            self.assertEqual(self.view.request(path)[0], 404, path)

    def test_headers(self):
        for token in (True, False):
            headers = self.view.request(token=token)[1]
            policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
            self.assertEqual(policy["default-src"], "'self'")
            self.assertEqual(policy["connect-src"], f"'self' ws://localhost:{self.view.port}")
            self.assertEqual(policy["frame-ancestors"], "'none'")
            self.assertNotIn("unsafe", headers["content-security-policy"])
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["cache-control"], "no-store")
            self.assertEqual(headers["referrer-policy"], "no-referrer")

    def test_files(self):
        types = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
                 "svg": "image/svg+xml", "html": "text/html; charset=utf-8"}
        status, headers, page = self.view.request("/")
        self.assertEqual((status, headers["content-type"]), (200, types["html"]))
        self.assertTrue(page.startswith(b"<!"))
        for name in set(re.findall(rb'(?:src|href)="/?(page/[\w.-]+)"', page)):
            status, headers, body = self.view.request("/" + name.decode())
            self.assertEqual(status, 200, name)
            self.assertEqual(headers["content-type"], types[name.decode().rsplit(".")[-1]])
            self.assertEqual(len(body), int(headers["content-length"]))

    def test_loopback_only(self):
        listening = [line.split()[1] for table in ("tcp", "tcp6")
                     for line in open(f"/proc/net/{table}").readlines()[1:]
                     if line.split()[3] == "0A" and
                     int(line.split()[1].split(":")[1], 16) == self.view.port]
        self.assertIn(f"0100007F:{self.view.port:04X}", listening)
        self.assertLessEqual(set(listening), {f"0100007F:{self.view.port:04X}",
                                              f"00000000000000000000000001000000:{self.view.port:04X}"})
        if len(listening) == 2:
            with WebSocket(self.view.port, "ach.view.v1", self.view.token, address="::1",
                           host=f"[::1]:{self.view.port}") as w:
                w.op("hello")

    def test_not_on_the_command_line(self):
        with open(f"/proc/{self.view.process.pid}/cmdline") as f:
            self.assertNotIn(self.view.token, f.read())

    @unittest.skipIf(os.geteuid() != 0, "another user is needed, so root")
    def test_other_users(self):
        lines = as_nobody(lambda: request(self.view.port, f"/?token={self.view.token}"),
                          lambda: self.view.socket())
        self.assertIn("403", lines[0])
        self.assertIn("another user", lines[0])
        self.assertIn("refused", lines[1])


class Options(unittest.TestCase):
    def fails(self, *words):
        run = subprocess.run([ACH, "view", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, timeout=LIMIT)
        self.assertEqual(run.stdout, "")
        return run.returncode, run.stderr

    def test_wrong_use(self):
        for words in (["--bind", "0.0.0.0"], ["--bind", "192.0.2.1"], ["--bind", "::"],
                      ["--port", "65536"], ["--port", "x"], ["--origin", "evil"],
                      ["--origin", "http://a/b"], ["--host", "a:1"], ["--host", "a b"],
                      ["--clients", "0"], ["--queue", "1"], ["--nothing"], ["--write", ""],
                      ["a.mcap", "b"], ["--drive", "a.mcap"]):
            status, errors = self.fails(*words)
            self.assertEqual(status, 2, f"{words}: {errors}")
            self.assertTrue(errors.startswith("ach view: ") or "ach view:" in errors, errors)
        self.assertIn("ssh -L", self.fails("--bind", "0.0.0.0")[1])

    def test_failures(self):
        status, errors = self.fails("/nowhere/drive.mcap")
        self.assertEqual((status, errors),
                         (1, "ach view: /nowhere/drive.mcap: No such file or directory\n"))
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            status, errors = self.fails("--port", str(s.getsockname()[1]))
        self.assertEqual(status, 1)
        self.assertIn("--port", errors)

    def test_nobody_can_read_the_address(self):
        for where in ("/dev/full", "&-"):
            run = subprocess.run(["sh", "-c", f'exec "$1" view --port 0 >{where}', "sh", ACH],
                                 stderr=subprocess.PIPE, text=True, timeout=LIMIT)
            self.assertEqual((run.returncode, run.stderr.startswith("ach view: cannot write the address")),
                             (1, True), run.stderr)

    def test_beyond_loopback(self):
        with View(ACH, "--bind", "0.0.0.0", "--insecure-network", "--host", "robot") as view:
            self.assertIn("http://robot:", view.url)
            self.assertEqual(view.request(host=f"robot:{view.port}")[0], 200)
            self.assertEqual(request(view.port, host=f"robot:{view.port}")[0], 401)

    def test_clients(self):
        with View(ACH, "--clients", "2") as view:
            first, second = view.socket(), view.socket("foxglove.sdk.v1")
            with self.assertRaises(Refused) as caught:
                view.socket()
            self.assertEqual(caught.exception.status, 503)
            first.close()
            second.op("advertise")
            second.close()

    def test_handshakes_that_never_end(self):
        """Connections that say nothing are few and short, and do not keep others out."""
        with View(ACH) as view:
            silent = [socket.create_connection(("127.0.0.1", view.port), LIMIT) for _ in range(100)]
            statuses = []
            for s in silent:
                s.settimeout(LIMIT)
                statuses.append(answer(s)[0])
                s.close()
            self.assertIn(503, statuses)
            view.socket().op("hello")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], warnings="ignore")
