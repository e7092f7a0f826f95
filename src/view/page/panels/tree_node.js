// SPDX-License-Identifier: BSD-3-Clause
// A field of a message: a row of the tree, and the rows below it.
import { make, setText, icon } from '../dom.js';
import { formatValue } from '../format.js';

const PAGE = 50;     // elements of a list that are shown at first, and then each time more
const QUIET = 1500;  // ms: a value that was the same for so long flashes when it changes
const PREVIEW = 6;

const isContainer = (value) => value !== null && typeof value === 'object';

function preview(value) {
    if (!Array.isArray(value)) return '';
    const some = value.slice(0, PREVIEW);
    const texts = some.every((v) => !isContainer(v)) ? some.map(formatValue).join(', ') + (value.length > PREVIEW ? ', …' : '') : '';
    return `[${value.length}] ${texts}`;
}

export class TreeNode {
    opened = false;
    numeric = false;
    row = null; // none for the root
    group = make('div', { role: 'group' });
    #panel;
    #depth;
    #children = new Map();
    #limit = PAGE;
    #more = null;
    #value;
    #changed = -Infinity;
    #text;

    constructor(panel, parent, name, path, depth) {
        this.parent = parent;
        this.path = path;
        this.#panel = panel;
        this.#depth = depth;
        if (parent) this.#makeRow(name);
        else this.opened = true;
    }

    #makeRow(name) {
        const tool = (act, symbol, label) => make('button', { type: 'button', class: 'icon', tabindex: '-1', 'data-act': act, title: label, 'aria-label': label }, icon(symbol));
        this.#text = make('span', { class: 'value' });
        this.row = make('div', { class: 'leaf', role: 'treeitem', tabindex: '-1', 'aria-level': String(this.#depth + 1) },
            icon('chevron'), make('span', { class: 'key', text: name }), this.#text,
            make('span', { class: 'acts' }, tool('plot', 'plot', 'Plot this field (p)'), tool('copy', 'copy', 'Copy the path (c)')));
        this.row.node = this;
        this.row.style.setProperty('--depth', String(this.#depth));
    }

    update(value, now) {
        const container = isContainer(value);
        this.#value = value;
        if (this.row) this.#show(value, container, now);
        if (container && this.opened) this.#updateChildren(value, now);
        else if (this.#children.size) this.#clear();
    }

    #show(value, container, now) {
        const text = container ? preview(value) : formatValue(value);
        this.opened = container && this.#panel.isOpen(this.path, this.#depth, value);
        this.numeric = typeof value === 'number' || typeof value === 'boolean';
        this.row.classList.toggle('container', container);
        this.row.classList.toggle('numeric', this.numeric);
        if (container) this.row.setAttribute('aria-expanded', String(this.opened));
        else this.row.removeAttribute('aria-expanded');
        if (this.#text.textContent === text) return;
        const first = this.#text.textContent === '';
        setText(this.#text, text);
        if (!first && now - this.#changed > QUIET) this.#flash();
        this.#changed = now;
    }

    #flash() {
        this.row.classList.remove('flash');
        void this.row.offsetWidth; // begins the animation again
        this.row.classList.add('flash');
    }

    #updateChildren(value, now) {
        const list = Array.isArray(value), keys = list ? Math.min(value.length, this.#limit) : Object.keys(value);
        const seen = new Set();
        for (const key of list ? Array(keys).keys() : keys) {
            seen.add(key);
            this.#child(key, list).update(value[key], now);
        }
        for (const [key, node] of this.#children) if (!seen.has(key)) this.#remove(key, node);
        this.#showMore(list ? value.length - keys : 0);
    }

    #child(key, list) {
        let node = this.#children.get(key);
        if (node) return node;
        const path = list ? `${this.path}[${key}]` : this.path ? `${this.path}.${key}` : key;
        node = new TreeNode(this.#panel, this, list ? `[${key}]` : key, path, this.#depth + 1);
        this.#children.set(key, node);
        this.group.append(node.row, node.group);
        return node;
    }

    #remove(key, node) {
        node.row.remove();
        node.group.remove();
        this.#children.delete(key);
    }

    #clear() {
        for (const [key, node] of this.#children) this.#remove(key, node);
        this.#showMore(0);
        this.#limit = PAGE;
    }

    #showMore(left) {
        if (!left) {
            this.#more?.remove();
            this.#more = null;
            return;
        }
        this.#more ??= make('button', { type: 'button', class: 'more small', 'data-act': 'more' });
        setText(this.#more, `${left} more`);
        if (this.group.lastChild === this.#more) return;
        const holder = make('div', { class: 'leaf' }, this.#more);
        holder.node = this;
        holder.style.setProperty('--depth', String(this.#depth + 1));
        this.group.querySelector(':scope > .leaf > .more')?.parentElement.remove();
        this.#more = make('button', { type: 'button', class: 'more small', 'data-act': 'more', text: `${left} more` });
        holder.replaceChildren(this.#more);
        this.group.append(holder);
    }

    more() {
        this.#limit += PAGE * 4;
        this.#panel.request();
    }

    toggle() {
        if (isContainer(this.#value)) this.#panel.setOpen(this.path, !this.opened);
    }
}
