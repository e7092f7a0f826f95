// SPDX-License-Identifier: BSD-3-Clause
// One channel in the list: a line of figures, and what else is known when it is opened.
import { make, button, set, setText, setTitle, icon } from './dom.js';
import { formatRate, formatBandwidth, formatSpan, formatCount, formatSize, isNumber } from './format.js';
import { drawHistogram, histogramLabel, makeHistogram, makeBuckets } from './histogram.js';

const IDLE = 10; // seconds without a message

const DEVICE = /^dev\.(\d+)\.(\w+)\.(\d+)\.(\w+)$/;

// Channels of devices have long names: dev.6665.laser.0.data is data of laser:0. 6665 is the usual robot.
export function channelLabel(name) {
    const [, robot, device, index, what] = name.match(DEVICE) ?? [];
    return device ? `${robot === '6665' ? '' : `${robot}:`}${device}:${index} ${what}` : name;
}

// Why there are no ages of messages; '': there are.
function unknownAges({ timestamps, count }) {
    return timestamps === false ? 'unknown, this channel has no timestamps' : count ? '' : 'no messages yet';
}

const count = (list) => (list ?? []).length;
const processes = (list) => (list ?? []).map((p) => `${p.name} (${p.pid})`).join(', ') || 'none';

export class ChannelRow {
    machine;
    #app;
    #channel;
    #cells = {};
    #details = make('div', { class: 'details', hidden: true });
    #head;
    #histogram = makeHistogram();

    constructor(app, channel) {
        this.#app = app;
        this.machine = channel.machine;
        const cell = (name) => (this.#cells[name] = make('span', { class: name }));
        this.#head = make('button', { type: 'button', class: 'row', 'aria-expanded': 'false', on: { click: () => this.#toggle() } },
            make('span', { class: 'first' }, cell('name'), cell('missed')), cell('rate'), cell('age'),
            cell('type'), this.#histogram, cell('bandwidth'), cell('users'));
        this.element = make('li', { class: 'channel', 'data-name': channel.name }, this.#head, this.#details);
    }

    matches(word) {
        const c = this.#channel, users = [...(c.writers ?? []), ...(c.readers ?? [])];
        return [c.name, channelLabel(c.name), c.type, c.machine, ...users.map((u) => u.name)].some((t) => (t ?? '').toLowerCase().includes(word));
    }

    update(channel) {
        if (this.machine) this.#updateElsewhere(channel);
        else this.#updateHere(channel);
    }

    // Of a channel of another machine nothing is known but its name and how messages travel.
    #updateElsewhere(channel) {
        this.#channel = channel;
        setText(this.#cells.name, channelLabel(channel.name));
        setText(this.#cells.type, channel.kind ?? '');
        setTitle(this.#head, `${channel.name}\nadvertised by ${channel.machine}`);
        this.element.classList.add('idle');
        this.#histogram.classList.add('none');
    }

    #updateHere(channel) {
        const idle = !channel.rate && !(isNumber(channel.age) && channel.age <= IDLE);
        this.#channel = channel;
        setText(this.#cells.name, channelLabel(channel.name));
        setText(this.#cells.type, this.#typeOf(channel));
        setText(this.#cells.rate, idle ? '–' : formatRate(channel.rate));
        setText(this.#cells.bandwidth, idle ? '' : formatBandwidth(channel.bandwidth));
        if (channel.recorded) return this.#updateRecorded(channel);
        this.#showAge(channel);
        setText(this.#cells.users, `${count(channel.writers)}w ${count(channel.readers)}r`);
        setText(this.#cells.missed, channel.missed ? `−${formatCount(channel.missed)}` : '');
        setTitle(this.#cells.missed, channel.missed ? `${formatCount(channel.missed)} messages were overwritten before ach view read them` : '');
        setTitle(this.#head, `${channel.name}\nwriters: ${processes(channel.writers)}\nreaders: ${processes(channel.readers)}\nage when read: ${unknownAges(channel) || histogramLabel(channel.ages)}`);
        this.element.classList.toggle('idle', idle);
        this.#histogram.classList.toggle('none', !(channel.ages ?? []).some((n) => n));
        drawHistogram(this.#histogram, channel.ages);
        if (!this.#details.hidden) this.#showFigures();
    }

    // Only channels that are not in user space say where they are.
    #typeOf({ name, type, kind }) {
        const known = type || (DEVICE.test(name) ? 'device' : 'no type');
        return kind && kind !== 'user' ? `${known}, ${kind}` : known;
    }

    #showAge(channel) {
        const stamped = channel.timestamps !== false;
        setText(this.#cells.age, isNumber(channel.age) ? formatSpan(channel.age) : !channel.count ? 'empty' : stamped ? '' : '–');
        setTitle(this.#cells.age, stamped || !channel.count ? '' : 'The age of its messages is unknown: this channel has no timestamps. ach mk --timestamps makes one that has.');
    }

    #updateRecorded({ name, count }) {
        this.element.classList.add('recorded');
        this.element.classList.toggle('idle', !count);
        this.#histogram.classList.add('none');
        setText(this.#cells.rate, count ? formatCount(count) : 'empty');
        setTitle(this.#cells.rate, 'messages in the recording');
        setTitle(this.#head, name);
    }

    // Without a connection, the topics of before are all that is known.
    topics() {
        if (!this.#details.hidden && !this.machine && this.#app.connection.state === 'open') this.#showTopics();
    }

    #toggle() {
        const open = this.#details.hidden;
        this.#details.hidden = !open;
        set(this.#head, { 'aria-expanded': String(open) });
        if (!open) return this.#details.replaceChildren();
        if (this.machine) return this.#details.append(make('p', { class: 'hint', text: 'Pull this channel with achd to see its messages here.' }));
        this.#cells.topics = make('div', { class: 'topics' });
        this.#cells.figures = make('dl');
        this.#cells.buckets = makeBuckets();
        this.#details.append(this.#cells.topics);
        if (!this.#channel.recorded) this.#details.append(this.#cells.figures, this.#cells.buckets.element);
        this.#showTopics();
        if (!this.#channel.recorded) this.#showFigures();
    }

    #showFigures() {
        const c = this.#channel;
        const figures = [
            ['channel', c.name], ['writers', processes(c.writers)], ['readers', processes(c.readers)], ['messages', formatCount(c.count)],
            ['size', formatSize(c.size)], ['missed here', formatCount(c.missed ?? 0)],
        ];
        const list = this.#cells.figures;
        figures.forEach(([name, value], i) => {
            if (!list.children[2 * i]) list.append(make('dt', { text: name }), make('dd'));
            setText(list.children[2 * i + 1], value);
        });
        this.#cells.buckets.update(c.ages, unknownAges(c));
    }

    #showTopics() {
        const topics = this.#app.model.topicsOf(this.#channel.name);
        this.#cells.topics.replaceChildren(...topics.map((t) => this.#topic(t)));
        if (!topics.length) this.#cells.topics.append(make('p', { class: 'hint', text: 'This channel cannot be shown.' }));
    }

    #topic(topic) {
        const open = (kind, options) => button([icon(ICONS[kind]), LABELS[kind]], () => this.#app.workspace.add(kind, options),
            { class: 'small', 'aria-label': `${LABELS[kind]}: ${topic.name}` });
        const buttons = [open('tree', { topic: topic.name })];
        if (topic.fields.length) buttons.push(button([icon('plot'), 'Plot'], () => this.#app.plotFields(topic.name),
            { class: 'small', 'aria-label': `Plot: ${topic.name}` }));
        if (topic.kind === 'image') buttons.push(open('image', { topic: topic.name }));
        if (['scan', 'odometry', 'grid', 'path', 'tf', 'pose', 'located'].includes(topic.kind)) buttons.push(open('robot', {}));
        if (topic.kind === 'joints') buttons.push(open('joints', { topic: topic.name }));
        return make('div', { class: 'topic' }, make('span', { class: 'mono', text: topic.name }),
            make('span', { class: 'dim', text: topic.schema || topic.encoding || 'bytes' }), make('span', { class: 'buttons' }, buttons));
    }
}

const ICONS = { tree: 'tree', image: 'image', robot: 'robot', joints: 'joints' };
const LABELS = { tree: 'Message', image: 'Image', robot: 'Robot', joints: 'Joints' };
