function ach_flush(handle)
% ACH_FLUSH  Skip all messages that are in the channel now.
%   ach_flush(HANDLE)
%
%   See also: ach_device_flush.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('flush', handle);
end
