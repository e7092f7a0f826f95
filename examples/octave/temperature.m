% SPDX-License-Identifier: BSD-3-Clause
% temperature.m - a channel whose messages have fields: put some, and read the newest
% In Octave, load the package first: pkg load ach
type = struct('name', 'demo/msg/Temperature', 'encoding', 'cdr', 'schema_encoding', 'ros2msg', ...
              'schema', sprintf('float64 celsius\nstring place\n'));
ach_create('kitchen', 'type', type);
publisher = ach_open('kitchen');
reader = ach_open('kitchen', 'type', type);  % fails if the type is another one

for celsius = 20:0.5:22
    ach_put(publisher, struct('celsius', celsius, 'place', 'above the oven'));
end

newest = ach_get(reader, 'wait', true, 'timeout', 1, 'last', true, 'class', 'struct');
printf('%.1f degrees %s; %d older messages\n', newest.celsius, newest.place, ...
       ach_channel_missed(reader));
ach_close(reader);
ach_close(publisher);
ach_unlink('kitchen');
