// SPDX-License-Identifier: BSD-3-Clause
// A plot shows a known sine: all samples arrive as they were put, and what is drawn has its amplitude and frequency.
"use strict";
const fs = require("fs");
const path = require("path");
const { test, check, checkErrors, connected, eventually } = require("./rig.js");

const AMPLITUDE = 1.5, FREQUENCY = 2;

// All samples that the page has of both fields: [time of the put, time that the writer wrote, value].
const samples = (page) => page.evaluate(() => {
    const s = window.achView.workspace.panels[0].samples("sine");
    return Array.from({ length: s.length }, (_, i) => [s.time(i), s.value(0, i), s.value(1, i)]);
});

function checkSamples(rows) {
    rows.forEach(([put, time, value], i) => {
        const known = AMPLITUDE * Math.sin(2 * Math.PI * FREQUENCY * time);
        check(Math.abs(value - known) < 1e-6, `sample ${i} is ${known}, not ${value}`);
        check(i === 0 || put >= rows[i - 1][0], `sample ${i} is not earlier than the one before`);
    });
    const ages = rows.map(([put, time]) => Math.abs(put - time)).sort((a, b) => a - b);
    check(ages[Math.floor(ages.length / 2)] < 1, `times are those of the puts: they differ by ${ages[Math.floor(ages.length / 2)]} s`);
}

// Of the curve that is drawn, which has fewer points than there are samples.
const drawn = (page) => page.evaluate(() => {
    const [times, , values] = window.achView.workspace.panels[0].drawn;
    return times.map((t, i) => [t, values[i]]).filter(([, v]) => v !== undefined && v !== null);
});

// By how much a crossing of zero can be drawn too early or too late: puts may come late, and samples be far apart.
function unsure(rows) {
    return Math.max(...rows.map(([put, time], i) => Math.abs(put - time) + (i ? put - rows[i - 1][0] : 0)));
}

function checkCurve(points, late) {
    const values = points.map(([, v]) => v), amplitude = (Math.max(...values) - Math.min(...values)) / 2;
    check(Math.abs(amplitude / AMPLITUDE - 1) < 0.02, `the curve has the amplitude ${AMPLITUDE}, not ${amplitude}`);
    const rising = [];
    for (let i = 1; i < points.length; i++) {
        const [[t0, v0], [t1, v1]] = [points[i - 1], points[i]];
        if (v0 < 0 && v1 >= 0) rising.push(t0 + ((t1 - t0) * -v0) / (v1 - v0));
    }
    const took = rising[rising.length - 1] - rising[0], wanted = (rising.length - 1) / FREQUENCY;
    check(rising.length > 3 && Math.abs(took - wanted) < 0.02 * wanted + 2 * late, `${rising.length - 1} periods take ${wanted} s, not ${took}`);
}

// A peak of one sample among very many is drawn, and a gap stays one. Infinity is a gap, too.
async function keepsPeaks(page) {
    const { peak, least, gap, few } = await page.evaluate(async () => {
        const { Samples } = await import("/page/panels/samples.js"), { chooseData } = await import("/page/panels/decimate.js");
        const samples = new Samples(["a"]), rows = new Float64Array(200000);
        for (let i = 0; i < 100000; i++) {
            rows[2 * i] = i / 1000;
            rows[2 * i + 1] = i === 70003 ? 9 : i === 70008 ? -9 : i >= 20000 && i < 30000 ? NaN : i >= 40000 && i < 50000 ? Infinity : i === 60000 ? -Infinity : 0;
        }
        samples.append({ values: rows, count: 100000, fields: 1 });
        const [times, values] = chooseData([{ samples, column: 0 }], 0, 100, 500);
        const few = chooseData([{ samples, column: 0 }], 39.99, 40.01, 500)[1]; // all samples
        const drawn = values.filter((v) => v !== null && v !== undefined);
        return { peak: Math.max(...drawn), least: Math.min(...drawn), gap: [25, 45].map((at) => values[times.findIndex((t) => t > at)]).join(), few: few.includes(0) && few.includes(null) && !few.includes(Infinity) };
    });
    check(peak === 9 && least === -9, `peaks of one sample are drawn, not ${peak} and ${least}`);
    check(gap === ",", `gaps are no lines: ${gap}`);
    check(few, "infinity is a gap, also if all samples are drawn");
}

async function choosesFields(page) {
    await page.click('.add[aria-label="Add a panel: Plot"]');
    await page.fill("dialog input[type=search]", "sine");
    for (const field of ["time", "value"]) await page.check(`dialog .choice:has(.label:text-is("${field}")) input`);
    await page.click("dialog .primary");
}

async function zooms(page) {
    const box = await (await page.$(".u-over")).boundingBox(), y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, y, { steps: 5 });
    await page.mouse.up();
    const range = () => page.evaluate(() => window.achView.workspace.panels[0].range);
    const length = async () => (await range()).reduce((a, b) => b - a);
    await eventually("a drag zooms to a quarter", async () => Math.abs((await length()) / 2.5 - 1) < 0.1);
    const before = await range();
    await eventually("a zoomed plot goes on to collect", async () => (await samples(page)).at(-1)[0] > before[1] + 1);
    check((await range())[0] === before[0], "a zoomed plot stands still");
    await page.click('.panel .follow[aria-label="Follow"]');
    await eventually("it follows again", async () => (await range())[1] > before[1] + 0.5);
}

// The channel is there again, with another type: the legend tells why a curve has no values, in place of NaN.
async function tellsWhy(rig, page) {
    const values = () => page.$$eval(".chip .value", (all) => all.map((e) => [e.textContent, e.title]));
    fs.writeFileSync(path.join(rig.folder, "Cosine.msg"), "float64 time\nfloat64 cosine\n");
    rig.run("mk", "--type", "demo/msg/Cosine", "--schema", "Cosine.msg", "sine");
    rig.run("put", "sine", "--hex", "000000000000f87f000000000000f03f"); // NaN and 1
    await page.mouse.move(0, 0);
    await eventually("the field is gone", async () => (await values())[1][0] === "no such field");
    check((await values())[1][1].includes("demo/msg/Cosine"), "it tells which type has no such field");
    await eventually("NaN is no number", async () => (await values())[0][0] === "no number");
    check((await values())[0][1].includes("NaN"), "it tells what may be wrong");
    rig.run("rm", "sine");
    await eventually("the topic is gone", async () => (await values()).every(([text]) => text === "no topic"));
}

// Fields that no schema tells are written with their topic. One sample is drawn, as a point.
async function takesPaths(rig, page) {
    rig.run("mk", "--type", "demo/N", "--encoding", "json", "loose");
    rig.run("put", "loose", '{"deep": {"n": [1, 5]}}');
    await eventually("the topic is there", () => page.evaluate(() => window.achView.model.names.has("loose")));
    const write = async (text) => {
        await page.click('.add[aria-label="Add a panel: Plot"]');
        await page.fill("dialog input[type=search]", text);
        await page.keyboard.press("Enter");
    };
    await write("deep.n[1]");
    await eventually("the page asks for the topic", async () => (await page.textContent(".status .last")).includes("TOPIC/FIELD"));
    check(await page.evaluate(() => window.achView.workspace.panels.length === 1), "no empty plot is made");
    await write("loose/deep.n[1]");
    await eventually("the value is shown", () => page.evaluate(() => window.achView.workspace.panels[1]?.element.querySelector(".chip .value")?.textContent === "5"));
    await eventually("a point is drawn", () => page.evaluate(() => {
        const canvas = window.achView.workspace.panels[1].element.querySelector("canvas"), colour = window.achView.theme.series(0).match(/\d+/g).map(Number);
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        for (let i = 0; i < data.length; i += 4) if (colour.every((c, j) => Math.abs(data[i + j] - c) < 60) && data[i + 3] > 100) return true;
        return false;
    }));
    rig.run("rm", "loose");
}

test("page-plot", async (rig, sine) => {
    fs.writeFileSync(path.join(rig.folder, "Sine.msg"), "float64 time\nfloat64 value\n");
    rig.run("mk", "--frames", "4096", "--size", "64", "--timestamps", "--type", "demo/msg/Sine", "--schema", "Sine.msg", "sine");
    const writer = rig.start(sine, ["sine", String(AMPLITUDE), String(FREQUENCY), "1000"]);
    const server = await rig.view(), page = await rig.page(server.url);
    await connected(page);
    await page.waitForSelector('.channel[data-name="sine"]');
    await keepsPeaks(page);
    await choosesFields(page);
    await eventually("six seconds of samples", async () => {
        const rows = await samples(page);
        return rows.length > 100 && rows.at(-1)[0] - rows[0][0] > 6;
    });
    checkSamples(await samples(page));
    checkCurve(await drawn(page), unsure(await samples(page)));
    await zooms(page);
    await rig.stop(writer);
    rig.run("rm", "sine");
    await page.waitForSelector('.channel[data-name="sine"]', { state: "detached" });
    await tellsWhy(rig, page);
    await takesPaths(rig, page);
    checkErrors(page);
});
