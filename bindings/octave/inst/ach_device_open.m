function device = ach_device_open(address, varargin)
% ACH_DEVICE_OPEN  Open a device and subscribe to it.
%   DEVICE = ach_device_open(ADDRESS, 'OPTION', VALUE, ...)
%
%   ADDRESS is 'laser:0' for this machine, '6666:laser:0' for another robot on it, or
%   'robot.local:6665:laser:0' for another host.
%
%   'timeout', SECONDS     to connect; default: 5
%   'transport', NAME      'tcp' or 'channel'; default: by the address
%   'messages', N          length of the queue; default: 1024
%
%   See also: ach_device_get, ach_device_command, ach_device_request, ach_close.

% SPDX-License-Identifier: BSD-3-Clause
    device = ach_mex('device_open', address, varargin{:});
end
