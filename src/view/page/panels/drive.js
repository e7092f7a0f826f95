// SPDX-License-Identifier: BSD-3-Clause
// Drive a base: buttons, a stick, keys. Whatever moves it must be held.
import { make, iconButton, set, setText, setTitle } from '../dom.js';
import { typing } from '../channel_list.js';
import { Panel } from './panel.js';
import { DeadMan } from './dead_man.js';
import { Stick } from './stick.js';

const KEYS = {
    w: [1, 0], s: [-1, 0], a: [0, 1], d: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 1], ArrowRight: [0, -1],
};
const BUTTONS = [
    ['turnleft', 'Forward and left', 1, 1], ['up', 'Forward', 1, 0], ['turnright', 'Forward and right', 1, -1], ['left', 'Turn left', 0, 1],
    ['stop', 'Stop', 0, 0], ['right', 'Turn right', 0, -1], null, ['down', 'Back', -1, 0], null,
];
const DRIVABLE = ['position2d'];
const ASKED = 'stopped'; // the server's reason if the page said stop
const OTHER = 'another page';

export class DrivePanel extends Panel {
    #dead;
    #stick = new Stick({ move: (x, y) => this.#hold(y, -x), release: () => this.#dead.release() });
    #keys = new Set();
    #device = make('select', { 'aria-label': 'Device', on: { change: (e) => this.#chooseDevice(e.target.value) } });
    #reason = make('p', { class: 'hint reason' });
    #refused = ''; // why the last press was
    #state = make('div', { role: 'status' });
    #pad = make('div', { class: 'pad' });
    #speeds = make('div', { class: 'speeds' });

    constructor(app, kind, about, options) {
        super(app, kind, about, options);
        options.forward ??= 0.4;
        options.turn ??= 0.8;
        this.#dead = new DeadMan(app, (command) => this.#sent(command));
        this.#pad.append(...BUTTONS.map((b) => (b ? this.#button(...b) : make('span'))));
        this.#speeds.append(this.#speed('forward', 'Forward', 'm/s', 2), this.#speed('turn', 'Turn', 'rad/s', 3));
        this.tools.append(this.#device);
        this.body.append(make('div', { class: 'drive-state' }, this.#state), this.#reason, make('div', { class: 'controls' }, this.#pad, this.#stick.element), this.#speeds);
        this.element.tabIndex = -1;
        this.until(app.model.on('refused', (address, reason) => address === this.address && this.#refuse(reason)));
        for (const event of ['devices', 'hello', 'driving']) this.until(app.model.on(event, () => this.request()));
        this.until(app.model.on('driving', () => this.#obey()));
        this.until(app.connection.on('state', () => this.request()));
        this.#listen();
        this.request();
    }

    // Keys drive while the panel has the focus: the page has others.
    #listen() {
        set(this.element, { on: {
            keydown: (e) => this.#key(e, true), keyup: (e) => this.#key(e, false), pointerdown: (e) => e.target.closest('button, input, select') || this.element.focus({ preventScroll: true }),
            focusout: (e) => this.element.contains(e.relatedTarget) || this.#allKeysUp(),
        } });
        const up = () => this.#keys.clear();
        addEventListener('blur', up);
        this.until(() => removeEventListener('blur', up));
    }

    get address() {
        return this.#device.value;
    }

    #button(symbol, label, forward, turn) {
        const b = iconButton(symbol, label, () => {}, { class: symbol === 'stop' ? 'stop' : 'go', 'data-go': symbol });
        if (symbol === 'stop') {
            set(b, { on: { pointerdown: () => this.#stop(), click: () => this.#stop() } });
            return b;
        }
        const hold = () => b.classList.toggle('held', this.#hold(forward, turn));
        const release = () => b.classList.contains('held') && (b.classList.remove('held'), this.#dead.release());
        set(b, { on: {
            pointerdown: (e) => e.button === 0 && (b.setPointerCapture(e.pointerId), hold()),
            pointerup: release, pointercancel: release, lostpointercapture: release, contextmenu: (e) => e.preventDefault(),
            keydown: (e) => (e.key === 'Enter' || e.key === ' ') && (e.preventDefault(), e.repeat || hold()),
            keyup: (e) => (e.key === 'Enter' || e.key === ' ') && (e.preventDefault(), release()), blur: release,
        } });
        return b;
    }

    #speed(name, label, unit, most) {
        const value = make('output', { text: `${this.options[name].toFixed(2)} ${unit}` });
        const range = make('input', { type: 'range', min: '0.05', max: String(most), step: '0.05', value: String(this.options[name]), 'aria-label': `${label}, ${unit}` });
        range.addEventListener('input', () => {
            this.options[name] = Number(range.value);
            setText(value, `${this.options[name].toFixed(2)} ${unit}`);
            this.changed();
        });
        return make('label', {}, make('span', { text: label }), range, value);
    }

    #chooseDevice(address) {
        this.#dead.release();
        this.#refused = '';
        this.options.address = address;
        this.changed();
    }

    // False: it cannot be driven now.
    #hold(forward, turn) {
        if (!this.address) this.paint(); // the panel has just come into view
        if (!this.#allowed()) return false;
        if (!this.#dead.held) this.#refused = '';
        return this.#dead.hold({ op: 'drive', address: this.address, forward: forward * this.options.forward, turn: turn * this.options.turn });
    }

    #stop() {
        this.#dead.release();
        this.#keys.clear();
        if (this.address) this.app.connection.send({ op: 'stop', address: this.address });
    }

    #key(event, down) {
        if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || event.target.type === 'range') return;
        if (down && (event.key === 'Escape' || (event.key === ' ' && event.target === this.element))) return event.preventDefault(), this.#stop();
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (!KEYS[key] || event.target.closest('.grip, .resize')) return;
        event.preventDefault();
        if (event.repeat || down === this.#keys.has(key)) return;
        if (down) this.#keys.add(key);
        else this.#keys.delete(key);
        if (!this.#keys.size) return void this.#dead.release();
        const sum = [...this.#keys].reduce(([f, t], k) => [f + KEYS[k][0], t + KEYS[k][1]], [0, 0]);
        this.#hold(Math.sign(sum[0]), Math.sign(sum[1]));
    }

    #allKeysUp() {
        if (!this.#keys.size) return;
        this.#keys.clear();
        this.#dead.release();
    }

    // The server stopped the robot, and not because it was asked to: driving on takes another press.
    #obey() {
        const told = this.app.model.driving.get(this.address);
        if (told?.moving) this.#refused = '';
        if (this.#dead.held && told && !told.moving && told.reason && told.reason !== ASKED) this.#dead.release();
    }

    #refuse(reason) {
        this.#refused = reason;
        this.request();
    }

    #sent(command) {
        this.element.classList.toggle('driving', command !== null);
        if (!command) {
            this.#stick.centre();
            this.#keys.clear();
            for (const b of this.#pad.querySelectorAll('.held')) b.classList.remove('held');
        }
        this.request();
        this.sent = command;
    }

    #allowed() {
        return this.#why() === '';
    }

    #why() {
        const { model, connection } = this.app;
        if (connection.state !== 'open') return 'There is no connection, so nothing can be driven.';
        if (model.hello.source === 'file') return 'A recording cannot be driven.';
        if (!model.hello.drive) return 'Driving is off. Only ach view --drive allows it.';
        if (!this.#devices().length) return 'No device can be driven: there is none with the interface position2d.';
        return '';
    }

    #devices() {
        return this.app.model.devices.filter((d) => DRIVABLE.includes(d.interface) && (!d.commands?.length || d.commands.includes('VEL')));
    }

    paint() {
        const addresses = this.#devices().map((d) => d.address), why = this.#why();
        if ([...this.#device.options].map((o) => o.value).join() !== addresses.join()) {
            this.#device.replaceChildren(...addresses.map((a) => make('option', { value: a, text: a })));
            if (addresses.includes(this.options.address)) this.#device.value = this.options.address;
        }
        this.#device.hidden = !addresses.length;
        setText(this.#reason, why);
        this.#reason.hidden = !why;
        for (const b of this.#pad.querySelectorAll('button')) b.disabled = why !== '' && b.dataset.go !== 'stop';
        this.#stick.element.classList.toggle('off', why !== '');
        this.#tell();
    }

    #tell() {
        const told = this.app.model.driving.get(this.address), [text, warn] = this.#says(told ?? { moving: null, by: '', reason: '' });
        setText(this.#state, text);
        setTitle(this.#state, text);
        this.#state.classList.toggle('warn', warn);
    }

    // A sentence, and whether it is a warning. The page drives only if the server says so, too.
    #says({ moving, by, reason }) {
        const { sent } = this, because = reason && reason !== ASKED ? `: ${reason}` : '';
        if (by === OTHER) return ['another page drives', true];
        if (sent && by === 'you' && moving) return [`driving: ${sent.forward.toFixed(2)} m/s, ${sent.turn.toFixed(2)} rad/s`, false];
        if (sent) return ['starting', false];
        if (moving === null && reason) return [`not known whether it stands${because}`, true];
        if (this.#refused) return [`not driving: ${this.#refused}`, true];
        return moving === null ? ['not driven', false] : [(moving ? 'moving' : 'stopped') + because, because !== ''];
    }

    closing() {
        this.#dead.end();
    }
}
