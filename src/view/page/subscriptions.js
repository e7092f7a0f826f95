// SPDX-License-Identifier: BSD-3-Clause
// Which topics are watched, and which fields plotted, for all panels together. Panels name topics; the server wants
// ids, which are others after each reconnection and each time a topic appears again.
import { Events } from './events.js';

// Events: 'dropped', when the server told that this page missed something; 'sought' (time, names of topics), when a
// recording is at another time, up to which these topics have no message.
export class Subscriptions extends Events {
    dropped = 0; // messages that were not sent to this page, in all
    #connection;
    #model;
    #watches = new Map(); // by name: {handles, last, rate (told to the server), dropped}
    #plots = new Map();   // by number
    #next = 1;

    constructor(connection, model) {
        super();
        this.#connection = connection;
        this.#model = model;
        model.on('topics', (added, removed) => this.#topics(added, removed));
        connection.on('op', (m) => m.op === 'message' && this.#deliver(m.topic, m));
        connection.on('op', (m) => m.op === 'sought' && this.#sought(m));
        connection.on('binary', (m) => (m.kind === 'samples' ? this.#samples(m) : this.#deliver(m.topic, m)));
        connection.on('state', (state) => state === 'open' && this.#restart());
        document.addEventListener('visibilitychange', () => this.#tellVisible());
    }

    // f(message) for the newest messages of a topic, `rate` per second at most. Returns a function that ends it.
    watch(name, rate, f) {
        const watch = this.#watches.get(name) ?? { handles: new Set(), last: null, rate: 0, dropped: 0 };
        const handle = { rate, f };
        this.#watches.set(name, watch);
        watch.handles.add(handle);
        if (watch.last) queueMicrotask(() => watch.handles.has(handle) && watch.last && f(watch.last));
        this.#tellWatch(name, watch);
        return () => {
            watch.handles.delete(handle);
            this.#tellWatch(name, watch);
            if (!watch.handles.size && this.#watches.get(name) === watch) this.#watches.delete(name);
        };
    }

    // f(samples) for all messages. Returns a function that ends it.
    plot(name, fields, f) {
        const number = this.#next++;
        const plot = { name, fields, f, dropped: 0 };
        this.#plots.set(number, plot);
        this.#tellPlot(number, plot);
        return () => {
            this.#plots.delete(number);
            this.#connection.send({ op: 'unplot', plot: number });
        };
    }

    #tellWatch(name, watch) {
        const topic = this.#model.names.get(name);
        const rate = Math.max(0, ...[...watch.handles].map((h) => h.rate));
        if (!topic || rate === watch.rate) return;
        const op = rate ? { op: 'watch', topic: topic.id, rate } : { op: 'unwatch', topic: topic.id };
        if (this.#connection.send(op)) watch.rate = rate;
    }

    #tellPlot(number, { name, fields }) {
        const topic = this.#model.names.get(name);
        if (topic) this.#connection.send({ op: 'plot', plot: number, topic: topic.id, fields });
    }

    #tellVisible() {
        this.#connection.send({ op: 'visible', visible: !document.hidden });
    }

    #restart() {
        for (const watch of this.#watches.values()) watch.rate = watch.dropped = 0;
        for (const plot of this.#plots.values()) plot.dropped = 0;
        this.#tellVisible();
    }

    #topics(added, removed) {
        for (const { name } of removed) {
            const watch = this.#watches.get(name);
            if (watch && !this.#model.names.has(name)) Object.assign(watch, { rate: 0, last: null, dropped: 0 });
        }
        for (const { name } of added) {
            const watch = this.#watches.get(name);
            if (watch) this.#tellWatch(name, Object.assign(watch, { rate: 0, dropped: 0 }));
            for (const [number, plot] of this.#plots) if (plot.name === name) this.#tellPlot(number, plot);
        }
    }

    #sought({ time, empty }) {
        const names = new Set(empty.map((id) => this.#model.topics.get(id)?.name));
        for (const [name, watch] of this.#watches) if (names.has(name)) watch.last = null;
        this.emit('sought', time, names);
    }

    #deliver(id, message) {
        const topic = this.#model.topics.get(id);
        const watch = topic && this.#watches.get(topic.name);
        if (!watch) return;
        this.#count(watch, message.dropped);
        watch.last = message;
        for (const handle of watch.handles) handle.f(message);
    }

    #samples(message) {
        const plot = this.#plots.get(message.plot);
        if (!plot || plot.fields.length !== message.fields) return;
        this.#count(plot, message.dropped);
        plot.f(message);
    }

    // The server counts since the subscription began.
    #count(subscription, dropped = 0) {
        if (!(dropped > subscription.dropped)) return;
        this.dropped += dropped - subscription.dropped;
        subscription.dropped = dropped;
        this.emit('dropped');
    }
}
