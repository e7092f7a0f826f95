function devices = ach_device_list(where, varargin)
% ACH_DEVICE_LIST  List the devices of a robot.
%   DEVICES = ach_device_list(WHERE, 'OPTION', VALUE, ...)
%
%   WHERE is a host and robot, as in addresses: 'robot.local:6665', '6666' or ''. Options as for
%   ach_device_open. DEVICES is an array of structs.

% SPDX-License-Identifier: BSD-3-Clause
    devices = ach_mex('device_list', where, varargin{:});
end
