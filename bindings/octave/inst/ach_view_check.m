function ach_view_check(handle)
% ACH_VIEW_CHECK  Is the message of the last ach_view still in the channel?
%   ach_view_check(HANDLE)
%
%   Fails with 'ach:eagain' if a writer has overwritten it. The array that ach_view returned is a
%   copy and stays valid.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('check', handle);
end
