// SPDX-License-Identifier: BSD-3-Clause
// uPlot, set up for a plot panel. It is a script of its own (page/vendor), so it is a global.
import { formatTime, formatValue } from '../format.js';

const FONT = '11px system-ui, sans-serif';

// on: {range() → [from, to], zoomed(from, to), reset(), cursor(index or null)}.
export function makeChart(holder, theme, curves, on) {
    const axis = {
        stroke: () => theme.colour('dim'), font: FONT, grid: { stroke: () => theme.colour('grid'), width: 1 },
        ticks: { stroke: () => theme.colour('grid'), width: 1, size: 4 },
    };
    const series = curves.map((c) => ({ label: c.field, stroke: () => theme.series(c.colour), width: 1.25, show: !c.hidden, spanGaps: false, points: { show: few, size: 4 } }));
    return new uPlot({
        width: holder.clientWidth, height: holder.clientHeight, legend: { show: false }, padding: [8, 8, 0, 0],
        cursor: { drag: { x: true, y: false, setScale: false }, focus: { prox: 24 }, points: { size: 6 }, bind: { dblclick: (u) => () => void u ?? on.reset() } },
        scales: { x: { time: true, auto: false, range: () => on.range() }, y: { range: padded } },
        axes: [{ ...axis, size: 26, values: (u, splits, i, space, step) => splits.map((s) => formatTime(s, digits(step))), space: 90 },
            { ...axis, size: yWidth, values: (u, splits) => splits.map((v) => (v === null ? '' : formatValue(Number(v.toPrecision(6))))) }],
        series: [{}, ...series],
        hooks: {
            setSelect: [(u) => {
                if (u.select.width < 4) return;
                on.zoomed(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'));
                u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            }],
            setCursor: [(u) => on.cursor(u.cursor.idx ?? null)],
        },
    }, [[], ...curves.map(() => [])], holder);
}

const digits = (step) => (step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : step >= 0.001 ? 3 : 6);

// Points are drawn when one can tell them apart, and if there is only one.
function few(u, series, first, last) {
    return u.bbox.width / devicePixelRatio / Math.max(1, last - first) > 12;
}

function padded(u, least, greatest) {
    if (least === null || greatest === null || !Number.isFinite(least)) return [-1, 1];
    const margin = greatest > least ? (greatest - least) * 0.08 : Math.abs(greatest) * 0.1 || 1;
    return [least - margin, greatest + margin];
}

function yWidth(u, values, axis, cycle) {
    if (cycle > 1) return u.axes[axis]._size;
    const longest = (values ?? []).reduce((most, v) => Math.max(most, v.length), 3);
    return Math.ceil(longest * 6.5) + 14;
}
