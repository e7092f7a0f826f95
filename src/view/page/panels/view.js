// SPDX-License-Identifier: BSD-3-Clause
// Which part of the plane a canvas shows: metres, x to the right, y up.

const LEAST = 2, GREATEST = 2000; // pixels per metre

export class View {
    x = 0; // at the centre
    y = 0;
    scale = 50;
    width = 1;
    height = 1;

    toScreen(x, y) {
        return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
    }

    toWorld(px, py) {
        return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
    }

    pan(dx, dy) {
        this.x -= dx / this.scale;
        this.y += dy / this.scale;
    }

    zoom(factor, px = this.width / 2, py = this.height / 2) {
        const [x, y] = this.toWorld(px, py);
        this.scale = Math.min(GREATEST, Math.max(LEAST, this.scale * factor));
        const [nx, ny] = this.toWorld(px, py);
        this.x += x - nx;
        this.y += y - ny;
    }

    fit([x0, y0, x1, y1]) {
        this.x = (x0 + x1) / 2;
        this.y = (y0 + y1) / 2;
        const scale = 0.92 * Math.min(this.width / (x1 - x0), this.height / (y1 - y0));
        this.scale = Math.min(GREATEST, Math.max(LEAST, scale));
    }

    // Draw in metres: the transform of the canvas, for `ratio` pixels of the screen per pixel of CSS.
    apply(context, ratio, pose = null) {
        const s = this.scale * ratio;
        context.setTransform(s, 0, 0, -s, (this.width / 2 - this.x * this.scale) * ratio, (this.height / 2 + this.y * this.scale) * ratio);
        if (!pose) return;
        context.translate(pose.x, pose.y);
        context.rotate(pose.a);
    }
}
