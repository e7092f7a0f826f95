// SPDX-License-Identifier: BSD-3-Clause
// The line at the bottom: connection, what comes, what was dropped, and what the server last said.
import { make, button, set, setText, setTitle } from './dom.js';
import { formatBandwidth, formatCount, formatTime } from './format.js';

const STATES = {
    connecting: 'connecting', open: 'connected', waiting: 'no connection, trying again',
    refused: 'refused: open the address that ach view printed, with its token',
};

export class StatusBar {
    #app;
    #state = make('span', { class: 'state', role: 'status' });
    #traffic = make('span', { class: 'traffic dim' });
    #dropped = make('span', { class: 'lost' });
    #last = button('', () => this.#toggle(), { class: 'last', 'aria-expanded': 'false', 'aria-label': 'Messages of the server' });
    #log = make('div', { class: 'popover log', hidden: true, role: 'log' });
    #before = { messages: 0, bytes: 0, time: performance.now() };

    constructor(app, element) {
        this.#app = app;
        element.append(this.#state, this.#traffic, this.#dropped, this.#last, this.#log);
        app.connection.on('state', () => this.#connection());
        app.model.on('status', () => this.#message());
        app.model.on('channels', () => this.#count());
        app.subscriptions.on('dropped', () => this.#lost());
        this.#connection();
        this.#lost();
    }

    #connection() {
        const { state } = this.#app.connection;
        setText(this.#state, STATES[state]);
        document.body.dataset.connection = state;
        if (state !== 'open') setText(this.#traffic, '');
    }

    // The server tells of channels once per second: a good moment, and none when the page is hidden.
    #count() {
        const { messages, bytes } = this.#app.connection, time = performance.now(), span = (time - this.#before.time) / 1000;
        if (span < 0.5) return;
        setText(this.#traffic, `${Math.round((messages - this.#before.messages) / span)} msg/s  ${formatBandwidth((bytes - this.#before.bytes) / span)}`);
        this.#before = { messages, bytes, time };
        this.#lost();
    }

    #lost() {
        const { dropped } = this.#app.subscriptions;
        const missed = this.#app.model.channels.reduce((sum, c) => sum + (c.missed ?? 0), 0);
        setText(this.#dropped, `${formatCount(dropped)} dropped, ${formatCount(missed)} missed`);
        setTitle(this.#dropped, 'dropped: not sent to this page, which was too slow. missed: overwritten in the channels before ach view read them');
        this.#dropped.classList.toggle('bad', dropped + missed > 0);
    }

    #message() {
        const { log } = this.#app.model, last = log[log.length - 1];
        setText(this.#last, last.message);
        setTitle(this.#last, last.message);
        this.#last.dataset.level = last.level;
        if (!this.#log.hidden) this.#show();
    }

    #toggle() {
        this.#log.hidden = !this.#log.hidden;
        set(this.#last, { 'aria-expanded': String(!this.#log.hidden) });
        this.#show();
    }

    #show() {
        this.#log.replaceChildren(...this.#app.model.log.map(({ time, level, message }) =>
            make('div', { 'data-level': level }, make('span', { class: 'dim', text: formatTime(time) }), make('span', { text: message }))));
        if (!this.#app.model.log.length) this.#log.append(make('p', { class: 'hint', text: 'The server has said nothing.' }));
        this.#log.scrollTop = this.#log.scrollHeight;
    }
}
