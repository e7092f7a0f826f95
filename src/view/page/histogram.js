// SPDX-License-Identifier: BSD-3-Clause
// Ages of messages when they were read, in decades: as a picture of a few pixels, and as a table.
import { make, setText, set } from './dom.js';
import { formatCount } from './format.js';

const LABELS = ['< 10 µs', '< 100 µs', '< 1 ms', '< 10 ms', '< 100 ms', '< 1 s', 'more'];
const HEIGHT = 14, STEP = 6;

export function makeHistogram() {
    const ns = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(ns, 'svg');
    svg.setAttribute('viewBox', `0 0 ${LABELS.length * STEP} ${HEIGHT + 2}`);
    svg.setAttribute('class', 'histogram');
    svg.setAttribute('aria-hidden', 'true');
    svg.append(document.createElementNS(ns, 'path'), document.createElementNS(ns, 'path'));
    svg.firstChild.setAttribute('d', `M0 ${HEIGHT + 1.5}h${LABELS.length * STEP}`);
    svg.firstChild.setAttribute('class', 'axis');
    return svg;
}

// The height is the share, as a square root: rare late messages are what one looks for.
export function drawHistogram(svg, ages) {
    const total = (ages ?? []).reduce((sum, n) => sum + n, 0);
    let d = '';
    for (let i = 0; total && i < LABELS.length; i++) {
        const height = ages[i] ? Math.max(1.5, HEIGHT * Math.sqrt(ages[i] / total)) : 0;
        if (height) d += `M${i * STEP + 0.5} ${HEIGHT + 1}v${-height.toFixed(1)}h${STEP - 1}v${height.toFixed(1)}z`;
    }
    if (svg.lastChild.getAttribute('d') !== d) svg.lastChild.setAttribute('d', d);
}

export function histogramLabel(ages) {
    const total = (ages ?? []).reduce((sum, n) => sum + n, 0);
    if (!total) return 'no messages';
    return LABELS.map((label, i) => [label, ages[i]]).filter(([, n]) => n).map(([label, n]) => `${label}: ${Math.round((100 * n) / total)} %`).join(', ');
}

export function makeBuckets() {
    const rows = LABELS.map((label) => {
        const meter = make('meter', { min: '0', max: '1', 'aria-label': `share of messages aged ${label}` });
        const number = make('span', { class: 'number' });
        return { meter, number, element: make('div', { class: 'bucket' }, make('span', { text: label }), meter, number) };
    });
    const title = make('h4');
    const update = (ages, unknown) => {
        setText(title, unknown ? `Age of messages: ${unknown}` : 'Age of messages when read');
        for (const row of rows) row.element.hidden = Boolean(unknown);
        const total = (ages ?? []).reduce((sum, n) => sum + n, 0) || 1;
        rows.forEach(({ meter, number }, i) => {
            set(meter, { value: (ages?.[i] ?? 0) / total });
            setText(number, formatCount(ages?.[i] ?? 0));
        });
    };
    const element = make('div', { class: 'buckets' }, title, rows.map((r) => r.element));
    return { element, update };
}
