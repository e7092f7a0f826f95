// SPDX-License-Identifier: BSD-3-Clause
// The kinds of panels, for the workspace and the menus.
import { TreePanel } from './tree.js';
import { PlotPanel } from './plot.js';
import { RobotPanel } from './robot.js';
import { ImagePanel } from './image.js';
import { DrivePanel } from './drive.js';
import { JointsPanel } from './joints.js';

// `topics`: the kinds of topics of which the user chooses one.
export const KINDS = {
    robot: { make: RobotPanel, icon: 'robot', title: 'Robot', about: 'map, laser, path, goals', size: { w: 8, h: 13 } },
    plot: { make: PlotPanel, icon: 'plot', title: 'Plot', about: 'numbers over time', size: { w: 8, h: 8 } },
    tree: { make: TreePanel, icon: 'tree', title: 'Message', about: 'fields and values', size: { w: 4, h: 8 }, topics: null },
    image: { make: ImagePanel, icon: 'image', title: 'Image', about: 'cameras', size: { w: 4, h: 8 }, topics: ['image'] },
    drive: { make: DrivePanel, icon: 'drive', title: 'Drive', about: 'buttons, stick, keys', size: { w: 4, h: 9 } },
    joints: { make: JointsPanel, icon: 'joints', title: 'Joints', about: 'positions, sliders', size: { w: 4, h: 8 }, topics: ['joints'] },
};

export function newPanel(kind, app, options) {
    return new KINDS[kind].make(app, kind, KINDS[kind], options);
}
