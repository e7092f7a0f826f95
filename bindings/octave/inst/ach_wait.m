function [statuses, status] = ach_wait(handles, varargin)
% ACH_WAIT  Wait until one of several channels has a new message.
%   STATUSES = ach_wait(HANDLES, 'OPTION', VALUE, ...)
%   [STATUSES, STATUS] = ach_wait(...)
%
%   'timeout', SECONDS     how long at most; default: for ever
%   'linked', true         also until a channel loses its name
%
%   HANDLES is an array of up to 64. STATUSES is a cell array: 'ok': there is a new message;
%   'eagain': there is none; or the failure of this channel. A timeout is an error, or a STATUS
%   with two outputs.
%
%   See also: ach_poll, ach_get.

% SPDX-License-Identifier: BSD-3-Clause
    [done, statuses, status] = ach_mex('wait', 0, nargout, handles, varargin{:});
    if ~done
        [statuses, status] = ach_sliced(nargout, 'wait', handles, varargin{:});
    end
end
