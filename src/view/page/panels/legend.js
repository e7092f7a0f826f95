// SPDX-License-Identifier: BSD-3-Clause
// The names of a plot's curves with their values. A click on the colour hides the curve.
import { make, iconButton, setText, setTitle } from '../dom.js';

export class Legend {
    element = make('div', { class: 'legend' });
    #app;
    #remove;
    #hide;
    #values = [];
    #time = make('span', { class: 'time' });

    constructor(app, remove, hide) {
        this.#app = app;
        this.#remove = remove;
        this.#hide = hide;
    }

    show(curves) {
        const topics = new Set(curves.map((c) => c.topic));
        this.#values = curves.map(() => make('span', { class: 'value' }));
        this.element.replaceChildren(...curves.map((c, i) => this.#chip(c, this.#values[i], topics.size > 1)), this.#time);
        this.element.hidden = !curves.length;
    }

    #chip(curve, value, withTopic) {
        const name = withTopic ? `${curve.topic} ${curve.field}` : curve.field;
        const swatch = make('button', {
            type: 'button', class: 'swatch', title: `Show or hide ${name}`, 'aria-label': `Show ${name}`, 'aria-pressed': String(!curve.hidden),
            on: { click: () => this.#hide(curve) },
        });
        swatch.style.setProperty('--curve', this.#app.theme.series(curve.colour));
        return make('span', { class: 'chip', title: `${curve.topic} ${curve.field}` }, swatch, make('span', { class: 'name', text: name }), value,
            iconButton('close', `Remove ${name}`, () => this.#remove(curve)));
    }

    // For each curve {text, why}: why there is no value, or ''.
    values(labels, time) {
        labels.forEach(({ text, why }, i) => {
            setText(this.#values[i], text);
            setTitle(this.#values[i], why);
            this.#values[i].classList.toggle('none', why !== '');
        });
        setText(this.#time, time);
    }
}
