function ach_cancel(handle)
% ACH_CANCEL  Let gets and waits on a handle fail with 'ach:canceled'.
%   ach_cancel(HANDLE)
%
%   See also: ach_resume.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('cancel', handle);
end
