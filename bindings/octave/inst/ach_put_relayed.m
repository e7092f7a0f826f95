function ach_put_relayed(handle, message, origin)
% ACH_PUT_RELAYED  Put a message that comes from another channel.
%   ach_put_relayed(HANDLE, MESSAGE, ORIGIN)
%
%   ORIGIN is a struct with epoch, seq and stamp. The channel was created with 'relayed'.
%
%   See also: ach_channel_origin.

% SPDX-License-Identifier: BSD-3-Clause
    ach_mex('put_relayed', handle, message, origin);
end
