// SPDX-License-Identifier: BSD-3-Clause
// A recording: its time line is shown, scrubbed, stepped and played, and the panels follow.
"use strict";
const fs = require("fs");
const path = require("path");
const { test, check, checkErrors, connected, eventually, sleep } = require("./rig.js");

const clock = (page) => page.evaluate(() => window.achView.model.clock);
const shown = (page) => page.evaluate(() => window.achView.workspace.panels.find((p) => p.kind === "tree")?.message?.value?.time ?? null);

async function record(rig, sine) {
    fs.writeFileSync(path.join(rig.folder, "Sine.msg"), "float64 time\nfloat64 value\n");
    rig.run("mk", "--frames", "4096", "--size", "64", "--timestamps", "--type", "demo/msg/Sine", "--schema", "Sine.msg", "sine");
    rig.run("mk", "--timestamps", "--type", "demo/Late", "--encoding", "json", "late");
    const recorder = rig.start(rig.ach, ["record", "-o", "sine.mcap", "sine", "late"]);
    const writer = rig.start(sine, ["sine", "1", "1", "200"]);
    await sleep(3000);
    rig.run("put", "late", '{"n": 1}');
    await sleep(3000);
    await rig.stop(writer);
    await rig.stop(recorder, "SIGINT");
    rig.run("rm", "sine");
    rig.run("rm", "late");
    check(fs.existsSync(path.join(rig.folder, "sine.mcap")), `ach record has made a file, not: ${recorder.errors}`);
}

// Put the slider to a share of the recording, as a finger does.
async function scrub(page, share) {
    const box = await (await page.$(".scrub")).boundingBox();
    await page.mouse.click(box.x + box.width * share, box.y + box.height / 2);
}

async function scrubs(page) {
    const { start, end } = await clock(page);
    for (const share of [0.75, 0.25, 0.5]) {
        await scrub(page, share);
        const wanted = start + share * (end - start);
        await eventually(`the message of ${share} of the recording is shown`, async () => Math.abs((await shown(page)) - wanted) < 0.05 * (end - start));
    }
}

async function steps(page) {
    const before = await shown(page);
    await page.click('.timeline [aria-label="One step"]');
    await eventually("a step shows a later message", async () => (await shown(page)) > before);
}

// From the end it plays from the beginning, and there no later message is shown.
async function beginsAnew(page) {
    const { start, end } = await clock(page), box = await (await page.$(".scrub")).boundingBox();
    await page.evaluate(() => window.achView.workspace.add("tree", { topic: "late" }));
    const late = () => page.evaluate(() => window.achView.workspace.panels[1].message?.value.n ?? null);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + 50, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    await eventually("it is at the end", async () => Math.abs((await clock(page)).time - end) < 1e-3);
    await eventually("the late message is shown", async () => (await late()) === 1);
    await page.click('.timeline [aria-label="Play"]');
    await eventually("it plays from the beginning", async () => (await clock(page)).time < (start + end) / 2 && !(await clock(page)).paused);
    await page.click('.timeline [aria-label="Pause"]');
    await page.focus(".scrub");
    await page.keyboard.press("Home");
    await eventually("it is at the beginning", async () => Math.abs((await clock(page)).time - start) < 1e-3);
    await eventually("the late message is gone", async () => (await late()) === null);
    await eventually("the page tells why", () => page.$eval('[data-kind="tree"]:last-of-type .hint', (e) => !e.hidden && e.textContent.includes("up to this time")));
    await eventually("the first message is shown", async () => Math.abs((await shown(page)) - start) < 0.2);
}

// Arrows jump, also many of them at once, and the space bar plays.
async function takesKeys(page) {
    const { start, end } = await clock(page), jump = Math.min(1, (end - start) / 20);
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await eventually("four jumps ahead", async () => Math.abs((await clock(page)).time - start - 4 * jump) < 1e-3);
    await eventually("the message of then is shown", async () => Math.abs((await shown(page)) - start - 4 * jump) < 0.2);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("ArrowLeft");
    await eventually("a jump back, wherever the focus is", async () => Math.abs((await clock(page)).time - start - 3 * jump) < 1e-3);
    await page.keyboard.press(" ");
    await eventually("it plays", async () => !(await clock(page)).paused);
    await page.keyboard.press(" ");
    await eventually("it is paused", async () => (await clock(page)).paused);
}

async function plays(page) {
    const { time } = await clock(page);
    await page.click('.timeline [aria-label="Play"]');
    await eventually("the time passes", async () => (await clock(page)).time > time + 0.5);
    await page.click('.timeline [aria-label="Pause"]');
    await eventually("it is paused", async () => (await clock(page)).paused);
}

test("page-recording", async (rig, sine) => {
    await record(rig, sine);
    const server = await rig.view("./sine.mcap"), page = await rig.page(server.url);
    await connected(page);
    await page.waitForSelector(".timeline .scrub");
    await eventually("the topic is there", () => page.evaluate(() => window.achView.model.names.has("sine")));
    const listed = await eventually("the list has the topic", () => page.textContent('.channel[data-name="sine"] .rate').catch(() => null));
    check(Number(listed.replace(",", "")) > 500, `the list tells how many messages there are, not ${listed}`);
    await page.evaluate(() => window.achView.workspace.add("tree", { topic: "sine" }));
    if (!(await clock(page)).paused) await page.click('.timeline [aria-label="Pause"]');
    await eventually("it is paused", async () => (await clock(page)).paused);
    await scrubs(page);
    await steps(page);
    await plays(page);
    await beginsAnew(page);
    await takesKeys(page);
    checkErrors(page);
});
