// SPDX-License-Identifier: BSD-3-Clause
// Channels come into the list and go; a message is shown as a tree; filter, theme, layout that survives a reload.
"use strict";
const fs = require("fs");
const path = require("path");
const { test, check, checkErrors, connected, eventually } = require("./rig.js");

const row = (name) => `.channel[data-name="${name}"]`;

async function appears(rig, page) {
    fs.writeFileSync(path.join(rig.folder, "Temperature.msg"), "float64 celsius\nstring place\nuint8[3] levels\n");
    rig.run("mk", "--type", "demo/msg/Temperature", "--schema", "Temperature.msg", "kitchen");
    await page.waitForSelector(row("kitchen"));
    const text = await page.textContent(row("kitchen"));
    check(text.includes("demo/msg/Temperature"), `the row names the type, not: ${text}`);
    const over = await page.$eval(`${row("kitchen")} .age`, (age) => {
        age.textContent = "59:59 min"; // the longest age
        return age.scrollWidth - age.clientWidth;
    });
    check(over <= 0, `an age fits into its column, which it exceeds by ${over}`);
}

async function showsMessages(rig, page) {
    const writer = rig.start(rig.ach, ["pub", "--rate", "20", "kitchen", "celsius=22.5", "place=<b>oven</b>"]);
    await eventually("the row shows a rate", async () => / Hz/.test(await page.textContent(`${row("kitchen")} .rate`)));
    await eventually("the row counts a writer", async () => (await page.textContent(`${row("kitchen")} .users`)).startsWith("1w"));
    await page.click(`${row("kitchen")} .row`);
    await page.click(`${row("kitchen")} .topic button:has-text("Message")`);
    await page.waitForSelector(".panel .leaf");
    await eventually("the tree shows the number", async () => (await page.textContent(".tree")).includes("22.5"));
    check((await page.textContent(".tree")).includes("<b>oven</b>"), "text of a message is text, not markup");
    check((await page.$$(".tree b")).length === 0, "no markup of a message gets into the page");
    await rig.stop(writer);
    await page.keyboard.press("Escape");
}

async function filters(rig, page) {
    rig.run("mk", "garden");
    await page.waitForSelector(row("garden"));
    await page.fill(".filter input", "temperature");
    check(await page.isVisible(row("kitchen")), "the filter finds the type");
    check(!(await page.isVisible(row("garden"))), "the filter hides other channels");
    await page.fill(".filter input", "");
    check(await page.isVisible(row("garden")), "without a filter all are shown");
}

// A channel without timestamps tells why its messages have no ages.
async function tellsOfTimestamps(rig, page) {
    rig.run("put", "garden", "x");
    await eventually("there is no age", async () => (await page.textContent(`${row("garden")} .age`)) === "–");
    check((await page.getAttribute(`${row("garden")} .age`, "title")).includes("no timestamps"), "the row tells why there is no age");
    await page.click(`${row("garden")} .row`);
    check((await page.textContent(`${row("garden")} .buckets h4`)).includes("no timestamps"), "the figures tell why, too");
    await page.click(`${row("garden")} .row`);
}

async function reloads(page) {
    await page.click(".theme");
    const theme = await page.getAttribute("html", "data-theme");
    await page.reload();
    await connected(page);
    await page.waitForSelector(".panel .tree");
    check((await page.getAttribute("html", "data-theme")) === theme, "the theme survives a reload");
    check((await page.$$(".panel")).length === 1, "the layout survives a reload");
}

async function vanishes(rig, page) {
    rig.run("rm", "kitchen");
    await page.waitForSelector(row("kitchen"), { state: "detached" });
    await eventually("the panel says that the topic is gone", async () => /no topic kitchen|gone/.test(await page.textContent(".panel .body")));
    rig.run("rm", "garden");
    await page.waitForSelector(row("garden"), { state: "detached" });
}

// The first visit: panels for what is there, whenever it comes.
async function proposes(rig, server) {
    const page = await rig.page(server.url);
    await connected(page);
    fs.writeFileSync(path.join(rig.folder, "One.msg"), "float64 one\n");
    for (const [name, type, panels] of [["camera", "sensor_msgs/msg/Image", "image"], ["odometry", "nav_msgs/msg/Odometry", "drive,image,robot"]]) {
        rig.run("mk", "--type", type, "--schema", "One.msg", name);
        await eventually(`the panels ${panels} are proposed`, () =>
            page.evaluate((wanted) => window.achView.workspace.panels.map((p) => p.kind).sort().join() === wanted, panels));
    }
    await page.context().close();
    rig.run("rm", "camera", "odometry");
}

// A grid lies in its frame, turned as its origin is.
async function placesGrids(page) {
    const boxes = await page.evaluate(async () => {
        const { Scene } = await import("/page/panels/scene.js"), scene = new Scene();
        const origin = { position: { x: 1, y: 0 }, orientation: { x: 0, y: 0, z: Math.SQRT1_2, w: Math.SQRT1_2 } };
        scene.take("grid", "grid", { time: 1, value: { header: { frame_id: "odom" }, info: { width: 2, height: 1, resolution: 1, origin }, data: [0, 100] } });
        const alone = [scene.fixed, ...scene.box()];
        scene.take("tf", "tf", { time: 1, value: { transforms: [{ header: { frame_id: "map" }, child_frame_id: "odom", transform: { translation: { x: 5, y: 0 } } }] } });
        return [alone, [scene.fixed, ...scene.box()]].map(([frame, ...box]) => [frame, ...box.map((x) => Math.round(x * 1e6) / 1e6)].join());
    });
    check(boxes.join(" ") === "odom,0,0,1,2 map,5,0,6,2", `the grid is where its frame is, not at ${boxes.join(" ")}`);
}

// A grid with too few cells, or a layer that fails, leaves what was good and the other layers.
async function drawsTheRest(page) {
    const drawn = await page.evaluate(async () => {
        const [{ Scene }, { RobotPainter }, { View }] = await Promise.all(["scene", "robot_painter", "view"].map((name) => import(`/page/panels/${name}.js`)));
        const scene = new Scene(), canvas = new OffscreenCanvas(200, 200), view = Object.assign(new View(), { width: 200, height: 200, x: 0, y: 0, scale: 50 });
        const painter = new RobotPainter(canvas, view, window.achView.theme), info = { width: 2, height: 2, resolution: 1 };
        const seen = () => {
            painter.draw(scene, [], { size: { length: 1, width: 1 } });
            const at = (x, y) => [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].join();
            return [at(130, 70) !== at(70, 130), [...scene.bad].join()]; // a cell, and a place without one
        };
        scene.take("map", "grid", { time: 1, value: { info, data: [0, 0, 0, 0] } });
        const found = [seen()];
        scene.take("map", "grid", { time: 2, value: { info, data: [0] } });
        found.push(seen());
        scene.take("map", "grid", { time: 3, value: { info, data: [0, 0, 0, 0] } });
        scene.take("a", "grid", { time: 3, value: { info, data: [0, 0, 0, 0] } });
        scene.layers.get("a").grid = null;
        found.push(seen());
        return JSON.stringify(found);
    });
    check(drawn === '[[true,""],[true,"map"],[true,"a"]]', `good layers are drawn, bad ones told, not ${drawn}`);
}

// Images and maps travel as bytes, and are told as other messages are. A damaged map leaves the one before, and a position that
// is no number hides no other.
async function showsPictures(rig, page) {
    fs.writeFileSync(path.join(rig.folder, "Image.msg"), "uint32 height\nuint32 width\nstring encoding\nuint32 step\nuint8[] data\n");
    fs.writeFileSync(path.join(rig.folder, "Grid.msg"), "Info info\nint8[] data\n====\nMSG: nav_msgs/Info\nfloat32 resolution\nuint32 width\nuint32 height\n");
    rig.run("mk", "--type", "sensor_msgs/msg/Image", "--schema", "Image.msg", "camera");
    rig.run("mk", "--type", "nav_msgs/msg/OccupancyGrid", "--schema", "Grid.msg", "map");
    fs.writeFileSync(path.join(rig.folder, "Joints.msg"), "string[] name\nfloat64[] position\n");
    rig.run("mk", "--type", "sensor_msgs/msg/JointState", "--schema", "Joints.msg", "arm");
    rig.run("pub", "arm", 'name=["elbow","wrist"]', "position=[nan,0.5]");
    rig.run("pub", "camera", "width=2", "height=1", "encoding=rgb8", "step=6", "data=[1,2,3,4,5,6]");
    rig.run("pub", "map", "info.width=3", "info.height=1", "info.resolution=0.5", "data=[0,100,-1]");
    await eventually("the topics are there", () => page.evaluate(() => ["camera", "map", "arm"].every((name) => window.achView.model.names.has(name))));
    await page.evaluate(() => {
        const { workspace } = window.achView;
        workspace.clear(); // what was proposed
        for (const [kind, topic] of [["tree", "camera"], ["image", "camera"], ["tree", "map"], ["robot"], ["joints", "arm"]]) workspace.add(kind, { topic });
    });
    const text = (i) => page.evaluate((at) => window.achView.workspace.panels[at].element.innerText.replace(/\s+/g, " "), i);
    for (const [at, words] of [[0, ["#1 ", "rgb8", "width 2", '"6 bytes"']], [1, ["2 × 1"]], [2, ["#1 ", "resolution 0.5", '"3 bytes"']],
        [3, ["elbow no number", "wrist 0.50"]], [4, ["elbow no number", "wrist 0.500"]]])
        await eventually(`panel ${at} shows ${words}`, async () => {
            const shown = await text(at);
            return words.every((word) => shown.includes(word));
        });
    const map = () => page.evaluate(() => [...(window.achView.workspace.panels[3].scene.layers.get("map")?.grid.cells ?? [])].join());
    await eventually("the map is drawn", async () => (await map()) === "0,100,-1");
    rig.run("pub", "map", "info.width=3", "info.height=1", "info.resolution=0.5", "data=[0]");
    await eventually("the panel tells of the damaged map", async () => (await text(3)).includes("message of map cannot be drawn"));
    check((await map()) === "0,100,-1", "the map before stays");
    await page.evaluate(() => window.achView.workspace.clear());
    rig.run("rm", "camera", "map", "arm");
}

test("page-channels", async (rig) => {
    const server = await rig.view();
    await proposes(rig, server);
    const page = await rig.page(server.url);
    await connected(page);
    await placesGrids(page);
    await drawsTheRest(page);
    await showsPictures(rig, page);
    await appears(rig, page);
    await showsMessages(rig, page);
    await filters(rig, page);
    await tellsOfTimestamps(rig, page);
    await reloads(page);
    await vanishes(rig, page);
    checkErrors(page);
});
