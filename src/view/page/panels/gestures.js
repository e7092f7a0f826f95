// SPDX-License-Identifier: BSD-3-Clause
// Drag, pinch and wheel on a canvas, as changes of a view. `on`: {changed(), held() → bool, press(x, y), drag(x, y), release()}.

export function handleView(canvas, view, on) {
    const pointers = new Map();
    const at = (event) => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
    const spread = () => {
        const [[x0, y0], [x1, y1]] = [...pointers.values()];
        return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, size: Math.hypot(x1 - x0, y1 - y0) };
    };
    const pinch = (event) => {
        const before = spread();
        pointers.set(event.pointerId, at(event));
        const after = spread();
        view.zoom(after.size / Math.max(1, before.size), before.x, before.y);
        view.pan(after.x - before.x, after.y - before.y);
    };

    canvas.addEventListener('pointerdown', (event) => {
        if (event.button !== 0) return;
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, at(event));
        if (on.held()) on.press(...view.toWorld(...at(event)));
    });
    canvas.addEventListener('pointermove', (event) => {
        const last = pointers.get(event.pointerId);
        if (!last) return;
        if (on.held()) return on.drag(...view.toWorld(...at(event)));
        if (pointers.size === 2) pinch(event);
        else {
            const [x, y] = at(event);
            view.pan(x - last[0], y - last[1]);
            pointers.set(event.pointerId, [x, y]);
        }
        on.changed();
    });
    const end = (event) => {
        if (pointers.delete(event.pointerId) && on.held()) on.release();
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('wheel', (event) => {
        event.preventDefault();
        view.zoom(Math.exp(-event.deltaY * 0.0015), ...at(event));
        on.changed();
    }, { passive: false });
}
