function ready = ach_poll(handles, varargin)
% ACH_POLL  Wait until a channel or a device has something to get.
%   READY = ach_poll(HANDLES, 'timeout', SECONDS)
%
%   HANDLES is an array of up to 64 channels and devices. READY is true for those to get from; for
%   none after the timeout. The default is to wait for ever.
%
%   See also: ach_wait, ach_channel_fd.

% SPDX-License-Identifier: BSD-3-Clause
    [done, ready] = ach_mex('poll', 0, nargout, handles, varargin{:});
    if ~done
        ready = ach_sliced(nargout, 'poll', handles, varargin{:});
    end
end
