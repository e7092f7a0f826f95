// SPDX-License-Identifier: BSD-3-Clause
// Binary messages of the server, as src/view/PROTOCOL.md defines them. All are checked: the sizes in a message
// must agree with its length. Little-endian, as are the processors of all browsers in use.

const SAMPLES = 1, IMAGE = 2, GRID = 3;
const SAMPLES_HEAD = 21, IMAGE_HEAD = 34, GRID_HEAD = 38;

const u64 = (view, at) => view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;

function samples(view) {
    const count = view.getUint32(5, true), fields = view.getUint32(9, true);
    if (view.byteLength !== SAMPLES_HEAD + count * (fields + 1) * 8) return null;
    return {
        kind: 'samples', plot: view.getUint32(1, true), count, fields, dropped: u64(view, 13),
        values: new Float64Array(view.buffer.slice(SAMPLES_HEAD)),
    };
}

function image(view) {
    const size = view.getUint32(30, true);
    if (view.byteLength !== IMAGE_HEAD + size) return null;
    return {
        kind: 'image', topic: view.getUint32(1, true), time: view.getFloat64(5, true), dropped: u64(view, 13),
        width: view.getUint32(21, true), height: view.getUint32(25, true), format: view.getUint8(29),
        bytes: new Uint8Array(view.buffer, IMAGE_HEAD),
    };
}

function grid(view) {
    const width = view.getUint32(13, true), height = view.getUint32(17, true), name = view.getUint8(37);
    if (view.byteLength !== GRID_HEAD + name + width * height) return null;
    return {
        kind: 'grid', topic: view.getUint32(1, true), time: view.getFloat64(5, true), width, height,
        resolution: view.getFloat32(21, true), x: view.getFloat32(25, true), y: view.getFloat32(29, true),
        a: view.getFloat32(33, true), frame: new TextDecoder().decode(new Uint8Array(view.buffer, GRID_HEAD, name)),
        cells: new Int8Array(view.buffer, GRID_HEAD + name),
    };
}

const DECODERS = { [SAMPLES]: [samples, SAMPLES_HEAD], [IMAGE]: [image, IMAGE_HEAD], [GRID]: [grid, GRID_HEAD] };

// null: not a message of this protocol.
export function decodeBinary(buffer) {
    const view = new DataView(buffer);
    const [decode, head] = (buffer.byteLength && DECODERS[view.getUint8(0)]) || [];
    return decode && buffer.byteLength >= head ? decode(view) : null;
}
