function ach_chmod(handle, mode)
% ACH_CHMOD  Change the permissions of a channel.
%   ach_chmod(HANDLE, '644')

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('chmod', handle, mode);
end
