// SPDX-License-Identifier: BSD-3-Clause
// Draws a scene. Positions are metres; widths are pixels, whatever the zoom.

export class RobotPainter {
    #context;
    #view;
    #theme;
    #ratio = 1;

    constructor(canvas, view, theme) {
        this.#context = canvas.getContext('2d', { alpha: false });
        this.#view = view;
        this.#theme = theme;
    }

    draw(scene, hidden, extra) {
        const c = this.#context, shown = (kind) => scene.of(kind).filter((l) => !hidden.includes(l.name));
        this.#ratio = devicePixelRatio;
        c.setTransform(1, 0, 0, 1, 0, 0);
        c.fillStyle = this.#theme.colour('canvas');
        c.fillRect(0, 0, c.canvas.width, c.canvas.height);
        const robots = scene.robots().filter(({ layer }) => !hidden.includes(layer.name));
        this.#each(scene, shown('grid'), (layer) => this.#grid(layer, scene));
        this.#lines();
        this.#each(scene, shown('path'), (layer) => this.#path(layer, scene));
        this.#each(scene, robots.map((r) => r.layer), (layer) => this.#trail(layer, scene));
        this.#each(scene, shown('scan'), (layer) => this.#scan(layer, scene));
        this.#each(scene, shown('pose'), (layer) => this.#arrow(this.#into(scene, layer.frame, layer.pose), 'goal'));
        if (extra.goal) this.#arrow(extra.goal, 'goal');
        for (const { pose } of robots) this.#robot(pose, extra.size);
        this.#ruler();
    }

    // One layer that fails does not stop the others.
    #each(scene, layers, draw) {
        for (const layer of layers)
            try {
                draw(layer);
            } catch (error) {
                if (!scene.bad.has(layer.name)) console.warn(layer.name, error);
                scene.bad.add(layer.name);
            }
    }

    #into(scene, frame, pose) {
        const { pose: at } = scene.place(frame, false), cos = Math.cos(at.a), sin = Math.sin(at.a);
        return { x: at.x + cos * pose.x - sin * pose.y, y: at.y + sin * pose.x + cos * pose.y, a: at.a + pose.a };
    }

    #world(pose) {
        this.#view.apply(this.#context, this.#ratio, pose);
    }

    // Pixels in metres.
    #px(n) {
        return n / this.#view.scale;
    }

    #grid(layer, scene) {
        const { grid } = layer, c = this.#context;
        if (!layer.picture || layer.pictureTheme !== this.#theme.dark) {
            layer.picture = picture(grid, this.#theme);
            layer.pictureTheme = this.#theme.dark;
        }
        if (!layer.picture) return;
        this.#world(this.#into(scene, layer.frame, grid));
        c.imageSmoothingEnabled = this.#view.scale * grid.resolution < 1;
        c.drawImage(layer.picture, 0, 0, grid.width * grid.resolution, grid.height * grid.resolution);
    }

    // A line each metre, or each 2, 5, 10 metres.
    #lines() {
        const c = this.#context, v = this.#view, step = niceStep(28 / v.scale);
        const [left, top] = v.toWorld(0, 0), [right, bottom] = v.toWorld(v.width, v.height);
        this.#world(null);
        c.lineWidth = this.#px(1);
        c.strokeStyle = this.#theme.colour('mesh');
        c.beginPath();
        for (let x = Math.ceil(left / step) * step; x < right; x += step) c.moveTo(x, bottom), c.lineTo(x, top);
        for (let y = Math.ceil(bottom / step) * step; y < top; y += step) c.moveTo(left, y), c.lineTo(right, y);
        c.stroke();
    }

    #trail({ trail, frame, pose }, scene) {
        if (!trail) return;
        this.#world(scene.place(frame, false).pose);
        this.#polyline(trail.length, (i) => [trail.xy[2 * i], trail.xy[2 * i + 1]], 'trail', 2, [pose.x, pose.y]);
    }

    #path(layer, scene) {
        this.#world(scene.place(layer.frame, false).pose);
        this.#polyline(layer.poses.length, (i) => [layer.poses[i].x, layer.poses[i].y], 'path', 2.5);
    }

    #polyline(count, at, colour, width, end = null) {
        const c = this.#context;
        c.beginPath();
        for (let i = 0; i < count; i++) c.lineTo(...at(i));
        if (end) c.lineTo(...end);
        c.lineWidth = this.#px(width);
        c.lineJoin = 'round';
        c.strokeStyle = this.#theme.colour(colour);
        c.stroke();
    }

    #scan(layer, scene) {
        const c = this.#context, size = this.#px(2.5), { points, count } = layer;
        this.#world(scene.place(layer.frame, true).pose);
        c.fillStyle = this.#theme.colour('scan');
        for (let i = 0; i < count; i++) c.fillRect(points[2 * i] - size / 2, points[2 * i + 1] - size / 2, size, size);
    }

    #robot(pose, { length, width }) {
        const c = this.#context, small = Math.max(1, this.#px(14) / length);
        this.#world(pose);
        c.scale(small, small);
        c.beginPath();
        c.roundRect(-length / 2, -width / 2, length, width, Math.min(length, width) * 0.25);
        c.fillStyle = this.#theme.colour('robot-fill');
        c.fill();
        c.lineWidth = this.#px(2) / small;
        c.strokeStyle = this.#theme.colour('robot');
        c.stroke();
        c.beginPath();
        c.moveTo(length * 0.34, 0);
        c.lineTo(-length * 0.12, width * 0.24);
        c.lineTo(-length * 0.12, -width * 0.24);
        c.fillStyle = this.#theme.colour('robot');
        c.fill();
    }

    #arrow(pose, colour) {
        const c = this.#context, r = this.#px(8);
        this.#world(pose);
        c.strokeStyle = c.fillStyle = this.#theme.colour(colour);
        c.lineWidth = this.#px(2);
        c.beginPath();
        c.arc(0, 0, r, 0, 2 * Math.PI);
        c.moveTo(0, 0);
        c.lineTo(2.4 * r, 0);
        c.stroke();
        c.beginPath();
        c.moveTo(3.2 * r, 0);
        c.lineTo(2.2 * r, 0.6 * r);
        c.lineTo(2.2 * r, -0.6 * r);
        c.fill();
    }

    #ruler() {
        const c = this.#context, v = this.#view, metres = niceStep(60 / v.scale), width = metres * v.scale;
        const right = v.width - 14, y = v.height - 14;
        c.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0);
        c.strokeStyle = c.fillStyle = this.#theme.colour('dim');
        c.lineWidth = 1;
        c.beginPath();
        c.moveTo(right - width, y - 4.5);
        c.lineTo(right - width, y + 0.5);
        c.lineTo(right, y + 0.5);
        c.lineTo(right, y - 4.5);
        c.stroke();
        c.font = '11px system-ui, sans-serif';
        c.textAlign = 'center';
        c.fillText(metres < 1 ? `${metres * 100} cm` : `${metres} m`, right - width / 2, y - 5);
    }
}

// 1, 2 or 5 times a power of ten, at least as large.
function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return Number(([1, 2, 5, 10].find((m) => m * power >= least) * power).toPrecision(6));
}

const LARGEST = 64e6; // cells

function picture({ width, height, cells }, theme) {
    if (!width || !height || width * height > LARGEST) return null;
    const image = new ImageData(width, height), out = new Uint32Array(image.data.buffer), colours = palette(theme);
    for (let i = 0; i < cells.length; i++) out[i] = colours[cells[i] & 255];
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext('2d').putImageData(image, 0, 0);
    return canvas;
}

// A colour for each value of a cell: -1 unknown, 0 free, 100 occupied. The first cell is at the least x and y.
function palette(theme) {
    const rgb = (name) => theme.colour(name).match(/[\d.]+/g).slice(0, 3).map(Number);
    const free = rgb('cell-free'), full = rgb('cell-full'), unknown = rgb('cell-unknown');
    const pack = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    const colours = new Uint32Array(256).fill(pack(unknown));
    for (let i = 0; i <= 100; i++) colours[i] = pack(free.map((f, k) => Math.round(f + ((full[k] - f) * i) / 100)));
    return colours;
}
