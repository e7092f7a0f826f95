// SPDX-License-Identifier: BSD-3-Clause
// Pictures of a camera. They are decoded beside the page's thread, the newest only.
import { make, iconButton, set, setText } from '../dom.js';
import { formatTime, formatSize } from '../format.js';
import { Panel } from './panel.js';

const RATE = 20;
const JPEG = 0, PNG = 1, RGB = 2;

export class ImagePanel extends Panel {
    shown = 0; // pictures that were painted
    #next = null; // a message
    #bitmap = null;
    #decoding = false;
    #seeks = 0;
    #canvas = make('canvas', { role: 'img' });
    #info = make('div', { class: 'pose' });
    #empty = make('p', { class: 'hint' });
    #message = null;

    constructor(app, kind, about, options) {
        super(app, kind, about, options);
        options.smooth ??= true;
        this.setTitle(options.topic);
        this.#canvas.setAttribute('aria-label', `picture of ${options.topic}`);
        this.smoothButton = iconButton('pixels', 'Show the pixels', () => this.#smooth(), { 'aria-pressed': String(!options.smooth) });
        this.tools.append(this.smoothButton);
        this.body.append(this.#canvas, this.#info, this.#empty);
        this.until(app.subscriptions.watch(options.topic, RATE, (m) => this.#take(m)));
        this.until(app.model.on('topics', () => this.request()));
        this.request();
    }

    #take(message) {
        if (message.kind !== 'image') return;
        this.#next = message;
        if (!this.#decoding) this.#decode();
    }

    async #decode() {
        this.#decoding = true;
        while (this.#next && !document.hidden) {
            const message = this.#next, seeks = this.#seeks;
            this.#next = null;
            try {
                const bitmap = await decode(message);
                if (seeks !== this.#seeks) { // it is of another time
                    bitmap.close();
                    continue;
                }
                this.#bitmap?.close();
                this.#bitmap = bitmap;
                this.#message = message;
            } catch (error) {
                this.#fail(error);
            }
            this.request();
        }
        this.#decoding = false;
    }

    clear() {
        this.#seeks++;
        this.#bitmap?.close();
        this.#next = this.#bitmap = null;
        this.#canvas.getContext('2d').reset();
        setText(this.#empty, '');
        setText(this.#info, '');
        this.#empty.hidden = false;
    }

    #fail(error) {
        setText(this.#empty, `This picture cannot be decoded: ${error.message}`);
        this.#empty.hidden = false;
    }

    #smooth() {
        this.options.smooth = !this.options.smooth;
        set(this.smoothButton, { 'aria-pressed': String(!this.options.smooth) });
        this.changed();
        this.request();
    }

    paint() {
        const topic = this.app.model.names.get(this.options.topic), { clientWidth: w, clientHeight: h } = this.body;
        this.element.classList.toggle('stale', !topic && this.#bitmap !== null);
        if (!this.#bitmap) {
            if (!this.#empty.textContent || topic) setText(this.#empty, this.nothing(this.options.topic, 'picture'));
            return;
        }
        this.#empty.hidden = true;
        this.#draw(w, h);
        const m = this.#message;
        this.setLost(m.missed ?? 0, m.dropped);
        setText(this.#info, `${this.#bitmap.width} × ${this.#bitmap.height}  ${formatSize(m.bytes.length)}  ${formatTime(m.time, 3)}`);
        this.shown++;
    }

    #draw(w, h) {
        const ratio = devicePixelRatio, bitmap = this.#bitmap, scale = Math.min(w / bitmap.width, h / bitmap.height);
        const width = Math.round(w * ratio), height = Math.round(h * ratio), context = this.#canvas.getContext('2d');
        if (this.#canvas.width !== width) this.#canvas.width = width;
        if (this.#canvas.height !== height) this.#canvas.height = height;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, w, h);
        context.imageSmoothingEnabled = this.options.smooth;
        context.drawImage(bitmap, (w - bitmap.width * scale) / 2, (h - bitmap.height * scale) / 2, bitmap.width * scale, bitmap.height * scale);
    }

    resized() {
        this.request();
    }

    closing() {
        this.#bitmap?.close();
        this.#next = null;
    }
}

function decode({ format, width, height, bytes }) {
    if (format === JPEG || format === PNG) return createImageBitmap(new Blob([bytes], { type: format === JPEG ? 'image/jpeg' : 'image/png' }));
    const depth = format === RGB ? 3 : 1;
    if (!width || !height || bytes.length < width * height * depth) throw new Error('it has too few bytes');
    const image = new ImageData(width, height), out = image.data;
    for (let i = 0, at = 0; i < width * height; i++, at += depth) {
        out[4 * i] = bytes[at];
        out[4 * i + 1] = bytes[depth === 3 ? at + 1 : at];
        out[4 * i + 2] = bytes[depth === 3 ? at + 2 : at];
        out[4 * i + 3] = 255;
    }
    return createImageBitmap(image);
}
