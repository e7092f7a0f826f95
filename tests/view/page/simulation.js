// SPDX-License-Identifier: BSD-3-Clause
// The clock of a simulation is shown; it is paused, stepped and let go from the page, if driving is allowed.
"use strict";
const fs = require("fs");
const path = require("path");
const { test, check, checkErrors, connected, eventually, sleep } = require("./rig.js");

const WORLD = `
world (name "test")
physics (name "arm" engine "pendulum" mass 0.2 length 0.3 radius 0.03)
driver (name "sim_joints" provides ["actarray:0"] physics "arm" rate 100 alwayson yes)
controller (name "wait" command ["python3" "wait.py"])
`;
const button = (label) => `.timeline [aria-label="${label}"]`;
const clock = (page) => page.evaluate(() => window.achView.model.clock);

async function controls(page) {
    await page.click(button("Pause"));
    const paused = await eventually("it is paused", async () => ((await clock(page)).paused ? clock(page) : null));
    await sleep(1000);
    check((await clock(page)).time === paused.time, "a paused simulation stands still");
    await page.click(button("One step"));
    const stepped = await eventually("a step advances it", async () => ((await clock(page)).time > paused.time ? clock(page) : null));
    check(stepped.paused, "it is still paused after a step");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press(" ");
    await eventually("it goes on", async () => (await clock(page)).time > stepped.time + 0.5);
}

async function showsJoints(page) {
    await eventually("the joints are a topic", () => page.evaluate(() => window.achView.model.names.has("actarray:0/joint_states")));
    await page.click('.add[aria-label="Add a panel: Joints"]');
    await page.click("dialog .choice");
    await eventually("the panel shows a joint", async () => /joint0/.test(await page.textContent(".joint-list")));
    check(!(await page.isDisabled(".joint input")), "a joint has a slider that can be moved");
}

async function tellsTheEnd(page) {
    await eventually("the page tells the end", async () => (await page.textContent(".timeline .wall")) === "has ended");
    for (const label of ["Play", "Pause", "One step"])
        check(!(await page.$(button(label))) || (await page.isDisabled(button(label))), `${label} does nothing any more`);
}

// A killed simulation leaves its channels; a paused one sends nothing, but lives.
async function ends(rig, page, simulation) {
    await page.click(button("Pause"));
    await eventually("it is paused", async () => (await clock(page)).paused);
    await sleep(5000);
    check(!(await clock(page)).ended, "a paused simulation has not ended");
    await page.click(button("Play"));
    await eventually("it goes on", async () => !(await clock(page)).paused);
    await rig.stop(simulation, "SIGKILL");
    await tellsTheEnd(page);
}

test("page-simulation", async (rig) => {
    fs.writeFileSync(path.join(rig.folder, "world.cfg"), WORLD);
    fs.writeFileSync(path.join(rig.folder, "wait.py"), "import time\nwhile True:\n    time.sleep(0.01)\n"); // time needs events to pass
    const simulation = rig.start(rig.ach, ["sim", "--speed", "1", "--duration", "100000", "world.cfg"]);
    const locked = await rig.view(), onlooker = await rig.page(locked.url);
    await connected(onlooker);
    await onlooker.waitForSelector(button("Pause"));
    check(await onlooker.isDisabled(button("Pause")), "without --drive it cannot be paused");
    await onlooker.context().close();
    await rig.stop(locked);
    const server = await rig.view("--drive"), page = await rig.page(server.url);
    await connected(page);
    await page.waitForSelector(button("Pause"));
    await controls(page);
    await showsJoints(page);
    await ends(rig, page, simulation);
    checkErrors(page);
    const late = await rig.page(server.url);
    await connected(late);
    await tellsTheEnd(late);
    for (const file of fs.readdirSync(rig.channels)) fs.rmSync(path.join(rig.channels, file), { recursive: true }); // nobody else cleans up
});
