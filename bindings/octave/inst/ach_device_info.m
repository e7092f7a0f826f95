function info = ach_device_info(device)
% ACH_DEVICE_INFO  Address, transport, rights and lost messages of a device.
%   INFO = ach_device_info(DEVICE)

% SPDX-License-Identifier: BSD-3-Clause
    info = ach_mex('device_info', device);
end
