function ach_commit(handle, varargin)
% ACH_COMMIT  Put the message that was written into a reservation.
%   ach_commit(HANDLE)
%   ach_commit(HANDLE, BYTES)
%
%   By default the message is as large as the reservation.
%
%   See also: ach_reserve, ach_abort.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('commit', handle, varargin{:});
end
