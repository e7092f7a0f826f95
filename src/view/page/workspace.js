// SPDX-License-Identifier: BSD-3-Clause
// The grid of panels: they are added, moved, resized and closed, and come back after a reload.
import { make, button, icon, iconButton } from './dom.js';
import { load, store } from './storage.js';
import { KINDS, newPanel } from './panels/kinds.js';

const COLUMNS = 12, MIN_WIDTH = 2, MIN_HEIGHT = 3, MAX_HEIGHT = 40;

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

export class Workspace {
    panels = [];
    #app;
    #element;
    #empty;
    #restored = false;
    #fresh = false; // nothing but what was proposed is there

    constructor(app, element) {
        this.#app = app;
        this.#element = element;
        this.#empty = this.#makeEmpty();
        element.append(this.#empty);
        app.model.on('hello', () => this.#restore());
        app.model.on('topics', () => this.#propose());
        app.theme.on('change', () => this.panels.forEach((p) => p.themed()));
    }

    add(kind, options = {}, size = null) {
        this.#fresh = false;
        const panel = newPanel(kind, this.#app, options);
        panel.size = size ?? { ...KINDS[kind].size };
        this.#frame(panel);
        this.panels.push(panel);
        this.#element.append(panel.element);
        this.#app.painter.add(panel);
        this.#resized(panel);
        this.save();
        document.body.classList.remove('listing');
        if (this.#restored && !size) panel.element.scrollIntoView({ block: 'nearest', behavior: 'auto' });
        return panel;
    }

    close(panel) {
        this.#fresh = false;
        this.panels = this.panels.filter((p) => p !== panel);
        this.#app.painter.remove(panel);
        panel.close();
        panel.element.remove();
        this.save();
    }

    clear() {
        for (const panel of [...this.panels]) this.close(panel);
    }

    save() {
        this.#empty.hidden = this.panels.length > 0;
        if (!this.#restored) return;
        store(this.#key(), this.panels.map(({ kind, size, options }) => ({ kind, size, options })));
    }

    // Live and recorded robots have layouts of their own.
    #key() {
        return `layout.${this.#app.model.hello.source}`;
    }

    #restore() {
        if (this.#restored) return;
        const layout = load(this.#key());
        this.#restored = true;
        for (const { kind, size, options } of Array.isArray(layout) ? layout : [])
            if (KINDS[kind]) this.add(kind, options ?? {}, sane(size));
        this.#fresh = !Array.isArray(layout);
        this.save();
    }

    // The first visit: what can be drawn is drawn. Topics come one after the other.
    #propose() {
        if (!this.#restored || !this.#fresh) return;
        const { model } = this.#app, has = (kind) => this.panels.find((p) => p.kind === kind);
        const drawable = model.topicsOfKind('scan', 'odometry', 'grid').length > 0;
        const [image] = model.topicsOfKind('image');
        if (drawable && !has('robot')) this.add('robot', {}, { w: 8, h: 13 });
        if (image && !has('image')) this.add('image', { topic: image.name }, { w: 4, h: 8 });
        if (drawable && model.hello.source === 'live' && !has('drive')) this.add('drive', {}, { w: 4, h: 9 });
        if (image && has('robot')) this.#resize(has('robot'), 8, 17);
        this.#fresh = true;
    }

    #makeEmpty() {
        const kinds = Object.entries(KINDS).map(([kind, { icon: name, title, about }]) =>
            make('button', { type: 'button', class: 'offer', on: { click: () => this.#app.openPanel(kind) } },
                icon(name), make('strong', { text: title }), make('span', { class: 'dim', text: about })));
        return make('div', { class: 'empty' }, make('h2', { text: 'No panels yet' }),
            make('p', { text: 'Choose a channel from the list, or a panel here. The layout is kept in this browser.' }),
            make('div', { class: 'offers' }, kinds));
    }

    #frame(panel) {
        const grip = iconButton('grip', 'Move this panel: drag, or arrow keys', () => {}, { class: 'grip' });
        const full = iconButton('full', 'Full size', () => this.#full(panel), { class: 'full', 'aria-pressed': 'false' });
        const close = iconButton('close', 'Close this panel', () => this.close(panel), { class: 'close' });
        const handle = iconButton('resize', 'Size of this panel: drag, or arrow keys', () => {}, { class: 'resize' });
        panel.head.prepend(grip);
        panel.head.append(full, close);
        panel.head.addEventListener('dblclick', (e) => e.target.closest('button, input, select') || this.#full(panel));
        panel.element.append(handle);
        this.#dragMove(panel, grip);
        this.#dragSize(panel, handle);
        new ResizeObserver(() => panel.resized()).observe(panel.body);
    }

    #resized(panel) {
        const { w, h } = panel.size;
        panel.element.style.setProperty('--w', String(w));
        panel.element.style.setProperty('--h', String(h));
    }

    #resize(panel, w, h) {
        this.#fresh = false;
        const size = { w: clamp(w, MIN_WIDTH, COLUMNS), h: clamp(h, MIN_HEIGHT, MAX_HEIGHT) };
        if (size.w === panel.size.w && size.h === panel.size.h) return;
        panel.size = size;
        this.#resized(panel);
        this.save();
    }

    #full(panel) {
        const full = panel.element.classList.toggle('fullsize');
        panel.element.querySelector('.full').setAttribute('aria-pressed', String(full));
        document.body.classList.toggle('one', full);
    }

    #dragSize(panel, handle) {
        handle.addEventListener('pointerdown', (down) => {
            const style = getComputedStyle(this.#element), gap = parseFloat(style.columnGap);
            const column = (this.#element.clientWidth - parseFloat(style.paddingLeft) * 2 + gap) / COLUMNS;
            const row = parseFloat(style.gridAutoRows) + gap, { w, h } = panel.size;
            handle.setPointerCapture(down.pointerId);
            handle.onpointermove = (e) => this.#resize(panel, w + Math.round((e.clientX - down.clientX) / column), h + Math.round((e.clientY - down.clientY) / row));
            handle.onlostpointercapture = () => (handle.onpointermove = null);
        });
        onArrows(handle, (x, y) => this.#resize(panel, panel.size.w + x, panel.size.h + y));
    }

    #dragMove(panel, grip) {
        grip.addEventListener('pointerdown', (down) => {
            grip.setPointerCapture(down.pointerId);
            panel.element.classList.add('moving');
            grip.onpointermove = (e) => this.#moveTo(panel, e.clientX, e.clientY);
            grip.onlostpointercapture = () => {
                grip.onpointermove = null;
                panel.element.classList.remove('moving');
            };
        });
        onArrows(grip, (x, y) => this.#moveBy(panel, x + y, grip));
    }

    #moveTo(panel, x, y) {
        const over = document.elementsFromPoint(x, y).find((e) => e.classList.contains('panel'));
        const to = this.panels.findIndex((p) => p.element === over);
        if (to >= 0) this.#reorder(panel, to);
    }

    #moveBy(panel, step, grip) {
        this.#reorder(panel, clamp(this.panels.indexOf(panel) + step, 0, this.panels.length - 1));
        grip.focus();
    }

    // Other elements move, never this one: moving it would end the drag.
    #reorder(panel, to) {
        const from = this.panels.indexOf(panel);
        if (from === to) return;
        this.#fresh = false;
        this.panels.splice(from, 1);
        this.panels.splice(to, 0, panel);
        for (const p of this.panels.slice(0, to)) panel.element.before(p.element);
        for (const p of this.panels.slice(to + 1).reverse()) panel.element.after(p.element);
        this.save();
    }
}

function onArrows(element, f) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    element.addEventListener('keydown', (event) => {
        if (!steps[event.key]) return;
        event.preventDefault();
        f(...steps[event.key]);
    });
}

function sane(size) {
    return { w: clamp(Number(size?.w) || 4, MIN_WIDTH, COLUMNS), h: clamp(Number(size?.h) || 8, MIN_HEIGHT, MAX_HEIGHT) };
}
