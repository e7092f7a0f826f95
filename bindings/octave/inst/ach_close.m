function ach_close(handle)
% ACH_CLOSE  Close a channel, a device, a period or the memory of a channel.
%   ach_close(HANDLE)
%   ach_close('all')
%
%   Functions on a closed handle fail with 'ach:closed'. For a device, this waits for at most
%   2 seconds until the driver has handled the commands.
%
%   See also: ach_open, ach_device_open.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('close', handle);
end
