function info = ach_channel_info(handle)
% ACH_CHANNEL_INFO  Geometry and statistics of a channel.
%   INFO = ach_channel_info(HANDLE)
%
%   A struct with the members of ach_info_t: see 'man ach_channel_info'.

% SPDX-License-Identifier: BSD-3-Clause
    info = ach_mex('info', handle);
end
