// SPDX-License-Identifier: BSD-3-Clause
// The page of ach view: makes the parts and connects them. docs/view.md says what one sees.
import { Connection } from './connection.js';
import { Model } from './model.js';
import { Subscriptions } from './subscriptions.js';
import { Painter } from './painter.js';
import { Theme } from './theme.js';
import { Workspace } from './workspace.js';
import { ChannelList } from './channel_list.js';
import { TopBar } from './top_bar.js';
import { StatusBar } from './status_bar.js';
import { Timeline } from './timeline.js';
import { makeSplitter } from './splitter.js';
import { choose } from './choose.js';
import { KINDS } from './panels/kinds.js';

class App {
    constructor() {
        const element = (id) => document.getElementById(id);
        this.theme = new Theme();
        this.painter = new Painter();
        this.connection = new Connection();
        this.model = new Model(this.connection);
        this.subscriptions = new Subscriptions(this.connection, this.model);
        this.workspace = new Workspace(this, element('workspace'));
        this.topBar = new TopBar(this, element('top'));
        this.channelList = new ChannelList(this, element('side'));
        this.timeline = new Timeline(this, element('timeline'));
        this.statusBar = new StatusBar(this, element('status'));
        makeSplitter(element('splitter'), element('side'));
        this.connection.open();
    }

    // A new panel of this kind; the user chooses what it shows.
    async openPanel(kind) {
        const { topics } = KINDS[kind];
        if (kind === 'plot') return this.chooseCurves(null);
        if (topics === undefined) return this.workspace.add(kind);
        const all = topics ? this.model.topicsOfKind(...topics) : this.model.topicsOfKind(...new Set([...this.model.topics.values()].map((t) => t.kind)));
        const [topic] = await choose({
            title: `${KINDS[kind].title}: which topic?`, items: all.map((t) => ({ value: t.name, label: t.name, detail: t.schema || t.encoding || 'bytes' })), free: 'Filter, or the name of a topic',
        });
        return topic ? this.workspace.add(kind, { topic }) : null;
    }

    // Fields of all topics, for a plot that is there or a new one.
    async chooseCurves(panel, only = null) {
        const topics = [...this.model.topics.values()].filter((t) => t.fields.length && (!only || t.name === only));
        const items = topics.flatMap((t) => t.fields.map((f) => ({ value: `${t.name}\n${withIndex(f)}`, label: withIndex(f), detail: t.name })));
        const known = only ?? panel?.curves[0]?.topic;
        const chosen = await choose({ title: only ? `Plot: which fields of ${only}?` : 'Plot: which fields?', items, multiple: true, free: `Filter, or a path as ${known ? '' : 'laser:0/scan/'}ranges[3]`,
            none: 'The fields of these topics are not known before their messages: open Message, which plots them too, or write TOPIC/FIELD here.' });
        const curves = chosen.map((value) => (value.includes('\n') ? value.split('\n') : this.#curveOf(value, known))).filter(([topic, field]) => topic || void this.model.note('warning', `Of which topic is ${field}? Write TOPIC/FIELD.`));
        if (!curves.length) return null;
        const plot = panel ?? this.workspace.add('plot');
        for (const [topic, field] of curves) plot.addCurves(topic, [field]);
        return plot;
    }

    // From what was written: FIELD of the topic that is known, or TOPIC/FIELD, as a tree copies it.
    #curveOf(path, known) {
        const [topic] = [...this.model.names.keys()].filter((name) => path.startsWith(`${name}/`)).sort((a, b) => b.length - a.length);
        return topic ? [topic, path.slice(topic.length + 1)] : [known, path];
    }

    plotFields(topic) {
        return this.chooseCurves(null, topic);
    }

    // From a tree: into the plot that was added last, or a new one.
    plotField(topic, field) {
        const plots = this.workspace.panels.filter((p) => p.kind === 'plot');
        (plots[plots.length - 1] ?? this.workspace.add('plot')).addCurves(topic, [field]);
    }
}

// A list is one path: its first element stands for it.
const withIndex = (field) => field.replaceAll('[]', '[0]');

window.achView = new App(); // for tests and the curious
