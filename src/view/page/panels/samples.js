// SPDX-License-Identifier: BSD-3-Clause
// Samples of some fields of one topic, newest last. Old ones are forgotten when there is no more room.

const FIRST = 4096, LIMIT = 1 << 19, BACK = 0.5;

export class Samples {
    length = 0;
    #times = new Float64Array(FIRST);
    #columns;

    constructor(fields) {
        this.fields = fields;
        this.#columns = fields.map(() => new Float64Array(FIRST));
    }

    // The same times with other fields: a field that is new has no values yet.
    with(fields) {
        const other = new Samples(fields);
        other.length = this.length;
        other.#times = this.#times;
        other.#columns = fields.map((f) => this.#columns[this.fields.indexOf(f)] ?? new Float64Array(this.#times.length).fill(NaN));
        return other;
    }

    get first() {
        return this.length ? this.#times[0] : NaN;
    }

    get last() {
        return this.length ? this.#times[this.length - 1] : NaN;
    }

    time(i) {
        return this.#times[i];
    }

    value(column, i) {
        return this.#columns[column][i];
    }

    clear() {
        this.length = 0;
    }

    // A recording is at another time: what is later is forgotten, and no line is drawn from before.
    seek(time) {
        this.length = this.find(time + 1e-6);
        if (this.length) this.append({ values: [this.last, ...this.fields.map(() => NaN)], count: 1, fields: this.fields.length });
    }

    // Rows of a time and the fields. A recording that jumps back begins anew.
    append({ values, count, fields }) {
        for (let row = 0; row < count; row++) {
            const at = row * (fields + 1);
            let time = values[at];
            if (time < this.last - BACK) this.clear();
            if (time < this.last) time = this.last;
            if (this.length === this.#times.length) this.#makeRoom();
            this.#times[this.length] = time;
            for (let f = 0; f < fields; f++) this.#columns[f][this.length] = values[at + 1 + f];
            this.length++;
        }
    }

    #makeRoom() {
        if (this.#times.length < LIMIT) {
            const grown = (old) => {
                const array = new Float64Array(2 * old.length);
                array.set(old);
                return array;
            };
            this.#times = grown(this.#times);
            this.#columns = this.#columns.map(grown);
            return;
        }
        const half = LIMIT / 2;
        for (const array of [this.#times, ...this.#columns]) array.copyWithin(0, half);
        this.length -= half;
    }

    // The first sample not before this time.
    find(time) {
        let low = 0, high = this.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.#times[middle] < time) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    // Those within the times, and one more on each side, so that lines reach the edges.
    range(from, to) {
        return [Math.max(0, this.find(from) - 1), Math.min(this.length, this.find(to) + 1)];
    }
}
