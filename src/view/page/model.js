// SPDX-License-Identifier: BSD-3-Clause
// What the server has told: topics, channels, links, devices, the clock. A picture that is replaced as it changes.
import { Events } from './events.js';

const LOG_LENGTH = 100;

// Events: hello, topics, channels, relay, devices, clock, status, driving, refused (address, reason).
export class Model extends Events {
    hello = { version: '', host: '', drive: false, source: 'live', file: '' };
    topics = new Map(); // by id
    names = new Map();  // topics by name
    channels = [];
    relay = [];
    devices = [];
    clock = null;
    clockAt = 0; // performance.now() when the clock was told
    log = [];
    driving = new Map(); // by address
    #connection;

    constructor(connection) {
        super();
        this.#connection = connection;
        connection.on('op', (message) => OPS[message.op]?.call(this, message));
        connection.on('state', (state) => state === 'open' || this.#forget());
    }

    note(level, message) {
        this.log.push({ level, message, time: Date.now() / 1000 });
        if (this.log.length > LOG_LENGTH) this.log.shift();
        this.emit('status');
    }

    // Ids are those of one connection.
    #forget() {
        if (!this.topics.size && !this.driving.size) return;
        this.topics.clear();
        this.names.clear();
        this.driving.clear();
        this.emit('topics', [], []);
        this.emit('driving');
    }

    changeTopics({ add = [], remove = [] }) {
        const gone = remove.map((id) => this.topics.get(id)).filter(Boolean);
        for (const topic of gone) {
            this.topics.delete(topic.id);
            if (this.names.get(topic.name) === topic) this.names.delete(topic.name);
        }
        for (const topic of add) {
            topic.fields ??= [];
            topic.kind = schemaKind(topic.schema);
            this.topics.set(topic.id, topic);
            this.names.set(topic.name, topic);
        }
        this.emit('topics', add, gone);
        if (this.hello.source === 'file') this.#listRecorded();
    }

    // The server lists live channels. In a recording, a topic is all that is left of a channel.
    #listRecorded() {
        this.channels = [...this.topics.values()].map((t) => ({ name: t.channel, machine: '', type: t.schema, count: t.recorded, recorded: true }));
        this.emit('channels');
    }

    topicsOf(channel) {
        return [...this.topics.values()].filter((t) => t.channel === channel);
    }

    // Topics that a panel of this kind draws, by name.
    topicsOfKind(...kinds) {
        return [...this.topics.values()].filter((t) => kinds.includes(t.kind)).sort((a, b) => compareNames(a.name, b.name));
    }
}

const OPS = {
    hello(m) {
        this.hello = { ...this.hello, ...m };
        this.emit('hello');
    },
    topics(m) {
        this.changeTopics(m);
    },
    channels(m) {
        this.channels = m.channels ?? [];
        this.emit('channels');
    },
    relay(m) {
        this.relay = m.status ?? [];
        this.emit('relay');
    },
    devices(m) {
        this.devices = m.devices ?? [];
        this.emit('devices');
    },
    clock(m) {
        this.clock = m;
        this.clockAt = performance.now();
        this.emit('clock');
    },
    status(m) {
        this.note(m.level, m.message);
    },
    driving(m) {
        this.driving.set(m.address, m);
        this.emit('driving');
    },
    // Commands are repeated: one sentence is enough.
    refused(m) {
        const last = this.log.at(-1), message = `${m.address}: ${m.reason}`;
        if (last?.message !== message || Date.now() / 1000 - last.time > 2) this.note('warning', message);
        this.emit('refused', m.address, m.reason);
    },
};

const KINDS = {
    'sensor_msgs/LaserScan': 'scan', 'nav_msgs/Odometry': 'odometry', 'nav_msgs/OccupancyGrid': 'grid',
    'nav_msgs/Path': 'path', 'sensor_msgs/Image': 'image', 'sensor_msgs/CompressedImage': 'image',
    'sensor_msgs/JointState': 'joints', 'tf2_msgs/TFMessage': 'tf', 'tf/tfMessage': 'tf',
    'geometry_msgs/PoseStamped': 'pose', 'geometry_msgs/PoseWithCovarianceStamped': 'located', 'sensor_msgs/Imu': 'imu',
};

// ROS 2 says sensor_msgs/msg/LaserScan, ROS 1 sensor_msgs/LaserScan.
function schemaKind(schema) {
    return KINDS[(schema ?? '').replace('/msg/', '/')] ?? 'other';
}

const collator = new Intl.Collator('en', { numeric: true });
export const compareNames = (a, b) => collator.compare(a, b);
