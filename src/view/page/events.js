// SPDX-License-Identifier: BSD-3-Clause
// Names of events, and who wants to know.

export class Events {
    #listeners = new Map();

    // Returns a function that ends it.
    on(name, f) {
        if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
        this.#listeners.get(name).add(f);
        return () => this.#listeners.get(name).delete(f);
    }

    emit(name, ...values) {
        for (const f of [...(this.#listeners.get(name) ?? [])]) f(...values);
    }
}
