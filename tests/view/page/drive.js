// SPDX-License-Identifier: BSD-3-Clause
// A simulated robot is driven by clicking: the map shows it, and it stops when the button is let go, the tab is hidden,
// the page falls silent or is gone, or another page stops it. What the robot does is seen by a client of its own.
"use strict";
const fs = require("fs");
const WebSocket = require("ws");
const { test, check, checkErrors, connected, eventually, sleep, LIMIT } = require("./rig.js");

const STILL = 0.02; // m/s and rad/s
const ADDRESS = "position2d:0";

// A second client of the page's protocol: the newest speed and place of the robot.
class Observer {
    place = null;
    speed = 0;
    count = 0;
    told = [];
    #socket;

    constructor(url) {
        const { host, search } = new URL(url);
        this.#socket = new WebSocket(`ws://${host}/${search}`, "ach.view.v1", { origin: `http://${host}` });
        this.#socket.on("message", (data, binary) => binary || this.#take(JSON.parse(data)));
        this.#socket.on("error", (error) => console.log(`observer: ${error.message}`));
    }

    #take(m) {
        if (m.op === "topics") {
            const topic = m.add.find((t) => t.name === `${ADDRESS}/odom`);
            if (topic) this.#socket.send(JSON.stringify({ op: "watch", topic: topic.id, rate: 100 }));
        } else if (m.op === "message" && m.value?.twist) {
            this.place = m.value.pose.pose.position;
            this.speed = Math.abs(m.value.twist.twist.linear.x) + Math.abs(m.value.twist.twist.angular.z);
            this.count++;
        } else if (m.op === "driving") this.told.push(m);
    }

    close() {
        this.#socket.close();
    }

    // Some messages in a row say that it stands.
    stands() {
        let since = null;
        return eventually("the robot stands", () => {
            if (this.speed > STILL) since = null;
            else since ??= this.count;
            return since !== null && this.count > since + 10;
        });
    }
}

const FORWARD = '.pad [aria-label="Forward"]', TURN = '.pad [aria-label="Turn left"]';

async function press(page, button) {
    const box = await (await page.waitForSelector(`${button}:enabled`)).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
}

// A page that stands still on a busy machine lets go, so that its user has to press again.
async function moves(page, observer, begin, end) {
    const drives = () => page.evaluate(() => document.querySelector(".panel.driving") !== null);
    await begin();
    await eventually("the robot moves", async () => {
        if (observer.speed > STILL) return true;
        if (await drives()) return false;
        await end();
        await begin();
        return false;
    });
}

const pressed = (page, observer, button) => moves(page, observer, () => press(page, button), () => page.mouse.up());
const keyed = (page, observer, key) => moves(page, observer, () => page.keyboard.down(key), () => page.keyboard.up(key));

const robotPanel = (page, f) => page.evaluate(`(() => { const p = window.achView.workspace.panels.find((p) => p.kind === "robot"); return (${f})(p); })()`);

// How many of some places of the map have the colour of a trail.
const trailAt = (page, places) => robotPanel(page, `(p) => {
    const canvas = p.body.querySelector("canvas"), context = canvas.getContext("2d");
    const wanted = window.achView.theme.colour("trail").match(/\\d+/g).map(Number);
    return ${JSON.stringify(places)}.filter(({ x, y }) => {
        const { data } = context.getImageData(...p.view.toScreen(x, y).map(Math.floor), 1, 1);
        return wanted.every((c, i) => Math.abs(c - data[i]) < 40);
    }).length;
}`);

// Straight on, so that the way from here to there is known.
async function drives(page, observer) {
    const from = { ...observer.place };
    await pressed(page, observer, FORWARD);
    await eventually("the robot is elsewhere", () => Math.hypot(observer.place.x - from.x, observer.place.y - from.y) > 0.8);
    await page.mouse.up();
    await observer.stands();
    const to = observer.place, places = [0.1, 0.15, 0.2, 0.25, 0.3].map((s) => ({ x: from.x + s * (to.x - from.x), y: from.y + s * (to.y - from.y) }));
    await eventually("the map shows where it has been", async () => (await trailAt(page, places)) === places.length);
    const shown = await robotPanel(page, "(p) => p.scene.robots().find((r) => r.layer.name.startsWith('position2d:0/')).layer.pose");
    check(Math.hypot(shown.x - to.x, shown.y - to.y) < 0.1, "the map has the robot where it is");
}

// True if the robot has stopped for that reason. On a busy machine it may have stopped before: the commands were too old.
async function stopsFor(page, observer, leave, reason) {
    await pressed(page, observer, TURN); // it has room for that wherever it is
    observer.told = [];
    await leave();
    await observer.stands();
    return !reason || observer.told.some((t) => !t.moving && reason.test(t.reason));
}

async function stopsWhen(what, page, observer, leave, reason) {
    let tries = 0;
    while (!(await stopsFor(page, observer, leave, reason))) {
        check(++tries < 5, `${what}: a reason like ${reason}, not ${JSON.stringify(observer.told)}`);
        await page.mouse.up();
    }
    const { held } = await page.evaluate(() => ({ held: document.querySelector(".pad .held") !== null })).catch(() => ({ held: false }));
    check(!held, `${what}: the button is let go`);
    await page.mouse.up().catch(() => {});
}

// A hidden tab: headless, no tab is ever hidden, so the document says that it is.
const hide = (page, hidden) => page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
    document.dispatchEvent(new Event("visibilitychange"));
}, hidden);

// A page whose scripts stand still. The server notices it, or nobody.
const stall = (page, ms) => page.evaluate((time) => {
    const end = performance.now() + time;
    while (performance.now() < end);
}, ms);

async function turnsByKey(page, observer) {
    await page.focus(".panel[data-kind=drive]");
    await keyed(page, observer, "a");
    await page.keyboard.up("a");
    await observer.stands();
}

const says = async (page, what) => (await page.textContent(".drive-state")).includes(what);
const isHeld = (page) => page.evaluate(() => document.querySelector(".pad .held") !== null);

// False: on a busy machine the robot has stopped by itself meanwhile, because the commands were too old.
async function stopsOther(page, other, observer) {
    await pressed(page, observer, TURN);
    observer.told = [];
    const alone = () => observer.told.some((t) => !t.moving && t.reason !== "stopped by another page");
    const unless = (what, f) => eventually(what, async () => alone() || f());
    await unless("the other panel says that another page drives", () => says(other, "another page drives"));
    await press(other, FORWARD);
    await unless("the other button is let go", async () => !(await isHeld(other)));
    await unless("the first page drives on", () => isHeld(page));
    await other.mouse.up();
    await other.click('.pad [aria-label="Stop"]');
    await unless("its button is let go, too", async () => !(await isHeld(page)));
    await observer.stands();
    await unless("the panel says who has stopped it", () => says(page, "stopped by another page"));
    await page.mouse.up();
    return !alone();
}

// Two pages, one robot. Each has its user.
async function shares(page, other, observer) {
    let tries = 0;
    while (!(await stopsOther(page, other, observer))) check(++tries < 5, `it is stopped, not ${JSON.stringify(observer.told)}`);
    await keepsKey(page, other, observer);
}

// A key that is held comes again and again, but that is no new press.
async function keepsKey(page, other, observer) {
    await page.focus(".panel[data-kind=drive]");
    await keyed(page, observer, "a");
    await other.click('.pad [aria-label="Stop"]');
    await observer.stands();
    observer.told = [];
    for (let i = 0; i < 10; i++) {
        await page.keyboard.down("a");
        await sleep(50);
    }
    check(!observer.told.some((t) => t.moving), `the key must be pressed again, not ${JSON.stringify(observer.told)}`);
    await page.keyboard.up("a");
}

// What the panel says is seen without scrolling, however small the window is.
async function isSeen(page, width, height) {
    await page.setViewportSize({ width, height });
    await eventually(`the state is seen at ${width}x${height}`, () => page.evaluate(() => {
        document.querySelector(".panel[data-kind=drive]").scrollIntoView();
        const state = document.querySelector(".drive-state"), { x, y, width: w, height: h } = state.getBoundingClientRect();
        return [[x + 2, y + 2], [x + w - 2, y + h - 2]].every(([px, py]) => state.contains(document.elementFromPoint(px, py)));
    }));
}

async function refuses(rig) {
    const server = await rig.view(), page = await rig.page(server.url);
    await connected(page);
    await page.waitForSelector(".panel[data-kind=drive]");
    check(await page.isDisabled(FORWARD), "without --drive nothing can be driven");
    check((await page.textContent(".panel[data-kind=drive] .reason")).includes("--drive"), "the panel says how to allow it");
    await page.context().close();
    await rig.stop(server);
}

test("page-drive", async (rig, config) => {
    const robot = rig.start(rig.ach, ["serve", "--no-tcp", "--simulated", config]);
    await refuses(rig);
    const server = await rig.view("--drive"), page = await rig.page(server.url), observer = new Observer(server.url);
    await connected(page);
    await page.waitForSelector(".panel[data-kind=robot]");
    await eventually("the robot tells where it is", () => observer.place, LIMIT);
    await page.selectOption(".panel[data-kind=drive] select", ADDRESS);
    await drives(page, observer);
    await turnsByKey(page, observer);
    const other = await rig.page(server.url);
    await connected(other);
    await other.waitForSelector(".panel[data-kind=drive]");
    await other.selectOption(".panel[data-kind=drive] select", ADDRESS);
    await shares(page, other, observer);
    await other.context().close();
    for (const [width, height] of [[1200, 800], [390, 844], [1440, 900]]) await isSeen(page, width, height);
    await stopsWhen("another window", page, observer, () => page.evaluate(() => window.dispatchEvent(new Event("blur"))), /stopped/);
    await stopsWhen("hidden tab", page, observer, () => hide(page, true));
    await hide(page, false);
    await stopsWhen("silent page", page, observer, () => stall(page, 3000), /200 ms/);
    checkErrors(page);
    await stopsWhen("closed page", page, observer, () => page.close());
    observer.close();
    const late = await rig.page(server.url);
    await connected(late);
    await eventually("the robot is shown", () => robotPanel(late, "(p) => p.scene.robots().length > 0").catch(() => false));
    await rig.stop(robot, "SIGKILL");
    await eventually("the panel says that the robot is silent", async () => (await late.textContent(".panel[data-kind=robot] .note")).includes("no odometry for"));
    for (const file of fs.readdirSync(process.env.ACH_DIR)) fs.rmSync(`${process.env.ACH_DIR}/${file}`, { recursive: true });
});
