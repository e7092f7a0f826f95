// SPDX-License-Identifier: BSD-3-Clause
// Numbers for people: few digits, fixed width where they change often.

const two = (n) => String(n).padStart(2, '0');

const PREFIXES = ['', 'k', 'M', 'G', 'T'];

function scaled(value, base, unit) {
    let i = 0;
    while (Math.abs(value) >= base && i < PREFIXES.length - 1) {
        value /= base;
        i++;
    }
    const rounded = Number(value.toPrecision(3)), digits = rounded === 0 || rounded >= 100 ? 0 : rounded >= 10 ? 1 : 2;
    return `${value.toFixed(i === 0 && Number.isInteger(value) ? 0 : digits)} ${PREFIXES[i]}${unit}`;
}

export const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

export const formatRate = (hertz) => (isNumber(hertz) ? scaled(hertz, 1000, 'Hz') : '–');
export const formatBandwidth = (bytes) => (isNumber(bytes) ? scaled(bytes, 1000, 'B/s') : '–');
export const formatSize = (bytes) => (isNumber(bytes) ? scaled(bytes, 1000, 'B') : '–');
export const formatCount = (n) => (isNumber(n) ? n.toLocaleString('en') : '–');

// A span of time, from nanoseconds to days.
export function formatSpan(seconds) {
    if (!isNumber(seconds)) return '–';
    const s = Math.abs(seconds), sign = seconds < 0 ? '−' : '';
    if (s === 0) return '0 s';
    if (s < 1e-6) return `${sign}${(s * 1e9).toFixed(0)} ns`;
    if (s < 1e-3) return `${sign}${(s * 1e6).toFixed(s < 1e-5 ? 1 : 0)} µs`;
    if (s < 1) return `${sign}${(s * 1e3).toFixed(s < 1e-2 ? 1 : 0)} ms`;
    if (s < 60) return `${sign}${s.toFixed(1)} s`;
    if (s < 3600) return `${sign}${Math.floor(s / 60)}:${two(Math.floor(s % 60))} min`;
    if (s < 86400) return `${sign}${Math.floor(s / 3600)}:${two(Math.floor((s % 3600) / 60))} h`;
    return `${sign}${(s / 86400).toFixed(1)} d`;
}

// The time of day where the reader is.
export function formatTime(seconds, digits = 0) {
    if (!isNumber(seconds)) return '–';
    const scale = 10 ** digits;
    const rounded = Math.floor(seconds * scale + 0.001) / scale;
    const date = new Date(Math.floor(rounded) * 1000);
    const fraction = digits ? '.' + String(Math.floor((rounded % 1) * scale + 0.5)).padStart(digits, '0') : '';
    return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${fraction}`;
}

export function formatDate(seconds) {
    if (!isNumber(seconds)) return '–';
    const date = new Date(seconds * 1000);
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

// A position in a recording, as on a tape: 1:02:03.4
export function formatPosition(seconds) {
    if (!isNumber(seconds)) return '–';
    const tenths = Math.floor(Math.max(0, seconds) * 10 + 1e-6);
    const hours = Math.floor(tenths / 36000), minutes = Math.floor(tenths / 600) % 60;
    const rest = `${two(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
    return hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

// A value of a message. Doubles get as many digits as an eye can follow.
export function formatValue(value) {
    if (value === null || value === undefined) return 'null';
    if (typeof value === 'string') return JSON.stringify(value.length > 512 ? value.slice(0, 512) + '…' : value);
    if (typeof value !== 'number') return String(value);
    if (Number.isInteger(value)) return String(value);
    const size = Math.abs(value);
    return size < 1e-4 || size >= 1e9 ? value.toExponential(4) : value.toPrecision(7).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}
