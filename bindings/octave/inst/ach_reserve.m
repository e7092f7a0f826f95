function ach_reserve(handle, size)
% ACH_RESERVE  Reserve room for a message, to be written in parts.
%   ach_reserve(HANDLE, BYTES)
%
%   Then call ach_write, and ach_commit or ach_abort. In a channel with a single writer the room
%   is in the channel itself.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('reserve', handle, size);
end
