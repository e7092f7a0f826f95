// SPDX-License-Identifier: BSD-3-Clause
// Texts have a contrast of 4.5 to what is behind them, in both themes and sizes; controls have names; nothing is wider than a phone.
"use strict";
const fs = require("fs");
const path = require("path");
const { test, check, connected, eventually } = require("./rig.js");

// Runs in the page: [text, contrast] of all texts that are seen and have less.
function faint() {
    const rgb = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
    const share = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => 0.2126 * share(r / 255) + 0.7152 * share(g / 255) + 0.0722 * share(b / 255);
    const behind = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const colour = rgb(getComputedStyle(e).backgroundColor);
            if (colour.length === 3) return colour;
        }
        return [255, 255, 255];
    };
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const element = node.parentElement;
        if (!node.textContent.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest(":disabled, .off, script, noscript")) continue;
        const a = light(rgb(getComputedStyle(element).color)), b = light(behind(element));
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5) found.push([node.textContent.trim().slice(0, 40), contrast.toFixed(2)]);
    }
    return found;
}

// Runs in the page: controls that a screen reader cannot name.
function nameless() {
    return [...document.querySelectorAll("button, input, select, [role=slider], canvas")]
        .filter((e) => e.checkVisibility() && !e.ariaLabel && !e.labels?.length && !e.textContent.trim() && !e.title)
        .map((e) => e.outerHTML.slice(0, 80));
}

// Runs in the page: buttons of panels that are cut off, also if the panels tell what they have lost.
function cut() {
    const inside = (a, b) => a.left >= b.left && a.right <= b.right;
    return window.achView.workspace.panels.flatMap((panel) => {
        panel.setLost(0, 1234);
        return [...panel.element.querySelectorAll(".head button, .head select, .pad button, .stick, .speeds input")].filter((e) => e.checkVisibility() && !inside(e.getBoundingClientRect(), panel.element.getBoundingClientRect()))
            .map((e) => `${panel.kind}: ${e.ariaLabel}`);
    });
}

async function looks(page, scheme, what) {
    const bad = await page.evaluate(faint);
    check(bad.length === 0, `${what}, ${scheme}: contrast of 4.5, not ${JSON.stringify(bad)}`);
    const silent = await page.evaluate(nameless);
    check(silent.length === 0, `${what}: controls have names, not ${silent.join(" ")}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `${what}: the page is not wider than the screen, not by ${wide}`);
}

const DEVICES = [{ address: "position2d:0", interface: "position2d", driver: "simrobot", commands: ["VEL"] }];

// What a robot with a camera is shown with at first, on a tablet and on a phone that lies.
async function proposes(rig) {
    const server = await rig.view("--drive");
    fs.writeFileSync(path.join(rig.folder, "One.msg"), "float64 one\n");
    for (const [name, type] of [["camera", "Image"], ["scan", "LaserScan"]]) rig.run("mk", "--type", `sensor_msgs/msg/${type}`, "--schema", "One.msg", name);
    for (const [width, height] of [[1024, 768], [910, 700], [844, 390], [768, 1024], [740, 360]]) {
        const page = await rig.page(server.url, { width, height });
        await connected(page);
        await eventually("three panels are proposed", () => page.evaluate(() => window.achView.workspace.panels.length === 3));
        const gone = await page.evaluate(`window.achView.model.devices = ${JSON.stringify(DEVICES)}; window.achView.model.emit("devices"); (${cut})()`);
        check(gone.length === 0, `${width}x${height}: buttons of panels are seen, not cut off: ${gone.join(", ")}`);
        const hidden = await page.evaluate(() => document.querySelector(".workspace").getBoundingClientRect().width / innerWidth);
        check(hidden > 0.6, `${width}x${height}: most is for the panels, not ${hidden}`);
        await page.context().close();
    }
    rig.run("rm", "camera", "scan");
}

test("page-looks", async (rig) => {
    await proposes(rig);
    rig.run("mk", "one", "two");
    const server = await rig.view();
    for (const [width, height] of [[1440, 900], [768, 1024], [844, 390], [390, 844]])
        for (const scheme of ["dark", "light"]) {
            const page = await rig.page(server.url, { width, height, scheme });
            await connected(page);
            await eventually("the list is there", () => page.$('.channel[data-name="two"]'));
            await looks(page, scheme, `${width}x${height}, empty`);
            await page.evaluate(() => ["plot", "tree", "robot", "drive", "joints", "image"].forEach((k) => window.achView.workspace.add(k, { topic: "one" })));
            const gone = await page.evaluate(cut);
            check(gone.length === 0, `${width}x${height}: buttons of panels are seen, not cut off: ${gone.join(", ")}`);
            if (width < 900) await page.click(".list-button");
            await page.click('.channel[data-name="two"] .row');
            await looks(page, scheme, `${width}x${height}, all panels`);
            await page.context().close();
        }
    rig.run("rm", "one", "two");
});
