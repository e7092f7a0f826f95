function ach_resume(handle)
% ACH_RESUME  End the effect of ach_cancel.
%   ach_resume(HANDLE)

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('resume', handle);
end
