// SPDX-License-Identifier: BSD-3-Clause
// The robot from above: map, laser, path, goals, and where it has been.
import { make, iconButton, set, setText } from '../dom.js';
import { isNumber } from '../format.js';
import { Panel } from './panel.js';
import { Scene, RATES } from './scene.js';
import { View } from './view.js';
import { RobotPainter } from './robot_painter.js';
import { handleView } from './gestures.js';

const SILENT = 3; // s
const SIZE = { length: 0.44, width: 0.38 }; // of a robot that does not tell

export class RobotPanel extends Panel {
    scene = new Scene();
    period = 33;
    view = new View();
    #watched = new Map(); // by topic: function that ends it
    #fitted = 0; // layers there were when the view was chosen; -1: the user has chosen it
    #goal = null;
    #canvas = make('canvas', { tabindex: '0', role: 'img', 'aria-label': 'The robot from above' });
    #heard = NaN; // when the last scan or odometry came
    #pose = make('div', { class: 'pose', role: 'status', 'aria-live': 'off' });
    #note = make('div', { class: 'note' });
    #joints = make('div', { class: 'joint-bars' });
    #layers = make('div', { class: 'popover layers', hidden: true });
    #painter;

    constructor(app, kind, about, options) {
        super(app, kind, about, options);
        options.hidden ??= [];
        options.follow ??= false;
        this.#painter = new RobotPainter(this.#canvas, this.view, app.theme);
        this.#makeTools();
        this.body.append(this.#canvas, this.#note, this.#joints, this.#pose, this.#layers);
        handleView(this.#canvas, this.view, {
            changed: () => this.#moved(), held: () => this.#goal !== null, press: (x, y) => this.#aim(x, y), drag: (x, y) => this.#turn(x, y), release: () => this.#send(),
        });
        set(this.#canvas, { on: { keydown: (e) => this.#key(e) } });
        this.until(app.model.on('topics', () => this.#topics()));
        this.until(app.model.on('devices', () => this.#offer()));
        this.until(app.model.on('hello', () => this.#offer()));
        const timer = setInterval(() => this.#silence() && this.request(), 1000);
        this.until(() => clearInterval(timer));
        this.#topics();
        this.#offer();
    }

    #makeTools() {
        this.followButton = iconButton('follow', 'Keep the robot in the middle (f)', () => this.#follow(), { 'aria-pressed': String(this.options.follow) });
        this.goalButton = iconButton('target', 'Send the robot to a place: press there, drag for the heading', () => this.#choose(this.#goal === null), { 'aria-pressed': 'false', hidden: true });
        this.layersButton = iconButton('layers', 'Layers', () => this.#showLayers(this.#layers.hidden), { 'aria-expanded': 'false' });
        this.tools.append(this.goalButton, this.layersButton, this.followButton, iconButton('minus', 'Smaller (−)', () => this.#zoom(1 / 1.4), { class: 'zoom' }),
            iconButton('plus', 'Larger (+)', () => this.#zoom(1.4), { class: 'zoom' }), iconButton('fit', 'Show all (0)', () => this.#fit()));
    }

    #topics() {
        const { model, subscriptions } = this.app, there = model.topicsOfKind(...Object.keys(RATES));
        for (const { name, kind } of there) {
            if (this.#watched.has(name) || this.options.hidden.includes(name)) continue;
            this.#watched.set(name, subscriptions.watch(name, RATES[kind], (m) => this.#take(name, kind, m)));
        }
        for (const [name, end] of this.#watched) {
            if (model.names.has(name) && !this.options.hidden.includes(name)) continue;
            end();
            this.#watched.delete(name);
            if (this.app.connection.state === 'open') this.scene.drop(name);
        }
        if (!this.#layers.hidden) this.#showLayers(true);
        this.request();
    }

    #take(name, kind, message) {
        if (kind === 'scan' || kind === 'odometry') this.#heard = performance.now();
        this.scene.take(name, kind, message);
        this.request();
    }

    sought(time, empty) {
        for (const name of empty) this.scene.drop(name);
        this.request();
    }

    // Seconds without news of a robot that told where it is; 0: it tells, or time stands still.
    #silence() {
        const { hello, clock } = this.app.model, seconds = (performance.now() - this.#heard) / 1000;
        return hello.source !== 'file' && !clock?.paused && seconds > SILENT ? seconds : 0;
    }

    paint() {
        const { clientWidth: w, clientHeight: h } = this.body, ratio = devicePixelRatio;
        if (!w || !h) return;
        if (this.#canvas.width !== Math.round(w * ratio) || this.#canvas.height !== Math.round(h * ratio)) {
            this.#canvas.width = Math.round(w * ratio);
            this.#canvas.height = Math.round(h * ratio);
        }
        Object.assign(this.view, { width: w, height: h });
        const layers = this.scene.of('grid').length * 10 + this.scene.layers.size;
        if (this.#fitted >= 0 && layers > this.#fitted) this.view.fit(this.scene.box()), (this.#fitted = layers);
        const [robot] = this.scene.robots();
        if (this.options.follow && robot) Object.assign(this.view, { x: robot.pose.x, y: robot.pose.y });
        this.#painter.draw(this.scene, this.options.hidden, { size: SIZE, goal: this.#goal?.pose });
        this.#tell(robot);
    }

    #tell(robot) {
        const degrees = (a) => `${((((a * 180) / Math.PI + 540) % 360) - 180).toFixed(0)}°`;
        setText(this.#pose, robot ? `x ${robot.pose.x.toFixed(2)} m  y ${robot.pose.y.toFixed(2)} m  ${degrees(robot.pose.a)}  ${robot.layer.speed.toFixed(2)} m/s` : '');
        const layers = [...this.scene.layers.values()];
        this.setLost(layers.reduce((n, l) => n + (l.missed ?? 0), 0), layers.reduce((n, l) => n + (l.dropped ?? 0), 0));
        const loose = this.scene.of('scan').find((l) => !this.scene.place(l.frame, true).sure);
        const none = !layers.length ? 'Nothing to draw: no map, scan, odometry or path.' : loose ? `No transform from ${loose.frame || 'the scan'} to ${this.scene.fixed}: drawn at the robot.` : '';
        const silence = this.#silence(), bad = [...this.scene.bad].filter((name) => !this.options.hidden.includes(name));
        if (bad.length) setText(this.#note, `The newest message of ${bad.join(' and of ')} cannot be drawn. What was good before stays.`);
        else setText(this.#note, layers.length && silence ? `No scan and no odometry for ${silence.toFixed(0)} s: this is how it was.` : none);
        this.#showJoints();
    }

    #showJoints() {
        const joints = this.scene.of('joints').filter((l) => !this.options.hidden.includes(l.name)).flatMap((l) => l.joints).slice(0, 12);
        while (this.#joints.children.length > joints.length) this.#joints.lastChild.remove();
        joints.forEach((joint, i) => {
            const row = this.#joints.children[i] ?? this.#joints.appendChild(make('div', {}, make('span'), make('i'), make('b')));
            const at = isNumber(joint.position) ? joint.position : 0, share = Math.max(-1, Math.min(1, at / Math.PI));
            setText(row.children[0], joint.name);
            row.children[1].style.setProperty('--from', `${50 + Math.min(0, share) * 50}%`);
            row.children[1].style.setProperty('--size', `${Math.abs(share) * 50}%`);
            setText(row.children[2], isNumber(joint.position) ? at.toFixed(2) : 'no number');
        });
    }

    #moved() {
        this.#fitted = -1;
        if (this.options.follow) this.#follow();
        this.request();
    }

    #zoom(factor) {
        this.view.zoom(factor);
        this.#fitted = -1;
        this.request();
    }

    #fit() {
        this.view.fit(this.scene.box());
        this.#fitted = 0;
        this.request();
    }

    #follow() {
        this.options.follow = !this.options.follow;
        set(this.followButton, { 'aria-pressed': String(this.options.follow) });
        this.changed();
        this.request();
    }

    #key(event) {
        const pan = (x, y) => (this.view.pan(x, y), this.#moved());
        const actions = {
            '+': () => this.#zoom(1.4), '-': () => this.#zoom(1 / 1.4), 0: () => this.#fit(), f: () => this.#follow(), ArrowLeft: () => pan(40, 0),
            ArrowRight: () => pan(-40, 0), ArrowUp: () => pan(0, 40), ArrowDown: () => pan(0, -40), Escape: () => this.#choose(false),
        };
        if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        actions[event.key]();
    }

    #showLayers(show) {
        this.#layers.hidden = !show;
        set(this.layersButton, { 'aria-expanded': String(show) });
        const topics = this.app.model.topicsOfKind(...Object.keys(RATES));
        this.#layers.replaceChildren(...topics.map(({ name, kind }) => {
            const box = make('input', { type: 'checkbox', checked: !this.options.hidden.includes(name), on: { change: (e) => this.#hide(name, !e.target.checked) } });
            return make('label', { class: 'choice' }, box, make('span', { class: 'label', text: name }), make('span', { class: 'dim', text: kind }));
        }));
        this.#layers.append(...this.#targetChoice());
        if (!topics.length) this.#layers.append(make('p', { class: 'hint', text: 'No topic can be drawn.' }));
    }

    #targetChoice() {
        const targets = this.#targets(), chosen = this.options.target ?? targets.at(-1)?.address;
        const select = make('select', { on: { change: (e) => ((this.options.target = e.target.value), this.changed()) } },
            targets.map(({ address }) => make('option', { value: address, text: address, selected: address === chosen })));
        return targets.length ? [make('label', { class: 'choice' }, 'Goals go to', select)] : [];
    }

    #hide(name, hide) {
        this.options.hidden = this.options.hidden.filter((n) => n !== name);
        if (hide) this.options.hidden.push(name);
        this.changed();
        this.#topics();
    }

    // Devices that take a goal.
    #targets() {
        const { model } = this.app;
        const takes = (d) => (d.interface === 'planner' && d.commands?.includes('GOAL')) || (d.interface === 'position2d' && d.commands?.includes('POS'));
        return model.hello.drive ? model.devices.filter(takes) : [];
    }

    #offer() {
        this.goalButton.hidden = !this.#targets().length;
        if (this.goalButton.hidden) this.#choose(false);
    }

    #choose(on) {
        this.#goal = on ? { pose: null } : null;
        set(this.goalButton, { 'aria-pressed': String(on) });
        this.#canvas.classList.toggle('aiming', on);
        this.request();
    }

    #aim(x, y) {
        this.#goal.pose = { x, y, a: 0 };
        this.request();
    }

    #turn(x, y) {
        const { pose } = this.#goal;
        if (!pose) return;
        if (Math.hypot(x - pose.x, y - pose.y) * this.view.scale > 8) pose.a = Math.atan2(y - pose.y, x - pose.x);
        this.request();
    }

    #send() {
        const { pose } = this.#goal, targets = this.#targets(), device = targets.find((d) => d.address === this.options.target) ?? targets.at(-1);
        if (pose && device) {
            this.app.connection.command({ op: 'goal', address: device.address, ...pose });
            this.app.model.note('info', `Goal for ${device.address}: x ${pose.x.toFixed(2)}, y ${pose.y.toFixed(2)}.`);
        }
        this.#choose(false);
    }

    resized() {
        this.request();
    }

    closing() {
        for (const end of this.#watched.values()) end();
    }
}
