function path = ach_channel_path(name)
% ACH_CHANNEL_PATH  The file of a channel in shared memory.
%   PATH = ach_channel_path(NAME)

% SPDX-License-Identifier: BSD-3-Clause
    path = ach_mex('path', name);
end
