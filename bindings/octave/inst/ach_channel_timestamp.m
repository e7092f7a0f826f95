function seconds = ach_channel_timestamp(handle)
% ACH_CHANNEL_TIMESTAMP  When the last message was put.
%   SECONDS = ach_channel_timestamp(HANDLE)
%
%   On the clock of the channel, which was created with 'timestamps'.

% SPDX-License-Identifier: BSD-3-Clause
    seconds = ach_mex('timestamp', handle);
end
