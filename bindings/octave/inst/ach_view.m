function [message, status, bytes] = ach_view(handle, varargin)
% ACH_VIEW  Get a message, or a part of it, with one copy less than ach_get.
%   MESSAGE = ach_view(HANDLE, 'OPTION', VALUE, ...)
%   [MESSAGE, STATUS, BYTES] = ach_view(...)
%
%   Options and outputs as for ach_get, but without 'size', and with
%
%   'range', [FIRST LAST]  only these bytes, counted from 1
%
%   The bytes are copied from the channel into the array, and then checked. If a writer has
%   overwritten them meanwhile, ach_view fails with 'ach:eagain'. BYTES is that of the whole
%   message.
%
%   See also: ach_view_check, ach_get.

% SPDX-License-Identifier: BSD-3-Clause
    [done, message, status, bytes] = ach_mex('view', 0, nargout, handle, varargin{:});
    if ~done
        [message, status, bytes] = ach_sliced(nargout, 'view', handle, varargin{:});
    end
end
