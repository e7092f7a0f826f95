function fd = ach_channel_fd(handle)
% ACH_CHANNEL_FD  The descriptor of a channel or a device, for poll(2).
%   FD = ach_channel_fd(HANDLE)
%
%   Do not read, write or close it.
%
%   See also: ach_poll.

% SPDX-License-Identifier: BSD-3-Clause
    fd = ach_mex('fd', handle);
end
