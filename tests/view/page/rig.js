// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the page share: programs of Ach that end with the test, a browser, and conditions that come true.
"use strict";
const { spawn, spawnSync } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { chromium } = require("playwright-core");

const FACTOR = Number(process.env.ACH_TEST_TIME || "1");
const LIMIT = 60000 * FACTOR; // of one wait: it only ends a test that would never end
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(77);
}

function check(truth, what) {
    if (!truth) throw new Error(`expected: ${what}`);
}

// Wait until f is neither false nor null, and return that. `what` is for the message if it never is.
async function eventually(what, f, limit = LIMIT) {
    const end = Date.now() + limit;
    for (let last; ; await sleep(50)) {
        last = await f();
        if (last !== false && last !== null && last !== undefined) return last;
        if (Date.now() > end) throw new Error(`never: ${what}`);
    }
}

class Rig {
    #children = [];
    #machines = [];
    #browser = null;
    #contexts = [];
    #env;

    constructor(ach, channels = process.env.ACH_DIR) {
        this.ach = ach;
        this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "ach-page-"));
        this.channels = channels;
        this.#env = { ...process.env, ACH_DIR: channels };
    }

    // Another machine, as far as channels tell: it has its own ones, and shares loopback.
    machine(name) {
        const channels = path.join(this.channels, name);
        fs.mkdirSync(channels);
        this.#machines.push(new Rig(this.ach, channels));
        return this.#machines.at(-1);
    }

    // Run a program to its end, which must be good.
    run(...args) {
        const done = spawnSync(this.ach, args, { encoding: "utf8", timeout: LIMIT, cwd: this.folder, env: this.#env });
        check(done.status === 0, `ach ${args.join(" ")} succeeds, not: ${done.stderr}`);
        return done.stdout;
    }

    // Start a program that the test ends. Its output is in .output.
    start(program, args, options = {}) {
        const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], cwd: this.folder, env: this.#env, ...options });
        child.output = "";
        child.errors = "";
        child.stdout.on("data", (data) => (child.output += data));
        child.stderr.on("data", (data) => (child.errors += data));
        child.ended = new Promise((resolve) => child.on("exit", (code, signal) => resolve({ code, signal })));
        child.on("error", (error) => (child.errors += error.message));
        this.#children.push(child);
        return child;
    }

    async stop(child, signal = "SIGTERM") {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill(signal);
        const late = setTimeout(() => child.kill("SIGKILL"), 10000 * FACTOR);
        await child.ended;
        clearTimeout(late);
    }

    // ach view, and the address that it prints.
    async view(...args) {
        const server = this.start(this.ach, ["view", "--port", "0", ...args]);
        server.url = await eventually("ach view prints its address", () => {
            check(server.exitCode === null, `ach view runs, not: ${server.errors}`);
            return server.output.match(/http:\/\/\S+/)?.[0];
        });
        return server;
    }

    async page(url, { width = 1440, height = 900, scheme = "dark" } = {}) {
        const program = BROWSERS.find((b) => fs.existsSync(b));
        if (!program) skip("there is no chromium");
        this.#browser ??= await chromium.launch({ executablePath: program, args: ["--no-sandbox"], timeout: LIMIT });
        const context = await this.#browser.newContext({ viewport: { width, height }, colorScheme: scheme, hasTouch: width < 700 });
        this.#contexts.push(context);
        const page = await context.newPage();
        page.setDefaultTimeout(LIMIT);
        page.errors = [];
        page.on("pageerror", (error) => page.errors.push(error.stack ?? error.message));
        page.on("console", (m) => m.type() === "error" && page.errors.push(m.text()));
        if (url) await page.goto(url).catch((error) => {
            if (!CHANGED.test(error.message)) throw error;
            page.errors.push(error.message);
        });
        return page;
    }

    // What went wrong elsewhere, when a test fails.
    async tell() {
        for (const machine of this.#machines) await machine.tell();
        for (const child of this.#children) if (child.errors) console.log(`${child.spawnargs.join(" ")}: ${child.errors.trimEnd()}`);
        for (const page of this.#contexts.flatMap((c) => c.pages())) {
            if (page.errors?.length) console.log(`the page: ${page.errors.join("; ")}`);
            console.log(await page.evaluate(() => document.body.innerText.replace(/\s+/g, " ").slice(-600)).catch(() => ""));
        }
    }

    async finish() {
        await this.#browser?.close();
        for (const child of this.#children.reverse()) await this.stop(child);
        for (const machine of this.#machines) {
            await machine.finish();
            fs.rmSync(machine.channels, { recursive: true, force: true });
        }
        fs.rmSync(this.folder, { recursive: true, force: true });
    }
}

// Run a test with a rig, and end everything that it began, also if it fails.
async function test(name, body) {
    const rig = new Rig(path.resolve(process.argv[2]));
    let failed = null;
    try {
        await body(rig, ...process.argv.slice(3).map((a) => path.resolve(a)));
    } catch (error) {
        failed = error;
    }
    if (failed) await rig.tell();
    await rig.finish();
    if (failed) console.log(`${name}: ${failed.stack}`);
    else console.log(`${name}: passed`);
    process.exit(failed ? 1 : 0);
}

// Chromium ends what it loads when an interface of the machine comes or goes, as other tests cause.
const CHANGED = /ERR_NETWORK_CHANGED/;

function connected(page) {
    return eventually("the page is connected", async () => {
        if (await page.evaluate(() => window.achView?.connection.state === "open").catch(() => false)) return true;
        if (page.errors.some((e) => CHANGED.test(e))) {
            page.errors.length = 0;
            await page.reload();
        }
        return false;
    });
}

// No script failed, and nothing was refused by the policy of the page.
function checkErrors(page) {
    const errors = page.errors.filter((e) => !CHANGED.test(e));
    check(errors.length === 0, `no errors in the page, not: ${errors.join("; ")}`);
}

module.exports = { test, check, checkErrors, connected, eventually, sleep, LIMIT };
