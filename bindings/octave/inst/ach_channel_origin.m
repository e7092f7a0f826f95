function origin = ach_channel_origin(handle)
% ACH_CHANNEL_ORIGIN  Where the last message was first put.
%   ORIGIN = ach_channel_origin(HANDLE)
%
%   A struct with epoch, seq and stamp, for ach_put_relayed.

% SPDX-License-Identifier: BSD-3-Clause
    origin = ach_mex('origin', handle);
end
