// SPDX-License-Identifier: BSD-3-Clause
// A message as a tree. Values that rarely change flash when they do; those that always change do not.
import { make, iconButton, setText, set, icon } from '../dom.js';
import { formatTime, formatCount } from '../format.js';
import { Panel } from './panel.js';
import { TreeNode } from './tree_node.js';

const RATE = 10;

export class TreePanel extends Panel {
    #message = null;
    #paused = false;
    #root = null;
    #info = make('div', { class: 'info' });
    #list = make('div', { class: 'tree', role: 'tree', tabindex: '0' });
    #empty = make('p', { class: 'hint' });

    constructor(app, kind, about, options) {
        super(app, kind, about, options);
        options.open ??= {};
        this.setTitle(options.topic);
        this.#list.setAttribute('aria-label', `fields of ${options.topic}`);
        this.pauseButton = iconButton('pause', 'Pause', () => this.#pause(), { 'aria-pressed': 'false' });
        this.tools.append(this.pauseButton);
        this.body.append(this.#info, this.#list, this.#empty);
        set(this.#list, { on: { keydown: (e) => this.#key(e), click: (e) => this.#click(e) } });
        this.until(app.subscriptions.watch(options.topic, RATE, (m) => this.#take(m)));
        this.until(app.model.on('topics', () => this.request()));
        this.request();
    }

    // The newest message, for tests.
    get message() {
        return this.#message;
    }

    #take(message) {
        if (this.#paused) return;
        this.#message = message;
        this.request();
    }

    clear() {
        if (this.#paused) return;
        this.#message = this.#root = null;
        this.#list.replaceChildren();
        setText(this.#info, '');
    }

    #pause() {
        this.#paused = !this.#paused;
        set(this.pauseButton, { 'aria-pressed': String(this.#paused), 'aria-label': this.#paused ? 'Continue' : 'Pause' });
        this.pauseButton.title = this.#paused ? 'Continue' : 'Pause';
        this.pauseButton.replaceChildren(icon(this.#paused ? 'play' : 'pause'));
    }

    paint(now) {
        const topic = this.app.model.names.get(this.options.topic), m = this.#message;
        this.#empty.hidden = m !== null;
        this.#list.hidden = m === null;
        setText(this.#empty, this.nothing(this.options.topic));
        this.element.classList.toggle('stale', m !== null && !topic);
        if (!m) return;
        this.setLost(m.missed, m.dropped);
        setText(this.#info, `${formatTime(m.time, 3)}  #${formatCount(m.sequence)}${topic ? `  ${topic.schema || topic.encoding || 'bytes'}` : '  (gone)'}`);
        const value = m.value !== undefined ? m.value : { bytes: m.text ?? '' };
        if (!this.#root) this.#root = new TreeNode(this, null, '', '', -1);
        this.#root.update(value, now);
        if (!this.#list.firstChild) this.#list.append(this.#root.group);
    }

    isOpen(path, depth, value) {
        const kept = this.options.open[path];
        return kept ?? (Array.isArray(value) ? value.length <= 8 && typeof value[0] === 'object' : depth < 3);
    }

    setOpen(path, open) {
        this.options.open[path] = open;
        this.changed();
        this.request();
    }

    #rowOf(target) {
        return target.closest?.('.leaf')?.node ?? null;
    }

    #click(event) {
        const node = this.#rowOf(event.target), act = event.target.closest('[data-act]')?.dataset.act;
        if (!node) return;
        this.#focus(node);
        if (act === 'copy') this.#copy(node);
        else if (act === 'plot') this.app.plotField(this.options.topic, node.path);
        else if (act === 'more') node.more();
        else node.toggle();
    }

    #focus(node) {
        for (const e of this.#list.querySelectorAll('.leaf[tabindex="0"]')) e.tabIndex = -1;
        node.row.tabIndex = 0;
        this.#list.tabIndex = -1;
        node.row.focus();
    }

    #key(event) {
        const rows = [...this.#list.querySelectorAll('.leaf')].filter((e) => e.offsetParent !== null);
        const node = this.#rowOf(event.target), at = node ? rows.indexOf(node.row) : -1;
        const move = (to) => rows[to] && this.#focus(rows[to].node);
        const actions = {
            ArrowDown: () => move(at + 1), ArrowUp: () => move(Math.max(0, at - 1)), Home: () => move(0), End: () => move(rows.length - 1),
            ArrowRight: () => node && (node.opened ? move(at + 1) : node.toggle()),
            ArrowLeft: () => node && (node.opened ? node.toggle() : node.parent.row && this.#focus(node.parent)),
            Enter: () => node?.toggle(), ' ': () => node?.toggle(),
            c: () => node && !event.ctrlKey && !event.metaKey && this.#copy(node), p: () => node?.numeric && this.app.plotField(this.options.topic, node.path),
        };
        if (!actions[event.key] || event.target.closest('button') || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        actions[event.key]();
    }

    async #copy(node) {
        const text = `${this.options.topic}/${node.path}`;
        try {
            await navigator.clipboard.writeText(text);
            this.app.model.note('info', `Copied: ${text}`);
        } catch {
            this.app.model.note('warning', `The browser does not allow this page to copy: ${text}`);
        }
    }
}
