// SPDX-License-Identifier: BSD-3-Clause
// What a plot draws of its samples: all of them if they are few, otherwise the least and the greatest of each bucket of
// one pixel. So a picture costs the same at 10 Hz and at 10 kHz, and no peak is lost. Buckets are aligned to
// absolute time: curves do not flicker while they move.

const FEW = 3000;

// curves: {samples, column}. Returns what uPlot takes: times, then values of each curve; undefined: none at this
// time, null: a gap.
export function chooseData(curves, from, to, pixels) {
    const ranges = curves.map((c) => c.samples.range(from, to));
    const total = ranges.reduce((sum, [a, b]) => sum + b - a, 0);
    return total <= FEW ? exact(curves, ranges) : buckets(curves, ranges, (to - from) / Math.max(100, pixels));
}

const orGap = (value) => (Number.isFinite(value) ? value : null);

function exact(curves, ranges) {
    const at = ranges.map(([a]) => a), times = [], columns = curves.map(() => []);
    for (;;) {
        let time = Infinity;
        curves.forEach((c, i) => {
            if (at[i] < ranges[i][1]) time = Math.min(time, c.samples.time(at[i]));
        });
        if (time === Infinity) return [times, ...columns];
        times.push(time);
        curves.forEach((c, i) => {
            const here = at[i] < ranges[i][1] && c.samples.time(at[i]) === time;
            columns[i].push(here ? orGap(c.samples.value(c.column, at[i])) : undefined);
            if (here) at[i]++;
        });
    }
}

// Two times in each bucket: for what came first of the two extremes, and for the other one.
function buckets(curves, ranges, width) {
    const starts = curves.map((c, i) => (ranges[i][0] < ranges[i][1] ? c.samples.time(ranges[i][0]) : Infinity));
    const ends = curves.map((c, i) => (ranges[i][0] < ranges[i][1] ? c.samples.time(ranges[i][1] - 1) : -Infinity));
    const first = Math.floor(Math.min(...starts) / width), last = Math.floor(Math.max(...ends) / width);
    const count = Math.min(last - first + 1, 20000), times = new Array(2 * count);
    for (let i = 0; i < count; i++) {
        times[2 * i] = (first + i + 0.25) * width;
        times[2 * i + 1] = (first + i + 0.75) * width;
    }
    return [times, ...curves.map((c, i) => column(c, ranges[i], first, count, width))];
}

function column({ samples, column: field }, [from, to], first, count, width) {
    const out = new Array(2 * count).fill(undefined);
    for (let i = from; i < to;) {
        const bucket = Math.min(count - 1, Math.floor(samples.time(i) / width) - first), end = (first + bucket + 1) * width;
        let least = NaN, greatest = NaN, leastFirst = true;
        do {
            const value = orGap(samples.value(field, i)) ?? NaN;
            if (!(value >= least)) (least = value), (leastFirst = false);
            if (!(value <= greatest)) (greatest = value), (leastFirst = true);
            i++;
        } while (i < to && (samples.time(i) < end || bucket === count - 1));
        out[2 * bucket] = orGap(leastFirst ? least : greatest);
        out[2 * bucket + 1] = orGap(leastFirst ? greatest : least);
    }
    return out;
}
