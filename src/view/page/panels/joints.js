// SPDX-License-Identifier: BSD-3-Clause
// Joints: where they are, and sliders that move them.
import { make, iconButton, set, setText } from '../dom.js';
import { isNumber } from '../format.js';
import { Panel } from './panel.js';

const RATE = 15, PERIOD = 50;
const RANGE = Math.PI; // of a slider, until a joint is seen beyond it
const MOVABLE = ['actarray', 'limb', 'gripper', 'position1d', 'ptz'];

export class JointsPanel extends Panel {
    #message = null;
    #rows = [];
    #list = make('div', { class: 'joint-list' });
    #reason = make('p', { class: 'hint reason' });
    #sentAt = 0;
    #refused = false; // what is held now: it must be let go first
    #stop = iconButton('stop', 'Stop all joints', () => this.#stopAll(), { class: 'stop' });

    constructor(app, kind, about, options) {
        super(app, kind, about, options);
        this.setTitle(options.topic);
        this.tools.append(this.#stop);
        this.body.append(this.#reason, this.#list);
        this.until(app.model.on('refused', (address) => address === this.#device()?.address && (this.#refused = true)));
        this.until(app.subscriptions.watch(options.topic, RATE, (m) => this.#take(m)));
        for (const event of ['devices', 'hello', 'topics']) this.until(app.model.on(event, () => this.request()));
        this.request();
    }

    clear() {
        this.#message = null;
    }

    #take(message) {
        this.#message = message;
        this.request();
    }

    // The device whose channel this topic is from: its name is the part before the slash.
    #device() {
        const { model } = this.app, [name] = this.options.topic.split('/');
        return model.devices.find((d) => MOVABLE.includes(d.interface) && (d.address === name || d.address.endsWith(`:${name}`)));
    }

    #why() {
        const { model } = this.app;
        if (model.hello.source === 'file') return 'A recording: the joints are only shown.';
        if (!model.hello.drive) return 'Moving joints is off. Only ach view --drive allows it.';
        return this.#device() ? '' : 'These joints belong to no device that takes commands.';
    }

    paint() {
        const { name = [], position = [], velocity = [] } = this.#message?.value ?? {}, why = this.#why();
        setText(this.#reason, this.#message ? why : this.nothing(this.options.topic));
        this.#reason.hidden = !why && this.#message !== null;
        this.#stop.hidden = why !== '';
        while (this.#rows.length > position.length) this.#rows.pop().element.remove();
        position.forEach((at, i) => {
            this.#rows[i] ??= this.#makeRow(i);
            this.#rows[i].update(name[i] || `joint ${i}`, at, velocity[i], why === '');
        });
        this.setLost(this.#message?.missed, this.#message?.dropped);
    }

    #makeRow(index) {
        const label = make('span', { class: 'label' }), value = make('span', { class: 'value' }), bar = make('i');
        const range = make('input', { type: 'range', min: String(-RANGE), max: String(RANGE), step: '0.01' });
        const row = { element: make('div', { class: 'joint' }, label, value, bar, range), held: false };
        set(range, { on: {
            input: () => this.#move(index, Number(range.value), false), change: () => (this.#move(index, Number(range.value), true), (row.held = false)),
            pointerdown: () => ((row.held = true), (this.#refused = false)), keydown: (e) => e.repeat || (this.#refused = false), blur: () => (row.held = false),
        } });
        row.update = (name, told, speed, allowed) => {
            const at = isNumber(told) ? told : 0;
            const most = Math.max(Number(range.max), Math.ceil(Math.abs(at) / Math.PI) * Math.PI);
            if (most > Number(range.max)) set(range, { min: String(-most), max: String(most) });
            setText(label, name);
            setText(value, `${isNumber(told) ? at.toFixed(3) : 'no number'}${isNumber(speed) ? `  ${speed.toFixed(2)}/s` : ''}`);
            set(range, { 'aria-label': `Position of ${name}` });
            range.disabled = !allowed;
            bar.style.setProperty('--from', `${50 + Math.min(0, at / most) * 50}%`);
            bar.style.setProperty('--size', `${Math.abs(at / most) * 50}%`);
            if (!row.held && document.activeElement !== range) range.value = String(at);
        };
        this.#list.append(row.element);
        return row;
    }

    #stopAll() {
        this.#refused = true;
        this.app.connection.send({ op: 'stop', address: this.#device()?.address });
    }

    #move(joint, position, last) {
        const now = performance.now(), device = this.#device();
        if (!device || this.#refused || (!last && now - this.#sentAt < PERIOD)) return;
        this.#sentAt = now;
        this.app.connection.command({ op: 'joint', address: device.address, joint, position });
    }
}
