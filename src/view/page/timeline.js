// SPDX-License-Identifier: BSD-3-Clause
// The bar of time: of a recording, to go anywhere in it; of a simulation, to pause and step it.
import { make, iconButton, set, setText, setTitle, icon } from './dom.js';
import { formatPosition, formatTime, formatDate, isNumber } from './format.js';
import { typing } from './channel_list.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16];
const LIMITS = [0, 0.1, 0.25, 0.5, 1, 2, 4, 8]; // of a simulation; 0: none
const SEEK = 50; // ms between two positions that are sent while one drags
const TICK = 100;
const JUMP = 1, SHARE = 20; // an arrow key: this many seconds, but not more than a share of the recording
const SETTLE = 500; // ms in which the server has surely told the time that was sought
const TAKES_KEYS = 'button, select, summary, a, dialog, [role=separator], input:not(.scrub)';

export class Timeline {
    #app;
    #element;
    #play = iconButton('play', 'Play', () => this.#toggle(), { class: 'play' });
    #step = iconButton('step', 'One step', () => this.#send('step'));
    #position = make('span', { class: 'position' });
    #length = make('span', { class: 'dim' });
    #wall = make('span', { class: 'wall dim' });
    #name = make('span', { class: 'name' });
    #range = make('input', { type: 'range', class: 'scrub', min: '0', max: '1', step: 'any', 'aria-label': 'Position in the recording' });
    #speed = make('select', { 'aria-label': 'Speed', title: 'Speed' });
    #held = false;
    #limit = null; // speed that was chosen
    #sought = 0; // time that was sought last, and when it was sent
    #sentAt = -Infinity;
    #later = 0;
    #timer = 0;

    constructor(app, element) {
        this.#app = app;
        this.#element = element;
        set(this.#range, { on: {
            input: () => this.#scrub(), change: () => this.#scrub(true), pointerdown: () => (this.#held = true), pointerup: () => (this.#held = false), blur: () => (this.#held = false),
        } });
        this.#speed.addEventListener('change', () => this.#chooseSpeed());
        element.append(this.#play, this.#step, this.#position, this.#range, this.#length, this.#wall, this.#speed, this.#name);
        app.model.on('clock', () => this.#show());
        app.model.on('hello', () => this.#show());
        app.connection.on('state', () => this.#show());
        document.addEventListener('visibilitychange', () => this.#show());
        addEventListener('keydown', (e) => this.#key(e));
    }

    get #clock() {
        return this.#app.model.clock;
    }

    get #recording() {
        return isNumber(this.#clock?.start) && isNumber(this.#clock?.end);
    }

    // The clock is told a few times per second; between them it runs on.
    #now() {
        const { time, speed, paused, ended, end } = this.#clock;
        if (paused || ended || this.#app.connection.state !== 'open') return time;
        const now = time + ((performance.now() - this.#app.model.clockAt) / 1000) * (speed ?? 1);
        return this.#recording ? Math.min(now, end) : now;
    }

    #show() {
        const clock = this.#clock;
        this.#element.hidden = !clock || !isNumber(clock.time);
        clearInterval(this.#timer);
        if (this.#element.hidden) return;
        this.#allow();
        if (!clock.paused && !clock.ended && !document.hidden) this.#timer = setInterval(() => this.#tick(), TICK);
        this.#play.replaceChildren(icon(clock.paused ? 'play' : 'pause'));
        set(this.#play, { 'aria-label': clock.paused ? 'Play' : 'Pause', title: `${clock.paused ? 'Play' : 'Pause'} (space or k)` });
        if (this.#recording) this.#setSpeeds(SPEEDS, this.#limit ?? clock.speed ?? 1);
        else this.#setSpeeds(LIMITS, this.#limit);
        this.#range.hidden = this.#length.hidden = !this.#recording;
        this.#element.classList.toggle('recording', this.#recording);
        const name = this.#recording ? this.#app.model.hello.file || 'recording' : `simulation ${clock.simulation ?? ''}`;
        setText(this.#name, name.replace(/^.*\//, ''));
        setTitle(this.#name, name);
        this.#tick();
    }

    // A simulation is of the robot: it needs the permission to drive.
    #allow() {
        const { ended } = this.#clock, off = !this.#recording && (!this.#app.model.hello.drive || ended);
        for (const control of [this.#play, this.#step, this.#speed]) control.disabled = off;
        setTitle(this.#element, ended ? 'The simulation has ended.' : off ? 'Only ach view --drive allows to pause and step a simulation.' : '');
    }

    #tick() {
        const { start, end } = this.#clock, now = this.#now();
        if (this.#recording) {
            const length = Math.max(end - start, 1e-3);
            set(this.#range, { max: String(length) });
            if (!this.#held) this.#range.value = String(now - start);
            const at = this.#held ? Number(this.#range.value) : now - start;
            set(this.#range, { 'aria-valuetext': formatPosition(at) });
            this.#range.style.setProperty('--done', String(at / length));
            setText(this.#position, formatPosition(at));
            setText(this.#length, formatPosition(length));
            setText(this.#wall, `${formatDate(start + at)} ${formatTime(start + at, 1)}`);
        } else {
            setText(this.#position, now > 1e9 ? formatTime(now, 1) : formatPosition(now));
            const { speed, paused, ended } = this.#clock;
            setText(this.#wall, ended ? 'has ended' : isNumber(speed) && !paused ? `${speed.toFixed(2)} × real time` : 'paused');
        }
    }

    #setSpeeds(choices, speed) {
        const speeds = [...new Set([...choices, speed])].filter((s) => s !== null).sort((a, b) => a - b);
        if (this.#speed.dataset.shown === `${speeds} ${speed}`) return;
        this.#speed.dataset.shown = `${speeds} ${speed}`;
        const options = speeds.map((s) => make('option', { value: String(s), text: s ? `${Number(s.toPrecision(3))}×` : 'no limit', selected: s === speed }));
        if (speed === null) options.unshift(make('option', { value: '', text: 'limit', selected: true, disabled: true }));
        this.#speed.replaceChildren(...options);
    }

    // A simulation tells how fast it is, not how fast it may be.
    #chooseSpeed() {
        const speed = Number(this.#speed.value);
        this.#limit = speed;
        if (!this.#clock.paused) this.#app.connection.send({ op: 'play', speed }); // otherwise with the next play
    }

    #toggle() {
        this.#send(this.#clock.paused ? 'play' : 'pause');
    }

    #send(op) {
        const speed = this.#recording ? Number(this.#speed.value) : this.#limit;
        this.#app.connection.send(op === 'play' && speed !== null ? { op, speed } : { op });
    }

    #scrub(last = false) {
        this.#seek(this.#clock.start + Number(this.#range.value), last);
        if (last) this.#held = false;
    }

    // While one drags, the newest position is sent now and then, and the last one always.
    #seek(time, last) {
        const now = performance.now(), wait = SEEK - (now - this.#sentAt);
        this.#sought = this.#clock.time = time;
        this.#app.model.clockAt = now;
        clearTimeout(this.#later);
        if (wait > 0 && !last) this.#later = setTimeout(() => this.#tellSought(), wait);
        else this.#tellSought();
        this.#tick();
    }

    #tellSought() {
        this.#sentAt = performance.now();
        this.#app.connection.send({ op: 'seek', time: this.#sought });
    }

    // Keys may come faster than the server answers: they add up.
    #jump(seconds) {
        const { start, end } = this.#clock, recent = performance.now() - this.#sentAt < SETTLE;
        this.#seek(Math.min(end, Math.max(start, (recent ? this.#sought : this.#now()) + seconds)), false);
    }

    #key(event) {
        if (this.#element.hidden || typing(event.target) || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
        if (this.#clock.ended) return;
        const free = !event.target.closest?.(TAKES_KEYS), toggles = event.key === 'k' || (event.key === ' ' && free);
        if (toggles) this.#toggle();
        else if (event.key === '.') this.#send('step');
        if (event.key === ' ' ? toggles : free && this.#recording && this.#recordingKey(event)) event.preventDefault();
    }

    #recordingKey({ key, target }) {
        const length = this.#clock.end - this.#clock.start, jump = Math.min(JUMP, length / SHARE);
        const everywhere = { ArrowLeft: () => this.#jump(-jump), ArrowRight: () => this.#jump(jump) };
        const here = {
            ArrowDown: () => this.#jump(-jump), ArrowUp: () => this.#jump(jump), PageDown: () => this.#jump(-10 * jump), PageUp: () => this.#jump(10 * jump),
            Home: () => this.#jump(-length), End: () => this.#jump(length),
        };
        const action = everywhere[key] ?? (target === this.#range ? here[key] : undefined);
        action?.();
        return action !== undefined;
    }
}
