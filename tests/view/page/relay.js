// SPDX-License-Identifier: BSD-3-Clause
// Two machines on loopback, each with an achd. The page of the one that receives shows the relayed channel, the channels that
// the other one advertises, and the link, also while the other achd is dead and after its return.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const { test, check, checkErrors, connected, eventually } = require("./rig.js");

const HERE = '.group[data-machine=""]', THERE = `.group[data-machine="${os.hostname()}"]`;
const row = (group, name) => `${group} .channel[data-name="${name}"]`;
const hertz = /^[\d.]+ k?Hz$/, nothing = /^(–|0 Hz)$/;

// The text of an element, or "" if there is none.
const text = (page, selector) => page.evaluate((s) => document.querySelector(s)?.textContent ?? "", selector);
const shows = (what, page, selector, pattern) => eventually(what, async () => pattern.test(await text(page, selector)));
const rate = async (page, selector) => hertz.test(await text(page, selector)) && !nothing.test(await text(page, selector));

async function serve(machine, achd, port = "0") {
    const daemon = machine.start(achd, ["--port", port, "serve"]);
    daemon.port = await eventually("achd tells its port", () => {
        check(daemon.exitCode === null, `achd runs, not: ${daemon.errors}`);
        return daemon.errors.match(/serving at \S+ port (\d+)/)?.[1];
    });
    return daemon;
}

// A daemon that gets one channel, and the list of all that are advertised.
function pull(machine, achd, port) {
    const file = path.join(machine.folder, "achd.conf");
    fs.writeFileSync(file, `pull 127.0.0.1:${port} lamp\npeer 127.0.0.1:${port}\n`);
    return machine.start(achd, ["run", file]);
}

const names = (page, group) => page.$$eval(`${group} .channel`, (rows) => rows.map((r) => r.dataset.name).join(" "));

// Of a channel of another machine no figures are known, so none are shown.
async function unknown(page) {
    const cells = await page.$$eval(`${row(THERE, "garden")} .row > span`, (spans) => spans.map((s) => s.textContent).filter(Boolean));
    check(cells.join() === "garden,tcp", `a channel of another machine shows only its name and transport, not ${cells}`);
    await page.click(`${row(THERE, "lamp")} .row`);
    check(/achd/.test(await text(page, `${row(THERE, "lamp")} .details`)), "it says how to see its messages");
    check(!(await page.$(`${row(THERE, "lamp")} .topic`)), "topics of this machine are not those of another one");
    await page.click(`${row(THERE, "lamp")} .row`);
}

async function groups(page, far) {
    const lists = (what, list) => eventually(what, async () => (await names(page, THERE)) === list);
    await lists("the channels that the far machine advertises are one group", "garden lamp");
    check(!(await page.$(row(HERE, "garden"))), "a channel that is not relayed is not here");
    check((await text(page, `${THERE} .machine`)) === os.hostname(), "the group has the name of the machine");
    check((await text(page, `${THERE} summary .dim`)) === "2", "the group counts its channels");
    far.run("hide", "garden");
    await lists("a channel that is hidden vanishes", "lamp");
    far.run("adv", "garden");
    await lists("it comes back", "garden lamp");
}

// What the page knows of the link, while that is connected.
const link = (page) => eventually("the link has an offset", () => page.evaluate(() =>
    window.achView.model.relay.flatMap((daemon) => daemon.links).find((l) => typeof l.offset === "number")));

async function works(page, port) {
    await page.waitForSelector('.link[data-state="up"]');
    await eventually("the relayed channel has a rate", () => rate(page, `${row(HERE, "lamp")} .rate`));
    await eventually("the link has a rate", () => rate(page, ".link .rate"));
    await shows("the link has an age", page, ".link .age", /^age [\d.]+ (ns|µs|ms|s)$/);
    await shows("the link has the offset of the clock", page, ".link .offset", /^offset −?[\d.]+ (ns|µs|ms|s)$/);
    check((await text(page, ".link .peer")) === `127.0.0.1:${port}`, "the link has the name of its peer");
    await eventually("there is one link", async () => (await page.$$(".link")).length === 1);
    const { offset, offset_error: most } = await link(page);
    check(Math.abs(offset) <= most, `both have the same clock, so ${offset} is an error of at most ${most}`);
}

async function unfolds(page) {
    await page.click(".link .row");
    const line = ".link .flows tbody tr:first-child";
    await shows("the flow has its channel and direction", page, line, /^lamp←/);
    await eventually("the flow has a rate", () => rate(page, `${line} td:nth-child(3)`));
}

// The side that serves. Each connection is a link, also if all are of one peer.
async function serves(rig, far, near, achd, port) {
    const server = await far.view(), page = await rig.page(server.url);
    const another = near.start(achd, ["--port", port, "pull", "127.0.0.1", "garden"]);
    await connected(page);
    await eventually("each connection is a link", async () => (await page.$$('.link[data-state="up"]')).length === 2);
    await page.$$eval(".link .row", (rows) => rows.forEach((r) => r.click()));
    await shows("one link sends the first channel", page, ".links", /lamp→/);
    await shows("one link sends the other channel", page, ".links", /garden→/);
    await near.stop(another);
    near.run("rm", "garden");
    await eventually("a link vanishes with its connection", async () => (await page.$$(".link")).length === 1);
    checkErrors(page);
    await page.context().close();
    await far.stop(server);
}

async function breaks(page) {
    await page.waitForSelector('.link:not([data-state="up"])');
    await shows("it says so", page, ".link .rtt", /^(down|connecting|looking up)$/);
    await shows("it says why", page, ".link .offset", /refused/);
    await eventually("its rate is 0", async () => nothing.test(await text(page, ".link .rate")));
    await page.waitForSelector(THERE, { state: "detached" });
    await eventually("the relayed channel stands still", async () => nothing.test(await text(page, `${row(HERE, "lamp")} .rate`)));
}

test("page-relay", async (rig, sine, achd) => {
    const near = rig.machine("near"), far = rig.machine("far");
    far.run("mk", "--timestamps", "lamp", "garden");
    far.run("adv", "lamp", "garden");
    far.start(sine, ["lamp", "1", "1", "20"]);
    const server = await near.view(), page = await rig.page(server.url);
    await connected(page);
    const daemon = await serve(far, achd), puller = pull(near, achd, daemon.port);
    await works(page, daemon.port);
    await unfolds(page);
    await groups(page, far);
    await unknown(page);
    await serves(rig, far, near, achd, daemon.port);
    await far.stop(daemon, "SIGKILL");
    await breaks(page);
    await serve(far, achd, daemon.port);
    await works(page, daemon.port);
    await groups(page, far);
    check((await link(page)).reconnections > 0, "it is a new connection");
    await near.stop(puller);
    await page.waitForSelector(".link", { state: "detached" });
    checkErrors(page);
});
