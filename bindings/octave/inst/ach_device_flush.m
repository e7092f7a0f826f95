function ach_device_flush(device, varargin)
% ACH_DEVICE_FLUSH  Wait until the driver has handled all commands.
%   ach_device_flush(DEVICE, 'timeout', SECONDS)
%
%   The default timeout is 5 seconds. Fails with 'ach:enotsup' if commands were not handled.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('device_flush', device, varargin{:});
end
