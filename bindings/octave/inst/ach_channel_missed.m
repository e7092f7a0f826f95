function [last, total] = ach_channel_missed(handle)
% ACH_CHANNEL_MISSED  How many messages were missed.
%   [LAST, TOTAL] = ach_channel_missed(HANDLE)
%
%   LAST: right before the last message; TOTAL: with this handle.

% SPDX-License-Identifier: BSD-3-Clause
    [last, total] = ach_mex('missed', handle);
end
