// SPDX-License-Identifier: BSD-3-Clause
// Poses in the plane, {x, y, a}, and the tree of frames that transforms and odometry tell of.

const DEPTH = 64; // a longer chain is a circle

export const ORIGIN = { x: 0, y: 0, a: 0 };

export function compose(p, q) {
    const c = Math.cos(p.a), s = Math.sin(p.a);
    return { x: p.x + c * q.x - s * q.y, y: p.y + s * q.x + c * q.y, a: p.a + q.a };
}

export function inverse(p) {
    const c = Math.cos(p.a), s = Math.sin(p.a);
    return { x: -c * p.x - s * p.y, y: s * p.x - c * p.y, a: -p.a };
}

export function yaw({ x = 0, y = 0, z = 0, w = 1 } = {}) {
    return Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

// Of geometry_msgs/Pose and Transform. Null if it is not a pose.
export function poseOf(place, rotation) {
    const pose = { x: place?.x, y: place?.y, a: yaw(rotation ?? {}) };
    return Number.isFinite(pose.x) && Number.isFinite(pose.y) && Number.isFinite(pose.a) ? pose : null;
}

export const frameName = (text) => (text ?? '').replace(/^\//, '');

export class Frames {
    #parents = new Map(); // by child: {parent, pose, strong}

    // `strong`: from tf. Odometry does not replace it.
    set(parent, child, pose, strong) {
        if (!pose || !child || parent === child) return;
        if (!strong && this.#parents.get(child)?.strong) return;
        this.#parents.set(child, { parent, pose, strong });
    }

    clear() {
        this.#parents.clear();
    }

    has(frame) {
        return this.#parents.has(frame) || [...this.#parents.values()].some((p) => p.parent === frame);
    }

    chain(frame) {
        let pose = ORIGIN, at = frame;
        for (let i = 0; i < DEPTH && this.#parents.has(at); i++) {
            const up = this.#parents.get(at);
            pose = compose(up.pose, pose);
            at = up.parent;
        }
        return { root: at, pose };
    }

    // The pose of a frame in another one. Null if nothing connects them.
    find(frame, fixed) {
        if (frame === fixed) return ORIGIN;
        const a = this.chain(frame), b = this.chain(fixed);
        return a.root === b.root ? compose(inverse(b.pose), a.pose) : null;
    }
}
