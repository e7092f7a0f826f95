// SPDX-License-Identifier: BSD-3-Clause
// Foxglove's own client lists channels, decodes messages with their schemas, publishes, and is refused.
// foxglove.js ACH
"use strict";
const assert = require("assert");
const { execFileSync, spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { parse } = require("@foxglove/rosmsg");
const { MessageReader, MessageWriter } = require("@foxglove/rosmsg2-serialization");
const { WebSocket } = require("ws");

const ACH = process.argv[2];
const LIMIT = 20000 * Number(process.env.ACH_TEST_TIME || 1);
const DEFINITION = "float64 celsius\nstring place\nuint16[] history\n";

function ach(...words) {
    return execFileSync(ACH, words, { encoding: "utf8" });
}

function limited(promise, what) {
    let timer;
    const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no ${what} came`)), LIMIT);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// The address of Foxglove that the server prints.
async function start(...options) {
    const server = spawn(ACH, ["view", "--port", "0", ...options], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    const url = await limited(new Promise((resolve) => {
        server.stdout.on("data", (data) => {
            const found = (said += data).match(/^Foxglove: (ws:.*)$/m);
            if (found)
                resolve(found[1]);
        });
    }), "address");
    return { server, url };
}

// Events are kept from the beginning, so that none is missed.
class Client {
    constructor(url, protocol = FoxgloveClient.SUPPORTED_SUBPROTOCOL, options = {}) {
        this.events = [];
        this.waiting = [];
        this.socket = new WebSocket(url, [protocol], options);
        this.client = new FoxgloveClient({ ws: this.socket });
        for (const name of ["open", "error", "close", "serverInfo", "advertise", "unadvertise", "message",
            "status", "connectionGraphUpdate"])
            this.client.on(name, (value) => this.take({ name, value }));
    }

    take(event) {
        const at = this.waiting.findIndex((w) => w.name === event.name && w.test(event.value));
        if (at < 0)
            this.events.push(event);
        else
            this.waiting.splice(at, 1)[0].resolve(event.value);
    }

    event(name, test = () => true) {
        const at = this.events.findIndex((e) => e.name === name && test(e.value));
        if (at >= 0)
            return Promise.resolve(this.events.splice(at, 1)[0].value);
        return limited(new Promise((resolve) => this.waiting.push({ name, test, resolve })), name);
    }

    async channel(topic) {
        const channels = await this.event("advertise", (list) => list.some((c) => c.topic === topic));
        return channels.find((c) => c.topic === topic);
    }
}

function decode(channel, data) {
    const reader = new MessageReader(parse(channel.schema, { ros2: true }));
    return reader.readMessage(data);
}

async function subscribes(url, protocol) {
    const client = new Client(url, protocol);
    const info = await client.event("serverInfo");
    assert.deepStrictEqual(info.capabilities, ["clientPublish", "connectionGraph"]);
    const channel = await client.channel("oven");
    assert.strictEqual(channel.schemaName, "demo/msg/Temperature");
    const id = client.client.subscribe(channel.id);
    ach("pub", "oven", "celsius=22.5", "place=über", "history=1,2,65535");
    const message = await client.event("message");
    assert.strictEqual(message.subscriptionId, id);
    const value = decode(channel, message.data);
    assert.strictEqual(value.celsius, 22.5);
    assert.strictEqual(value.place, "über");
    assert.deepStrictEqual([...value.history], [1, 2, 65535]);
    assert(Math.abs(Number(message.timestamp) * 1e-6 - Date.now()) < LIMIT);
    client.client.unsubscribe(id);
    client.client.close();
    await client.event("close");
}

async function publishes(url) {
    const client = new Client(url), reader = new Client(url);
    await client.event("open");
    const channel = await reader.channel("oven");
    reader.client.subscribe(channel.id);
    const writer = new MessageWriter(parse(DEFINITION, { ros2: true }));
    const cdr = client.client.advertise({ topic: "oven", encoding: "cdr", schemaName: "demo/msg/Temperature" });
    client.client.sendMessage(cdr, writer.writeMessage({ celsius: -4, place: "fridge", history: [7] }));
    const first = await reader.event("message", (m) => decode(channel, m.data).celsius === -4);
    assert.strictEqual(decode(channel, first.data).place, "fridge");
    const json = client.client.advertise({ topic: "oven", encoding: "json", schemaName: "" });
    const text = JSON.stringify({ celsius: -5, place: "freezer", history: [1, 2] });
    client.client.sendMessage(json, new TextEncoder().encode(text));
    const second = await reader.event("message", (m) => decode(channel, m.data).celsius === -5);
    assert.deepStrictEqual([...decode(channel, second.data).history], [1, 2]);
    client.client.advertise({ topic: "locked", encoding: "json", schemaName: "" });
    const status = await client.event("status");
    assert.match(status.message, /--write/);
    client.client.close();
    reader.client.close();
}

async function sees(url) {
    const client = new Client(url);
    await client.event("open");
    client.client.subscribeConnectionGraph();
    const graph = await client.event("connectionGraphUpdate",
        (g) => g.publishedTopics.some((t) => t.name === "oven"));
    assert(Array.isArray(graph.subscribedTopics));
    const channel = await client.channel("oven");
    ach("rm", "oven");
    const gone = await client.event("unadvertise", (ids) => ids.includes(channel.id));
    assert.deepStrictEqual(gone, [channel.id]);
    client.client.close();
}

async function refused(url, options, status) {
    const client = new Client(url, FoxgloveClient.SUPPORTED_SUBPROTOCOL, options);
    const error = await client.event("error");
    assert.match(error.message, new RegExp(`${status}`));
}

async function main() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ach-"));
    const schema = path.join(folder, "Temperature.msg");
    let server;
    try {
        fs.writeFileSync(schema, DEFINITION);
        for (const name of ["oven", "locked"])
            ach("mk", "--type", "demo/msg/Temperature", "--schema", schema, "--timestamps", name);
        const started = await start("--write", "oven");
        server = started.server;
        await subscribes(started.url, "foxglove.websocket.v1");
        await subscribes(started.url, "foxglove.sdk.v1");
        await publishes(started.url);
        await refused(started.url.replace(/token=.*/, ""), {}, 401);
        await refused(started.url.replace(/token=.*/, `token=${"0".repeat(32)}`), {}, 401);
        await refused(started.url, { origin: "https://evil.example" }, 403);
        await refused(started.url, { headers: { Host: "evil.example" } }, 403);
        await sees(started.url);
    } finally {
        if (server) {
            const ended = new Promise((resolve) => server.on("exit", resolve));
            server.kill();
            await ended;
        }
        for (const name of ["oven", "locked"])
            try { execFileSync(ACH, ["rm", name], { stdio: "ignore" }); } catch { /* it is gone */ }
        fs.rmSync(folder, { recursive: true });
    }
}

main().then(() => process.exit(0), (error) => {
    console.error(error);
    process.exit(1);
});
