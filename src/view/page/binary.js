// SPDX-License-Identifier: BSD-3-Clause
// Binary messages of the server, as src/view/PROTOCOL.md defines them. All are checked: the sizes in a message
// must agree with its length. Little-endian, as are the processors of all browsers in use.

const SAMPLES = 1, IMAGE = 2, GRID = 3;
const SAMPLES_HEAD = 21, TEXT_HEAD = 5, IMAGE_HEAD = 9;

const u64 = (view, at) => view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;

function samples(view) {
    const count = view.getUint32(5, true), fields = view.getUint32(9, true);
    if (view.byteLength !== SAMPLES_HEAD + count * (fields + 1) * 8) return null;
    return {
        kind: 'samples', plot: view.getUint32(1, true), count, fields, dropped: u64(view, 13),
        values: new Float64Array(view.buffer.slice(SAMPLES_HEAD)),
    };
}

// The text before the pixels or cells: a message without its data.
function told(view) {
    const end = TEXT_HEAD + view.getUint32(1, true);
    if (end > view.byteLength) return null;
    try {
        return { end, message: JSON.parse(new TextDecoder().decode(new Uint8Array(view.buffer, TEXT_HEAD, end - TEXT_HEAD))) };
    } catch {
        return null;
    }
}

function image(view) {
    const { end, message } = told(view) ?? {};
    if (!message || view.byteLength < end + IMAGE_HEAD) return null;
    return {
        ...message, kind: 'image', width: view.getUint32(end, true), height: view.getUint32(end + 4, true), format: view.getUint8(end + 8),
        bytes: new Uint8Array(view.buffer, end + IMAGE_HEAD),
    };
}

function grid(view) {
    const { end, message } = told(view) ?? {};
    return message ? { ...message, kind: 'grid', cells: new Int8Array(view.buffer, end) } : null;
}

const DECODERS = { [SAMPLES]: [samples, SAMPLES_HEAD], [IMAGE]: [image, TEXT_HEAD], [GRID]: [grid, TEXT_HEAD] };

// null: not a message of this protocol.
export function decodeBinary(buffer) {
    const view = new DataView(buffer);
    const [decode, head] = (buffer.byteLength && DECODERS[view.getUint8(0)]) || [];
    return decode && buffer.byteLength >= head ? decode(view) : null;
}
