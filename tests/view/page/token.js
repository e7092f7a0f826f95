// SPDX-License-Identifier: BSD-3-Clause
// Without the token there is no page and no connection; the address loses it; a server that is gone is told and found again.
"use strict";
const { test, check, connected, eventually } = require("./rig.js");

async function withoutToken(rig, url) {
    const page = await rig.page(null), origin = new URL(url).origin;
    for (const path of ["/", "/page/main.js", "/?token=00000000000000000000000000000000"]) {
        const answer = await page.goto(origin + path);
        check(answer.status() === 401 || answer.status() === 403, `${path} without the token is refused, not ${answer.status()}`);
    }
    check(await page.evaluate(() => window.achView === undefined), "no script of the page runs");
}

async function reconnects(rig, server, page) {
    const { port } = new URL(server.url);
    await rig.stop(server);
    await eventually("the page tells that the connection is lost", async () => (await page.textContent(".status .state")).includes("no connection"));
    const again = rig.start(rig.ach, ["view", "--port", port]);
    await eventually("another server listens", () => again.output.match(/http:\/\/\S+/));
    await eventually("the page tells that its token is not the new one's", async () => (await page.textContent(".status .state")).includes("refused"));
}

test("page-token", async (rig) => {
    const server = await rig.view();
    await withoutToken(rig, server.url);
    const page = await rig.page(server.url);
    await connected(page);
    check(!page.url().includes("token"), `the address does not keep the token: ${page.url()}`);
    check(await page.evaluate(() => !document.cookie.includes("token")), "scripts cannot read the token");
    await page.reload();
    await connected(page);
    await reconnects(rig, server, page);
});
