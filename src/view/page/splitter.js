// SPDX-License-Identifier: BSD-3-Clause
// The border between the list and the panels.
import { load, store } from './storage.js';

const LEAST = 220, GREATEST = 640, STEP = 20;

export function makeSplitter(element, side) {
    const set = (width) => {
        const chosen = Math.min(GREATEST, Math.max(LEAST, Math.round(width)));
        side.style.setProperty('--side', `${chosen}px`);
        element.setAttribute('aria-valuenow', String(chosen));
        store('side', chosen);
    };
    element.setAttribute('aria-valuemin', String(LEAST));
    element.setAttribute('aria-valuemax', String(GREATEST));
    set(Number(load('side')) || 340);
    element.addEventListener('pointerdown', (down) => {
        element.setPointerCapture(down.pointerId);
        element.onpointermove = (e) => set(e.clientX);
        element.onlostpointercapture = () => (element.onpointermove = null);
    });
    element.addEventListener('keydown', (e) => {
        const step = { ArrowLeft: -STEP, ArrowRight: STEP }[e.key];
        if (step) set(side.offsetWidth + step);
    });
}
