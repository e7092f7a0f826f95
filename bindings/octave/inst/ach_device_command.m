function ach_device_command(device, name, varargin)
% ACH_DEVICE_COMMAND  Send a command to a device.
%   ach_device_command(DEVICE, NAME)
%   ach_device_command(DEVICE, NAME, FIELDS)
%
%   FIELDS is a struct. Fields that it does not have are 0. Does not wait for the driver: see
%   ach_device_flush.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('device_command', device, name, varargin{:});
end
