// SPDX-License-Identifier: BSD-3-Clause
// What is kept in the browser. It may be forbidden, full, or written by an older page: then it is as if it were empty.

const PREFIX = 'ach-view.';

export function load(name) {
    try {
        return JSON.parse(localStorage.getItem(PREFIX + name));
    } catch {
        return null;
    }
}

export function store(name, value) {
    try {
        localStorage.setItem(PREFIX + name, JSON.stringify(value));
    } catch {
        // The page works without.
    }
}
