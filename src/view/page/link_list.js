// SPDX-License-Identifier: BSD-3-Clause
// Links of the relays (achd) of this machine: rate, age, loss and offset of the clock for each peer.
import { make, set, setText, setTitle, icon } from './dom.js';
import { formatRate, formatSpan, formatCount, formatBandwidth, isNumber } from './format.js';

const sum = (flows, name) => flows.reduce((total, f) => total + (f[name] ?? 0), 0);
const largest = (flows, name) => flows.reduce((most, f) => (isNumber(f[name]) ? Math.max(most ?? 0, f[name]) : most), null);

// Messages that did not arrive, of those that should have.
export function lossOf(flows) {
    const lost = sum(flows, 'gaps') + sum(flows, 'too_old') + sum(flows, 'failed');
    return { lost, share: lost ? lost / (lost + sum(flows, 'messages')) : 0 };
}

function percent(share) {
    return share === 0 ? '0 %' : share < 1e-4 ? '< 0.01 %' : `${(100 * share).toFixed(share < 0.1 ? 2 : 0)} %`;
}

// One peer may have opened several connections.
function newKey(seen, name) {
    let n = 0;
    while (seen.has(`${name} ${n}`)) n++;
    return `${name} ${n}`;
}

export class LinkList {
    #app;
    #rows = new Map();
    #list = make('ul', { class: 'links' });
    #count = make('span', { class: 'dim' });

    constructor(app) {
        this.#app = app;
        this.element = make('details', { class: 'group', open: true, hidden: true },
            make('summary', {}, icon('chevron'), make('span', { class: 'machine', text: 'Relay links' }), this.#count), this.#list);
        app.model.on('relay', () => this.#update());
    }

    #update() {
        const seen = new Set();
        for (const daemon of this.#app.model.relay)
            for (const link of daemon?.links ?? []) {
                const key = newKey(seen, `${daemon.pid} ${link.peer} ${link.port ?? ''}`);
                seen.add(key);
                if (!this.#rows.has(key)) this.#insert(key);
                this.#rows.get(key).update(link);
            }
        for (const [key, row] of this.#rows) if (!seen.has(key)) row.element.remove(), this.#rows.delete(key);
        this.element.hidden = !this.#rows.size;
        setText(this.#count, `${this.#rows.size}`);
    }

    #insert(key) {
        const row = new LinkRow();
        this.#rows.set(key, row);
        this.#list.append(row.element);
    }
}

class LinkRow {
    #cells = {};
    #flows = make('div', { class: 'details', hidden: true });
    #head;
    #link;

    constructor() {
        const cell = (name) => (this.#cells[name] = make('span', { class: name }));
        this.#head = make('button', { type: 'button', class: 'row', 'aria-expanded': 'false', on: { click: () => this.#toggle() } },
            cell('state'), cell('peer'), cell('rate'), cell('age'), cell('offset'), cell('loss'), cell('rtt'));
        this.element = make('li', { class: 'link' }, this.#head, this.#flows);
    }

    update(link) {
        const flows = link.flows ?? [], { lost, share } = lossOf(flows), c = this.#cells;
        this.#link = link;
        this.element.dataset.state = link.state;
        setText(c.peer, link.port ? `${link.peer}:${link.port}` : link.peer ?? '');
        setText(c.rate, formatRate(sum(flows, 'message_rate')));
        setText(c.age, `age ${formatSpan(largest(flows, 'age_p50'))}`);
        setText(c.loss, `loss ${percent(share)}`);
        c.loss.classList.toggle('bad', lost > 0);
        setText(c.rtt, isNumber(link.rtt) ? `rtt ${formatSpan(link.rtt)}` : link.state);
        setText(c.offset, isNumber(link.offset) ? `offset ${formatSpan(link.offset)}` : link.why ?? '');
        setTitle(c.offset, isNumber(link.offset) ? `clock offset ${formatSpan(link.offset)} ± ${formatSpan(link.offset_error)}` : link.why ?? '');
        setTitle(this.#head, `${link.peer}: ${link.state}${link.why ? `, ${link.why}` : ''}\nlost ${formatCount(lost)} of ${formatCount(lost + sum(flows, 'messages'))} messages, ${formatBandwidth(sum(flows, 'byte_rate'))}`);
        if (!this.#flows.hidden) this.#showFlows();
    }

    #toggle() {
        const open = this.#flows.hidden;
        this.#flows.hidden = !open;
        set(this.#head, { 'aria-expanded': String(open) });
        if (open) this.#showFlows();
    }

    #showFlows() {
        const heads = ['channel', '', 'rate', 'age', 'worst', 'lost'];
        const rows = (this.#link.flows ?? []).map((f) => [
            f.channel, f.direction === 'sends' ? '→' : '←', f.state === 'open' ? formatRate(f.message_rate) : f.state,
            formatSpan(f.age_p50), formatSpan(f.age_max), formatCount(lossOf([f]).lost)]);
        const body = rows.map((row, i) => make('tr', { title: this.#link.flows[i].why ?? '' }, row.map((text) => make('td', { text }))));
        this.#flows.replaceChildren(make('table', { class: 'flows' },
            make('thead', {}, make('tr', {}, heads.map((text) => make('th', { text, scope: 'col' })))), make('tbody', {}, body)));
    }
}
