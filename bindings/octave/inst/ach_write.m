function ach_write(handle, data, offset)
% ACH_WRITE  Write a part of a message into a reservation.
%   ach_write(HANDLE, DATA)
%   ach_write(HANDLE, DATA, OFFSET)
%
%   The bytes of DATA are written OFFSET bytes behind the beginning.
%
%   See also: ach_reserve, ach_commit.

% SPDX-License-Identifier: BSD-3-Clause
    if nargin < 3
        offset = 0;
    end
    ach_mex('write', handle, data, offset);
end
