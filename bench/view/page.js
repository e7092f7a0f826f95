// SPDX-License-Identifier: BSD-3-Clause
// page.js ACH RECORD-LOAD [SECONDS] [JSON]
// The processor time of ach view, and of a browser with its page: idle channels, and 100 channels at 1 kHz.
"use strict";
const fs = require("fs");
const path = require("path");
const { test, check, connected, eventually, sleep } = require("../../tests/view/page/rig.js");

const CHANNELS = 100, HZ = 1000, SIZE = 64;
const TICKS = 100; // per second, in /proc, on all machines that Debian runs on

function cpuOf(pid) {
    const after = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\)/s, "").trim().split(" ");
    return (Number(after[11]) + Number(after[12])) / TICKS;
}

// {pid: seconds} of the browser, which has many processes.
function cpuOfBrowser() {
    const each = {};
    for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        try {
            if (/chromium|chrome/.test(fs.readFileSync(`/proc/${pid}/comm`, "utf8"))) each[pid] = cpuOf(pid);
        } catch {
            // it has ended
        }
    }
    return each;
}

async function share(server, seconds) {
    const before = [cpuOf(server.pid), cpuOfBrowser()], begin = Date.now();
    await sleep(seconds * 1000);
    const took = (Date.now() - begin) / 1000;
    const browser = Object.entries(cpuOfBrowser()).reduce((sum, [pid, cpu]) => sum + cpu - (before[1][pid] ?? 0), 0);
    return { view: (100 * (cpuOf(server.pid) - before[0])) / took, browser: (100 * browser) / took };
}

// The program that puts; its measurement goes on as long as this one.
function load(rig, program, seconds) {
    const child = rig.start(program, [CHANNELS, HZ, SIZE, 1, SIZE].map(String), { stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.write(`${seconds}\n`);
    return child;
}

async function watchAll(page) {
    await page.evaluate((n) => {
        window.heard = 0;
        for (let i = 0; i < n; i++) window.achView.subscriptions.watch(`load${i}`, 20, () => window.heard++);
    }, CHANNELS);
    await eventually("messages arrive", () => page.evaluate(() => window.heard > 1000));
}

test("the viewer's processor time", async (rig, program) => {
    const seconds = Number(process.argv[4] ?? 10), rows = [];
    const measure = async (what, server) => {
        const row = { what, ...(await share(server, seconds)) };
        rows.push(row);
        console.log(`${what.padEnd(44)} ach view ${row.view.toFixed(2).padStart(6)} %   browser ${row.browser.toFixed(1).padStart(6)} %`);
    };
    for (let i = 0; i < CHANNELS; i++) rig.run("mk", "-m", "64", "-n", String(SIZE), `load${i}`);
    rig.run("mk", "-m", "8", "-n", String(SIZE), "image");
    const server = await rig.view();
    await measure("100 idle channels, no page", server);
    let page = await rig.page(server.url);
    await connected(page);
    await page.waitForSelector('.channel[data-name="load99"]', { state: "attached" });
    await sleep(2000);
    await measure("100 idle channels, the page open", server);
    await page.context().close();
    const busy = load(rig, program, 3 * seconds + 120);
    await eventually("messages are put", () => busy.output.includes("ready"));
    await sleep(1000);
    await measure("100 channels at 1 kHz, no page", server);
    page = await rig.page(server.url);
    await connected(page);
    await eventually("the page shows rates", async () => /Hz/.test(await page.textContent('.channel[data-name="load99"]')));
    await sleep(2000);
    await measure("100 channels at 1 kHz, the page open", server);
    await watchAll(page);
    await measure("and all of them watched, 20 times a second", server);
    check(busy.exitCode === null, "the channels were busy all the time");
    if (process.argv[5]) fs.writeFileSync(process.argv[5], JSON.stringify({ rows }, null, 1));
});
