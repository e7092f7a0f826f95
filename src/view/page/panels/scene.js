// SPDX-License-Identifier: BSD-3-Clause
// What a robot's messages say about its surroundings, ready to be drawn: a layer for each topic.
import { compareNames } from '../model.js';
import { Frames, ORIGIN, compose, inverse, poseOf, frameName } from './frames.js';

const STEP = 0.02;      // metres between two points of a trail
const TRAIL = 20000;    // points; then every second one is forgotten
const RECENT = 64;      // poses of odometry, to compare with a pose in the map of the same time
const JUMP = 2;         // metres: further in one message is not driving, but another start

export const RATES = { scan: 15, odometry: 30, tf: 30, grid: 2, path: 5, pose: 5, located: 20, joints: 15 };

export class Scene {
    frames = new Frames();
    layers = new Map(); // by topic: {kind, ...}
    bad = new Set();    // topics whose newest message cannot be drawn

    // A reader changes a copy: a bad message leaves the layer as it was.
    take(name, kind, message) {
        const layer = { kind, name, time: -Infinity, ...this.layers.get(name) };
        if (message.time < layer.time - 0.5) this.#backwards(layer);
        const good = READERS[kind](layer, message, this);
        if (good === false) this.bad.add(name);
        else this.bad.delete(name);
        if (!good) return;
        layer.time = message.time;
        layer.missed = message.missed ?? 0;
        layer.dropped = message.dropped ?? 0;
        this.layers.set(name, layer);
    }

    drop(name) {
        this.bad.delete(name);
        this.layers.delete(name);
    }

    // A recording was wound back.
    #backwards(layer) {
        layer.trail = null;
    }

    of(kind) {
        return [...this.layers.values()].filter((l) => l.kind === kind).sort((a, b) => compareNames(a.name, b.name));
    }

    // The frame that stands still in the picture.
    get fixed() {
        const grids = this.of('grid');
        if (this.frames.has('map') || grids.some((g) => g.frame === 'map')) return 'map';
        if (grids.length) return this.frames.chain(grids[0].frame).root;
        const [odometry] = this.of('odometry');
        if (odometry) return this.frames.chain(odometry.child).root;
        const [scan] = this.of('scan');
        return scan ? this.frames.chain(scan.frame).root : 'map';
    }

    // {pose, sure}. Not sure: nothing connects the frames, so one is drawn in the place of the other.
    place(frame, mounted) {
        const { fixed } = this, found = this.frames.find(frame, fixed);
        if (found) return { pose: found, sure: true };
        const [robot] = this.robots();
        if (!mounted || !robot) return { pose: ORIGIN, sure: false };
        return { pose: compose(robot.pose, this.frames.find(frame, robot.layer.child) ?? ORIGIN), sure: false };
    }

    // {pose, layer} of all robots whose place is known. If none is, odometry is taken as if it began at the origin.
    robots() {
        const all = this.of('odometry'), { fixed } = this;
        const placed = all.map((layer) => ({ layer, pose: this.frames.find(layer.child, fixed) })).filter((r) => r.pose);
        return placed.length ? placed : all.map((layer) => ({ layer, pose: layer.pose }));
    }

    box() {
        const box = [Infinity, Infinity, -Infinity, -Infinity];
        const add = (x, y) => {
            box[0] = Math.min(box[0], x);
            box[1] = Math.min(box[1], y);
            box[2] = Math.max(box[2], x);
            box[3] = Math.max(box[3], y);
        };
        for (const { grid: g, frame } of this.of('grid')) {
            const at = compose(this.place(frame, false).pose, g), w = g.width * g.resolution, h = g.height * g.resolution;
            for (const [x, y] of [[0, 0], [w, 0], [0, h], [w, h]]) {
                const p = compose(at, { x, y, a: 0 });
                add(p.x, p.y);
            }
        }
        for (const { pose, layer } of this.robots()) {
            add(pose.x - 1, pose.y - 1);
            add(pose.x + 1, pose.y + 1);
            const at = this.place(layer.frame, false).pose, trail = layer.trail;
            for (let i = 0; i < (trail?.length ?? 0); i++) {
                const p = compose(at, { x: trail.xy[2 * i], y: trail.xy[2 * i + 1], a: 0 });
                add(p.x, p.y);
            }
        }
        for (const layer of this.of('scan')) {
            const at = this.place(layer.frame, true).pose;
            for (let i = 0; i < layer.count; i += 8) {
                const p = compose(at, { x: layer.points[2 * i], y: layer.points[2 * i + 1], a: 0 });
                add(p.x, p.y);
            }
        }
        return box[0] < box[2] ? box : [-2, -2, 2, 2];
    }
}

// Each takes what it needs, and returns false if the message is not what its schema says, null if others must come first.
const READERS = {
    scan(layer, { value: v }) {
        const ranges = v?.ranges;
        if (!Array.isArray(ranges) || !Number.isFinite(v.angle_min) || !Number.isFinite(v.angle_increment)) return false;
        if (!(layer.points?.length >= 2 * ranges.length)) layer.points = new Float32Array(2 * ranges.length);
        const greatest = v.range_max > 0 ? v.range_max : Infinity, least = Math.max(v.range_min ?? 0, 1e-4);
        layer.count = 0;
        ranges.forEach((range, i) => {
            if (typeof range !== 'number' || range < least || range >= greatest) return;
            const angle = v.angle_min + i * v.angle_increment;
            layer.points[2 * layer.count] = range * Math.cos(angle);
            layer.points[2 * layer.count + 1] = range * Math.sin(angle);
            layer.count++;
        });
        layer.frame = frameName(v.header?.frame_id);
        return true;
    },
    odometry(layer, { value: v, time }, { frames }) {
        const pose = poseOf(v?.pose?.pose?.position, v?.pose?.pose?.orientation);
        if (!pose) return false;
        layer.pose = pose;
        layer.frame = frameName(v.header?.frame_id) || 'odom';
        layer.child = frameName(v.child_frame_id) || `${layer.name}/base`;
        layer.speed = v.twist?.twist?.linear?.x ?? 0;
        layer.turn = v.twist?.twist?.angular?.z ?? 0;
        frames.set(layer.frame, layer.child, pose, false);
        layer.trail = extend(layer.trail, pose);
        layer.recent = [...(layer.recent ?? []).slice(-RECENT), { time, pose }];
        return true;
    },
    tf(layer, { value: v }, { frames }) {
        for (const t of v?.transforms ?? [])
            frames.set(frameName(t.header?.frame_id), frameName(t.child_frame_id), poseOf(t.transform?.translation, t.transform?.rotation), true);
        return true;
    },
    grid(layer, message) {
        layer.grid = gridOf(message);
        if (!layer.grid) return false;
        layer.frame = frameName(layer.grid.frame) || 'map';
        layer.picture = null;
        return true;
    },
    path(layer, { value: v }) {
        if (!Array.isArray(v?.poses)) return false;
        layer.frame = frameName(v.header?.frame_id) || 'map';
        layer.poses = v.poses.map((p) => poseOf(p.pose?.position, p.pose?.orientation)).filter(Boolean);
        return true;
    },
    pose(layer, { value: v }) {
        layer.pose = poseOf(v?.pose?.position, v?.pose?.orientation);
        layer.frame = frameName(v?.header?.frame_id) || 'map';
        return layer.pose !== null;
    },
    // Where the robot is in the map tells where its odometry began, unless tf does.
    located(layer, { value: v, time }, scene) {
        const pose = poseOf(v?.pose?.pose?.position, v?.pose?.pose?.orientation), [odometry] = scene.of('odometry');
        if (!pose) return false;
        if (!odometry) return null;
        const then = odometry.recent.reduce((best, r) => (Math.abs(r.time - time) < Math.abs(best.time - time) ? r : best));
        scene.frames.set(frameName(v.header?.frame_id) || 'map', odometry.frame, compose(pose, inverse(then.pose)), false);
        return true;
    },
    joints(layer, { value: v }) {
        if (!Array.isArray(v?.position)) return false;
        layer.joints = v.position.map((position, i) => ({ name: v.name?.[i] || `joint ${i}`, position }));
        return true;
    },
};

// `cells`: of a binary message. Others have a list.
function gridOf({ value, time, cells }) {
    const { width, height, resolution, origin } = value?.info ?? {}, pose = poseOf(origin?.position ?? ORIGIN, origin?.orientation);
    const list = cells ?? (Array.isArray(value?.data) ? value.data : []);
    if (!pose || !Number.isFinite(resolution) || list.length !== width * height) return null;
    return { time, width, height, resolution, ...pose, frame: value.header?.frame_id, cells: Int8Array.from(list) };
}

function extend(trail, { x, y }) {
    trail ??= { xy: new Float32Array(2 * TRAIL), length: 0 };
    const { xy, length } = trail, last = 2 * (length - 1);
    const moved = length ? Math.hypot(x - xy[last], y - xy[last + 1]) : Infinity;
    if (moved < STEP) return trail;
    if (length && moved > JUMP) trail.length = 0;
    if (trail.length === TRAIL) {
        for (let i = 0; i < TRAIL / 2; i++) xy.copyWithin(2 * i, 4 * i, 4 * i + 2);
        trail.length = TRAIL / 2;
    }
    xy[2 * trail.length] = x;
    xy[2 * trail.length + 1] = y;
    trail.length++;
    return trail;
}

