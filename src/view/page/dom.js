// SPDX-License-Identifier: BSD-3-Clause
// Elements of the document, without markup in strings: text from a robot is never read as HTML.

export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    set(element, attributes);
    element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
    return element;
}

export function set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        if (name === 'on')
            for (const [event, f] of Object.entries(value)) element.addEventListener(event, f);
        else if (name === 'text') element.textContent = value;
        else if (name in element && typeof value !== 'string') element[name] = value;
        else if (value === null || value === false) element.removeAttribute(name);
        else element.setAttribute(name, value === true ? '' : value);
    }
    return element;
}

// Writing the same text again would cost a layout.
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

export function setTitle(element, text) {
    if (element.title !== text) element.title = text;
}

export function button(label, f, attributes = {}) {
    return make('button', { type: 'button', on: { click: f }, ...attributes }, label);
}

// A button that shows only a symbol: its name is for screen readers and the tooltip.
export function iconButton(name, label, f, attributes = {}) {
    const b = make('button', { type: 'button', title: label, 'aria-label': label, on: { click: f }, ...attributes },
        icon(name));
    b.classList.add('icon');
    return b;
}

const SHAPES = {
    close: 'M4 4l8 8M12 4l-8 8',
    plus: 'M8 3v10M3 8h10',
    minus: 'M3 8h10',
    play: 'M5 3l8 5-8 5z',
    pause: 'M5.5 3v10M10.5 3v10',
    step: 'M4 3l6 5-6 5zM12.5 3v10',
    back: 'M12 3L6 8l6 5zM3.5 3v10',
    stop: 'M4 4h8v8H4z',
    up: 'M8 13V3M4 7l4-4 4 4',
    down: 'M8 3v10M4 9l4 4 4-4',
    left: 'M13 8H3M7 4L3 8l4 4',
    right: 'M3 8h10M9 4l4 4-4 4',
    turnleft: 'M12.5 12.5V8a4 4 0 0 0-4-4H3.500M6 1.500L3.500 4 6 6.500',
    turnright: 'M3.500 12.500V8a4 4 0 0 1 4-4h5M10 1.500L12.500 4 10 6.500',
    grip: 'M6 3.500v.01M10 3.500v.01M6 8v.01M10 8v.01M6 12.500v.01M10 12.500v.01',
    resize: 'M13 5v8H5M13 9.500L9.500 13',
    full: 'M3 6.500V3h3.500M9.500 3H13v3.500M13 9.500V13H9.500M6.500 13H3V9.500',
    copy: 'M5.500 5.500h7v7.500h-7zM3 10.500V3h7',
    plot: 'M2.500 2.500v11h11M4.500 10l3-4 2.500 2.500 3-4.500',
    tree: 'M3 3.500h4M6 8h6M6 12.500h6M3.500 3.500v9H6M3.500 8H6',
    robot: 'M3.500 6h9v7h-9zM8 6V3M6 9v.01M10 9v.01M6 11.500h4',
    image: 'M2.500 3.500h11v9h-11zM2.500 11l3.500-4 3 3 2-2 2.500 2.500',
    drive: 'M8 2.500a5.500 5.500 0 1 0 .01 0M8 6v4M6 8h4',
    joints: 'M3 4h10M3 8h10M3 12h10M6 2.800v2.400M11 6.800v2.400M5 10.800v2.400',
    target: 'M8 2.500a5.500 5.500 0 1 0 .01 0M8 1v4M8 11v4M1 8h4M11 8h4',
    fit: 'M2.500 8h11M8 2.500v11M5 5h6v6H5z',
    menu: 'M2.500 4h11M2.500 8h11M2.500 12h11',
    theme: 'M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11',
    chevron: 'M6 3.500l4.500 4.500L6 12.500',
    layers: 'M8 2.500l6 3-6 3-6-3zM2 8.500l6 3 6-3M2 11l6 3 6-3',
    pixels: 'M2.500 2.500h11v11h-11zM2.500 8h11M8 2.500v11',
    follow: 'M8 2l4.500 11L8 10.500 3.500 13z',
};

export function icon(name) {
    const ns = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(ns, 'svg');
    const path = document.createElementNS(ns, 'path');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('aria-hidden', 'true');
    path.setAttribute('d', SHAPES[name]);
    svg.append(path);
    return svg;
}
