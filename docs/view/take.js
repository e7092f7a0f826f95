// SPDX-License-Identifier: BSD-3-Clause
// take.js ACH SINE ACHD   Take the pictures of docs/view.md: a robot that drives, channels of two machines, and a recording.
//
// ../../tests/npm/run take.js BUILD/src/cli/ach BUILD/tests/view/page/page-sine BUILD/src/relay/achd
"use strict";
const fs = require("fs");
const path = require("path");
const { test, check, checkErrors, connected, eventually, sleep } = require("../../tests/view/page/rig.js");

const DESKTOP = { width: 1440, height: 900 }, PHONE = { width: 390, height: 844 };
const SINE = "float64 time\nfloat64 value\n";
const GOALS = [[5.1, -1.4], [8, -6.4], [13.6, -9.4], [8, -6.4]]; // m, seen from where it began
const ROBOT = path.join(__dirname, "robot.cfg"), CAMERA = path.join(__dirname, "camera.py");

function typed(rig, name, ...options) {
    rig.run("mk", "--frames", "4096", "--size", "64", "--timestamps", "--type", "demo/msg/Sine", "--schema", "Sine.msg", ...options, name);
}

// A machine of its own, whose channel comes through the relay.
async function neighbour(rig, sine, achd) {
    const ACH_DIR = fs.mkdtempSync("/dev/shm/ach-neighbour-"), env = { ...process.env, ACH_DIR };
    const port = String(20000 + (process.pid % 10000));
    rig.neighbour = ACH_DIR;
    await rig.start(rig.ach, ["mk", "--frames", "64", "--size", "64", "--timestamps", "--type", "demo/msg/Sine", "--schema", "Sine.msg", "battery"], { env }).ended;
    rig.start(sine, ["battery", "0.4", "0.1", "50"], { env });
    rig.start(achd, ["-q", "-p", port, "--no-advertise", "serve"], { env });
    await sleep(500);
    rig.start(achd, ["-q", "-p", port, "--no-advertise", "--all", "pull", "localhost", "battery"]);
}

async function robot(rig, sine, achd) {
    const build = path.resolve(path.dirname(rig.ach), "../..");
    fs.writeFileSync(path.join(rig.folder, "Sine.msg"), SINE);
    const server = rig.start(rig.ach, ["serve", "--no-tcp", "--simulated", ROBOT]);
    await eventually("the devices are served", () => /serving 8 devices/.test(server.output));
    rig.start("/usr/bin/python3", [CAMERA, "camera"], { env: { ...process.env, PYTHONPATH: path.join(build, "bindings/python/package") } });
    typed(rig, "motor");
    rig.start(sine, ["motor", "1.5", "0.8", "1000"]);
    await neighbour(rig, sine, achd);
    await eventually("the camera is there", () => fs.readdirSync(process.env.ACH_DIR).includes("achshm-camera"));
}

// From room to room, as long as the pictures take.
function patrol(rig) {
    let next = 0;
    const go = () => {
        const [x, y] = GOALS[next++ % GOALS.length];
        rig.run("dev", "cmd", "position2d:1", "pos", `pos.px=${x}`, `pos.py=${y}`, "state=1");
    };
    go();
    return setInterval(go, 11000);
}

const add = (page, panels) => page.evaluate((panels) => {
    const { workspace } = window.achView;
    workspace.clear();
    for (const [kind, options, size, curves] of panels) {
        const panel = workspace.add(kind, options, size);
        for (const [topic, fields] of curves ?? []) panel.addCurves(topic, fields);
    }
    document.querySelector("#workspace").scrollTo(0, 0);
}, panels);

const WHOLE = [
    ["robot", {}, { w: 8, h: 12 }],
    ["image", { topic: "camera" }, { w: 4, h: 7 }],
    ["drive", { address: "position2d:0" }, { w: 4, h: 7 }],
    ["plot", { window: 5 }, { w: 8, h: 7 }, [["motor", ["value"]], ["position2d:0/odom", ["twist.twist.linear.x", "twist.twist.angular.z"]]]],
    ["joints", { topic: "actarray:0/joint_states" }, { w: 4, h: 5 }],
];
const KINDS = [...WHOLE, ["tree", { topic: "position2d:0/odom" }, { w: 4, h: 8 }]];
const RECORDED = [
    ["robot", {}, { w: 8, h: 13 }],
    ["image", { topic: "camera" }, { w: 4, h: 7 }],
    ["tree", { topic: "position2d:0/odom" }, { w: 4, h: 6 }],
    ["plot", { window: 10 }, { w: 12, h: 6 }, [["position2d:0/odom", ["twist.twist.linear.x", "twist.twist.angular.z"]]]],
];

const picture = (name, scheme) => path.join(__dirname, `${name}-${scheme}.png`);

async function look(rig, url, screen, scheme) {
    const page = await rig.page(url, { ...screen, scheme });
    await connected(page);
    await eventually("the topics are there", () => page.evaluate(() => ["position2d:0/odom", "camera"].every((t) => window.achView.model.names.has(t))));
    return page;
}

// Each panel alone, and the list with a channel unfolded.
async function panels(page, scheme) {
    await add(page, KINDS);
    await sleep(6000);
    for (const [kind] of KINDS) {
        const panel = await page.evaluateHandle((k) => window.achView.workspace.panels.find((p) => p.kind === k).element, kind);
        await panel.scrollIntoViewIfNeeded();
        await sleep(500);
        await panel.screenshot({ path: picture(kind, scheme) });
    }
    await page.click('.channel[data-name="motor"] .row');
    await sleep(3000);
    await (await page.$("#side")).screenshot({ path: picture("list", scheme) });
    await page.click(".link .row");
    await sleep(1500);
    await (await page.$("details:has(.links)")).screenshot({ path: picture("links", scheme) });
}

async function live(rig, url, scheme) {
    const page = await look(rig, url, DESKTOP, scheme);
    await add(page, WHOLE);
    await sleep(7000);
    await page.screenshot({ path: picture("desktop", scheme) });
    await panels(page, scheme);
    checkErrors(page);
    await page.context().close();
    const phone = await look(rig, url, PHONE, scheme);
    await add(phone, [["robot", {}, { w: 12, h: 10 }], ["drive", { address: "position2d:0" }, { w: 12, h: 9 }]]);
    await sleep(4000);
    await phone.screenshot({ path: picture("phone", scheme) });
    await phone.click(".list-button");
    await sleep(1500);
    await phone.screenshot({ path: picture("phone-list", scheme) });
    checkErrors(phone);
    await phone.context().close();
}

async function recording(rig, url, screen, scheme, name) {
    const page = await look(rig, url, screen, scheme);
    await add(page, RECORDED);
    const box = await (await page.waitForSelector(".scrub")).boundingBox();
    await page.mouse.click(box.x + 0.3 * box.width, box.y + box.height / 2);
    await sleep(9000);
    await page.mouse.move(5, 5);
    await page.screenshot({ path: picture(name, scheme) });
    checkErrors(page);
    await page.context().close();
}

test("pictures", async (rig, sine, achd) => {
    await robot(rig, sine, achd);
    const recorder = rig.start(rig.ach, ["record", "-a", "-o", "drive.mcap"]);
    const patrolling = patrol(rig);
    await sleep(15000);
    const server = await rig.view("--drive");
    for (const scheme of ["dark", "light"]) await live(rig, server.url, scheme);
    clearInterval(patrolling);
    await rig.stop(server);
    await rig.stop(recorder, "SIGINT");
    check(recorder.exitCode === 0, `it is recorded: ${recorder.errors}`);
    const player = await rig.view("./drive.mcap");
    for (const scheme of ["dark", "light"]) {
        await recording(rig, player.url, DESKTOP, scheme, "recording");
        await recording(rig, player.url, PHONE, scheme, "phone-recording");
    }
    fs.rmSync(rig.neighbour, { recursive: true });
});
