// SPDX-License-Identifier: BSD-3-Clause
// Sends one command again and again while it is held, and stops the robot when it is not: also when the page loses the
// focus, is hidden, stood still, or loses its connection, and when the server stands still or refuses a command. The
// server stops the robot too, 200 ms after the last command.

const PERIOD = 50; // ms
const STOOD_STILL = 200; // ms

export class DeadMan {
    #connection;
    #timer = 0;
    #sentAt = 0;
    #begun = false; // something was sent since it is held
    #command = null;
    #changed;
    #ends = [];

    // changed(command or null): to show what is sent.
    constructor({ connection, model }, changed) {
        this.#connection = connection;
        this.#changed = changed;
        const on = (target, event) => {
            const stop = () => this.release();
            target.addEventListener(event, stop);
            this.#ends.push(() => target.removeEventListener(event, stop));
        };
        on(window, 'blur');
        on(window, 'pagehide');
        on(document, 'visibilitychange');
        on(document, 'freeze');
        this.#ends.push(connection.on('state', () => this.release()));
        this.#ends.push(model.on('refused', (address) => address === this.#command?.address && this.release()));
    }

    get held() {
        return this.#command !== null;
    }

    // A new command, or the same with other numbers. False: it cannot be sent.
    hold(command) {
        if (document.hidden || !document.hasFocus() || this.#connection.state !== 'open') return this.release();
        if (this.#command && this.#command.address !== command.address) this.release();
        this.#command = command;
        this.#changed(command);
        if (!this.#timer) {
            this.#sentAt = Date.now();
            this.#begun = false;
            this.#send();
            if (this.#command) this.#timer = setInterval(() => this.#send(), PERIOD);
        }
        return this.held;
    }

    release() {
        const command = this.#command;
        clearInterval(this.#timer);
        this.#timer = 0;
        this.#command = null;
        if (command) {
            this.#connection.send({ op: 'release', address: command.address });
            this.#changed(null);
        }
        return false;
    }

    #send() {
        const now = Date.now(), late = Math.abs(now - this.#sentAt) > STOOD_STILL;
        this.#sentAt = now;
        if (!late && !this.#begun && !this.#connection.fresh) return; // a tick comes soon
        this.#begun = true;
        if (late || !this.#connection.fresh || !document.hasFocus() || !this.#connection.command(this.#command)) this.release();
    }

    end() {
        this.release();
        for (const end of this.#ends) end();
    }
}
