// SPDX-License-Identifier: BSD-3-Clause
// The WebSocket to ach-view: it connects again, with growing delays, for as long as the page is open.
import { Events } from './events.js';
import { decodeBinary } from './binary.js';

const PROTOCOL = 'ach.view.v1';
const FIRST_DELAY = 500, LAST_DELAY = 10000;
const FRESH = 250; // ms

// Events: 'state' (connecting, open, waiting, refused), 'op' (an object), 'binary' (a decoded message).
export class Connection extends Events {
    state = 'connecting';
    messages = 0; // received, and their bytes, since the page was loaded
    bytes = 0;
    malformed = 0;
    #tick = null; // the newest that the server has sent
    #tickAt = -Infinity;
    #socket = null;
    #delay = FIRST_DELAY;
    #timer = 0;

    constructor() {
        super();
        addEventListener('online', () => this.#hurry());
        document.addEventListener('visibilitychange', () => document.hidden || this.#hurry());
    }

    open() {
        this.#set('connecting');
        const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
        const socket = new WebSocket(`${scheme}://${location.host}/`, PROTOCOL);
        socket.binaryType = 'arraybuffer';
        socket.onopen = () => {
            this.#delay = FIRST_DELAY;
            this.#set('open');
        };
        socket.onmessage = (event) => this.#receive(event.data);
        socket.onclose = () => this.#closed();
        this.#socket = socket;
    }

    // False: there is no connection; whoever sends must do it again in 'state' open.
    send(object) {
        if (this.state !== 'open' || this.#socket.readyState !== WebSocket.OPEN) return false;
        this.#socket.send(JSON.stringify(object));
        return true;
    }

    // The server has sent a tick a moment ago, so it accepts commands.
    get fresh() {
        return performance.now() - this.#tickAt < FRESH;
    }

    // A command to a device: the server carries it out only if it was sent a moment ago.
    command(object) {
        return this.send({ ...object, tick: this.#tick });
    }

    close() {
        this.#socket?.close();
    }

    #set(state) {
        this.state = state;
        this.#tick = null;
        this.#tickAt = -Infinity;
        this.emit('state', state);
    }

    #receive(data) {
        this.messages++;
        const text = typeof data === 'string';
        this.bytes += text ? data.length : data.byteLength;
        const message = text ? parse(data) : decodeBinary(data);
        if (message === null) this.malformed++;
        else if (message.op === 'tick') (this.#tick = message.tick), (this.#tickAt = performance.now());
        else this.emit(text ? 'op' : 'binary', message);
    }

    async #closed() {
        this.#socket = null;
        this.#set('waiting');
        this.#wait();
        if (await refused()) this.#set('refused');
    }

    #wait() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.open(), this.#delay * (0.75 + Math.random() / 2));
        this.#delay = Math.min(this.#delay * 2, LAST_DELAY);
    }

    #hurry() {
        if (this.#socket || document.hidden) return;
        clearTimeout(this.#timer);
        this.#delay = FIRST_DELAY;
        this.open();
    }
}

function parse(text) {
    try {
        const object = JSON.parse(text);
        return object && typeof object.op === 'string' ? object : null;
    } catch {
        return null;
    }
}

// A WebSocket does not tell why it failed. A server that was started again has another token.
async function refused() {
    try {
        const answer = await fetch('page/icon.svg', { cache: 'no-store' });
        return answer.status === 401 || answer.status === 403;
    } catch {
        return false;
    }
}
