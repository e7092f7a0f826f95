% SPDX-License-Identifier: BSD-3-Clause
% nearest.m - the nearest obstacle of ten scans of a laser. The address is in LASER.
% In Octave, load the package first: pkg load ach
address = getenv('LASER');
if isempty(address)
    address = 'laser:0';
end
laser = ach_device_open(address);
for i = 1:10
    scan = ach_device_get(laser, 'SCAN', 'wait', true, 'timeout', 5, 'last', true);
    [range, k] = min(scan.ranges);
    angle = scan.min_angle + (k - 1) * scan.resolution;
end
printf('%.2f m at %.2f rad\n', range, angle);
ach_close(laser);
