// SPDX-License-Identifier: BSD-3-Clause
// Curves over time: any numbers of any topics, all samples, live.
import { make, iconButton, button, set, setText, icon } from '../dom.js';
import { formatTime, formatValue } from '../format.js';
import { Panel } from './panel.js';
import { Samples } from './samples.js';
import { chooseData } from './decimate.js';
import { Legend } from './legend.js';
import { makeChart } from './chart.js';

const WINDOWS = [2, 5, 10, 30, 60, 300, 1800];

export class PlotPanel extends Panel {
    period = 50;
    #sources = new Map(); // by topic: {samples, end, dropped}
    #view = null; // {from, to}: fixed; null: it follows
    #range = [0, 1];
    #chart = null;
    #holder = make('div', { class: 'chart', tabindex: '0', role: 'img' });
    #empty = make('div', { class: 'empty-plot' });
    #legend;

    constructor(app, kind, about, options) {
        super(app, kind, about, options);
        options.curves ??= [];
        options.window ??= 10;
        this.#legend = new Legend(app, (curve) => this.#removeCurve(curve), (curve) => this.#hideCurve(curve));
        this.#makeTools();
        this.#empty.append(make('p', { class: 'hint', text: 'This plot has no curves.' }),
            button('Add curves', () => this.app.chooseCurves(this), { class: 'primary' }));
        set(this.#holder, { on: { keydown: (e) => this.#key(e), wheel: (e) => this.#wheel(e) } });
        this.body.append(this.#legend.element, this.#holder, this.#empty);
        this.until(app.model.on('topics', () => this.request()));
        this.#rebuild();
    }

    #makeTools() {
        this.followButton = iconButton('pause', 'Pause', () => this.#follow(this.#view !== null), { class: 'follow' });
        const windows = make('select', { 'aria-label': 'Length of the window', title: 'Length of the window', on: { change: (e) => this.#setWindow(Number(e.target.value)) } },
            WINDOWS.map((s) => make('option', { value: String(s), text: s < 60 ? `${s} s` : `${s / 60} min`, selected: s === this.options.window })));
        this.tools.append(windows, this.followButton, iconButton('plus', 'Add curves', () => this.app.chooseCurves(this)));
    }

    // For tests and for the menus.
    get curves() {
        return this.options.curves;
    }

    get range() {
        return this.#range;
    }

    get drawn() {
        return this.#chart?.data ?? [[]];
    }

    samples(topic) {
        return this.#sources.get(topic)?.samples ?? null;
    }

    addCurves(topic, fields) {
        for (const field of fields)
            if (!this.curves.some((c) => c.topic === topic && c.field === field)) this.curves.push({ topic, field, colour: this.#freeColour() });
        this.changed();
        this.#rebuild();
        this.#examine(topic, fields);
    }

    // The names of fields do not tell which are lists or texts: a message does.
    #examine(topic, fields) {
        let done = false;
        const end = this.app.subscriptions.watch(topic, 2, ({ value, kind }) => {
            if (done || value === undefined || kind) return; // an image or a grid comes without its list
            done = true;
            queueMicrotask(() => end());
            for (const field of fields) this.#adapt(topic, field, valueAt(value, field));
        });
        this.until(() => end());
    }

    #adapt(topic, field, value) {
        const curve = this.curves.find((c) => c.topic === topic && c.field === field);
        if (!curve || typeof value === 'number' || typeof value === 'boolean' || value === null) return;
        if (Array.isArray(value)) {
            curve.field = `${field}[0]`;
            this.app.model.note('info', `${field} is a list: its first element is plotted. Add a path such as ${field}[3] for others.`);
            this.changed();
            this.#rebuild();
        } else {
            this.app.model.note('warning', value === undefined ? `${topic} has no field ${field}.` : `${field} is no number, so it has no curve.`);
        }
    }

    #freeColour() {
        const used = this.curves.map((c) => c.colour);
        for (let i = 0; ; i++) if (used.filter((c) => c === i % 8).length <= Math.floor(i / 8)) return i % 8;
    }

    #removeCurve(curve) {
        this.options.curves = this.curves.filter((c) => c !== curve);
        this.changed();
        this.#rebuild();
    }

    #hideCurve(curve) {
        curve.hidden = !curve.hidden;
        this.changed();
        this.#rebuild();
    }

    #rebuild() {
        const topics = [...new Set(this.curves.map((c) => c.topic))];
        for (const topic of this.#sources.keys()) if (!topics.includes(topic)) this.#endSource(topic);
        for (const topic of topics) this.#source(topic, this.curves.filter((c) => c.topic === topic).map((c) => c.field));
        this.#chart?.destroy();
        this.#chart = null;
        this.#empty.hidden = this.curves.length > 0;
        this.#holder.hidden = !this.curves.length;
        this.setTitle(this.curves.length ? topics.join(', ') : 'Plot');
        this.#holder.setAttribute('aria-label', `plot of ${this.curves.map((c) => `${c.topic} ${c.field}`).join(', ')}`);
        this.#legend.show(this.curves);
        this.request();
    }

    #source(topic, fields) {
        const old = this.#sources.get(topic);
        if (old && old.samples.fields.join('\n') === fields.join('\n')) return;
        old?.end();
        const source = { samples: old ? old.samples.with(fields) : new Samples(fields), dropped: 0 };
        source.end = this.app.subscriptions.plot(topic, fields, (m) => this.#take(source, m));
        this.#sources.set(topic, source);
    }

    #endSource(topic) {
        this.#sources.get(topic).end();
        this.#sources.delete(topic);
    }

    #take(source, message) {
        source.samples.append(message);
        source.dropped = message.dropped;
        this.request();
    }

    sought(time) {
        for (const { samples } of this.#sources.values()) samples.seek(time);
        this.request();
    }

    #newest() {
        let newest = NaN;
        for (const { samples } of this.#sources.values()) if (!(samples.last <= newest)) newest = Number.isNaN(samples.last) ? newest : samples.last;
        return newest;
    }

    paint() {
        if (!this.curves.length || !this.#holder.clientWidth) return;
        const newest = this.#newest();
        if (this.#view) this.#range = [this.#view.from, this.#view.to];
        else if (!Number.isNaN(newest)) this.#range = [newest - this.options.window, newest];
        this.#chart ??= makeChart(this.#holder, this.app.theme, this.curves, {
            range: () => this.#range, zoomed: (from, to) => this.#zoom(from, to), reset: () => this.#follow(true), cursor: (i) => this.#point(i),
        });
        const shown = this.curves.map((c) => ({ samples: this.samples(c.topic), column: this.samples(c.topic).fields.indexOf(c.field) }));
        this.#chart.batch(() => {
            this.#chart.setData(chooseData(shown, ...this.#range, this.#holder.clientWidth * devicePixelRatio), false);
            this.#chart.setScale('x', { min: this.#range[0], max: this.#range[1] });
        });
        if (this.#chart.cursor.idx === null || this.#chart.cursor.idx === undefined) this.#point(null);
        this.setLost(0, [...this.#sources.values()].reduce((sum, s) => sum + s.dropped, 0));
    }

    // The values beside the names: at the cursor, or the newest.
    #point(index) {
        const at = index === null ? null : this.#chart.data[0][index];
        this.#legend.values(this.curves.map((c, i) => {
            const samples = this.samples(c.topic);
            const value = at !== null ? this.#chart.data[i + 1][index] : samples.length ? samples.value(samples.fields.indexOf(c.field), samples.length - 1) : undefined;
            return Number.isNaN(value ?? NaN) ? this.#why(c, at === null && value !== undefined) : { text: formatValue(value), why: '' };
        }), at === null ? '' : formatTime(at, 3));
    }

    // Why a curve has no value. `sampled`: there was a message.
    #why({ topic, field }, sampled) {
        const known = this.app.model.names.get(topic), plain = (path) => path.replace(/\[\d*\]/g, '[]');
        if (!known) return { text: 'no topic', why: `There is no topic ${topic} now.` };
        if (known.fields.length && !known.fields.some((f) => plain(f) === plain(field)))
            return { text: 'no such field', why: `Messages of ${topic} are ${known.schema || known.encoding}, which has no field ${field}.` };
        return sampled ? { text: 'no number', why: `In the newest message of ${topic}, ${field} is missing, is not a number, or is NaN.` } : { text: '', why: '' };
    }

    #setWindow(seconds) {
        this.options.window = seconds;
        this.changed();
        this.#follow(true);
    }

    #zoom(from, to) {
        if (!(to - from > 1e-6)) return;
        this.#view = { from, to };
        this.#showFollow();
    }

    #follow(follow) {
        this.#view = follow ? null : { from: this.#range[0], to: this.#range[1] };
        this.#showFollow();
    }

    #showFollow() {
        const label = this.#view ? 'Follow' : 'Pause';
        this.followButton.replaceChildren(icon(this.#view ? 'play' : 'pause'));
        set(this.followButton, { 'aria-label': label, title: label });
        this.element.classList.toggle('held', this.#view !== null);
        this.request();
    }

    #scale(factor, centre) {
        const [from, to] = this.#range, at = centre ?? (from + to) / 2;
        this.#zoom(at - (at - from) * factor, at + (to - at) * factor);
    }

    #wheel(event) {
        if (!this.#chart) return;
        event.preventDefault();
        const box = this.#chart.over.getBoundingClientRect();
        this.#scale(Math.exp(event.deltaY * 0.0015), this.#chart.posToVal(event.clientX - box.left, 'x'));
    }

    #key(event) {
        const [from, to] = this.#range, step = (to - from) / 10;
        const actions = {
            '+': () => this.#scale(0.7), '-': () => this.#scale(1.4), ArrowLeft: () => this.#zoom(from - step, to - step),
            ArrowRight: () => this.#zoom(from + step, to + step), ' ': () => this.#follow(this.#view !== null), Escape: () => this.#follow(true),
        };
        if (!actions[event.key]) return;
        event.preventDefault();
        actions[event.key]();
    }

    resized() {
        if (this.#chart && this.#holder.clientWidth) this.#chart.setSize({ width: this.#holder.clientWidth, height: this.#holder.clientHeight });
        this.request();
    }

    themed() {
        this.#legend.show(this.curves);
        this.#chart?.redraw();
    }

    closing() {
        for (const topic of [...this.#sources.keys()]) this.#endSource(topic);
        this.#chart?.destroy();
    }
}

// A field by its path, as pose.position.x or ranges[3].
function valueAt(value, path) {
    return path.split(/[.[\]]+/).filter(Boolean).reduce((at, name) => (at === null || typeof at !== 'object' ? undefined : at[name]), value);
}
