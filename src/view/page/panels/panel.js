// SPDX-License-Identifier: BSD-3-Clause
// What all panels share: head, body, counters of what was missed, subscriptions that end with the panel.
import { make, setText, setTitle, icon } from '../dom.js';
import { formatCount } from '../format.js';

// A kind of panel overrides paint, resized, themed, sought or clear, closing. `options` is what is kept in the layout.
export class Panel {
    period = 0;
    #ends = [];
    #missed = make('span', { class: 'badge missed', hidden: true });
    #dropped = make('span', { class: 'badge dropped', hidden: true });

    constructor(app, kind, { icon: symbol, title }, options) {
        this.app = app;
        this.kind = kind;
        this.options = options;
        this.titleText = make('span', { class: 'title', text: title });
        this.tools = make('span', { class: 'tools' });
        this.head = make('div', { class: 'head' }, icon(symbol), this.titleText, this.#missed, this.#dropped, this.tools);
        this.body = make('div', { class: `body ${kind}` });
        this.element = make('section', { class: 'panel', 'aria-label': title, 'data-kind': kind }, this.head, this.body);
        this.until(app.subscriptions.on('sought', (time, empty) => this.sought(time, empty)));
    }

    // Why there is nothing to show of a topic.
    nothing(topic, what = 'message') {
        if (!this.app.model.names.has(topic)) return `There is no topic ${topic}. It is shown when it appears.`;
        return this.app.model.hello.source === 'file' ? `There is no ${what} up to this time.` : `No ${what} has come yet.`;
    }

    setTitle(text) {
        setText(this.titleText, text);
        setTitle(this.titleText, text);
        this.element.setAttribute('aria-label', text);
    }

    // What the robot's channel lost before it was read, and what did not reach this page.
    setLost(missed, dropped) {
        this.#badge(this.#missed, missed, 'missed', 'overwritten in the channel before they were read');
        this.#badge(this.#dropped, dropped, 'dropped', 'not sent to this page, which was too slow or asked for fewer');
    }

    #badge(element, count, word, why) {
        element.hidden = !count;
        if (!count) return;
        setText(element, `${formatCount(count)} ${word}`);
        setTitle(element, `${formatCount(count)} messages ${why}`);
    }

    until(end) {
        this.#ends.push(end);
    }

    request() {
        this.app.painter.request(this);
    }

    changed() {
        this.app.workspace.save();
    }

    close() {
        for (const end of this.#ends) end();
        this.closing();
    }

    paint() {}
    resized() {}

    // A recording is at another time: clear what is shown of empty topics.
    sought(time, empty) {
        if (this.options.topic && empty.has(this.options.topic)) this.clear();
        this.request();
    }

    clear() {}
    themed() {
        this.request();
    }
    closing() {}
}
