function seq = ach_channel_seq(handle)
% ACH_CHANNEL_SEQ  The sequence number of the last message got or flushed.
%   SEQ = ach_channel_seq(HANDLE)

% SPDX-License-Identifier: BSD-3-Clause
    seq = ach_mex('seq', handle);
end
