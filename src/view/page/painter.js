// SPDX-License-Identifier: BSD-3-Clause
// One frame callback for all panels. It is requested only when a panel has something new, and a panel that cannot be
// seen is painted when it comes into view. A panel's `period` is the least time between two paintings, in ms.

const SLACK = 8; // ms: half a frame

export class Painter {
    #dirty = new Set();
    #visible = new WeakMap();
    #painted = new WeakMap(); // when
    #timer = 0;
    #requested = false;
    #observer = new IntersectionObserver((entries) => this.#seen(entries));
    #panels = new WeakMap();

    add(panel) {
        this.#panels.set(panel.element, panel);
        this.#visible.set(panel, true);
        this.#observer.observe(panel.element);
        this.request(panel);
    }

    remove(panel) {
        this.#observer.unobserve(panel.element);
        this.#panels.delete(panel.element);
        this.#dirty.delete(panel);
    }

    request(panel) {
        if (!this.#panels.has(panel.element)) return; // it is closed, or not there yet
        this.#dirty.add(panel);
        if (this.#visible.get(panel) !== false) this.#schedule();
    }

    #schedule() {
        if (this.#requested) return;
        this.#requested = true;
        requestAnimationFrame((now) => this.#frame(now));
    }

    #frame(now) {
        let soonest = Infinity;
        this.#requested = false;
        for (const panel of [...this.#dirty]) {
            if (this.#visible.get(panel) === false) continue;
            const early = (this.#painted.get(panel) ?? -Infinity) + panel.period - now;
            if (early > SLACK) soonest = Math.min(soonest, early);
            else this.#paint(panel, now);
        }
        if (soonest === Infinity) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#schedule(), soonest - SLACK);
    }

    #paint(panel, now) {
        this.#dirty.delete(panel);
        this.#painted.set(panel, now);
        panel.paint(now);
    }

    #seen(entries) {
        for (const { target, isIntersecting } of entries) {
            const panel = this.#panels.get(target);
            if (!panel) continue;
            this.#visible.set(panel, isIntersecting);
            if (isIntersecting && this.#dirty.has(panel)) this.#schedule();
        }
    }
}
