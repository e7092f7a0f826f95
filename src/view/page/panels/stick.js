// SPDX-License-Identifier: BSD-3-Clause
// A stick on the screen: where it is held, from -1 to 1 to each side, and back to the middle when it is let go.
import { make, set } from '../dom.js';

const DEAD = 0.08; // near the middle it is the middle

export class Stick {
    element;
    #knob = make('span', { class: 'knob' });
    #pointer = null;
    #on;

    // on: {move(x, y), release()}: x to the right, y up.
    constructor(on) {
        this.#on = on;
        this.element = make('div', { class: 'stick', role: 'group', 'aria-label': 'Stick: drag it to drive. With a keyboard use the buttons or the keys.' },
            make('span', { class: 'cross' }), this.#knob);
        set(this.element, { on: {
            pointerdown: (e) => this.#down(e), pointermove: (e) => this.#pointer === e.pointerId && this.#move(e),
            pointerup: (e) => this.#up(e), pointercancel: (e) => this.#up(e), lostpointercapture: (e) => this.#up(e), contextmenu: (e) => e.preventDefault(),
        } });
    }

    #down(event) {
        if (event.button !== 0 || this.element.classList.contains('off')) return;
        event.preventDefault();
        this.element.setPointerCapture(event.pointerId);
        this.#pointer = event.pointerId;
        this.#move(event);
    }

    #move(event) {
        const box = this.element.getBoundingClientRect(), r = box.width / 2;
        let x = (event.clientX - box.left - r) / (r * 0.75), y = -(event.clientY - box.top - r) / (r * 0.75);
        const size = Math.hypot(x, y);
        if (size > 1) (x /= size), (y /= size);
        this.#show(x, y);
        this.#on.move(beyond(x), beyond(y));
    }

    #up(event) {
        if (this.#pointer !== event.pointerId) return;
        this.centre();
        this.#on.release();
    }

    centre() {
        this.#pointer = null;
        this.#show(0, 0);
    }

    #show(x, y) {
        this.#knob.style.setProperty('--x', String(x));
        this.#knob.style.setProperty('--y', String(-y));
    }
}

function beyond(value) {
    return Math.abs(value) < DEAD ? 0 : (value - Math.sign(value) * DEAD) / (1 - DEAD);
}
