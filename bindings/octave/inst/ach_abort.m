function ach_abort(handle)
% ACH_ABORT  Drop a reservation.
%   ach_abort(HANDLE)

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('abort', handle);
end
