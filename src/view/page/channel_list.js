// SPDX-License-Identifier: BSD-3-Clause
// The list on the left: the channels of each machine, and below them the links of the relay.
import { make, set, setText, setTitle, icon } from './dom.js';
import { ChannelRow } from './channel_row.js';
import { LinkList } from './link_list.js';
import { compareNames } from './model.js';
import { load, store } from './storage.js';

export class ChannelList {
    #app;
    #rows = new Map(); // by machine and name
    #groups = new Map(); // by machine
    #body = make('div', { class: 'groups' });
    #filter;
    #summary = make('span', { class: 'dim' });
    #hint = make('p', { class: 'hint', text: 'Waiting for the first list of channels.' });

    constructor(app, element) {
        this.#app = app;
        this.#filter = make('input', {
            type: 'search', placeholder: 'Filter: name, type, process', 'aria-label': 'Filter channels', autocomplete: 'off',
            spellcheck: 'false', value: load('filter') ?? '', on: { input: () => this.#filtered() },
        });
        set(this.#filter, { on: { keydown: (e) => e.key === 'Escape' && this.#clear() } });
        element.append(make('div', { class: 'filter' }, this.#filter, this.#summary), this.#body, this.#hint,
            new LinkList(app).element);
        app.model.on('channels', () => this.#update());
        app.model.on('topics', () => this.#topics());
        addEventListener('keydown', (e) => e.key === '/' && !typing(e.target) && this.#focus(e));
    }

    #focus(event) {
        event.preventDefault();
        document.body.classList.add('listing');
        this.#filter.focus();
    }

    #clear() {
        this.#filter.value = '';
        this.#filtered();
    }

    #filtered() {
        store('filter', this.#filter.value);
        this.#show();
    }

    #update() {
        const channels = this.#app.model.channels, seen = new Set();
        for (const channel of channels) {
            const key = `${channel.machine}\n${channel.name}`;
            seen.add(key);
            if (!this.#rows.has(key)) this.#insert(key, channel);
            this.#rows.get(key).update(channel);
            this.#place(this.#group(channel.machine).list, this.#rows.get(key).element, channel);
        }
        for (const [key, row] of this.#rows) if (!seen.has(key)) this.#remove(key, row);
        this.#show();
    }

    #insert(key, channel) {
        const group = this.#group(channel.machine);
        const row = new ChannelRow(this.#app, channel);
        this.#rows.set(key, row);
        this.#place(group.list, row.element, channel);
    }

    // Channels that never had a message are the last ones: devices have many of them.
    #place(list, element, { name, count }) {
        const rank = count ? 'used' : 'empty';
        if (element.dataset.rank === rank) return;
        element.dataset.rank = rank;
        const behind = (e) => e.dataset.rank < rank || (e.dataset.rank === rank && compareNames(e.dataset.name, name) > 0);
        list.insertBefore(element, [...list.children].find((e) => e !== element && behind(e)) ?? null);
    }

    #remove(key, row) {
        row.element.remove();
        this.#rows.delete(key);
        const group = this.#groups.get(row.machine);
        if (group.list.children.length) return;
        group.element.remove();
        this.#groups.delete(row.machine);
    }

    // This machine is the first.
    #group(machine) {
        if (this.#groups.has(machine)) return this.#groups.get(machine);
        const list = make('ul', { class: 'channels' });
        const title = make('span', { class: 'machine' }), count = make('span', { class: 'dim' });
        const element = make('details', { class: 'group', open: true, 'data-machine': machine },
            make('summary', {}, icon('chevron'), title, count), list);
        const next = [...this.#body.children].find((e) => machine === '' || (e.dataset.machine && compareNames(e.dataset.machine, machine) > 0));
        this.#body.insertBefore(element, next ?? null);
        this.#groups.set(machine, { element, list, title, count });
        return this.#groups.get(machine);
    }

    #topics() {
        for (const row of this.#rows.values()) row.topics();
    }

    #show() {
        const words = this.#filter.value.toLowerCase().split(/\s+/).filter(Boolean);
        const counts = new Map();
        let shown = 0;
        for (const row of this.#rows.values()) {
            const match = words.every((word) => row.matches(word));
            if (row.element.hidden === match) row.element.hidden = !match;
            shown += match;
            counts.set(row.machine, (counts.get(row.machine) ?? 0) + match);
        }
        for (const [machine, group] of this.#groups) this.#label(machine, group, counts.get(machine) ?? 0);
        setText(this.#summary, words.length ? `${shown} of ${this.#rows.size}` : `${this.#rows.size}`);
        this.#hint.hidden = shown > 0;
        setText(this.#hint, words.length ? 'No channel matches the filter.' : 'There are no channels.');
    }

    #label(machine, group, count) {
        const { hello } = this.#app.model;
        const here = hello.source === 'file' ? hello.file || 'recording' : hello.host || 'this machine';
        setText(group.title, machine || here);
        setText(group.count, `${count}`);
        setTitle(group.title, machine ? `channels that ${machine} advertises` : 'channels of this machine');
        group.element.hidden = count === 0;
    }
}

export function typing(element) {
    return element.closest?.('input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]') !== null;
}
