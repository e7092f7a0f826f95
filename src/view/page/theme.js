// SPDX-License-Identifier: BSD-3-Clause
// Dark or light: as the system says, unless the switch says otherwise. Canvases ask for colours here.
import { Events } from './events.js';
import { load, store } from './storage.js';

const CHOICES = ['system', 'dark', 'light'];

// Event: 'change'.
export class Theme extends Events {
    choice = CHOICES.includes(load('theme')) ? load('theme') : 'system';
    #colours = new Map();
    #system = matchMedia('(prefers-color-scheme: dark)');
    #probe;

    constructor() {
        super();
        this.#probe = document.createElement('span');
        this.#probe.hidden = true;
        document.body.append(this.#probe);
        this.#system.addEventListener('change', () => this.#apply());
        this.#apply();
    }

    get dark() {
        return this.choice === 'system' ? this.#system.matches : this.choice === 'dark';
    }

    toggle() {
        this.choice = this.dark ? 'light' : 'dark';
        if (this.dark === this.#system.matches) this.choice = 'system';
        store('theme', this.choice);
        this.#apply();
    }

    // A custom property as an rgb() text.
    colour(name) {
        if (!this.#colours.has(name)) {
            this.#probe.style.color = `var(--${name})`;
            this.#colours.set(name, getComputedStyle(this.#probe).color);
        }
        return this.#colours.get(name);
    }

    series(i) {
        return this.colour(`series-${i % 8}`);
    }

    #apply() {
        document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
        this.#colours.clear();
        this.emit('change');
    }
}
